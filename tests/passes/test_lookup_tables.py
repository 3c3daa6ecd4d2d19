"""Functions of one 8-bit tensor as tables."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, body, ops
from mcugen.ir import DType, Graph
from mcugen.ops.activations import AlphaAttrs
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import attach_quantization, lookup_tables


def _tables(graph: Graph) -> Graph:
    before = attach_quantization.run(graph)
    after = lookup_tables.run(before)
    assert_same(before, after)
    return after


@pytest.mark.parametrize("source", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize("target", [DType.INT8, DType.UINT8])
def test_a_chain_of_functions(source: DType, target: DType) -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), source), "f", 0.1, 3)
    f = b.node("LeakyRelu", (f,), AlphaAttrs(0.1), "l")
    f = b.node("Sigmoid", (f,), UnaryAttrs(), "s")
    b.quantize(f, "y", 1 / 256, 0, target)
    after = _tables(b.graph("y"))
    assert ops(after) == ["Lookup"]
    assert after.nodes[0].origin == ("/f", "/l", "/s", "/y")
    assert after.nodes[0].attrs.table.dtype == target.np


def test_x_times_sigmoid_of_x() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    s = b.node("Sigmoid", (f,), UnaryAttrs(), "s")
    b.quantize(b.node("Mul", (f, s), BinaryAttrs(), "m"), "y", 0.1)
    assert ops(_tables(b.graph("y"))) == ["Lookup"]


def test_an_inner_table_is_computed_through() -> None:
    """Swish as quantizers write it: the sigmoid is quantized in between."""
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    s = b.quantize(b.node("Sigmoid", (f,), UnaryAttrs(), "s"), "sq", 1 / 256, -128)
    g = b.dequantize(s, "g", 1 / 256, -128)
    b.quantize(b.node("Mul", (f, g), BinaryAttrs(), "m"), "y", 0.1)
    assert ops(_tables(b.graph("y"))) == ["Lookup"]


def test_an_inner_table_that_others_read_stays() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    s = b.quantize(b.node("Sigmoid", (f,), UnaryAttrs(), "s"), "sq", 1 / 256, -128)
    g = b.dequantize(s, "g", 1 / 256, -128)
    b.quantize(b.node("Mul", (f, g), BinaryAttrs(), "m"), "y", 0.1)
    after = _tables(b.graph("y", "sq"))
    assert ops(after).count("Lookup") == 1
    assert "Mul" in ops(after)


def test_constants_of_one_element() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    k = b.dequantize(b.const("k", 127, np.int8), "kf", 0.0629)
    f = b.node("Mul", (f, k), BinaryAttrs(), "m")
    f = b.node("Add", (b.const("three", [3.0]), f), BinaryAttrs(), "a")
    b.quantize(b.node("Clip", (f,), ClipAttrs(0.0, 6.0), "c"), "y", 0.05)
    assert ops(_tables(b.graph("y"))) == ["Lookup"]


def test_a_change_of_scale() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    b.quantize(f, "y", 0.2, 5)
    assert ops(_tables(b.graph("y"))) == ["Lookup"]


def test_a_conversion_there_and_back_is_nothing() -> None:
    b = Builder()
    x = b.node("Identity", (b.input("x", (2, 3), DType.INT8),), IdentityAttrs(), "i")
    b.quantize(b.dequantize(x, "f", 0.1, 4), "y", 0.1, 4)
    assert body(_tables(b.graph("y"))) == ["y = Identity(x) {}"]


def test_there_and_back_between_input_and_output_is_a_copy() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1, 4)
    b.quantize(f, "y", 0.1, 4)
    assert ops(_tables(b.graph("y"))) == ["Identity"]


def test_two_variables_stay_float() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    g = b.dequantize(b.input("z", (2, 3), DType.INT8), "g", 0.1)
    b.quantize(b.node("Mul", (f, g), BinaryAttrs(), "m"), "y", 0.1)
    graph = attach_quantization.run(b.graph("y"))
    assert lookup_tables.run(graph) is graph


def test_a_constant_per_channel_stays_float() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    k = b.const("k", [1.0, 2.0, 3.0])
    b.quantize(b.node("Mul", (f, k), BinaryAttrs(), "m"), "y", 0.1)
    graph = attach_quantization.run(b.graph("y"))
    assert lookup_tables.run(graph) is graph


def test_16_bits_stay_float() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT16), "f", 0.1)
    b.quantize(b.node("Tanh", (f,), UnaryAttrs(), "t"), "y", 1 / 128)
    graph = attach_quantization.run(b.graph("y"))
    assert lookup_tables.run(graph) is graph


def test_float_inputs_stay_float() -> None:
    b = Builder()
    b.quantize(b.node("Tanh", (b.input("x", (2, 3)),), UnaryAttrs(), "t"), "y", 1 / 128)
    graph = attach_quantization.run(b.graph("y"))
    assert lookup_tables.run(graph) is graph
