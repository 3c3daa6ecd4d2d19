"""ScatterElements and ScatterND: import, meaning, refusals, order of updates."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from mcugen.ops.scatter_elements import ScatterElementsAttrs
from mcugen.ops.scatter_nd import ScatterNDAttrs
from mcugen.ops.scattering import MEETINGS
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 4, 5)


def ints(*values: object) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reduction", MEETINGS)
def test_elements(axis: int, reduction: str) -> None:
    """Indices with no two alike on a line: ORT leaves their order open without a reduction."""
    inputs = (X, ints([0, 3], [2, -4]).T if axis == 0 else ints([0, -1], [3, 2]), X[:2, 2:4])
    assert_as_ort("ScatterElements", inputs, opset=18, axis=axis, reduction=reduction)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
def test_elements_that_meet(reduction: str) -> None:
    inputs = (X, ints([0, 0, 0], [1, 0, 1]), random_f32(2, 2, 3))
    assert_as_ort("ScatterElements", inputs, opset=18, axis=1, reduction=reduction)


def test_the_later_update_wins() -> None:
    y = meaning("ScatterElements", (np.zeros(2, np.float32), ints(1, 1), np.float32([5, 6])))
    assert y.tolist() == [0, 6]
    y = meaning("ScatterND", (np.zeros(2, np.float32), ints([1], [1]), np.float32([5, 6])))
    assert y.tolist() == [0, 6]


def test_scatter_is_the_old_name() -> None:
    graph = imported("Scatter", (X, ints([0]), X[:1, :1]), opset=10, axis=-1)
    assert [n.op for n in graph.nodes] == ["ScatterElements"]
    assert graph.nodes[0].attrs == ScatterElementsAttrs(1, "none")


@pytest.mark.parametrize("reduction", MEETINGS)
def test_rows(reduction: str) -> None:
    inputs = (X, ints([2], [-4]), random_f32(3, 2, 5))
    assert_as_ort("ScatterND", inputs, opset=18, reduction=reduction)


def test_points() -> None:
    inputs = (X, ints([[2, 1], [-4, -5]], [[0, 4], [3, 0]]), random_f32(3, 2, 2))
    assert_as_ort("ScatterND", inputs, opset=18)
    assert imported("ScatterND", inputs).nodes[0].attrs == ScatterNDAttrs("none")


def test_integers_wrap() -> None:
    inputs = (np.int8([100, -100]), ints([0], [1]), np.int8([100, -100]))
    y = meaning("ScatterND", inputs, opset=18, reduction="add")
    assert y.tolist() == [-56, 56]


@pytest.mark.parametrize("op", ["ScatterElements", "ScatterND"])
def test_indices_beyond_fall_on_the_nearest_element(op: str) -> None:
    indices = ints(7, -9) if op == "ScatterElements" else ints([7], [-9])
    y = meaning(op, (np.zeros(3, np.float32), indices, np.float32([5, 6])))
    assert y.tolist() == [6, 0, 5]


@pytest.mark.parametrize(
    ("op", "indices", "updates", "reason"),
    [
        ("ScatterElements", ints([0, 1]), X[:1, :1], "indices and updates must have one shape"),
        ("ScatterElements", ints(0), X[0, :1], "indices and updates must have one shape"),
        ("ScatterElements", ints(*[[0]] * 5), np.zeros((5, 1), np.float32), "inside \\[4, 5\\]"),
        ("ScatterND", ints([0, 1, 2]), np.zeros(1, np.float32), "tuples of 1 to 2, got \\[1, 3\\]"),
        ("ScatterND", ints([0]), X[:2], "updates must have shape \\[1, 5\\], got \\[2, 5\\]"),
    ],
)
def test_wrong_shapes_are_refused(op: str, indices: Array, updates: Array, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported(op, (X, indices, updates), axis=1) if op == "ScatterElements" else imported(
            op, (X, indices, updates)
        )


@pytest.mark.parametrize("op", ["ScatterElements", "ScatterND"])
def test_unknown_and_senseless_reductions_are_refused(op: str) -> None:
    inputs = (X[0], ints(0) if op == "ScatterElements" else ints([0]), X[0, :1])
    with pytest.raises(UnsupportedModelError, match="reduction must be none, add, mul, max, min"):
        imported(op, inputs, opset=18, reduction="mean")
    flags = (X[0] > 0, inputs[1], X[0, :1] > 0)
    with pytest.raises(UnsupportedModelError, match="not be bool with reduction add or mul, got b"):
        imported(op, flags, opset=18, reduction="add")


def test_an_empty_axis_has_no_elements_to_replace() -> None:
    empty = np.zeros((0, 2), np.float32)
    with pytest.raises(UnsupportedModelError, match="an indexed axis must not be empty"):
        imported("ScatterND", (empty, ints([0]), np.zeros((1, 2), np.float32)))


def test_narrow_indices_are_refused_by_onnx_already() -> None:
    inputs = (X, random_int(4, DType.INT8, 1, 1), X[:1, :1])
    with pytest.raises(UnsupportedModelError, match="int32, int64"):
        imported("ScatterElements", inputs)
