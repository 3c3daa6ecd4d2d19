"""The table of reductions: each a fold acc = step(acc, v) over the elements and a finish.

Every row holds its steps twice, as NumPy and as C text over `acc` and `v`, and apart from that
what ONNX defines (`semantics`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math
from mcugen.c_types import ctype
from mcugen.ir import Array, DType

Fold = Callable[[Array, Array], Array]
Number = int | float

FLOAT32 = (DType.FLOAT32,)
WIDE = (
    DType.FLOAT32,
    DType.FLOAT64,
    DType.INT32,
    DType.INT64,
    DType.UINT32,
    DType.UINT64,
)
ORDERED = (*WIDE, DType.INT8, DType.UINT8, DType.INT16, DType.UINT16, DType.BOOL)


@dataclass(frozen=True)
class Reduction:
    """One reduction.

    Attributes:
        name: the operator.
        dtypes: element types it takes.
        init: value of the empty fold.
        step: NumPy twin of `c_step`.
        c_step: C expression of the next `acc`.
        semantics: (array, axes) -> array with the axes kept as 1, by the specification.
        finish: (acc, count) -> result; None when `acc` is the result.
        c_finish: C expression of the result from `acc`; `count` is the number of elements.
        shifted: the fold runs over v - m, m the maximum, which `finish` adds again.
    """

    name: str
    dtypes: tuple[DType, ...]
    init: Callable[[DType], Number]
    step: Fold
    c_step: Callable[[DType], str]
    semantics: Callable[[Array, tuple[int, ...]], Array]
    finish: Callable[[Array, int], Array] | None = None
    c_finish: Callable[[DType, int], str] | None = None
    shifted: bool = False


def modular(text: str, plain: str) -> Callable[[DType], str]:
    """C of integer arithmetic modulo 2^bits over {a} and {v}; `plain` for floats."""

    def c_step(dtype: DType) -> str:
        if dtype.is_float:
            return plain
        unsigned = "uint64_t" if dtype.itemsize == 8 else "uint32_t"
        return f"({ctype(dtype)})({text.format(a=f'({unsigned})acc', v=f'({unsigned})v')})"

    return c_step


def _constant(value: int) -> Callable[[DType], Number]:
    return lambda dtype: float(value) if dtype.is_float else value


def _wide(x: Array) -> Array:
    """Float64 for floats, int64 or uint64 for integers, which wrap as the C does."""
    kind = {"f": np.float64, "u": np.uint64}.get(x.dtype.kind, np.int64)
    return x.astype(kind)


def _sum(x: Array, axes: tuple[int, ...]) -> Array:
    total: Array = np.asarray(_wide(x).sum(axes, keepdims=True))
    return total


def _absolute(x: Array) -> Array:
    return np.where(x < 0, np.negative(x), x)


def _c_absolute(dtype: DType) -> str:
    if dtype.is_float:
        return "acc + (v < 0 ? -v : v)"
    if dtype in (DType.UINT32, DType.UINT64):
        return "acc + v"
    unsigned = "uint64_t" if dtype.itemsize == 8 else "uint32_t"
    size = f"(v < 0 ? 0U - ({unsigned})v : ({unsigned})v)"
    return f"({ctype(dtype)})(({unsigned})acc + {size})"


def _mean_finish(acc: Array, count: int) -> Array:
    """Floats: correctly rounded quotient. Integers: towards zero, 0 of nothing."""
    if acc.dtype.kind == "f":
        return np.asarray(acc / acc.dtype.type(count))
    if count == 0:
        return acc
    divisor = acc.dtype.type(count)
    floor = acc // divisor
    inexact = (acc < 0) & (floor * divisor != acc)
    return np.asarray(np.where(inexact, floor + acc.dtype.type(1), floor))


def _c_mean_finish(dtype: DType, count: int) -> str:
    if dtype.is_float:
        return f"acc / ({ctype(dtype)}){count}"
    return f"acc / {count}" if count else "acc"


def _mean(x: Array, axes: tuple[int, ...]) -> Array:
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total = _sum(x, axes)
    if x.dtype.kind == "f":
        return total / np.float64(count)
    return _mean_finish(total.astype(x.dtype), count)


def extreme(better: str) -> tuple[Fold, Callable[[DType], str]]:
    """(step, C) that keep the better value; the first NaN stays."""

    def step(acc: Array, v: Array) -> Array:
        takes = v > acc if better == ">" else v < acc
        return np.where(takes | (v != v), v, acc)

    def c_step(dtype: DType) -> str:
        nan = " || v != v" if dtype.is_float else ""
        return f"(v {better} acc{nan}) ? v : acc"

    return step, c_step


def _lowest(dtype: DType) -> Number:
    if dtype.is_float:
        return -np.inf
    return int(np.iinfo(dtype.np).min) if dtype.is_integer else 0


def _highest(dtype: DType) -> Number:
    if dtype.is_float:
        return np.inf
    return int(np.iinfo(dtype.np).max) if dtype.is_integer else 1


def _extreme_semantics(ufunc: Any, empty: Callable[[DType], Number]) -> Any:
    def semantics(x: Array, axes: tuple[int, ...]) -> Array:
        initial = x.dtype.type(empty(DType.of(x)))
        return np.asarray(ufunc.reduce(x, axis=axes, keepdims=True, initial=initial))

    return semantics


def _log_sum_exp(x: Array, axes: tuple[int, ...]) -> Array:
    wide = x.astype(np.float64)
    top = wide.max(axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(np.log(np.exp(wide - top).sum(axes, keepdims=True)) + top)


_MAX_STEP, _C_MAX_STEP = extreme(">")
_MIN_STEP, _C_MIN_STEP = extreme("<")
_C_SUM = modular("{a} + {v}", "acc + v")
_C_SQUARES = modular("{a} + {v} * {v}", "acc + v * v")

REDUCTIONS: tuple[Reduction, ...] = (
    Reduction("ReduceSum", WIDE, _constant(0), lambda acc, v: acc + v, _C_SUM, _sum),
    Reduction(
        "ReduceMean",
        WIDE,
        _constant(0),
        lambda acc, v: acc + v,
        _C_SUM,
        _mean,
        _mean_finish,
        _c_mean_finish,
    ),
    Reduction(
        "ReduceMax",
        ORDERED,
        _lowest,
        _MAX_STEP,
        _C_MAX_STEP,
        _extreme_semantics(np.maximum, _lowest),
    ),
    Reduction(
        "ReduceMin",
        ORDERED,
        _highest,
        _MIN_STEP,
        _C_MIN_STEP,
        _extreme_semantics(np.minimum, _highest),
    ),
    Reduction(
        "ReduceProd",
        WIDE,
        _constant(1),
        lambda acc, v: acc * v,
        modular("{a} * {v}", "acc * v"),
        lambda x, axes: np.asarray(_wide(x).prod(axes, keepdims=True)),
    ),
    Reduction(
        "ReduceL1",
        WIDE,
        _constant(0),
        lambda acc, v: acc + _absolute(v),
        _c_absolute,
        lambda x, axes: _sum(np.abs(x), axes),
    ),
    Reduction(
        "ReduceL2",
        FLOAT32,
        _constant(0),
        lambda acc, v: acc + v * v,
        _C_SQUARES,
        lambda x, axes: np.sqrt(_sum(_wide(x) ** 2, axes)),
        lambda acc, count: float_math.sqrt(acc),
        lambda dtype, count: "mcugen_sqrt(acc)",
    ),
    Reduction(
        "ReduceSumSquare",
        WIDE,
        _constant(0),
        lambda acc, v: acc + v * v,
        _C_SQUARES,
        lambda x, axes: _sum(_wide(x) ** 2, axes),
    ),
    Reduction(
        "ReduceLogSum",
        FLOAT32,
        _constant(0),
        lambda acc, v: acc + v,
        _C_SUM,
        lambda x, axes: np.log(_sum(x, axes)),
        lambda acc, count: float_math.log(acc),
        lambda dtype, count: "mcugen_log(acc)",
    ),
    Reduction(
        "ReduceLogSumExp",
        FLOAT32,
        _constant(0),
        lambda acc, v: acc + float_math.exp(v),
        lambda dtype: "acc + mcugen_exp(v)",
        _log_sum_exp,
        lambda acc, count: float_math.log(acc),
        lambda dtype, count: "mcugen_log(acc)",
        shifted=True,
    ),
)
