"""Channels that make no difference."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, ops, random_inputs, run
from mcugen.ir import Array, DType, Graph
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.matmul import FullyConnectedAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.spec import Arithmetic
from mcugen.ops.unary import UnaryAttrs
from mcugen.oracle import onnx_value
from mcugen.passes import dead_channels
from mcugen.passes.pipeline import PassOptions, run_passes

SCALE = 0.05


class Net:
    """Layers of int8 weights on a quantized image."""

    def __init__(self, channels: int = 3, dtype: DType = DType.INT8) -> None:
        self.b = Builder()
        x = self.b.input("x", (1, channels, 5, 4), dtype)
        self.x = self.b.dequantize(x, "xf", SCALE, 3)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"l{self.count}"

    def quantized(self, f: str, out: str, zero: int = -128) -> str:
        return self.b.dequantize(
            self.b.quantize(f, f"{out}_q", SCALE, zero), f"{out}_d", SCALE, zero
        )

    def conv(
        self, x: str, weight: Array, bias: Array | None = None, *, pads: int = 1, groups: int = 1
    ) -> str:
        out = self.name()
        w = self.b.const(f"{out}_w", weight, np.int8)
        inputs = [x, self.b.dequantize(w, f"{out}_wf", 0.01)]
        if bias is not None:
            inputs.append(self.b.const(f"{out}_b", bias))
        attrs = ConvAttrs((1, 1), (pads,) * 4, (1, 1), groups)
        f = self.b.node("Conv", inputs, attrs, out)
        return self.quantized(self.b.node("Relu", (f,), UnaryAttrs(), f"{out}_r"), out)

    def graph(self, name: str) -> Graph:
        """The network up to a dequantized tensor, its integers the output."""
        return self.b.graph(name.removesuffix("_d") + "_q")


def _weights(seed: int, *shape: int) -> Array:
    values = np.random.default_rng(seed).integers(1, 100, shape)
    return values * np.random.default_rng(seed).choice((-1, 1), shape)


def _shapes(graph: Graph) -> list[tuple[int, ...]]:
    return [graph[n.inputs[1]].shape for n in graph.nodes if n.op in ("QConv", "QFullyConnected")]


def _reduced(graph: Graph, arithmetic: Arithmetic = Arithmetic.ONNX) -> Graph:
    """All passes; every tensor still is what its source says, within a unit."""
    after = run_passes(graph, PassOptions(arithmetic)).graph
    inputs = random_inputs(graph)
    old, new = run(graph, inputs), run(after, inputs, arithmetic)
    for name, tensor in after.tensors.items():
        wanted = onnx_value(tensor, old)
        if wanted is not None and not tensor.is_constant:
            difference = wanted.astype(np.int64) - new[name].astype(np.int64)
            assert np.abs(difference).max() <= 1, name
    return after


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_unused_channels_go(arithmetic: Arithmetic) -> None:
    net = Net()
    second = _weights(2, 6, 12, 1, 1)
    second[:, 4:] = 0
    y = net.conv(net.conv(net.x, _weights(1, 12, 3, 3, 3)), second, pads=0)
    after = _reduced(net.graph(y), arithmetic)
    assert _shapes(after) == [(4, 3, 3, 3), (6, 4, 1, 1)]
    assert after["l1_q"].source.kept == (0, 1, 2, 3)


def test_unused_through_depthwise_pool_and_table() -> None:
    net = Net()
    third = _weights(3, 6, 8, 1, 1)
    third[:, [0, 2, 5, 7]] = 0
    f = net.conv(net.x, _weights(1, 8, 3, 3, 3))
    f = net.conv(f, _weights(2, 8, 1, 3, 3), groups=8)
    f = net.b.node("MaxPool", (f,), PoolAttrs((2, 2), (1, 1), (0,) * 4, (1, 1), False, False), "p")
    f = net.quantized(net.b.node("Sigmoid", (f,), UnaryAttrs(), "s"), "s")
    after = _reduced(net.graph(net.conv(f, third, pads=0)))
    assert _shapes(after) == [(4, 3, 3, 3), (4, 1, 3, 3), (6, 4, 1, 1)]
    assert [n.attrs.groups for n in after.nodes if n.op == "QConv"] == [1, 4, 1]
    assert "Lookup" in ops(after)


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
@pytest.mark.parametrize("bias", [0.0, 2.0, -2.0])
@pytest.mark.parametrize("pads", [0, 1])
def test_channels_without_weights(arithmetic: Arithmetic, bias: float, pads: int) -> None:
    """Constant ones move into the next bias, but for a padded layer's that are not zero."""
    net = Net()
    first = _weights(1, 8, 3, 3, 3)
    first[4:] = 0
    f = net.conv(net.x, first, np.full(8, bias))
    y = net.conv(f, _weights(2, 6, 8, 3, 3), pads=pads)
    after = _reduced(net.graph(y), arithmetic)
    removed = bias <= 0 or pads == 0
    assert _shapes(after)[0][0] == (4 if removed else 8)


def test_saturated_channels_are_constant() -> None:
    net = Net()
    bias = np.zeros(8)
    bias[[1, 3, 4, 6]] = -1e4
    f = net.conv(net.x, _weights(1, 8, 3, 3, 3), bias)
    after = _reduced(net.graph(net.conv(f, _weights(2, 6, 8, 3, 3))))
    assert _shapes(after)[0][0] == 4
    assert after["l1_q"].source.kept == (0, 2, 5, 7)


def test_columns_of_a_flattened_image() -> None:
    net = Net()
    first = _weights(1, 8, 3, 3, 3)
    first[4:] = 0
    f = net.conv(net.x, first)
    f = net.b.node("Reshape", (f,), ReshapeAttrs((1, 160)), "flat")
    w = net.b.dequantize(net.b.const("w", _weights(2, 3, 160), np.int8), "wf", 0.01)
    f = net.b.node("FullyConnected", (f, w), FullyConnectedAttrs(), "y")
    after = _reduced(net.graph(net.quantized(f, "y", 0)))
    assert _shapes(after) == [(4, 3, 3, 3), (3, 80)]


def test_a_residual_keeps_what_either_side_needs() -> None:
    net = Net()
    used = _weights(3, 6, 12, 1, 1)
    used[:, 4:] = 0
    inner = _weights(2, 12, 12, 1, 1)
    inner[:, [0, 1, 2, 3, 4, 5, 10, 11]] = 0
    a = net.conv(net.x, _weights(1, 12, 3, 3, 3))
    s = net.quantized(net.b.node("Add", (a, net.conv(a, inner, pads=0)), BinaryAttrs(), "s"), "s")
    after = _reduced(net.graph(net.conv(s, used, pads=0)))
    assert _shapes(after) == [(8, 3, 3, 3), (8, 8, 1, 1), (6, 8, 1, 1)]


def test_dead_rows_free_the_columns_before_them() -> None:
    net = Net()
    second, third = _weights(2, 8, 8, 1, 1), _weights(3, 6, 8, 1, 1)
    second[:4, 4:] = 0
    third[:, 4:] = 0
    f = net.conv(net.conv(net.x, _weights(1, 8, 3, 3, 3)), second, pads=0)
    after = _reduced(net.graph(net.conv(f, third, pads=0)))
    assert _shapes(after) == [(4, 3, 3, 3), (4, 4, 1, 1), (6, 4, 1, 1)]


def test_multiples_of_four_stay() -> None:
    net = Net()
    second = _weights(2, 6, 12, 1, 1)
    second[:, 5:] = 0
    y = net.conv(net.conv(net.x, _weights(1, 12, 3, 3, 3)), second, pads=0)
    assert _shapes(_reduced(net.graph(y)))[0] == (8, 3, 3, 3)


def test_graph_inputs_outputs_and_mixing_operators_keep_all() -> None:
    net = Net(channels=8)
    first = _weights(1, 8, 8, 3, 3)
    first[:, 4:], first[6:] = 0, 0
    f = net.conv(net.x, first)
    f = net.quantized(net.b.node("Softmax", (f,), SoftmaxAttrs(1), "m"), "m")
    last = _weights(2, 6, 8, 1, 1)
    last[:, 4:], last[4:] = 0, 0
    graph = net.graph(net.conv(f, last, pads=0))
    assert _shapes(_reduced(graph)) == [(8, 8, 3, 3), (6, 8, 1, 1)]


def test_a_float_model_and_one_without_dead_channels_stay() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (2, 3)),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert dead_channels.run(graph) is graph
    net = Net()
    y = net.conv(net.conv(net.x, _weights(1, 8, 3, 3, 3)), _weights(2, 6, 8, 3, 3))
    after = _reduced(net.graph(y))
    assert dead_channels.run(after) is after
    assert_same(after, dead_channels.run(after))
