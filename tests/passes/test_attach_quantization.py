"""Integers carry the numbers they are read by."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, QuantParams
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.passes import attach_quantization
from opcase import q, q_axis


def test_both_conversions_attach() -> None:
    b = Builder()
    x = b.quantize(b.input("x", (2, 3)), "xq", 0.5, 3)
    w = b.const("w", [[1, 2, 3], [4, 5, 6]], np.int8)
    b.dequantize(x, "y", 0.5, 3)
    b.dequantize(w, "z", [0.1, 0.2], [0, 0], axis=0)
    before = b.graph("y", "z")
    after = attach_quantization.run(before)
    assert after["xq"].quant == q(0.5, 3)
    assert after["w"].quant == q_axis(np.array([0.1, 0.2]), 0)
    assert_same(before, after)
    assert attach_quantization.run(after) is after


def test_it_passes_through_operators_that_move_integers_both_ways() -> None:
    b = Builder()
    x = b.input("x", (2, 3), DType.UINT8)
    r = b.node("Reshape", (x,), ReshapeAttrs((6,)), "r")
    b.dequantize(b.node("Reshape", (r,), ReshapeAttrs((3, 2)), "s"), "y", 0.5, 3)
    after = attach_quantization.run(b.graph("y"))
    assert [after[n].quant for n in "xrs"] == [q(0.5, 3)] * 3


def test_a_second_meaning_gets_a_copy() -> None:
    b = Builder()
    x = b.input("x", (2, 3), DType.INT8)
    b.dequantize(x, "y", 0.5)
    b.dequantize(x, "z", 0.25)
    before = b.graph("y", "z")
    after = attach_quantization.run(before)
    assert ops(after) == ["DequantizeLinear", "Reshape", "DequantizeLinear"]
    assert after["x"].quant == q(0.5)
    assert after[after.producer("z").inputs[0]].quant == q(0.25)
    assert_same(before, after)


def test_a_constant_with_a_second_meaning_is_doubled() -> None:
    b = Builder()
    c = b.const("c", [1, 2], np.int8)
    b.dequantize(c, "y", 0.5)
    b.dequantize(c, "z", 0.25)
    after = attach_quantization.run(b.graph("y", "z"))
    assert ops(after) == ["DequantizeLinear"] * 2
    assert after["c"].quant == q(0.5)
    assert after["c__2"].quant == q(0.25)


def test_a_scale_of_one_element_is_per_tensor() -> None:
    b = Builder()
    b.dequantize(b.input("x", (1, 3), DType.INT8), "y", [0.5], [3], axis=1)
    quant = attach_quantization.run(b.graph("y"))["x"].quant
    assert quant == QuantParams(np.float32(0.5)[...], np.int32(3)[...])
