"""Images channels last at the border."""

from __future__ import annotations

import numpy as np

from graphs import Builder, ops, run
from mcugen.ir import Graph, Source
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import drop_input_transpose, layout
from opcase import random_f32

CONV = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))


def _conv(channels: int, *, second: bool = False) -> Graph:
    b = Builder()
    x = b.input("x", (1, channels, 5, 4))
    w = b.const("w", random_f32(1, 2, channels, 3, 3))
    b.node("Conv", (x, w), CONV, "y")
    if second:
        b.node("Relu", (x,), UnaryAttrs(), "z")
    return layout.run(b.graph("y", "z") if second else b.graph("y"))


def test_transposes_go_from_both_ends() -> None:
    before = _conv(3)
    after = drop_input_transpose.run(before)
    assert ops(after) == ["Conv"]
    assert after["x"].shape == (1, 5, 4, 3)
    assert after["y"].shape == (1, 5, 4, 2)
    assert after["x"].source == Source("x", (0, 2, 3, 1))
    x = random_f32(2, 1, 3, 5, 4)
    old = run(before, {"x": x})["y"]
    new = run(after, {"x": np.ascontiguousarray(x.transpose(0, 2, 3, 1))})["y"]
    assert np.array_equal(new.transpose(0, 3, 1, 2), old)


def test_one_channel_takes_a_reshape() -> None:
    after = drop_input_transpose.run(_conv(1))
    assert ops(after) == ["Conv"]
    assert after["x"].shape == (1, 5, 4, 1)


def test_another_reader_keeps_the_input() -> None:
    after = drop_input_transpose.run(_conv(3, second=True))
    assert ops(after) == ["Transpose", "Conv", "Relu"]


def test_a_channels_last_model_stays() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (1, 5, 4, 3)),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert drop_input_transpose.run(graph) is graph


def test_another_reshape_of_one_channel_stays() -> None:
    b = Builder()
    b.node("Reshape", (b.input("x", (1, 1, 5, 4)),), ReshapeAttrs((1, 1, 1, 20)), "y")
    graph = b.graph("y")
    assert drop_input_transpose.run(graph) is graph
