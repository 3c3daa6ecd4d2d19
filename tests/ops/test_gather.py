"""Gather, GatherElements and GatherND: import, meaning, refusals, safety."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.gather import GatherAttrs
from mcugen.ops.gather_elements import GatherElementsAttrs
from mcugen.ops.registry import specs
from mcugen.ops.slice import SliceAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 4, 5, 3)


def ints(values: object) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("constant", [(), (1,)])
def test_meaning(axis: int, constant: tuple[int, ...]) -> None:
    assert_as_ort("Gather", (X, ints([[0, 2], [-1, 1]])), axis=axis, constant=constant)


def test_scalar_index_removes_the_axis() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = meaning("Gather", (x, ints(-1)), axis=1, constant=(1,))
    assert y.tolist() == [2, 5]


@pytest.mark.parametrize(
    ("indices", "attrs"),
    [
        ([2], SliceAttrs((0, 2, 0), (1, 1, 1), (4, 1, 3))),
        ([-1, -2, -3], SliceAttrs((0, 4, 0), (1, -1, 1), (4, 3, 3))),
        ([0, 2, 4], SliceAttrs((0, 0, 0), (1, 2, 1), (4, 3, 3))),
    ],
)
def test_equidistant_constant_indices_are_a_slice(indices: list[int], attrs: SliceAttrs) -> None:
    graph = imported("Gather", (X, ints(indices)), axis=1, constant=(1,))
    assert [n.op for n in graph.nodes] == ["Slice"]
    assert graph.nodes[0].attrs == attrs
    assert_as_ort("Gather", (X, ints(indices)), axis=1, constant=(1,))


@pytest.mark.parametrize("indices", [[0, 0], [0, 1, 3], [[0, 1], [3, 2]]])
def test_other_constant_indices_are_a_table(indices: object) -> None:
    graph = imported("Gather", (X, ints(indices)), axis=1, constant=(1,))
    assert [n.op for n in graph.nodes] == ["Gather"]


@pytest.mark.parametrize("index", [5, -6])
def test_constant_index_outside_is_refused(index: int) -> None:
    with pytest.raises(
        UnsupportedModelError, match=rf"indices must be in \[-5, 4\], got \[{index}"
    ):
        imported("Gather", (X, ints([index])), axis=1, constant=(1,))


def test_computed_index_outside_reads_the_nearest_element() -> None:
    y = meaning("Gather", (X, ints([99, -99])), axis=1)
    np.testing.assert_array_equal(y, X[:, [4, 0]])


@pytest.mark.parametrize(("dtype", "found"), [(DType.INT64, None), (DType.INT8, "int8")])
def test_indices_must_be_wide_integers(dtype: DType, found: str | None) -> None:
    (rule,) = specs()["Gather"].constraints
    inputs = (Tensor("x", (2,), DType.FLOAT32), Tensor("i", (1,), dtype))
    assert rule(GatherAttrs(0), inputs) == found
    assert rule.__doc__ == "the element type of indices must be int32 or int64"


def test_empty_axis_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="indexed axis must not be empty"):
        imported("Gather", (np.zeros((0, 3), np.float32), ints([0])))


@pytest.mark.parametrize("axis", [0, 2, -2])
def test_gather_elements(axis: int) -> None:
    assert_as_ort("GatherElements", (X, ints([[[0, 1], [2, -1]]])), axis=axis)


def test_gather_elements_axis_is_counted_from_the_front() -> None:
    graph = imported("GatherElements", (X, ints([[[0]]])), axis=-1)
    assert graph.nodes[0].attrs == GatherElementsAttrs(2)


@pytest.mark.parametrize("shape", [(5, 5, 3), (4, 5)])
def test_gather_elements_indices_must_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedModelError, match="apart from axis 2"):
        imported("GatherElements", (X, np.zeros(shape, np.int64)), axis=2)


@pytest.mark.parametrize(
    ("batch", "indices"),
    [
        (0, [[0, 1], [3, -1]]),
        (0, [[1], [2]]),
        (1, [[[0, 1]], [[1, 2]], [[4, 0]], [[2, -1]]]),
        (1, [[0], [1], [-1], [2]]),
    ],
)
def test_gather_nd(batch: int, indices: object) -> None:
    assert_as_ort("GatherND", (X, ints(indices)), batch_dims=batch)


@pytest.mark.parametrize(
    ("batch", "indices", "reason"),
    [
        (0, [[0, 0, 0, 0]], "tuples of 1 to 3"),
        (1, [[0]], "batch dimensions"),
        (2, [[0], [0], [0], [0]], "batch_dims must be below both ranks, got 2"),
    ],
)
def test_wrong_gather_nd_is_refused(batch: int, indices: object, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("GatherND", (X, ints(indices)), batch_dims=batch)
