"""Flattened images in front of fully connected layers."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, ops
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.matmul import FullyConnectedAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import layout

CONV = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))
FC = FullyConnectedAttrs()


def _flat(b: Builder, spatial: tuple[int, int] = (5, 4)) -> str:
    w = np.random.default_rng(1).standard_normal((2, 3, 3, 3))
    c = b.node("Conv", (b.input("x", (2, 3, *spatial)), b.const("w", w)), CONV, "c")
    return b.node("Reshape", (c,), ReshapeAttrs((2, 2 * spatial[0] * spatial[1])), "f")


def _weight(b: Builder, name: str, units: int, inputs: int) -> str:
    return b.const(name, np.random.default_rng(2).standard_normal((units, inputs)))


def test_the_weight_takes_the_new_order() -> None:
    b = Builder()
    b.node("FullyConnected", (_flat(b), _weight(b, "v", 3, 40)), FC, "y")
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Transpose", "Conv", "Reshape", "FullyConnected"]
    assert after["f"].source is None
    old, new = before["v"].data, after[after.producer("y").inputs[1]].data
    assert np.array_equal(new[:, 1], old[:, 20])
    assert_same(before, after, exact=False)


def test_elementwise_operators_in_between() -> None:
    b = Builder()
    f = b.node("Relu", (_flat(b),), UnaryAttrs(), "r")
    f = b.node("Mul", (f, b.const("k", [2.0])), BinaryAttrs(), "m")
    b.node("FullyConnected", (f, _weight(b, "v", 3, 40), b.const("b", np.ones(3))), FC, "y")
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Transpose", "Conv", "Reshape", "Relu", "Mul", "FullyConnected"]
    assert_same(before, after, exact=False)


@pytest.mark.parametrize(("scale", "zero"), [(0.1, 3), ([0.1, 0.2, 0.3], 0)])
def test_through_dequantized_weights(scale: object, zero: int) -> None:
    b = Builder()
    f = _flat(b)
    v = b.const("v", np.random.default_rng(3).integers(-128, 127, (3, 40)), np.int8)
    b.node("FullyConnected", (f, b.dequantize(v, "d", scale, zero)), FC, "y")
    before = b.graph("y")
    after = layout.run(before)
    assert "Transpose" not in ops(after)[1:]
    assert after[after.producer(after.producer("y").inputs[1]).inputs[0]].dtype.value == "int8"
    assert_same(before, after, exact=False)


def test_scales_per_column_keep_the_order() -> None:
    b = Builder()
    f = _flat(b)
    v = b.const("v", np.random.default_rng(3).integers(-128, 127, (3, 40)), np.int8)
    d = b.dequantize(v, "d", np.linspace(0.1, 0.5, 40), 0, axis=1)
    b.node("FullyConnected", (f, d), FC, "y")
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after).count("Transpose") == 2
    assert_same(before, after, exact=False)


def test_another_reader_keeps_the_order() -> None:
    b = Builder()
    f = _flat(b)
    b.node("FullyConnected", (f, _weight(b, "v", 3, 40)), FC, "y")
    b.node("Relu", (f,), UnaryAttrs(), "z")
    before = b.graph("y", "z")
    after = layout.run(before)
    assert ops(after).count("Transpose") == 2
    assert_same(before, after, exact=False)


def test_two_layers_share_one_reordered_weight() -> None:
    b = Builder()
    f, v = _flat(b), _weight(b, "v", 3, 40)
    b.node("FullyConnected", (f, v), FC, "y")
    r = b.node("Relu", (f,), UnaryAttrs(), "r")
    b.node("FullyConnected", (r, v), FC, "z")
    before = b.graph("y", "z")
    after = layout.run(before)
    assert ops(after).count("Transpose") == 1
    assert after.producer("y").inputs[1] == after.producer("z").inputs[1]
    assert_same(before, after, exact=False)


def test_one_pixel_needs_no_new_order() -> None:
    b = Builder()
    b.node("FullyConnected", (_flat(b, (1, 1)), _weight(b, "v", 3, 2)), FC, "y")
    before = b.graph("y")
    after = layout.run(before)
    assert after.producer("y").inputs[1] == "v"
    assert "Transpose" not in ops(after)
    assert_same(before, after, exact=False)
