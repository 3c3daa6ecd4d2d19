"""GridSample: import, meaning, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 2, 3, 5, 4)
GRID = random_f32(2, 2, 6, 7, 2, scale=1.3)
IMAGE = np.float32([[[[1, 2], [3, 4]]]])


def at(x: float, y: float, **attributes: Any) -> float:
    """The pixel of IMAGE at (x, y)."""
    grid = np.float32([[[[x, y]]]])
    return meaning("GridSample", (IMAGE, grid), opset=16, **attributes).item()


def test_positions_by_hand() -> None:
    corners = {"align_corners": 1}
    assert [at(-1, -1, **corners), at(1, -1, **corners), at(-1, 1, **corners)] == [1, 2, 3]
    assert at(0, 0) == at(0, 0, **corners) == 2.5
    assert at(-0.5, -0.5) == 1
    assert at(-1, -0.5) == 0.5, "half of it lies outside"


def test_outside_by_hand() -> None:
    nearest = {"mode": "nearest"}
    assert at(1.6, -0.5, **nearest) == 0
    assert at(1.6, -0.5, padding_mode="border", **nearest) == 2
    assert at(1.6, -0.5, padding_mode="reflection", **nearest) == 2
    assert at(2.6, -0.5, padding_mode="reflection", **nearest) == 1
    assert at(np.nan, 0) == 0


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align_corners", [0, 1])
def test_as_onnx_runtime(mode: str, padding_mode: str, align_corners: int) -> None:
    options = {"padding_mode": padding_mode, "align_corners": align_corners}
    assert_as_ort("GridSample", (X, GRID), opset=16, mode=mode, **options)
    newer = mode.removeprefix("bi")
    assert_as_ort("GridSample", (X, GRID), opset=20, mode=newer, **options)


@pytest.mark.parametrize(
    ("x", "grid", "attributes", "reason"),
    [
        (X, GRID, {"mode": "linear"}, "mode must be one of nearest, bilinear, bicubic"),
        (X, GRID, {"padding_mode": "wrap"}, "padding_mode must be one of zeros, border"),
        (X, GRID[:1], {}, r"the grid must be \[2, oH, oW, 2\], got \[1, 6, 7, 2\]"),
        (X, GRID[..., :1], {}, r"the grid must be \[2, oH, oW, 2\]"),
        (X[:, :, 0], GRID, {}, "The images must be 2-D, got 1-D"),
        (X.astype(np.float64), GRID, {}, "type of the image must be float32, got float64"),
        (X, GRID.astype(np.float64), {}, "type of the grid must be float32, got float64"),
        (X[:, :0], GRID, {}, "No dimension of an input may be 0"),
    ],
)
def test_refused(x: Array, grid: Array, attributes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("GridSample", (x, grid), opset=16, **attributes)
