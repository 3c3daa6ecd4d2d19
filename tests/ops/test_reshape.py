"""Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout and constants of shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.reshape import ReshapeAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 2, 3, 4)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("wanted", "shape"),
    [
        ((2, 0, 1, -1), (2, 3, 1, 4)),
        ((-1,), (24,)),
        ((0, 0, 0), (2, 3, 4)),
        ((4, 6), (4, 6)),
    ],
)
def test_zero_copies_and_minus_one_takes_the_rest(
    wanted: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    graph = imported("Reshape", (X, ints(*wanted)), constant=(1,))
    assert graph.nodes[0].attrs == ReshapeAttrs(shape)
    assert_as_ort("Reshape", (X, ints(*wanted)), constant=(1,))


def test_zero_with_allowzero_is_an_empty_dimension() -> None:
    empty = np.zeros((0, 3), np.float32)
    y = meaning("Reshape", (empty, ints(3, 0)), constant=(1,), opset=14, allowzero=1)
    assert y.shape == (3, 0)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ((5, -1), r"shape must hold 24 elements, got \[5, -1\]"),
        ((-1, -1), "one -1 at most"),
        ((2, 3, 5), r"shape must hold 24 elements"),
        ((2, 3, 4, 0), "must copy an input dimension"),
        ((-2, 12), "non-negative dimensions"),
    ],
)
def test_impossible_shapes_are_refused(wanted: tuple[int, ...], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Reshape", (X, ints(*wanted)), constant=(1,))


def test_computed_shape_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="shape must be constant"):
        imported("Reshape", (X, ints(24)))


@pytest.mark.parametrize("axis", [0, 1, 3, -1, -3])
def test_flatten(axis: int) -> None:
    assert_as_ort("Flatten", (X,), axis=axis)


def test_flatten_axis_outside_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match=r"axis must be in \[-3, 3\], got 4"):
        imported("Flatten", (X,), axis=4)


ONES = random_f32(2, 1, 3, 1, 4)


def test_squeeze_by_attribute_by_input_and_of_all() -> None:
    assert meaning("Squeeze", (ONES,), opset=11, axes=[0, -2]).shape == (3, 4)
    assert meaning("Squeeze", (ONES, ints(2)), constant=(1,)).shape == (1, 3, 4)
    assert meaning("Squeeze", (ONES,)).shape == (3, 4)


def test_squeezed_dimension_must_be_one() -> None:
    with pytest.raises(UnsupportedModelError, match=r"squeezed dimensions must be 1, got \[3\]"):
        imported("Squeeze", (ONES, ints(1)), constant=(1,))


def test_unsqueeze_axes_are_those_of_the_output() -> None:
    assert meaning("Unsqueeze", (X,), opset=11, axes=[0, 4]).shape == (1, 2, 3, 4, 1)
    assert meaning("Unsqueeze", (X, ints(-1, 1)), constant=(1,)).shape == (2, 1, 3, 4, 1)


@pytest.mark.parametrize(("axes", "reason"), [((0, 0), "axes must be different"), ((9,), "axes")])
def test_wrong_axes_are_refused(axes: tuple[int, ...], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Unsqueeze", (X, ints(*axes)), constant=(1,))


def test_dropout_passes_its_input() -> None:
    graph = imported("Dropout", (X,), opset=13)
    assert graph.nodes[0].attrs == IdentityAttrs()


@pytest.mark.parametrize(("opset", "dtype"), [(7, np.float32), (13, np.bool_)])
def test_dropout_mask_is_all_ones(opset: int, dtype: Any) -> None:
    graph = imported("Dropout", (X,), opset=opset, outputs=2)
    mask = graph[graph.outputs[1]].data
    assert mask is not None
    assert mask.dtype == dtype
    assert mask.shape == X.shape
    assert mask.all()


def test_training_dropout_is_refused() -> None:
    inputs = (X, np.array(0.5, np.float32), np.array(True))
    reason = "training_mode must be false, or ratio 0, got ratio 0.5"
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Dropout", inputs, constant=(1, 2))
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Dropout", (X, None, np.array(True)), constant=(2,))


def test_training_that_drops_nothing_passes() -> None:
    inputs = (X, np.array(0, np.float32), np.array(True))
    graph = imported("Dropout", inputs, constant=(1, 2))
    assert [n.op for n in graph.nodes] == ["Identity"]


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({}, [2, 3, 4]),
        ({"start": 1}, [3, 4]),
        ({"start": -2, "end": -1}, [3]),
        ({"end": 9}, [2, 3, 4]),
    ],
)
def test_shape_is_a_constant(attributes: dict[str, int], wanted: list[int]) -> None:
    graph = imported("Shape", (X,), opset=15, **attributes)
    value = graph[graph.outputs[0]].data
    assert value is not None
    assert value.dtype == np.int64
    assert value.tolist() == wanted


def test_size_is_a_constant_scalar() -> None:
    graph = imported("Size", (X,))
    value = graph[graph.outputs[0]].data
    assert value is not None
    assert value.shape == ()
    assert value == 24


def test_constant_of_shape() -> None:
    import onnx

    value = onnx.helper.make_tensor("v", onnx.TensorProto.INT8, [1], [-3])
    y = meaning("ConstantOfShape", (ints(2, 2),), constant=(0,), value=value)
    assert y.dtype == np.int8
    assert y.tolist() == [[-3, -3], [-3, -3]]
    plain = meaning("ConstantOfShape", (ints(),), constant=(0,))
    assert plain.dtype == np.float32
    assert plain.shape == ()


def test_constant_of_a_huge_shape_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="at most 67108864 elements"):
        imported("ConstantOfShape", (ints(2**30, 2**10),), constant=(0,))


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_eye_like(k: int) -> None:
    y = meaning("EyeLike", (np.zeros((3, 4), np.int32),), k=k, dtype=1)
    np.testing.assert_array_equal(y, np.eye(3, 4, k, np.float32))


def test_eye_like_needs_a_matrix() -> None:
    with pytest.raises(UnsupportedModelError, match="input must be a matrix, got rank 3"):
        imported("EyeLike", (X,))


@pytest.mark.parametrize(
    ("start", "limit", "delta"), [(0, 10, 3), (10, 0, -4), (5, 5, 1), (1.5, 3.0, 0.5)]
)
def test_range(start: float, limit: float, delta: float) -> None:
    kind = np.float32 if isinstance(start, float) else np.int64
    inputs = tuple(np.array(v, kind) for v in (start, limit, delta))
    np.testing.assert_array_equal(
        meaning("Range", inputs, constant=(0, 1, 2)), np.arange(start, limit, delta, kind)
    )


def test_range_of_step_zero_is_refused() -> None:
    inputs = tuple(np.array(v, np.int64) for v in (0, 3, 0))
    with pytest.raises(UnsupportedModelError, match="delta must not be 0"):
        imported("Range", inputs, constant=(0, 1, 2))
