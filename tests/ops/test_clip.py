"""Clip: bounds as attributes, constants and tensors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from mcugen.ops.clip import ClipAttrs
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

F32 = np.float32
X = random_f32(1, 40, scale=5)


def scalar(value: float, dtype: type = F32) -> Array:
    return np.asarray(dtype(value))


def test_attributes_before_opset_11() -> None:
    assert_as_ort("Clip", (X,), opset=7, min=-1.0, max=2.5)
    graph = imported("Clip", (X,), opset=7, max=6.0)
    assert graph.nodes[0].attrs == ClipAttrs(-math.inf, 6.0)


@pytest.mark.parametrize("constant", [(1, 2), ()])
def test_inputs_as_onnx_runtime(constant: tuple[int, ...]) -> None:
    assert_as_ort("Clip", (X, scalar(-1), scalar(2.5)), constant=constant)


def test_one_bound() -> None:
    assert_as_ort("Clip", (X, None, scalar(1)), constant=(2,))
    assert_as_ort("Clip", (X, scalar(1)), constant=(1,))
    assert imported("Clip", (X, scalar(0)), constant=(1,)).nodes[0].attrs == ClipAttrs(0, math.inf)


def test_no_bound_at_all() -> None:
    assert imported("Clip", (X,)).nodes[0].attrs == ClipAttrs()


def test_computed_bounds_become_max_and_min() -> None:
    graph = imported("Clip", (X, scalar(-1), scalar(1)))
    assert [n.op for n in graph.nodes] == ["Max", "Min", "Identity"]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT64])
def test_integers_as_onnx_runtime(dtype: DType) -> None:
    bounds = (scalar(3, dtype.np.type), scalar(100, dtype.np.type))
    assert_as_ort("Clip", (random_int(1, dtype, 40), *bounds), constant=(1, 2))


def test_integer_bounds_are_exact() -> None:
    big = 2**62 + 1
    graph = imported("Clip", (np.zeros(2, np.int64), scalar(big, np.int64)), constant=(1,))
    assert graph.nodes[0].attrs.low == big


def test_the_upper_bound_wins() -> None:
    assert meaning("Clip", (F32([0, 5, 9]), scalar(6), scalar(2)), constant=(1, 2)).tolist() == [
        2,
        2,
        2,
    ]


def test_nan_passes() -> None:
    assert np.isnan(meaning("Clip", (F32([np.nan]), scalar(0), scalar(6)), constant=(1, 2)))[0]


def test_a_bound_must_be_a_scalar() -> None:
    with pytest.raises(UnsupportedModelError, match=r"min must be a scalar, got shape \[2\]"):
        imported("Clip", (X, F32([0, 1])), constant=(1,))
