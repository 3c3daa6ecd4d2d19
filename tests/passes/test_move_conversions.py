"""Operators that move values run on integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphs import Builder, assert_same, body, ops, random_inputs, run
from mcugen.ir import DType, Graph
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.expand import TileAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.oracle import onnx_value
from mcugen.passes import attach_quantization, lookup_tables, move_conversions
from opcase import q


def _moved(graph: Graph) -> Graph:
    before = attach_quantization.run(graph)
    after = move_conversions.run(before)
    assert_same(before, after)
    return after


def _assert_sources(before: Graph, after: Graph) -> None:
    """New integer tensors are the quantized float tensors of the model."""
    inputs = random_inputs(before)
    old, new = run(before, inputs), run(after, inputs)
    for name, tensor in after.tensors.items():
        if not tensor.is_constant:
            assert np.array_equal(onnx_value(tensor, old), new[name])


MOVES: list[tuple[str, Any]] = [
    ("Reshape", ReshapeAttrs((3, 2))),
    ("Transpose", TransposeAttrs((1, 0))),
    ("Slice", SliceAttrs((0, 1), (1, 1), (2, 2))),
]


@pytest.mark.parametrize(("op", "attrs"), MOVES)
def test_dequantize_sinks(op: str, attrs: Any) -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1, 3)
    b.node("Abs", (b.node(op, (f,), attrs, "m"),), UnaryAttrs(), "y")
    before = b.graph("y")
    after = _moved(before)
    assert ops(after) == [op, "DequantizeLinear", "Abs"]
    assert after[after.nodes[0].outputs[0]].quant == q(0.1, 3)
    _assert_sources(before, after)


@pytest.mark.parametrize(("op", "attrs"), MOVES)
def test_quantize_rises(op: str, attrs: Any) -> None:
    b = Builder()
    f = b.node("Abs", (b.input("x", (2, 3)),), UnaryAttrs(), "f")
    b.quantize(b.node(op, (f,), attrs, "m"), "y", 0.1, 3)
    before = b.graph("y")
    after = _moved(before)
    assert ops(after) == ["Abs", "QuantizeLinear", op]
    assert after["y"].quant == q(0.1, 3)
    _assert_sources(before, after)


def test_chains_sink_whole() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    for op, attrs in MOVES[:2]:
        f = b.node(op, (f,), attrs, op.lower())
    b.node("Abs", (f,), UnaryAttrs(), "y")
    assert ops(_moved(b.graph("y"))) == ["Reshape", "Transpose", "DequantizeLinear", "Abs"]


def test_concat_of_equal_quantizations_sinks() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1, 3)
    g = b.dequantize(b.input("z", (1, 3), DType.INT8), "g", 0.1, 3)
    b.node("Abs", (b.node("Concat", (f, g, f), ConcatAttrs(0), "k"),), UnaryAttrs(), "y")
    after = _moved(b.graph("y"))
    assert body(after)[0] == "k__integers = Concat(x, z, x) {axis=0}"


def test_concat_of_different_quantizations_quantizes_each_input_once() -> None:
    """int8 a: 0.1, 0; b: 0.05, 10; the result: 0.1, -5."""
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1, 0)
    g = b.dequantize(b.input("z", (2, 3), DType.INT8), "g", 0.05, 10)
    b.quantize(b.node("Concat", (f, g), ConcatAttrs(1), "k"), "y", 0.1, -5)
    moved = _moved(b.graph("y"))
    after = lookup_tables.run(moved)
    assert ops(after) == ["Lookup", "Lookup", "Concat"]
    assert_same(moved, after)


def test_pad_takes_the_quantized_value() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1, 3)
    b.quantize(b.node("Pad", (f,), PadAttrs((1, 0, 0, 2), value=0.5), "p"), "y", 0.1, 3)
    moved = _moved(b.graph("y"))
    after = lookup_tables.run(moved)
    assert ops(after) == ["Pad"]
    assert after.nodes[0].attrs.value == 8
    assert_same(moved, after)


def test_what_grows_is_quantized_before_it_does() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    b.quantize(b.node("Tile", (f,), TileAttrs((2, 2)), "t"), "y", 0.2)
    after = lookup_tables.run(_moved(b.graph("y")))
    assert ops(after) == ["Lookup", "Tile"]


def test_constants_are_quantized_too() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    k = b.node("Concat", (f, b.const("c", np.ones((1, 3)))), ConcatAttrs(0), "k")
    b.quantize(k, "y", 0.1)
    after = _moved(b.graph("y"))
    assert ops(after)[-1] == "Concat"


def test_per_axis_stays() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", [0.1, 0.2], 0, axis=0)
    b.node("Abs", (b.node("Transpose", (f,), TransposeAttrs((1, 0)), "t"),), UnaryAttrs(), "y")
    graph = attach_quantization.run(b.graph("y"))
    assert move_conversions.run(graph) is graph


def test_a_float_that_others_read_is_not_quantized_twice() -> None:
    b = Builder()
    f = b.node("Abs", (b.input("x", (2, 3)),), UnaryAttrs(), "f")
    b.quantize(b.node("Reshape", (f,), ReshapeAttrs((6,)), "m"), "y", 0.1)
    b.node("Neg", (f,), UnaryAttrs(), "z")
    graph = attach_quantization.run(b.graph("y", "z"))
    assert move_conversions.run(graph) is graph


def test_a_clamp_behind_a_pool_goes_to_the_operator_before_it() -> None:
    """Conv -> MaxPool -> Relu -> QuantizeLinear has an integer form only that way round."""
    b = Builder()
    f = b.node("Abs", (b.input("x", (1, 2, 5, 4)),), UnaryAttrs(), "f")
    pool = PoolAttrs((2, 2), (1, 1), (0,) * 4, (1, 1), False, False)
    r = b.node("Relu", (b.node("MaxPool", (f,), pool, "p"),), UnaryAttrs(), "r")
    b.quantize(r, "y", 0.1)
    after = _moved(b.graph("y"))
    assert ops(after) == ["Abs", "Relu", "QuantizeLinear", "MaxPool"]


def test_a_clamp_that_is_not_quantized_stays() -> None:
    b = Builder()
    f = b.node("Abs", (b.input("x", (2, 3)),), UnaryAttrs(), "f")
    b.node("Relu", (b.node("Reshape", (f,), ReshapeAttrs((6,)), "m"),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert move_conversions.run(graph) is graph
