"""Det: import, meaning, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning


def test_by_hand() -> None:
    assert meaning("Det", (np.float32([[1, 2], [3, 4]]),)) == pytest.approx(-2)
    assert meaning("Det", (np.float32([[[0, 1], [1, 0]]] * 3),)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (2, 3, 4, 4)])
def test_as_onnx_runtime(shape: tuple[int, ...]) -> None:
    assert_as_ort("Det", (random_f32(1, *shape),))


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (random_f32(1, 2, 3), r"must be square matrices, got \[2, 3\]"),
        (random_f32(1, 3), r"must be square matrices, got \[3\]"),
        (random_f32(1, 2, 2).astype(np.float64), "must be float32, got float64"),
        (np.zeros((0, 2, 2), np.float32), "No dimension of an input may be 0"),
    ],
)
def test_refused(x: np.ndarray, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Det", (x,))
