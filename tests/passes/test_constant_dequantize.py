"""Weights directly behind their DequantizeLinear."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, ops
from mcugen.ir import Graph
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.expand import ExpandAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.passes import attach_quantization, constant_dequantize, fold_constants
from opcase import q_axis


def _sunk(graph: Graph) -> Graph:
    before = attach_quantization.run(graph)
    after = fold_constants.run(constant_dequantize.run(before))
    assert_same(before, after)
    return after


def test_transpose_takes_the_axis_along() -> None:
    b = Builder()
    w = b.const("w", [[1, 2, 3], [4, 5, 6]], np.int8)
    d = b.dequantize(w, "d", [0.1, 0.2], 0, axis=0)
    t = b.node("Transpose", (d,), TransposeAttrs((1, 0)), "t")
    b.node("Mul", (b.input("x", (3, 2)), t), BinaryAttrs(), "y")
    after = _sunk(b.graph("y"))
    assert ops(after) == ["DequantizeLinear", "Mul"]
    integers = after[after.nodes[0].inputs[0]]
    assert integers.data.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert integers.quant == q_axis(np.array([0.1, 0.2]), 1)


def test_reshape_of_a_bias() -> None:
    b = Builder()
    d = b.dequantize(b.const("w", [[1, 2, 3]], np.int32), "d", 0.1)
    r = b.node("Reshape", (d,), ReshapeAttrs((3,)), "r")
    b.node("Mul", (b.input("x", (3,)), r), BinaryAttrs(), "y")
    assert ops(_sunk(b.graph("y"))) == ["DequantizeLinear", "Mul"]


def test_what_grows_and_reshaped_scales_stay() -> None:
    b = Builder()
    d = b.dequantize(b.const("w", [1], np.int8), "d", 0.1)
    e = b.node("Expand", (d,), ExpandAttrs((3,)), "e")
    b.node("Mul", (b.input("x", (3,)), e), BinaryAttrs(), "y")
    d = b.dequantize(b.const("v", [[1, 2, 3]], np.int8), "f", [0.1, 0.2, 0.3], 0, axis=1)
    r = b.node("Reshape", (d,), ReshapeAttrs((3,)), "r")
    b.node("Mul", ("x", r), BinaryAttrs(), "z")
    graph = attach_quantization.run(b.graph("y", "z"))
    assert constant_dequantize.run(graph) is graph
