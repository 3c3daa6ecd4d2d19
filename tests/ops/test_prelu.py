"""PRelu: slopes of every shape that broadcasts to the input's."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

F32 = np.float32


@pytest.mark.parametrize("slope", [(3, 1, 1), (1,), (), (2, 3, 4, 5), (1, 3, 1, 1), (5,)])
def test_as_onnx_runtime(slope: tuple[int, ...]) -> None:
    assert_as_ort("PRelu", (random_f32(1, 2, 3, 4, 5), random_f32(2, *slope)))


def test_slope_per_channel() -> None:
    x = F32([-1, -2, -3, -4]).reshape(1, 2, 1, 2)
    y = meaning("PRelu", (x, F32([0.5, 2]).reshape(2, 1, 1)))
    assert y.reshape(-1).tolist() == [-0.5, -1, -6, -8]


def test_the_slope_must_not_widen_the_input() -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        imported("PRelu", (np.zeros((3, 1), F32), np.zeros(4, F32)))
    reason = caught.value.unsupported[0].reason
    assert reason == "The slope must broadcast to the input's shape, got [4] for [3, 1]"


def test_integers_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="element type must be float32, float64"):
        imported("PRelu", (np.zeros(3, np.int32), np.ones(1, np.int32)))
