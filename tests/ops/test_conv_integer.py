"""ConvInteger: import, meaning, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.conv_integer import SPECS, ConvIntegerAttrs
from mcugen.ops.spec import Reject
from opcase import random_int
from single_op import assert_as_ort, imported, meaning

X = random_int(1, DType.UINT8, 1, 4, 6, 5)
W = random_int(2, DType.UINT8, 6, 2, 3, 3)
ZERO = np.array(121, np.uint8)


def test_as_onnx_runtime() -> None:
    """Its weights must be unsigned, or signed with unsigned input."""
    options = {"constant": (1, 2, 3), "group": 2, "pads": [1, 0, 1, 2], "strides": [2, 1]}
    assert_as_ort("ConvInteger", (X, W), **options)
    assert_as_ort("ConvInteger", (X, W, ZERO), **options)
    assert_as_ort("ConvInteger", (X, W, ZERO, np.array(9, np.uint8)), **options)


def test_padding_holds_the_zero_point() -> None:
    x, w = np.full((1, 1, 2, 2), 138, np.uint8), np.ones((1, 1, 3, 3), np.uint8)
    y = meaning("ConvInteger", (x, w, np.array(128, np.uint8)), constant=(1,), pads=[1, 1, 1, 1])
    assert y.dtype == np.int32
    assert y.ravel().tolist() == [40] * 4


def test_a_zero_point_per_output_channel() -> None:
    x, w = np.ones((1, 1, 1), np.uint8), np.array([5, 5], np.int8).reshape(2, 1, 1)
    y = meaning("ConvInteger", (x, w, None, np.array([1, -1], np.int8)), constant=(1, 3))
    assert y.ravel().tolist() == [4, 6]


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ((X, W, np.zeros(2, np.uint8)), "zero point of the input must be a scalar"),
        ((X, W, ZERO, np.zeros(5, np.uint8)), r"scalar or \[6\], got \[5\]"),
        ((X.astype(np.float32), W), "must be"),
    ],
)
def test_refused(inputs: tuple[Array, ...], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("ConvInteger", inputs, constant=(1, 3), group=2)


def test_computed_weights_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="must be constant"):
        imported("ConvInteger", (X, W), group=2)


def test_sums_must_fit() -> None:
    attrs = ConvIntegerAttrs((1,), (0, 0), (1,))
    x = Tensor("x", (1, 70000, 1), DType.UINT8)
    w = Tensor("w", (1, 70000, 1), DType.INT8, data=np.full((1, 70000, 1), -128, np.int8))
    with pytest.raises(Reject, match="fit 32 bits, got 70000 products"):
        SPECS[0].infer(attrs, (x, w))
