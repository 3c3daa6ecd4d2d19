"""Quantization parameters that cannot be: refused by name, whatever node they are in."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from mcugen.errors import ModelError
from mcugen.frontend import load_model
from mcugen.ir import Array
from onnx_models import INT8, model, node, value

SCALE = np.float32(0.5)
ZERO = np.int8(0)


def dequantize(scale: Any, zero_point: Any, **attributes: int) -> onnx.ModelProto:
    return model(
        [node("DequantizeLinear", ["x", "s", "z"], ["y"], **attributes)],
        [value("x", [2, 3], INT8)], ["y"], {"s": np.asarray(scale), "z": np.asarray(zero_point)},
    )  # fmt: skip


def quantize(scale: Any, zero_point: Any, **attributes: int) -> onnx.ModelProto:
    return model(
        [node("QuantizeLinear", ["x", "s", "z"], ["y"], **attributes)],
        [value("x", [2, 3])], ["y"], {"s": np.asarray(scale), "z": np.asarray(zero_point)},
    )  # fmt: skip


def qlinear_conv(**changed: Array) -> onnx.ModelProto:
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
    constants = {
        "xs": SCALE, "xz": ZERO, "w": np.ones((4, 2, 1, 1), np.int8), "ws": SCALE, "wz": ZERO,
        "ys": SCALE, "yz": ZERO, **changed,
    }  # fmt: skip
    arrays = {name: np.asarray(array) for name, array in constants.items()}
    return model(
        [node("QLinearConv", names, ["y"])], [value("x", [1, 2, 3, 3], INT8)], ["y"], arrays
    )


def refused(proto: onnx.ModelProto) -> str:
    with pytest.raises(ModelError) as caught:
        load_model(proto)
    assert "\n" not in caught.value.message
    return caught.value.message.lower()


@pytest.mark.parametrize("make", [dequantize, quantize])
@pytest.mark.parametrize("scale", [0, -0.0, -1, np.nan, np.inf, -np.inf, [1, np.nan, 1]])
def test_a_scale_must_be_positive_and_finite(make: Any, scale: Any) -> None:
    zeros = np.zeros(np.shape(scale), np.int8)
    assert "scale must be" in refused(make(np.float32(scale), zeros))


@pytest.mark.parametrize("make", [dequantize, quantize])
def test_a_usual_one_is_fine(make: Any) -> None:
    assert load_model(make(SCALE, ZERO)).graph["y"].shape == (2, 3)
    assert load_model(make(np.float32([1, 2, 3]), np.int8([1, 2, 3]))).graph["y"].shape == (2, 3)
    per_row = make(np.float32([1, 2]), np.int8([1, 2]), axis=-2)
    assert load_model(per_row).graph["y"].shape == (2, 3)


@pytest.mark.parametrize("make", [dequantize, quantize])
@pytest.mark.parametrize(
    ("scale", "axis"),
    [([1, 2, 3], 0), ([1, 2, 3], 2), ([1, 2, 3], -3), ([1, 2], 1), ([[1, 2, 3]], 1), ([], 1)],
)
def test_per_axis_scales_must_fit_their_axis(make: Any, scale: Any, axis: int) -> None:
    scales = np.float32(scale)
    assert refused(make(scales, np.zeros(scales.shape, np.int8), axis=axis))


@pytest.mark.parametrize("make", [dequantize, quantize])
def test_a_zero_point_has_the_shape_of_the_scale(make: Any) -> None:
    assert "zero" in refused(make(np.float32([1, 2, 3]), np.int8([1, 2])))


@pytest.mark.parametrize("zero_point", [np.uint8(0), np.int32(0), np.float32(0), np.int16(0)])
def test_a_zero_point_has_the_type_of_the_integers(zero_point: Any) -> None:
    assert refused(dequantize(SCALE, zero_point))


@pytest.mark.parametrize("zero_point", [np.int32(0), np.float32(0), np.bool_(False)])
def test_a_type_that_nothing_is_quantized_to(zero_point: Any) -> None:
    assert refused(quantize(SCALE, zero_point))


@pytest.mark.parametrize("scale", [np.int8(1), np.float64(1)])
def test_a_scale_of_another_type(scale: Any) -> None:
    assert refused(dequantize(scale, ZERO))


@pytest.mark.parametrize("which", ["xs", "ws", "ys"])
def test_qlinear_operators_too(which: str) -> None:
    assert load_model(qlinear_conv()).graph["y"].dtype.value == "int8"
    for scale in (0, -1, np.nan, np.inf):
        assert "scale must be" in refused(qlinear_conv(**{which: np.float32(scale)}))


def test_weight_scales_of_a_wrong_length() -> None:
    good = qlinear_conv(ws=np.ones(4, np.float32), wz=np.zeros(4, np.int8))
    assert load_model(good).graph["y"].shape == (1, 4, 3, 3)
    assert refused(qlinear_conv(ws=np.ones(3, np.float32), wz=np.zeros(3, np.int8)))
