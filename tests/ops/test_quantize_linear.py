"""QuantizeLinear and DequantizeLinear: rounding, saturation, axes, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.quantize_linear import SPECS, DequantizeLinearAttrs, QuantizeLinearAttrs
from mcugen.ops.spec import Site
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

SPEC = {spec.name: spec for spec in SPECS}
F32 = np.float32
X = np.concatenate([random_f32(1, 60, scale=60), F32([0.25, 0.75, -0.25, 1e9, -1e9])])


def scalar(value: float, dtype: Any = F32) -> Array:
    return np.asarray(value, dtype)


def test_halves_round_to_even() -> None:
    x = F32([0.25, 0.75, 1.25, 1.75, -0.25, -0.75])
    y = meaning("QuantizeLinear", (x, scalar(0.5), scalar(0, np.int8)), constant=(1, 2))
    assert y.tolist() == [0, 2, 2, 4, 0, -2]


@pytest.mark.parametrize(
    ("dtype", "opset"),
    [(DType.INT8, 10), (DType.UINT8, 13), (DType.UINT8, 19), (DType.INT16, 21), (DType.UINT16, 21)],
)
@pytest.mark.parametrize("zero", [0, 5])
def test_per_tensor_as_onnx_runtime(dtype: DType, opset: int, zero: int) -> None:
    parameters = (scalar(0.37), scalar(zero, dtype.np))
    assert_as_ort("QuantizeLinear", (X, *parameters), constant=(1, 2), opset=opset)
    integers = random_int(2, dtype, 50)
    assert_as_ort("DequantizeLinear", (integers, *parameters), constant=(1, 2), opset=opset)


@pytest.mark.parametrize("axis", [1, -1, 0])
def test_per_axis_as_onnx_runtime(axis: int) -> None:
    shape = (4, 4, 4)
    scale = F32([0.5, 0.013, 7.0, 1e-3])
    zero = np.int8([0, 3, -128, 127])
    real, integers = random_f32(1, *shape, scale=20), random_int(2, DType.INT8, *shape)
    assert_as_ort("QuantizeLinear", (real, scale, zero), constant=(1, 2), axis=axis)
    assert_as_ort("DequantizeLinear", (integers, scale, zero), constant=(1, 2), axis=axis)


def test_biases_as_onnx_runtime() -> None:
    bias = random_int(1, DType.INT32, 6)
    assert_as_ort("DequantizeLinear", (bias, scalar(0.002)), constant=(1,))


def test_nan_becomes_the_zero_point() -> None:
    y = meaning(
        "QuantizeLinear", (F32([np.nan]), scalar(0.5), scalar(7, np.uint8)), constant=(1, 2)
    )
    assert y.tolist() == [7]


def test_output_types() -> None:
    def attrs(*parameters: Array, opset: int = 21, **attributes: int) -> Any:
        constant = tuple(range(1, 1 + len(parameters)))
        options = {"constant": constant, "opset": opset, **attributes}
        return imported("QuantizeLinear", (X, *parameters), **options).nodes[0].attrs

    assert attrs(scalar(1)) == QuantizeLinearAttrs(DType.UINT8)
    assert attrs(scalar(1), scalar(0, np.int16)) == QuantizeLinearAttrs(DType.INT16)
    assert attrs(scalar(1), output_dtype=TensorProto.INT8) == QuantizeLinearAttrs(DType.INT8)


def reject(op: str, *inputs: Array, constant: tuple[int, ...] = (1, 2), **options: Any) -> str:
    with pytest.raises(UnsupportedModelError) as caught:
        imported(op, inputs, constant=constant, **options)
    return caught.value.unsupported[0].reason


I8 = np.zeros((2, 4), np.int8)


def test_blocks_are_refused() -> None:
    scale = np.ones((2, 2), F32)
    options = {"block_size": 2, "axis": 1, "opset": 21}
    assert reject("DequantizeLinear", I8, scale, constant=(1,), **options) == (
        "block_size must be 0, got 2"
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, -1.0])
def test_scales_are_positive_and_finite(value: float) -> None:
    reason = reject("DequantizeLinear", I8, scalar(value), constant=(1,))
    assert reason.startswith("The scale must be float32, positive and finite, got")


@pytest.mark.parametrize(
    ("parameters", "options", "reason"),
    [
        ((F32([1, 2, 3]),), {"axis": 1}, "one for each index of axis"),
        ((F32([1, 2]),), {"axis": 5}, "axis must be in"),
        ((np.ones((2, 4), F32),), {}, "scale must be a scalar or a vector"),
        ((F32([1, 2]), np.zeros(3, np.int8)), {"axis": 0}, "must have the shape of scale"),
        ((scalar(1), scalar(0, np.uint8)), {}, "uint8"),
    ],
)
def test_parameters_that_do_not_fit(
    parameters: tuple[Array, ...], options: dict[str, int], reason: str
) -> None:
    constant = tuple(range(1, 1 + len(parameters)))
    assert reason in reject("DequantizeLinear", I8, *parameters, constant=constant, **options)


def test_computed_parameters_as_onnx_runtime() -> None:
    scale, zero = F32([0.5, 0.013, 7.0, 1e-3]), np.int8([0, 3, -128, 127])
    real, integers = random_f32(1, 2, 4, 3, scale=20), random_int(2, DType.INT8, 2, 4, 3)
    assert_as_ort("QuantizeLinear", (real, scale, zero))
    assert_as_ort("DequantizeLinear", (integers, scale, zero))


def test_computed_zero_point_of_a_bias() -> None:
    bias = np.zeros(3, np.int32)
    reason = reject("DequantizeLinear", bias, scalar(1), scalar(0, np.int32), constant=(1,))
    assert reason == "The zero point of int32 must be 0, got a computed one"


def test_bias_with_zero_point() -> None:
    bias = np.zeros(3, np.int32)
    reason = reject("DequantizeLinear", bias, scalar(1), scalar(2, np.int32))
    assert reason == "The zero point of int32 must be 0, got 2"


def permuted(op: str, attrs: Any, scales: int, perm: tuple[int, ...]) -> Any:
    spec = SPEC[op]
    x = Tensor("x", (2, 4, 3), DType.FLOAT32)
    scale = Tensor("s", (scales,) if scales > 1 else (), DType.FLOAT32, data=np.ones(scales, F32))
    site = Site(Node(op, "node", ("x", "s"), ("y",), attrs), (x, scale), (x,))
    assert spec.permute is not None
    return spec.permute(site, perm)


def test_the_axis_moves_with_the_layout() -> None:
    per_axis, single = QuantizeLinearAttrs(DType.INT8, 1), QuantizeLinearAttrs(DType.INT8)
    assert permuted("QuantizeLinear", per_axis, 4, (0, 2, 1)).axis == 2
    assert permuted("QuantizeLinear", single, 1, (0, 2, 1)) == single
    back = permuted("DequantizeLinear", DequantizeLinearAttrs(1), 4, (1, 2, 0))
    assert back == DequantizeLinearAttrs(0)


def test_quantized_output_replaces_its_input() -> None:
    spec = SPEC["QuantizeLinear"]
    x, y = Tensor("x", (2, 4), DType.FLOAT32), Tensor("y", (2, 4), DType.INT8)
    scale = Tensor("s", (), DType.FLOAT32, data=scalar(1))
    site = Site(
        Node("Q", "node", ("x", "s"), ("y",), QuantizeLinearAttrs(DType.INT8)), (x, scale), (y,)
    )
    assert spec.lower is not None
    assert spec.inplace(spec.lower(site).params) == ((0, 0),)
