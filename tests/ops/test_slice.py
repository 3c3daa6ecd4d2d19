"""Slice and Split: import by opset, clamping, empty results, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen import semantics
from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from mcugen.ops.slice import SliceAttrs
from opcase import random_f32
from single_op import assert_as_ort, feeds, imported, meaning

X = random_f32(1, 5, 7)
LOW, HIGH = -(2**63), 2**63 - 1


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("start", "end", "axis", "step"),
    [
        (1, 3, 0, 1),
        (-3, HIGH, 1, 1),
        (0, 7, 1, 2),
        (6, LOW, 1, -1),
        (100, -100, 0, -2),
        (3, 1, 0, 1),
        (-100, 100, -1, 3),
        (4, 0, 0, -3),
        (LOW, HIGH, 0, 4),
    ],
)
def test_bounds_are_clamped(start: int, end: int, axis: int, step: int) -> None:
    inputs = (X, ints(start), ints(end), ints(axis), ints(step))
    assert_as_ort("Slice", inputs, constant=(1, 2, 3, 4))


def test_backwards_to_the_lowest_integer() -> None:
    x = np.arange(5, dtype=np.float32)
    y = meaning("Slice", (x, ints(-1), ints(LOW), ints(0), ints(-1)), constant=(1, 2, 3, 4))
    assert y.tolist() == [4, 3, 2, 1, 0]
    none = meaning("Slice", (x, ints(0), ints(5), ints(0), ints(-1)), constant=(1, 2, 3, 4))
    assert none.shape == (0,)


def test_attributes_before_opset_10() -> None:
    y = meaning("Slice", (X,), opset=9, starts=[1, -2], ends=[3, 2**31 - 1], axes=[0, 1])
    np.testing.assert_array_equal(y, X[1:3, -2:])
    np.testing.assert_array_equal(meaning("Slice", (X,), opset=7, starts=[2], ends=[4]), X[2:4])


def test_axes_and_steps_are_optional() -> None:
    y = meaning("Slice", (X, ints(1, 2), ints(4, 6)), constant=(1, 2))
    np.testing.assert_array_equal(y, X[1:4, 2:6])


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ((ints(0), ints(3), ints(0), ints(0)), "steps must not be 0, got 0"),
        ((ints(0), ints(3), ints(2)), r"axes must be in \[-2, 1\], got 2"),
        ((ints(0, 1), ints(3)), "must be equally long, got 2, 1, 2 and 2"),
    ],
)
def test_wrong_slices_are_refused(inputs: tuple[Array, ...], reason: str) -> None:
    constant = range(1, len(inputs) + 1)
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Slice", (X, *inputs), constant=tuple(constant))


def test_computed_bounds_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="starts must be constant"):
        imported("Slice", (X, ints(0), ints(2)), constant=(2,))


def _split(outputs: int, *more: Array, **options: int | list[int]) -> list[Array]:
    constant = tuple(range(1, 1 + len(more)))
    graph = imported("Split", (X, *more), outputs=outputs, constant=constant, **options)
    assert {node.op for node in graph.nodes} == {"Slice"}
    values = semantics.run(graph, feeds((X,)))
    return [values[name] for name in graph.outputs]


def test_split_by_attribute_by_input_and_by_number() -> None:
    by_attribute = _split(2, opset=11, axis=1, split=[3, 4])
    by_input = _split(2, ints(3, 4), axis=1)
    by_number = _split(2, opset=18, axis=-1, num_outputs=2)
    for got, wanted in zip(by_attribute, np.split(X, [3], 1), strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert [a.shape for a in by_input] == [(5, 3), (5, 4)]
    assert [a.shape for a in by_number] == [(5, 4), (5, 3)], "the last part is smaller"


def test_split_without_sizes_is_equal() -> None:
    parts = _split(5)
    assert [p.shape for p in parts] == [(1, 7)] * 5


def test_unequal_split_without_sizes_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="divisible by it, got 5"):
        imported("Split", (X,), outputs=2)


@pytest.mark.parametrize("sizes", [(2, 2), (-1, 6), (5,)])
def test_split_sizes_that_do_not_add_up_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedModelError, match="split must be 2 sizes adding up to 5"):
        imported("Split", (X, ints(*sizes)), outputs=2, constant=(1,))


def test_along_replaces_one_axis() -> None:
    attrs = SliceAttrs.whole((5, 7)).along(1, 2, 3, -1)
    assert attrs == SliceAttrs((0, 2), (1, -1), (5, 3))
    assert attrs.along(0, 4, 0).starts == (0, 2), "an empty range starts at 0"
