"""The bounds of `semantics_ok`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcugen.errors import InternalError
from mcugen.ir import DType, Source, Tensor
from mcugen.ops.spec import Arithmetic
from mcugen.oracle import NodeDistance, compare, float_distance, onnx_value


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("got", "wanted", "distance"),
    [
        (f32(1, 2), f32(1, 2), 0.0),
        (f32(math.nan, 2), f32(math.nan, 2), 0.0),
        (f32(math.inf), f32(math.inf), 0.0),
        (f32(math.nan), f32(1), math.inf),
        (f32(1), f32(math.inf), math.inf),
        (f32(math.inf, 1), f32(-math.inf, 1), math.inf),
        (f32(0, 1), f32(0, 0), math.inf),
        (f32(math.inf, 2), f32(math.inf, 2), 0.0),
    ],
)
@pytest.mark.filterwarnings("error")
def test_float_distance(got: np.ndarray, wanted: np.ndarray, distance: float) -> None:
    assert float_distance(got, wanted) == distance


def test_float_distance_is_one_at_the_bound() -> None:
    wanted = np.array([100.0, 10.0])
    allowed = 1e-4 * 10.0 + 1e-5 * 100.0
    assert float_distance(wanted + np.array([0.0, allowed]), wanted) == pytest.approx(1.0)


def test_integers_may_differ_by_one_in_their_share() -> None:
    def distance(elements: int, differing: int, worst: float = 1.0, ties: int = 0) -> NodeDistance:
        return NodeDistance("n", "t", False, elements, differing, ties, worst)

    onnx, tflite = Arithmetic.ONNX, Arithmetic.TFLITE
    assert distance(1000, 0, 0.0).within(onnx)
    assert distance(1000, 1).within(onnx), "one element always may"
    assert not distance(1000, 2).within(onnx)
    assert distance(200_000, 2).within(onnx)
    assert not distance(200_000, 3).within(onnx)
    assert distance(1000, 5).within(tflite)
    assert not distance(1000, 6).within(tflite)
    assert distance(1000, 60, ties=55).within(tflite)
    assert not distance(1000, 60, ties=55).within(onnx), "half to even is what ONNX says"
    assert not distance(1000, 1, worst=2.0).within(tflite)


def test_what_float32_sums_decide_beside_a_tie_is_no_fault() -> None:
    """1.5 is a tie, which ONNX rounds to even; 2.49995 may come out as 2.5 or above."""
    unrounded = np.array([0.2, 1.5, 2.49995, 3.49995, 4.499])
    wanted = np.array([0, 2, 2, 3, 4], np.int8)
    entry = NodeDistance("n", "t", False)
    compare(entry, np.array([0, 2, 3, 4, 4], np.int8), wanted, unrounded, 0.0)
    assert (entry.differing, entry.blurred, entry.ties) == (2, 2, 2)
    assert entry.within(Arithmetic.ONNX)
    other = NodeDistance("n", "t", False)
    compare(other, np.array([0, 1, 2, 3, 5], np.int8), wanted, unrounded, 0.0)
    assert (other.differing, other.blurred, other.ties) == (2, 0, 1)
    assert not other.within(Arithmetic.ONNX)


def test_onnx_value_follows_permutation_and_offset() -> None:
    onnx = np.arange(6, dtype=np.uint8).reshape(1, 2, 3)
    tensor = Tensor("t", (1, 3, 2), DType.INT8, source=Source("x", (0, 2, 1), -128))
    value = onnx_value(tensor, {"x": onnx})
    assert value is not None and value.dtype == np.int8
    np.testing.assert_array_equal(value, onnx.transpose(0, 2, 1).astype(np.int64) - 128)
    assert onnx_value(Tensor("t", (1,), DType.INT8), {"t": onnx}) is None
    with pytest.raises(InternalError, match="claims to be ONNX tensor 'x'"):
        onnx_value(Tensor("t", (6,), DType.UINT8, source=Source("x")), {"x": onnx})
