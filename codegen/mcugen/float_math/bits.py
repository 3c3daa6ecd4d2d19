"""Twins of `mcugen_math_bits.h`: bits of floats, rounding to integral values, remainders."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
U32 = npt.NDArray[np.uint32]
Floats = npt.ArrayLike

INF = np.float32(np.inf)
NAN = np.float32(np.nan)

P = ParamSpec("P")


def silent(function: Callable[P, Any]) -> Callable[P, F32]:
    """The function with IEEE exceptions ignored, giving a float32 array."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> F32:
        with np.errstate(all="ignore"):
            return np.asarray(function(*args, **kwargs), np.float32)

    return run


def f32(x: Floats) -> F32:
    """`x` as a float32 array."""
    return np.asarray(x, np.float32)


def bits_of(x: F32) -> U32:
    """The bit patterns."""
    return np.asarray(x, np.float32).view(np.uint32)


def float_of(bits: U32) -> F32:
    """The floats of bit patterns."""
    return np.asarray(bits, np.uint32).view(np.float32)


def signbit(x: F32) -> npt.NDArray[np.bool_]:
    """Whether the sign bit is set, also for -0 and NaN."""
    return np.asarray(np.signbit(x))


@silent
def fabs(x: Floats) -> Any:
    """The magnitude: the sign bit cleared."""
    return np.abs(f32(x))


@silent
def copysign(magnitude: Floats, sign: Floats) -> Any:
    """|magnitude| with the sign of `sign`."""
    return np.copysign(f32(magnitude), f32(sign))


@silent
def minimum(a: Floats, b: Floats) -> Any:
    """The smaller of two, NaN when either is; b when they compare equal (-0 and +0)."""
    a, b = f32(a), f32(b)
    return np.where((a < b) | (a != a), a, b)


@silent
def maximum(a: Floats, b: Floats) -> Any:
    """The larger of two, NaN when either is; b when they compare equal (-0 and +0)."""
    a, b = f32(a), f32(b)
    return np.where((a > b) | (a != a), a, b)


@silent
def clamp(x: Floats, low: float, high: float) -> Any:
    """The values limited to [low, high]; NaN stays NaN."""
    x, lo, hi = f32(x), np.float32(low), np.float32(high)
    raised = np.where(x < lo, lo, x)
    return np.where(raised > hi, hi, raised)


@silent
def trunc(x: Floats) -> Any:
    """Towards zero; -0 keeps its sign, as in all of these."""
    return np.trunc(f32(x))


@silent
def floor(x: Floats) -> Any:
    """Towards minus infinity."""
    return np.floor(f32(x))


@silent
def ceil(x: Floats) -> Any:
    """Towards plus infinity."""
    return np.ceil(f32(x))


@silent
def rint(x: Floats) -> Any:
    """To nearest, halves to even."""
    return np.rint(f32(x))


@silent
def round_half_away(x: Floats) -> Any:
    """To nearest, halves away from zero (`mcugen_round`)."""
    x = f32(x)
    t = np.trunc(x)
    return np.where(np.abs(x - t) >= np.float32(0.5), t + np.copysign(np.float32(1), x), t)


@silent
def sqrt(x: Floats) -> Any:
    """The correctly rounded square root; NaN below zero."""
    return np.sqrt(f32(x))


@silent
def fmod(x: Floats, y: Floats) -> Any:
    """The exact remainder with the sign of x."""
    return np.fmod(f32(x), f32(y))


@silent
def mod(x: Floats, y: Floats) -> Any:
    """The remainder with the sign of y."""
    x, y = f32(x), f32(y)
    r = np.fmod(x, y)
    moved = np.where(signbit(r) != signbit(y), r + y, r)
    return np.where(r == 0, np.copysign(np.float32(0), y), moved)


def polynomial(x: F32, *coefficients: float) -> F32:
    """Horner's scheme, highest power first: ((c0 x + c1) x + c2) x + ..."""
    result = np.float32(coefficients[0]) * x + np.float32(coefficients[1])
    for c in coefficients[2:]:
        result = result * x + np.float32(c)
    return np.asarray(result, np.float32)
