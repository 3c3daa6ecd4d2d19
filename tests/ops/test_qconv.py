"""QConv: when a quantized convolution has an integer form, and what that form computes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mcugen.ir import DType, Node, Tensor
from mcugen.ops.common import Clamp
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.qconv import QConvAttrs, integer_bias, quantize_conv
from mcugen.ops.qconv_kernel import stored_weights, sum_fits
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from opcase import q, q_axis, random_int
from single_op import assert_as_ort, meaning

ATTRS = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), channels_last=True)
X = Tensor("x", (1, 4, 4, 2), DType.INT8, q(0.5, -3))
W = Tensor(
    "w",
    (3, 2, 1, 1),
    DType.INT8,
    q_axis(np.array([0.25, 0.5, 1.0]), 0),
    random_int(1, DType.INT8, 3, 2, 1, 1),
)
Y = Tensor("y", (1, 4, 4, 3), DType.INT8, q(2.0, 5))
FREE = (-np.inf, np.inf)


def site(*inputs: Tensor, out: Tensor = Y, clamp: tuple[float, float] = FREE) -> QuantSite:
    names = tuple(t.name for t in inputs)
    return QuantSite(Node("Conv", "node", names, ("y",), ATTRS), inputs, (out,), clamp)


def test_attributes_are_kept_and_the_clamp_becomes_integers() -> None:
    form = quantize_conv(site(X, W, clamp=(0.0, 6.0)))
    assert form.op == "QConv"
    assert form.attrs == QConvAttrs(
        (1, 1), (0, 0, 0, 0), (1, 1), 1, DType.INT8, 5, 8, channels_last=True
    )
    assert form.inputs == (X, W)


def test_an_activation_of_the_node_counts_too() -> None:
    plain = site(X, W, clamp=(-np.inf, 6.0))
    attrs = dataclasses.replace(ATTRS, activation=Clamp(0.0, 100.0))
    form = quantize_conv(dataclasses.replace(plain, node=plain.node.replace(attrs=attrs)))
    assert (form.attrs.act_min, form.attrs.act_max) == (5, 8)


def test_a_float_bias_is_rounded_to_the_accumulators_unit() -> None:
    bias = Tensor("b", (3,), DType.FLOAT32, data=np.array([0.3, -0.3, 1e3], np.float32))
    made = quantize_conv(site(X, W, bias)).inputs[2]
    assert made is not None
    assert made.data is not None
    assert made.dtype is DType.INT32
    assert made.data.tolist() == [2, -1, 2000]  # units 0.125, 0.25, 0.5


def test_an_integer_bias_of_the_same_scale_is_kept() -> None:
    scales = np.array([0.125, 0.25, 0.5], np.float32)
    data = np.array([7, -(2**31), 2**31 - 1], np.int32)
    bias = Tensor("b", (3,), DType.INT32, q_axis(scales, 0), data)
    assert quantize_conv(site(X, W, bias)).inputs[2] is bias


def test_an_integer_bias_of_another_scale_is_rescaled() -> None:
    bias = Tensor("b", (3,), DType.INT8, q(0.5, 1), np.array([3, 4, -5], np.int8))
    made = integer_bias(bias, np.array([0.125, 0.25, 0.5], np.float32), 3, "made")
    assert made.data is not None
    assert made.data.tolist() == [8, 6, -6]


def computed(tensor: Tensor) -> Tensor:
    return dataclasses.replace(tensor, data=None)


INT16 = Tensor("x", (1, 4, 4, 2), DType.INT16, q(0.5))
PER_AXIS = dataclasses.replace(X, quant=q_axis(np.ones(2), 3))
WRONG_AXIS = dataclasses.replace(W, quant=q_axis(np.ones(2), 1))
TINY = dataclasses.replace(W, quant=q(1e-44))
HUGE = dataclasses.replace(W, quant=q(1e10))
HUGE_BIAS = Tensor("b", (3,), DType.FLOAT32, data=np.array([1e10, 0, 0], np.float32))


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ((INT16, W), "must be int8 or uint8"),
        ((PER_AXIS, W), "quantized per tensor"),
        ((X, computed(W)), "weights must be constant"),
        ((X, WRONG_AXIS), "per output channel, got axis 1"),
        ((dataclasses.replace(X, quant=None), W), "input 0 is not quantized"),
        ((X, TINY), "must be a normal float"),
        ((X, HUGE), "too large for the output's"),
        ((X, W, HUGE_BIAS), "bias must fit int32"),
        ((X, W, computed(HUGE_BIAS)), "bias must be constant"),
    ],
)
def test_refused(inputs: tuple[Tensor, ...], reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_conv(site(*inputs))


def test_a_sum_that_may_leave_int32_is_refused() -> None:
    w = np.full((1, 40000), -128, np.int8)
    assert sum_fits(w, DType.INT8, 0)
    assert sum_fits(w, DType.UINT8, 0)
    assert not sum_fits(np.full((1, 70000), -128, np.int8), DType.UINT8, 0)


def test_stored_weights_are_narrow_where_they_fit() -> None:
    u8 = np.array([[0, 255], [7, 200]], np.uint8)
    assert stored_weights(u8, np.array(128)).dtype == np.int8
    wide = stored_weights(u8, np.array([0, 100]))
    assert wide.dtype == np.int16
    assert wide.tolist() == [[0, 255], [-93, 100]]


@pytest.mark.parametrize(("arithmetic", "tie"), [(Arithmetic.TFLITE, 2), (Arithmetic.ONNX, 1)])
def test_one_value_by_hand(arithmetic: Arithmetic, tie: int) -> None:
    """(10 - -3) * 0.5 * 4 * 0.25 - 12 * 0.125 = 5 -> 2.5 steps of 2.0 -> a tie."""
    x = Tensor("x", (1, 1, 1, 1), DType.INT8, q(0.5, -3))
    w = Tensor("w", (1, 1, 1, 1), DType.INT8, q(0.25), np.full((1, 1, 1, 1), 4, np.int8))
    b = Tensor("b", (1,), DType.INT32, q(0.125), np.array([-12], np.int32))
    y = Tensor("y", (1, 1, 1, 1), DType.INT8, q(2.0, -1))
    attrs = QConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), 1, DType.INT8, -128, 127, True)
    spec = specs()["QConv"]
    assert spec.lower is not None
    assert spec.reference is not None
    node = Node("QConv", "node", ("x", "w", "b"), ("y",), attrs)
    params = spec.lower(Site(node, (x, w, b), (y,), arithmetic)).params
    (got,) = spec.reference(params, (np.full((1, 1, 1, 1), 10, np.int8),))
    assert got.item() == tie


def test_sums_that_would_saturate_16_bits() -> None:
    x = np.array([[[[210, 198, 234]]]], np.uint8)
    w = np.array([-81, -80, 127], np.int8).reshape(1, 1, 1, 3)
    s, z = np.array(0.01, np.float32), np.array(0, np.uint8)
    inputs = (x, s, z, w, s, np.array(0, np.int8), s, np.array(128, np.uint8))
    y = meaning("QLinearConv", inputs, constant=tuple(range(1, 8)))
    assert y.ravel().tolist() == [97]


def test_padding_holds_the_zero_point() -> None:
    x, w = np.full((1, 1, 2, 2), 138, np.uint8), np.ones((1, 1, 3, 3), np.int8)
    s = np.array(1.0, np.float32)
    zeros = np.array(128, np.uint8), np.array(0, np.int8), np.array(0, np.uint8)
    inputs = (x, s, zeros[0], w, s, zeros[1], s, zeros[2])
    options = {"constant": tuple(range(1, 8)), "pads": [1, 1, 1, 1]}
    assert meaning("QLinearConv", inputs, **options).ravel().tolist() == [40] * 4


def test_qlinear_conv_with_bias_as_onnx_runtime() -> None:
    x, w = random_int(1, DType.UINT8, 1, 4, 6, 5), random_int(2, DType.INT8, 6, 2, 3, 3)
    scales = np.array([0.01, 0.02, 0.03, 0.015, 0.007, 0.02], np.float32)
    bias = np.array([1000, -500, 0, 77, -20000, 3], np.int32)
    inputs = (
        *(x, np.array(0.05, np.float32), np.array(121, np.uint8)),
        *(w, scales, np.zeros(6, np.int8)),
        *(np.array(0.4, np.float32), np.array(130, np.uint8), bias),
    )
    options = {"constant": tuple(range(1, 9)), "group": 2, "pads": [1, 0, 1, 2]}
    assert_as_ort("QLinearConv", inputs, **options)
