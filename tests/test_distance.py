"""The distance of outputs to ONNX's, with what is not finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcugen.distance import OutputDistance, _add_distance

NAN, INF = math.nan, math.inf


def distance(got: list[float], wanted: list[float], dtype: type = np.float32) -> OutputDistance:
    entry = OutputDistance()
    _add_distance(entry, np.array(got, dtype), np.array(wanted, dtype))
    return entry


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("got", "wanted", "differing", "max_abs", "max_relative"),
    [
        ([1, 3], [1, 4], 1, 1.0, 0.25),
        ([NAN, INF], [NAN, INF], 0, 0.0, 0.0),
        ([NAN, 2], [0, 4], 2, INF, INF),
        ([1, 2], [NAN, 4], 2, INF, INF),
        ([INF, 2], [-INF, 2], 1, INF, INF),
        ([1, 2], [0, 0], 2, 2.0, 0.0),
    ],
)
def test_floats(
    got: list[float], wanted: list[float], differing: int, max_abs: float, max_relative: float
) -> None:
    entry = distance(got, wanted)
    assert (entry.differing, entry.max_abs, entry.max_relative) == (
        differing,
        max_abs,
        max_relative,
    )
    assert entry.max_lsb is None


def test_one_number_without_axes() -> None:
    entry = OutputDistance()
    _add_distance(entry, np.array(1, np.float32), np.array(3, np.float32))
    assert (entry.differing, entry.max_abs, entry.argmax_agreement) == (1, 2.0, None)


def test_integers_are_counted_in_the_last_place() -> None:
    entry = distance([-128, 5, 7], [127, 5, 9], np.int8)
    assert (entry.differing, entry.max_lsb, entry.argmax_agreement) == (2, 255, 0.0)
