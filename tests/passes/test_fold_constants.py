"""Constants computed when the code is generated."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, body, ops
from mcugen.ir import DType
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.expand import ExpandAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import fold_constants
from opcase import q


def test_chains_of_constants_fold() -> None:
    b = Builder()
    a = b.node("Abs", (b.const("k", [-1.0, 2.0]),), UnaryAttrs(), "a")
    c = b.node("Mul", (a, b.const("two", [2.0])), BinaryAttrs(), "c")
    b.node("Add", (b.input("x", (2,)), c), BinaryAttrs(), "y")
    before = b.graph("y")
    after = fold_constants.run(before)
    assert ops(after) == ["Add"]
    (name,) = set(after.nodes[0].inputs) - {"x"}
    assert after[name].data.tolist() == [2.0, 4.0]
    assert_same(before, after)


def test_float_weights_beside_their_quantization_become_integers() -> None:
    b = Builder()
    w = b.quantize(b.const("w", [0.24, -0.5]), "wq", 0.1, 3)
    b.node("Mul", (b.input("x", (2,)), b.dequantize(w, "wf", 0.1, 3)), BinaryAttrs(), "y")
    before = b.graph("y")
    after = fold_constants.run(before)
    assert ops(after) == ["DequantizeLinear", "Mul"]
    integers = after[after.nodes[0].inputs[0]]
    assert integers.data.tolist() == [5, -2]
    assert (integers.dtype, integers.quant) == (DType.INT8, q(0.1, 3))
    assert_same(before, after)


def test_dequantized_weights_stay_integers() -> None:
    b = Builder()
    w = b.dequantize(b.const("w", [1, 2], np.int8), "wf", 0.1)
    b.node("Mul", (b.input("x", (2,)), w), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_constants.run(graph) is graph


def test_what_would_grow_stays_a_loop() -> None:
    b = Builder()
    big = b.node("Expand", (b.const("k", [1.0]),), ExpandAttrs((400, 400)), "e")
    b.node("Add", (b.input("x", (400, 400)), big), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_constants.run(graph) is graph


def test_a_constant_output_keeps_one_node() -> None:
    b = Builder()
    a = b.node("Abs", (b.const("k", [-1.0, 2.0]),), UnaryAttrs(), "a")
    b.node("Neg", (a,), UnaryAttrs(), "y")
    before = b.graph("y")
    after = fold_constants.run(before)
    assert body(after) == ["y = Identity(y__2) {}"]
    assert fold_constants.run(after) is after
    assert_same(before, after)
