"""Constant padding inside window operators."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qconv import QConvAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import fuse_pad
from opcase import q, random_f32, random_int

SPATIAL = (0, 0, 1, 2, 0, 0, 0, 1)


def _fused(graph: Graph) -> Graph:
    after = fuse_pad.run(graph)
    assert_same(graph, after, exact=False)
    return after


def _pad(b: Builder, x: str, value: float = 0.0, pads: tuple[int, ...] = SPATIAL) -> str:
    return b.node("Pad", (x,), PadAttrs(pads, value=value), "p")


def _conv(b: Builder, x: str, weight: np.ndarray | None = None) -> Graph:
    w = b.const("w", random_f32(1, 2, b.tensors[x].shape[1], 3, 3) if weight is None else weight)
    b.node("Conv", (x, w), ConvAttrs((1, 1), (0, 1, 1, 0), (1, 1)), "y")
    return b.graph("y")


def test_zeros_go_into_a_convolution() -> None:
    b = Builder()
    after = _fused(_conv(b, _pad(b, b.input("x", (1, 3, 5, 4)))))
    assert ops(after) == ["Conv"]
    assert after.nodes[0].attrs.pads == (1, 3, 1, 1)
    assert after.nodes[0].origin == ("/p", "/y")


@pytest.mark.parametrize(
    ("value", "pads", "mode"),
    [
        (1.0, SPATIAL, "constant"),
        (0.0, (0, 1, 1, 0, 0, 0, 0, 0), "constant"),
        (0.0, SPATIAL, "edge"),
    ],
)
def test_other_padding_stays(value: float, pads: tuple[int, ...], mode: str) -> None:
    b = Builder()
    x = b.input("x", (1, 3, 5, 4))
    graph = _conv(b, b.node("Pad", (x,), PadAttrs(pads, mode, value), "p"))
    assert fuse_pad.run(graph) is graph


def test_infinite_weights_make_zeros_matter() -> None:
    b = Builder()
    p = _pad(b, b.input("x", (1, 1, 5, 4)))
    graph = _conv(b, p, np.full((1, 1, 3, 3), np.inf))
    assert fuse_pad.run(graph) is graph


def test_one_padding_for_two_readers_goes_into_both() -> None:
    b = Builder()
    p = _pad(b, b.input("x", (1, 1, 5, 4)))
    b.node("MaxPool", (p,), _pool(), "z")
    _conv(b, p)
    after = _fused(b.graph("y", "z"))
    assert ops(after) == ["Pad", "MaxPool", "Conv"]


def _qconv(value: int) -> Graph:
    b = Builder()
    b.with_quant(b.input("x", (1, 3, 5, 4), DType.INT8), q(0.1, 3))
    p = b.with_quant(_pad(b, "x", value), q(0.1, 3))
    w = b.with_quant(b.const("w", random_int(1, DType.INT8, 2, 3, 3, 3), np.int8), q(0.01))
    attrs = QConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), 1, DType.INT8, -128, 127)
    b.with_quant(b.node("QConv", (p, w), attrs, "y"), q(0.5))
    return b.graph("y")


def test_the_zero_point_goes_into_an_integer_convolution() -> None:
    assert ops(_fused(_qconv(3))) == ["QConv"]
    graph = _qconv(0)
    assert fuse_pad.run(graph) is graph


def _pool(
    count: bool = False, pads: tuple[int, ...] = (0, 0, 0, 0), ceil: bool = False
) -> PoolAttrs:
    return PoolAttrs((3, 3), (2, 1), pads, (1, 1), ceil, count)


@pytest.mark.parametrize("count", [False, True])
def test_an_average_counts_the_padding_from_now_on(count: bool) -> None:
    b = Builder()
    p = _pad(b, b.input("x", (1, 3, 5, 4)))
    b.node("AveragePool", (p,), _pool(count), "y")
    after = _fused(b.graph("y"))
    assert ops(after) == ["AveragePool"]
    assert after.nodes[0].attrs.count_include_pad


@pytest.mark.parametrize(
    ("value", "attrs"), [(1.0, _pool()), (0.0, _pool(pads=(1, 1, 1, 1))), (0.0, _pool(ceil=True))]
)
def test_other_averages_keep_their_padding_apart(value: float, attrs: PoolAttrs) -> None:
    b = Builder()
    p = _pad(b, b.input("x", (1, 3, 5, 4)), value)
    b.node("AveragePool", (p,), attrs, "y")
    graph = b.graph("y")
    assert fuse_pad.run(graph) is graph


def test_minus_infinity_goes_into_a_maximum() -> None:
    b = Builder()
    b.node("MaxPool", (_pad(b, b.input("x", (1, 3, 5, 4)), -math.inf),), _pool(), "y")
    assert ops(_fused(b.graph("y"))) == ["MaxPool"]


def test_zero_goes_into_a_maximum_behind_relu() -> None:
    b = Builder()
    r = b.node("Relu", (b.input("x", (1, 3, 5, 4)),), UnaryAttrs(), "r")
    b.node("MaxPool", (_pad(b, r),), _pool(), "y")
    assert ops(_fused(b.graph("y"))) == ["Relu", "MaxPool"]


def test_the_smallest_integer_goes_into_a_maximum() -> None:
    b = Builder()
    x = b.input("x", (1, 3, 5, 4), DType.INT8)
    b.node("MaxPool", (_pad(b, x, -128),), _pool(), "y")
    assert ops(_fused(b.graph("y"))) == ["MaxPool"]


def test_zero_above_negative_numbers_stays() -> None:
    b = Builder()
    b.node("MaxPool", (_pad(b, b.input("x", (1, 3, 5, 4))),), _pool(), "y")
    graph = b.graph("y")
    assert fuse_pad.run(graph) is graph


def test_a_window_of_padding_only_stays() -> None:
    b = Builder()
    x = b.node("Relu", (b.input("x", (1, 3, 5, 4)),), UnaryAttrs(), "r")
    b.node("MaxPool", (_pad(b, x, 0.0, (0, 0, 3, 0, 0, 0, 0, 0)),), _pool(), "y")
    graph = b.graph("y")
    assert fuse_pad.run(graph) is graph
