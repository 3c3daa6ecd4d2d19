"""Clamps in the operators before them."""

from __future__ import annotations

import math

import numpy as np

from graphs import Builder, assert_same, ops, run
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.common import Clamp
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import fuse_activation

CONV = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1))


def _conv(b: Builder) -> str:
    w = np.random.default_rng(1).standard_normal((2, 3, 2, 2))
    return b.node("Conv", (b.input("x", (1, 3, 5, 4)), b.const("w", w)), CONV, "c")


def test_relu_then_clip_compose() -> None:
    b = Builder()
    relu = b.node("Relu", (_conv(b),), UnaryAttrs(), "r")
    b.node("Clip", (relu,), ClipAttrs(-1.0, 6.0), "y")
    before = b.graph("y")
    after = fuse_activation.run(before)
    assert ops(after) == ["Conv"]
    assert after.nodes[0].attrs.activation == Clamp(0.0, 6.0)
    assert after.nodes[0].origin == ("/c", "/r", "/y")
    assert_same(before, after)


def test_nan_passes_through() -> None:
    """ONNX: Relu([nan, -1, 2]) is [nan, 0, 2]."""
    b = Builder()
    x = b.input("x", (1, 1, 1, 3))
    c = b.node("Conv", (x, b.const("w", np.ones((1, 1, 1, 1)))), CONV, "c")
    b.node("Relu", (c,), UnaryAttrs(), "y")
    before = b.graph("y")
    after = fuse_activation.run(before)
    values = {"x": np.array([math.nan, -1, 2], np.float32).reshape(1, 1, 1, 3)}
    assert np.array_equal(run(before, values)["y"], run(after, values)["y"], equal_nan=True)
    assert np.isnan(run(after, values)["y"]).sum() == 1


def test_a_second_reader_keeps_the_clamp_apart() -> None:
    b = Builder()
    c = _conv(b)
    b.node("Relu", (c,), UnaryAttrs(), "y")
    b.node("Abs", (c,), UnaryAttrs(), "z")
    graph = b.graph("y", "z")
    assert fuse_activation.run(graph) is graph


def test_an_operator_without_activation_keeps_it_apart() -> None:
    b = Builder()
    a = b.node("Abs", (b.input("x", (3,)),), UnaryAttrs(), "a")
    b.node("Relu", (a,), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert fuse_activation.run(graph) is graph
