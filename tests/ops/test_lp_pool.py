"""LpPool: import, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning


def test_norms_by_hand() -> None:
    x = np.array([[[3, -4, 0, 2]]], np.float32)
    window = {"kernel_shape": [2], "strides": [2]}
    assert meaning("LpPool", (x,), p=1, **window).ravel().tolist() == [7, 2]
    assert meaning("LpPool", (x,), **window).ravel().tolist() == [5, 2]
    np.testing.assert_allclose(meaning("LpPool", (x,), p=3, **window).ravel(), [91 ** (1 / 3), 2])


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((1, 2, 7, 8), {"kernel_shape": [2, 3]}),
        ((2, 3, 9, 9), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "p": 1}),
        ((1, 2, 9, 8), {"kernel_shape": [3, 4], "auto_pad": "SAME_LOWER", "p": 3}),
        ((2, 3, 12), {"kernel_shape": [4], "strides": [3], "pads": [1, 2], "p": 4}),
    ],
)
def test_as_onnx_runtime(shape: tuple[int, ...], attributes: dict[str, Any]) -> None:
    assert_as_ort("LpPool", (random_f32(1, *shape),), **attributes)


def test_global_as_onnx_runtime() -> None:
    assert_as_ort("GlobalLpPool", (random_f32(1, 2, 3, 5, 4),))
    assert_as_ort("GlobalLpPool", (random_f32(1, 2, 3, 5, 4),), p=3)


@pytest.mark.parametrize(
    ("shape", "p", "reason"),
    [((1, 1, 4), 0, "order p must be in 1..16, got 0"), ((1, 1, 4, 4, 4), 2, "1-D or 2-D")],
)
def test_refused(shape: tuple[int, ...], p: int, reason: str) -> None:
    x = np.zeros(shape, np.float32)
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("LpPool", (x,), kernel_shape=[2] * (len(shape) - 2), p=p)
