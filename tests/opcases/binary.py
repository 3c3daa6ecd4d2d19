"""Cases of the elementwise operators of two tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops import binary, comparison
from mcugen.ops.binary import BinaryAttrs, ModAttrs
from mcugen.ops.common import Clamp
from mcugen.ops.comparison import BitShiftAttrs
from mcugen.ops.elementwise import NoAttrs
from opcase import OpCase, random_f32, random_int

_EDGES = np.array([0.0, -0.0, 1, -1, 2, 1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan, 0.5, -3])


_ARITHMETIC = ("Add", "Sub", "Mul", "Div")


def _pair(dtype: DType) -> tuple[Array, Array]:
    """Every pair of corner values, and random ones, of one type."""
    if dtype is DType.BOOL:
        edges = np.array([False, True])
    elif dtype.is_float:
        edges = _EDGES.astype(dtype.np)
    else:
        info = np.iinfo(dtype.np)
        edges = np.array([info.min, info.max, 0, 1, 2, 7, info.max - 1], dtype.np)
        if info.kind == "i":
            edges = np.concatenate([edges, np.array([-1, -2, -7], dtype.np)])
    a, b = (g.reshape(-1) for g in np.meshgrid(edges, edges))
    if dtype is DType.BOOL:
        return a, b
    more = [random_f32(s, 40).astype(dtype.np) for s in (1, 2)]
    if dtype.is_integer:
        more = [random_int(s, dtype, 40) for s in (1, 2)]
    return np.concatenate([a, more[0]]), np.concatenate([b, more[1]])


def _attrs(name: str) -> tuple[Any, ...]:
    if name == "Mod":
        return (ModAttrs(True), ModAttrs(False))
    if name == "BitShift":
        return (BitShiftAttrs(True), BitShiftAttrs(False))
    return (BinaryAttrs() if name in _ARITHMETIC else NoAttrs(),)


def _types() -> tuple[OpCase, ...]:
    cases = []
    for row in (*binary.ROWS, *comparison.ROWS):
        for dtype in sorted(row.dtypes, key=lambda d: d.value):
            for i, attrs in enumerate(_attrs(row.name)):
                id_ = f"{row.name}-{dtype.value}-{i}"
                cases.append(OpCase(id_, row.name, attrs, _pair(dtype), exact_semantics=True))
    return tuple(cases)


_SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3, 4), (2, 3, 4)),
    ((2, 3, 4), ()),
    ((), ()),
    ((), (3, 2)),
    ((1,), (1, 1)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 1)),
    ((2, 1, 4), (1, 3, 1)),
    ((4, 1), (1, 5)),
    ((2, 3, 4, 5), (1, 3, 1, 1)),
    ((2, 3, 4, 5), (1, 1, 4, 5)),
    ((1, 3, 1, 5), (2, 1, 4, 1)),
    ((2, 3, 1, 5, 1), (4, 1, 6)),
    ((2, 0, 3), (1, 3)),
    ((1, 0), (2, 1)),
)


def _broadcasts() -> tuple[OpCase, ...]:
    cases = []
    for i, (a, b) in enumerate(_SHAPES):
        values = (random_f32(i, *a), random_f32(i + 100, *b))
        name = "x".join(map(str, a)) + "-" + "x".join(map(str, b))
        cases.append(OpCase(f"Sub-{name}", "Sub", BinaryAttrs(), values, exact_semantics=True))
        swapped = (values[1], values[0])
        cases.append(OpCase(f"Sub-swapped-{name}", "Sub", BinaryAttrs(), swapped))
        cases.append(OpCase(f"Less-{name}", "Less", NoAttrs(), values))
        cases.append(OpCase(f"Mul-constant-{name}", "Mul", BinaryAttrs(), values, constant=(1,)))
    return tuple(cases)


def _activations() -> tuple[OpCase, ...]:
    clamps = (Clamp(0.0), Clamp(0.0, 6.0), Clamp(-math.inf, 0.5), Clamp(-1.0, 1.0))
    floats = tuple(
        OpCase(f"{op}-clamp-{i}", op, BinaryAttrs(clamp), _pair(DType.FLOAT32))
        for op in _ARITHMETIC
        for i, clamp in enumerate(clamps)
    )
    others = tuple(
        OpCase(f"{op}-{d.value}-clamp-{i}", op, BinaryAttrs(clamp), _pair(d), exact_semantics=True)
        for op in ("Add", "Div")
        for d in DType
        if d not in (DType.BOOL, DType.FLOAT16, DType.FLOAT32)
        for i, clamp in enumerate(clamps[:3])
    )
    return floats + others


CASES = (*_types(), *_broadcasts(), *_activations())
