"""Arithmetic of axis permutations: transpose(x, perm) has shape[i] = x.shape[perm[i]]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from mcugen.ir import Array

Perm = tuple[int, ...]


def identity(rank: int) -> Perm:
    """The permutation that changes nothing."""
    return tuple(range(rank))


def is_identity(perm: Perm) -> bool:
    """Whether it changes nothing."""
    return perm == identity(len(perm))


def inverse(perm: Perm) -> Perm:
    """The permutation that undoes `perm`."""
    return tuple(perm.index(axis) for axis in range(len(perm)))


def compose(first: Perm, then: Perm) -> Perm:
    """The permutation p with transpose(x, p) == transpose(transpose(x, first), then)."""
    return tuple(first[axis] for axis in then)


def permuted(values: Sequence[int], perm: Perm) -> tuple[int, ...]:
    """`values` (a shape, say) in the order of `perm`."""
    return tuple(values[axis] for axis in perm)


def channels_last(rank: int) -> Perm:
    """[N, C, *spatial] -> [N, *spatial, C]."""
    return (0, *range(2, rank), 1)


def keeps_memory(shape: Sequence[int], perm: Perm) -> bool:
    """Whether transposing an array of `shape` leaves its bytes: only axes of size 1 move."""
    order = [axis for axis in perm if shape[axis] != 1]
    return order == sorted(order) or 0 in shape


def _groups(before: Sequence[int], after: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The finest (axes of `before`, axes of `after`) with equal products, in memory order.

    Axes of size 1 of `before` are left out; those of `after` join the group before them.
    """
    source = [axis for axis, dim in enumerate(before) if dim != 1]
    groups: list[tuple[list[int], list[int]]] = []
    taken: list[int] = []
    made: list[int] = []
    for axis, dim in enumerate(after):
        if dim == 1 and groups and not made:
            groups[-1][1].append(axis)
            continue
        made.append(axis)
        want = math.prod(after[a] for a in made)
        while source and math.prod(before[a] for a in taken) < want:
            taken.append(source.pop(0))
        if want != 1 and math.prod(before[a] for a in taken) == want:
            groups.append((taken, made))
            taken, made = [], []
    if made:
        groups.append((taken, made))
    return groups


def through_reshape(
    shape: Sequence[int], perm: Perm, after: Sequence[int]
) -> tuple[tuple[int, ...], Perm] | None:
    """(new, p) with reshape(transpose(x, perm), after) == transpose(reshape(x, new), p).

    Args:
        shape: shape of x.
        perm: how x is transposed.
        after: the shape that transpose(x, perm) is reshaped to.

    Returns None when the reshape mixes axes that are apart or in another order in x.
    """
    if 0 in shape or 0 in after:
        return None
    placed: list[tuple[int, list[int]]] = []
    for taken, made in _groups(permuted(shape, perm), after):
        axes = [perm[a] for a in taken]
        if not _adjacent(shape, axes):
            return None
        placed.append((axes[0] if axes else -1, made))
    order = [axis for _, made in sorted(placed) for axis in made]
    return permuted(after, tuple(order)), inverse(tuple(order))


def _adjacent(shape: Sequence[int], axes: list[int]) -> bool:
    """Whether the axes follow each other in memory, but for axes of size 1 between them."""
    return all(
        first < then and all(shape[a] == 1 for a in range(first + 1, then))
        for first, then in pairwise(axes)
    )


def flattened_columns(shape: Sequence[int], perm: Perm, after: Sequence[int]) -> Array | None:
    """Where the columns of a flattening come from when the transpose before it is left out.

    With t = transpose(x, perm) and K the last dimension of `after`: `reshape(x, after)[..., j] ==
    reshape(t, after)[..., columns[j]]`. None unless the last axis of `after` is made of whole axes
    of t that are the last axes of x too, the axes before them being in the same order in both.

    Returns int64 [K].
    """
    if 0 in shape or not after:
        return None
    logical = permuted(shape, perm)
    tail = len(shape)
    while tail > 0 and math.prod(logical[tail:]) < after[-1]:
        tail -= 1
    whole = math.prod(logical[tail:]) == after[-1]
    if not whole or sorted(perm[tail:]) != list(range(tail, len(perm))):
        return None
    if not keeps_memory(shape, (*perm[:tail], *range(tail, len(perm)))):
        return None
    columns = np.arange(after[-1]).reshape(logical[tail:])
    order = [perm[tail:].index(axis) for axis in range(tail, len(perm))]
    return columns.transpose(order).reshape(-1)
