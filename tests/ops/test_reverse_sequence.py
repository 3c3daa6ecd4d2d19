"""ReverseSequence: import, meaning, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.registry import specs
from mcugen.ops.reverse_sequence import ReverseSequenceAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 3, 4, 2)


def lengths(*values: int) -> Array:
    return np.array(values, np.int64)


def test_by_hand() -> None:
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    swapped = {"time_axis": 1, "batch_axis": 0}
    y = meaning("ReverseSequence", (x, lengths(2, 3)), **swapped)
    assert y.tolist() == [[2, 1, 3], [6, 5, 4]]
    assert meaning("ReverseSequence", (x, lengths(2, 1, 0))).tolist() == [[4, 2, 3], [1, 5, 6]]


@pytest.mark.parametrize("constant", [(), (1,)])
def test_as_onnx_runtime(constant: tuple[int, ...]) -> None:
    assert_as_ort("ReverseSequence", (X, lengths(1, 2, 3, 3)), constant=constant)
    swapped = {"time_axis": 1, "batch_axis": 0}
    assert_as_ort("ReverseSequence", (X, lengths(4, 1, 2)), constant=constant, **swapped)


@pytest.mark.parametrize(
    ("x", "sizes", "attributes", "reason"),
    [
        (X, lengths(1, 2, 3), {}, r"sequence_lens must have shape \[4\], got \[3\]"),
        (X, lengths(1, 1), {"time_axis": 2}, "must be 0 and 1, got 2 and 1"),
        (X, lengths(1, 1, 1, 1), {"time_axis": 1}, "must be 0 and 1, got 1 and 1"),
        (X[0, 0], lengths(1), {"batch_axis": 0}, "must be 0 and 1, got 0 and 0"),
    ],
)
def test_refused(x: Array, sizes: Array, attributes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("ReverseSequence", (x, sizes), **attributes)


@pytest.mark.parametrize(("dtype", "found"), [(DType.INT64, None), (DType.INT32, "int32")])
def test_lengths_must_be_int64(dtype: DType, found: str | None) -> None:
    (rule,) = specs()["ReverseSequence"].constraints
    inputs = (Tensor("x", (2, 1), DType.FLOAT32), Tensor("lengths", (1,), dtype))
    assert rule(ReverseSequenceAttrs(True), inputs) == found
