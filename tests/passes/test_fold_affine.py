"""Scales and shifts per channel go into weights and biases."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph
from mcugen.ops.batch_normalization import BatchNormalizationAttrs
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.common import Clamp
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.conv_transpose import ConvTransposeAttrs
from mcugen.ops.matmul import FullyConnectedAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import attach_quantization, fold_affine

CONV = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))


def _values(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _conv(b: Builder, *, bias: bool = False, attrs: ConvAttrs = CONV) -> str:
    x = b.input("x", (1, 3, 5, 4))
    inputs = [x, b.const("w", _values(1, 2, 3, 3, 3))]
    if bias:
        inputs.append(b.const("b", _values(2, 2)))
    return b.node("Conv", inputs, attrs, "c")


def _batchnorm(b: Builder, x: str, channels: int, out: str) -> str:
    params = [
        b.const("gamma", _values(3, channels)),
        b.const("beta", _values(4, channels)),
        b.const("mean", _values(5, channels)),
        b.const("variance", np.full(channels, 1e-3)),
    ]
    return b.node("BatchNormalization", (x, *params), BatchNormalizationAttrs(0.1), out)


def _folded(graph: Graph) -> Graph:
    after = fold_affine.run(graph)
    assert_same(graph, after, exact=False)
    return after


@pytest.mark.parametrize("bias", [False, True])
def test_batch_normalization_makes_the_bias(bias: bool) -> None:
    b = Builder()
    _batchnorm(b, _conv(b, bias=bias), 2, "y")
    after = _folded(b.graph("y"))
    assert ops(after) == ["Conv"]
    node = after.nodes[0]
    assert node.origin == ("/c", "/y")
    factor = b.tensors["gamma"].data.astype(np.float64) / np.sqrt(float(np.float32(1e-3)) + 0.1)
    wanted = (b.tensors["w"].data * factor[:, None, None, None]).astype(np.float32)
    assert np.array_equal(after[node.inputs[1]].data, wanted)
    assert after[node.inputs[2]].shape == (2,)


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div"])
@pytest.mark.parametrize("shape", [(2, 1, 1), (1, 2, 1, 1), (), (1,)])
def test_arithmetic_with_one_number_per_channel(op: str, shape: tuple[int, ...]) -> None:
    b = Builder()
    c = b.const("k", np.abs(_values(6, *shape)) + 0.5)
    b.node(op, (_conv(b, bias=True), c), BinaryAttrs(), "y")
    assert ops(_folded(b.graph("y"))) == ["Conv"]


def test_constant_minus_conv_negates() -> None:
    b = Builder()
    b.node("Sub", (b.const("k", _values(7, 2, 1, 1)), _conv(b)), BinaryAttrs(), "y")
    assert ops(_folded(b.graph("y"))) == ["Conv"]


def test_a_chain_folds_whole() -> None:
    b = Builder()
    scaled = b.node("Mul", (_conv(b), b.const("k", _values(8, 2, 1, 1))), BinaryAttrs(), "m")
    b.node("Add", (scaled, b.const("s", _values(9, 2, 1, 1))), BinaryAttrs(), "y")
    assert ops(_folded(b.graph("y"))) == ["Conv"]


def test_transposed_convolution_with_groups() -> None:
    b = Builder()
    x = b.input("x", (1, 4, 3, 3))
    w = b.const("w", _values(1, 4, 3, 2, 2))
    attrs = ConvTransposeAttrs((2, 2), (0, 0, 0, 0), (1, 1), 2, (0, 0))
    y = b.node("ConvTranspose", (x, w), attrs, "c")
    _batchnorm(b, y, 6, "y")
    assert ops(_folded(b.graph("y"))) == ["ConvTranspose"]


def test_fully_connected() -> None:
    b = Builder()
    x = b.input("x", (3, 5))
    y = b.node("FullyConnected", (x, b.const("w", _values(1, 4, 5))), FullyConnectedAttrs(), "f")
    added = b.node("Add", (y, b.const("k", _values(2, 1, 4))), BinaryAttrs(), "a")
    _batchnorm(b, added, 4, "y")
    assert ops(_folded(b.graph("y"))) == ["FullyConnected"]


@pytest.mark.parametrize("per_axis", [False, True])
def test_scales_of_dequantized_weights_take_positive_factors(per_axis: bool) -> None:
    b = Builder()
    w = b.const("w", np.random.default_rng(1).integers(-128, 127, (2, 3, 3, 3)), np.int8)
    d = b.dequantize(w, "d", [0.1, 0.2] if per_axis else 0.1, 0)
    c = b.dequantize(b.const("c", [10, -20], np.int32), "e", [0.01, 0.02], 0)
    y = b.node("Conv", (b.input("x", (1, 3, 5, 4)), d, c), CONV, "f")
    b.node("Mul", (y, b.const("k", np.reshape([0.5, 3.0], (2, 1, 1)))), BinaryAttrs(), "y")
    after = _folded(attach_quantization.run(b.graph("y")))
    assert ops(after) == ["DequantizeLinear", "Conv"]
    assert after[after.nodes[0].inputs[0]].dtype is DType.INT8
    assert after[after.nodes[0].inputs[0]].quant.axis == 0


def test_scales_of_dequantized_weights_stay_positive() -> None:
    b = Builder()
    w = b.const("w", np.random.default_rng(1).integers(-128, 127, (2, 3, 3, 3)), np.int8)
    y = b.node("Conv", (b.input("x", (1, 3, 5, 4)), b.dequantize(w, "d", 0.1)), CONV, "f")
    b.node("Mul", (y, b.const("k", np.reshape([0.5, -3.0], (2, 1, 1)))), BinaryAttrs(), "y")
    graph = attach_quantization.run(b.graph("y"))
    assert fold_affine.run(graph) is graph


def test_a_second_reader_keeps_the_convolution() -> None:
    b = Builder()
    c = _conv(b)
    _batchnorm(b, c, 2, "y")
    b.node("Relu", (c,), UnaryAttrs(), "z")
    graph = b.graph("y", "z")
    assert fold_affine.run(graph) is graph


def test_an_activation_between_keeps_both() -> None:
    b = Builder()
    attrs = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1), activation=Clamp(0.0, 6.0))
    b.node("Add", (_conv(b, attrs=attrs), b.const("k", [1.0])), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_affine.run(graph) is graph


@pytest.mark.parametrize("shape", [(5, 4), (4,), (1, 2, 5, 4), (2, 1, 1, 1)])
def test_other_constants_stay(shape: tuple[int, ...]) -> None:
    b = Builder()
    b.node("Add", (_conv(b), b.const("k", _values(6, *shape))), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_affine.run(graph) is graph


def test_division_by_zero_stays() -> None:
    b = Builder()
    b.node("Div", (_conv(b), b.const("k", np.zeros((2, 1, 1)))), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_affine.run(graph) is graph


def test_conv_added_to_itself_stays() -> None:
    b = Builder()
    c = _conv(b)
    b.node("Add", (c, c), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert fold_affine.run(graph) is graph
