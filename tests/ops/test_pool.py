"""MaxPool and AveragePool: import, shapes, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

F32 = np.float32


@pytest.mark.parametrize("opset", [13, 19])
def test_cells_beyond_the_padding_are_not_in_the_divisor(opset: int) -> None:
    x = np.arange(1, 6, dtype=F32).reshape(1, 1, 5)
    y = meaning(
        "AveragePool",
        (x,),
        opset=opset,
        kernel_shape=[2],
        strides=[2],
        ceil_mode=1,
        count_include_pad=1,
    )
    assert y.ravel().tolist() == [1.5, 3.5, 5.0]


@pytest.mark.parametrize("opset", [11, 19])
def test_automatic_padding_counts_when_asked(opset: int) -> None:
    x = np.arange(12, dtype=F32).reshape(1, 1, 6, 2)
    y = meaning(
        "AveragePool",
        (x,),
        opset=opset,
        kernel_shape=[5, 1],
        auto_pad="SAME_LOWER",
        count_include_pad=1,
    )
    wanted = [1.2, 1.8, 2.4, 3.2, 4, 5, 6, 7, 5.6, 6.4, 4.8, 5.4]
    np.testing.assert_allclose(y.ravel(), wanted, rtol=1e-6)


WINDOWS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((1, 2, 7, 8), {"kernel_shape": [2, 3]}),
    ((2, 3, 9, 9), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 2, 9, 11), {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [2, 0, 1, 1]}),
    ((1, 2, 9, 8), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ((1, 2, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1, "pads": [1] * 4}),
    ((1, 2, 10, 7), {"kernel_shape": [3, 4], "strides": [2, 3], "auto_pad": "SAME_UPPER"}),
    ((1, 2, 10, 7), {"kernel_shape": [3, 4], "strides": [3, 2], "auto_pad": "SAME_LOWER"}),
    ((1, 2, 10, 7), {"kernel_shape": [3, 4], "strides": [3, 2], "auto_pad": "VALID"}),
    ((2, 3, 12), {"kernel_shape": [4], "strides": [3], "pads": [1, 2]}),
]


@pytest.mark.parametrize(("shape", "attributes"), WINDOWS)
def test_as_onnx_runtime(shape: tuple[int, ...], attributes: dict[str, Any]) -> None:
    inputs = (random_f32(1, *shape),)
    assert_as_ort("MaxPool", inputs, **attributes)
    assert_as_ort("AveragePool", inputs, opset=19, **attributes)
    assert_as_ort("AveragePool", inputs, opset=19, count_include_pad=1, **attributes)


def test_dilated_as_onnx_runtime() -> None:
    attributes = {"kernel_shape": [2, 3], "dilations": [3, 2], "pads": [1, 0, 1, 1]}
    inputs = (random_f32(1, 1, 2, 9, 8),)
    assert_as_ort("MaxPool", inputs, **attributes)
    assert_as_ort("AveragePool", inputs, opset=19, **attributes)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
def test_maximum_of_integers(dtype: DType) -> None:
    inputs = (random_int(1, dtype, 1, 2, 7, 8),)
    assert_as_ort("MaxPool", inputs, kernel_shape=[3, 2], pads=[1, 0, 1, 1], strides=[2, 1])


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (1, 4, 9)])
def test_global_pools(shape: tuple[int, ...]) -> None:
    inputs = (random_f32(1, *shape),)
    assert_as_ort("GlobalMaxPool", inputs)
    assert_as_ort("GlobalAveragePool", inputs)


def test_a_nan_is_never_the_maximum() -> None:
    x = np.array([[[np.nan, 1, np.nan, np.nan, -np.inf, np.nan]]], F32)
    y = meaning("MaxPool", (x,), kernel_shape=[2], strides=[2])
    assert y.ravel().tolist() == [1, -np.inf, -np.inf]


@pytest.mark.parametrize(
    ("op", "x", "attributes", "reason"),
    [
        ("MaxPool", np.zeros((1, 1, 3, 3, 3), F32), {"kernel_shape": [2] * 3}, "1-D or 2-D"),
        ("MaxPool", np.zeros((1, 1, 3), F32), {"kernel_shape": [2, 2]}, "must have 1 positive"),
        ("MaxPool", np.zeros((1, 1, 3), F32), {"kernel_shape": [4]}, "must fit the padded"),
        ("MaxPool", np.zeros((1, 1, 3)), {"kernel_shape": [2]}, "must be float32, int8 or uint8"),
        ("MaxPool", np.zeros((0, 1, 3), F32), {"kernel_shape": [2]}, "dimension of an input"),
        ("AveragePool", np.zeros((1, 1, 3)), {"kernel_shape": [2]}, "must be float32"),
        ("GlobalAveragePool", np.zeros((1, 1, 3, 3, 3), F32), {}, "1-D or 2-D"),
    ],
)
def test_refused(op: str, x: Array, attributes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported(op, (x,), **attributes)


def test_indices_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="Indices must not be used"):
        imported("MaxPool", (np.zeros((1, 1, 3), F32),), kernel_shape=[2], outputs=2)


@pytest.mark.parametrize("channels_last", [0, 1])
@pytest.mark.parametrize("op", ["QLinearAveragePool", "QLinearGlobalAveragePool"])
def test_quantized_contributions_as_onnx_runtime(op: str, channels_last: int) -> None:
    """With scales that leave no ties."""
    x = random_int(1, DType.UINT8, 1, 6, 7, 5)
    scale, zero = np.array(0.0517, F32), np.array(130, np.uint8)
    inputs = (x, scale, zero, np.array(0.0313, F32), np.array(77, np.uint8))
    window = {"kernel_shape": [3, 2], "strides": [2, 1]} if op == "QLinearAveragePool" else {}
    assert_as_ort(
        op,
        inputs,
        domain="com.microsoft",
        constant=(1, 2, 3, 4),
        channels_last=channels_last,
        **window,
    )
