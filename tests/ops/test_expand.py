"""Expand and Tile: import, meaning, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.expand import ExpandAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Reject
from opcase import random_f32
from single_op import assert_as_ort, imported

X = random_f32(1, 3, 1, 4)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("shape", [(2, 3, 5, 4), (1,), (3, 2, 1), (3, 1, 4)])
def test_both_shapes_broadcast(shape: tuple[int, ...]) -> None:
    assert_as_ort("Expand", (X, ints(*shape)), constant=(1,))


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(
        UnsupportedModelError, match=r"must broadcast with \[3, 1, 4\], got \[2, 2\]"
    ):
        imported("Expand", (X, ints(2, 2)), constant=(1,))


def test_expanding_to_a_smaller_shape_is_refused() -> None:
    tensor = Tensor("x", (3, 1), DType.FLOAT32)
    with pytest.raises(Reject, match="broadcasts to"):
        specs()["Expand"].infer(ExpandAttrs((1, 5)), (tensor,))


@pytest.mark.parametrize("repeats", [(1, 1, 1), (2, 1, 3), (1, 4, 1)])
def test_tile(repeats: tuple[int, ...]) -> None:
    assert_as_ort("Tile", (X, ints(*repeats)), constant=(1,))


@pytest.mark.parametrize("repeats", [(2, 2), (1, -1, 1)])
def test_wrong_repeats_are_refused(repeats: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedModelError, match="repeats must be 3 non-negative numbers"):
        imported("Tile", (X, ints(*repeats)), constant=(1,))
