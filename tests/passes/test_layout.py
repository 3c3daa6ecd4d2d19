"""Channels last, Transposes cancelled, columns of fully connected layers."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, body, ops
from mcugen.ir import Source
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import layout

CONV = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))


def _weights(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _conv(b: Builder, x: str, out: str, channels: int) -> str:
    inputs = b.tensors[x].shape[1]
    w = b.const(f"{out}_w", _weights(len(out), channels, inputs, 3, 3))
    return b.node("Conv", (x, w), CONV, out)


def test_one_conv_gets_a_transpose_on_each_side() -> None:
    b = Builder()
    _conv(b, b.input("x", (1, 3, 5, 4)), "y", 2)
    before = b.graph("y")
    after = layout.run(before)
    assert body(after) == [
        "x__0231 = Transpose(x) {perm=(0, 2, 3, 1)}",
        "y__0231 = Conv(x__0231, y_w) {strides=(1, 1), pads=(1, 1, 1, 1), dilations=(1, 1), "
        "groups=1, activation=None, channels_last=True}",
        "y = Transpose(y__0231) {perm=(0, 3, 1, 2)}",
    ]
    assert after["y__0231"].source == Source("y", (0, 2, 3, 1))
    assert after["x__0231"].source == Source("x", (0, 2, 3, 1))
    assert_same(before, after)


def test_a_body_between_two_convs_has_no_transpose() -> None:
    b = Builder()
    a = _conv(b, b.input("x", (1, 3, 6, 4)), "a", 2)
    relu = b.node("Relu", (a,), UnaryAttrs(), "r")
    bias = b.const("bias", _weights(1, 2, 1, 1))
    added = b.node("Add", (relu, bias), BinaryAttrs(), "s")
    padded = b.node("Pad", (added,), PadAttrs((0, 0, 1, 2, 0, 0, 0, 1), value=0.5), "p")
    cut = b.node("Slice", (padded,), SliceAttrs((0, 0, 1, 0), (1, 1, 1, 1), (1, 2, 5, 7)), "c")
    both = b.node("Concat", (cut, cut), ConcatAttrs(1), "k")
    soft = b.node("Softmax", (both,), SoftmaxAttrs(1), "m")
    _conv(b, soft, "y", 2)
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == [
        "Transpose", "Conv", "Relu", "Add", "Pad", "Slice", "Concat", "Softmax", "Conv",
        "Transpose",
    ]  # fmt: skip
    assert after["k"].shape == (1, 5, 7, 4)
    assert after.producer("m").attrs == SoftmaxAttrs(3)
    assert_same(before, after)


def test_transposes_of_a_channels_last_model_cancel() -> None:
    b = Builder()
    x = b.input("x", (1, 5, 4, 3))
    first = b.node("Transpose", (x,), TransposeAttrs((0, 3, 1, 2)), "t")
    conv = _conv(b, first, "c", 2)
    b.node("Transpose", (conv,), TransposeAttrs((0, 2, 3, 1)), "y")
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Conv", "Identity"]
    assert_same(before, after)


def test_one_channel_needs_no_transpose() -> None:
    b = Builder()
    x = b.node("Reshape", (b.input("x", (1, 20)),), ReshapeAttrs((1, 1, 5, 4)), "r")
    _conv(b, x, "y", 2)
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Reshape", "Reshape", "Conv", "Transpose"]
    assert_same(before, after)


def test_unsqueezing_a_transposed_sequence_keeps_it_as_it_lies() -> None:
    """[1, T, C] -> [1, C, T] -> [1, C, T, 1], as streaming models do."""
    b = Builder()
    x = b.input("x", (1, 3, 4))
    turned = b.node("Transpose", (x,), TransposeAttrs((0, 2, 1)), "t")
    wide = b.node("Reshape", (turned,), ReshapeAttrs((1, 4, 3, 1)), "r")
    state = b.input("state", (1, 4, 2, 1))
    joined = b.node("Concat", (state, wide), ConcatAttrs(2), "k")
    _conv(b, joined, "y", 2)
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Reshape", "Transpose", "Concat", "Conv", "Transpose"]
    assert after["r"].shape == (1, 3, 1, 4)
    assert_same(before, after)


def test_an_op_that_cannot_permute_gets_the_old_order() -> None:
    b = Builder()
    conv = _conv(b, b.input("x", (1, 3, 5, 4)), "c", 2)
    flat = b.node("Reshape", (conv,), ReshapeAttrs((1, 40)), "f")
    b.node("Relu", (flat,), UnaryAttrs(), "y")
    before = b.graph("y")
    after = layout.run(before)
    assert ops(after) == ["Transpose", "Conv", "Transpose", "Reshape", "Relu"]
    assert_same(before, after)


def test_a_graph_without_spatial_operators_stays() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (1, 3, 5, 4)),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert layout.run(graph) is graph


def test_it_has_nothing_left_to_do_the_second_time() -> None:
    b = Builder()
    conv = _conv(b, b.input("x", (1, 3, 5, 4)), "c", 2)
    b.node("Identity", (conv,), IdentityAttrs(), "y")
    once = layout.run(b.graph("y"))
    assert layout.run(once).to_text() == once.to_text()


def test_one_value_as_two_outputs() -> None:
    b = Builder()
    x = b.input("x", (1, 5, 4, 3))
    t = b.node("Transpose", (x,), TransposeAttrs((0, 3, 1, 2)), "t")
    before = b.graph(t, t)
    after = layout.run(before)
    assert ops(after) == ["Transpose"]
    assert_same(before, after)
    c = _conv(b, t, "c", 2)
    y = b.node("Transpose", (c,), TransposeAttrs((0, 2, 3, 1)), "y")
    before = b.graph(y, y)
    after = layout.run(before)
    assert ops(after) == ["Conv", "Identity"]
    assert_same(before, after)


def test_what_is_put_in_is_named_after_the_node_that_needs_it() -> None:
    """Reports, traces and boards name a Transpose that the model does not have."""
    b = Builder()
    _conv(b, b.input("x", (1, 3, 5, 4)), "y", 2)
    before, conv, behind = layout.run(b.graph("y")).nodes
    assert (before.name, behind.name) == ("/y (layout)", "/y (layout 2)")
    assert before.title == before.name and before.origin == ("/y",)
    assert conv.name == conv.title == "/y" and not conv.made
