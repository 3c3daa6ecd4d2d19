"""Compress: what it becomes, meaning, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 3, 4)


def condition(*values: int) -> Array:
    return np.array(values, np.bool_)


@pytest.mark.parametrize(
    ("values", "attributes", "ops"),
    [
        ((1, 0, 1), {"axis": 0}, ["Slice"]),
        ((1, 1, 0, 1), {"axis": 1}, ["Gather"]),
        ((0, 1), {"axis": -1}, ["Slice"]),
        ((0, 1, 1, 0, 1), {}, ["Reshape", "Gather"]),
    ],
)
def test_as_onnx_runtime(
    values: tuple[int, ...], attributes: dict[str, Any], ops: list[str]
) -> None:
    inputs = (X, condition(*values))
    assert [n.op for n in imported("Compress", inputs, constant=(1,), **attributes).nodes] == ops
    assert_as_ort("Compress", inputs, constant=(1,), **attributes)


def test_nothing_is_taken() -> None:
    assert meaning("Compress", (X, condition(0, 0)), constant=(1,), axis=1).shape == (3, 0)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (condition(1, 0, 0, 1), r"must be a vector of at most 3, got \[4\]"),
        (condition(1, 0).reshape(1, 2), r"must be a vector of at most 3, got \[1, 2\]"),
    ],
)
def test_refused(values: Array, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Compress", (X, values), constant=(1,), axis=0)


def test_computed_condition_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="the condition must be constant, got 'x1'"):
        imported("Compress", (X, condition(1, 0)), axis=0)
