"""Images channels last at the border."""

from __future__ import annotations

import numpy as np

from graphs import Builder, ops, run
from mcugen.ir import Graph, Source
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import drop_input_transpose, layout
from mcugen.verify import verify
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


def test_what_lies_before_the_transpose_turns_too() -> None:
    """x - mean, quantized, into an integer convolution: the Transpose is behind all of that."""
    b = Builder()
    x = b.input("x", (1, 3, 5, 4))
    centred = b.node("Sub", (x, b.const("mean", random_f32(3, 1, 3, 1, 1))), BinaryAttrs(), "c")
    q = b.quantize(centred, "q", 0.05)
    w = b.const("w", random_f32(1, 2, 3, 3, 3))
    b.node("Conv", (b.dequantize(q, "d", 0.05), w), CONV, "y")
    before = layout.run(b.graph("y"))
    after = drop_input_transpose.run(before)
    assert ops(after) == ["Sub", "QuantizeLinear", "DequantizeLinear", "Conv"]
    assert after["x"].shape == (1, 5, 4, 3) and after["x"].source == Source("x", (0, 2, 3, 1))
    x_value = random_f32(2, 1, 3, 5, 4)
    old = run(before, {"x": x_value})["y"]
    new = run(after, {"x": np.ascontiguousarray(x_value.transpose(0, 2, 3, 1))})["y"]
    assert np.array_equal(new.transpose(0, 3, 1, 2), old)


def test_one_channel_is_quantized_channels_last() -> None:
    b = Builder()
    q = b.quantize(b.input("x", (1, 1, 5, 4)), "q", 0.05)
    w = b.const("w", random_f32(1, 2, 1, 3, 3))
    b.node("Conv", (b.dequantize(q, "d", 0.05), w), CONV, "y")
    after = drop_input_transpose.run(layout.run(b.graph("y")))
    assert ops(after) == ["QuantizeLinear", "DequantizeLinear", "Conv"]
    assert after["x"].shape == (1, 5, 4, 1)


def test_a_model_arranged_before_has_unique_node_names() -> None:
    """Both outputs keep the model's order, the first by a Reshape that the layout pass made."""
    b = Builder()
    x = b.input("x", (1, 5, 7))
    b.node("Transpose", (x,), TransposeAttrs((1, 2, 0)), "y")
    b.node("Add", (x, x), BinaryAttrs(), "z")
    before = layout.run(b.graph("y", "z"))
    assert ops(drop_input_transpose.run(before)) == ops(before)
    verify(layout.run(before, {"x": (0, 2, 1)}), "the test")


def _integers(*outputs: str) -> Graph:
    """A convolution whose integers are an output as they are and as floats."""
    b = Builder()
    x = b.input("x", (1, 3, 5, 4))
    w = b.const("w", random_f32(1, 2, 3, 3, 3))
    b.node("Conv", (x, w), CONV, "c")
    q = b.quantize("c", "q", 0.05)
    b.dequantize(q, "y", 0.05)
    return layout.run(b.graph(*outputs))


def test_what_lies_behind_the_transpose_turns_too() -> None:
    """Of two outputs, turning either alone moves as many bytes as before."""
    for outputs in (("y",), ("q",), ("q", "y")):
        before = _integers(*outputs)
        after = drop_input_transpose.run(before)
        assert "Transpose" in ops(before) and "Transpose" not in ops(after)
        x = random_f32(2, 1, 3, 5, 4)
        old = run(before, {"x": x})
        new = run(after, {"x": np.ascontiguousarray(x.transpose(0, 2, 3, 1))})
        for name in outputs:
            assert after[name].shape == (1, 5, 4, 2)
            assert after[name].source == Source(name, (0, 2, 3, 1))
            assert np.array_equal(new[name].transpose(0, 3, 1, 2), old[name])


def test_an_output_that_others_read_turns_too() -> None:
    b = Builder()
    c = b.node("Conv", (b.input("x", (1, 3, 5, 4)), b.const("w", random_f32(1, 2, 3, 3, 3))),
               CONV, "c")  # fmt: skip
    b.node("Relu", (c,), UnaryAttrs(), "z")
    before = layout.run(b.graph("c", "z"))
    after = drop_input_transpose.run(before)
    assert ops(after) == ["Conv", "Relu"]
    assert after["c"].shape == after["z"].shape == (1, 5, 4, 2)


def test_an_output_in_the_models_order_stays() -> None:
    b = Builder()
    b.node("Softmax", (b.input("x", (2, 5, 7)),), SoftmaxAttrs(1), "y")
    graph = b.graph("y")
    assert drop_input_transpose.run(graph) is graph


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
