"""Axes, strides and permutations: what data movement, reductions and normalisation share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcugen.ir import Array
from mcugen.ops.spec import ImportContext, InvalidNode, Reject

MAX_CONSTANT_ELEMS = 2**26
"""Largest tensor that an importer materialises (a ConstantOfShape may ask for any size)."""


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` counted from the front.

    Raises:
        InvalidNode: it is not an axis of a tensor of this rank.
    """
    if not -rank <= axis < rank:
        raise InvalidNode(f"{what} must be in [{-rank}, {rank - 1}], got {axis}")
    return axis % rank


def normalize_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, ascending.

    Raises:
        InvalidNode: one is out of range or given twice.
    """
    found = sorted(normalize_axis(a, rank, "axes") for a in axes)
    if len(set(found)) != len(found):
        raise InvalidNode(f"axes must be different, got {list(axes)}")
    return tuple(found)


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Elements between neighbours along each axis of a row-major array."""
    result: list[int] = []
    step = 1
    for dim in reversed(shape):
        result.append(step)
        step *= dim
    return tuple(reversed(result))


def permuted_axis(axis: int, perm: Sequence[int]) -> int:
    """Where `axis` of x is found in transpose(x, perm)."""
    return tuple(perm).index(axis)


def permuted(values: Sequence[int], perm: Sequence[int]) -> tuple[int, ...]:
    """One value per axis of x, in the order of the axes of transpose(x, perm)."""
    return tuple(values[p] for p in perm)


def int_tuple(array: Array) -> tuple[int, ...]:
    """A constant of any rank as a flat tuple of Python integers."""
    return tuple(int(v) for v in array.reshape(-1))


def const_scalar(ctx: ImportContext, index: int, what: str) -> Any:
    """Constant input `index`, which must hold one number, as a NumPy scalar."""
    value = ctx.const(index, what)
    if value.size != 1:
        raise Reject(f"{what} must be one number, got {value.size}")
    return value.reshape(-1)[0]


def attr_or_input(ctx: ImportContext, name: str, index: int, since: int) -> tuple[int, ...] | None:
    """Integers that are attribute `name` before opset `since` and constant input `index` after.

    Returns None when absent.
    """
    if ctx.opset >= since:
        return int_tuple(ctx.const(index, name)) if ctx.has(index) else None
    value = ctx.attr(name)
    return None if value is None else tuple(int(v) for v in value)


@dataclass(frozen=True)
class Lines:
    """The lines of a tensor along one axis.

    Element k of line (o, i) is element (o * count + k) * inner + i of the tensor.

    Attributes:
        outer: positions before the axis; 0 when the tensor is empty.
        count: elements of a line.
        inner: positions behind the axis, and elements between neighbours of a line.
    """

    outer: int
    count: int
    inner: int

    @staticmethod
    def of(shape: Sequence[int], axis: int) -> Lines:
        """The lines along `axis` of a tensor of this shape."""
        size = math.prod(shape)
        outer = math.prod(shape[:axis]) if size else 0
        return Lines(outer, shape[axis] if shape else 1, math.prod(shape[axis + 1 :]))

    @property
    def total(self) -> int:
        """Number of lines."""
        return self.outer * self.inner

    @property
    def block_elems(self) -> int:
        """Elements of all lines of one outer position."""
        return self.count * self.inner

    def split(self, array: Array) -> Array:
        """`array` as [outer, count, inner]."""
        return array.reshape(self.outer, self.count, self.inner)
