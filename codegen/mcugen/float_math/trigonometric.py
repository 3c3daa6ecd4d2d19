"""Twins of `mcugen_math_trig.h`: circular functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mcugen.float_math.bits import (
    F32,
    INF,
    NAN,
    Floats,
    bits_of,
    copysign,
    f32,
    fabs,
    polynomial,
    signbit,
    silent,
    sqrt,
)
from mcugen.float_math.exponential import HALF, ONE, TWO

HALF_PI = np.float32(1.57079637)
HALF_PI_LOW = np.float32(-4.37113883e-08)

TWO_OVER_PI = np.array(
    [
        0x00000000,
        0xA2F9836E,
        0x4E441529,
        0xFC2757D1,
        0xF534DDC0,
        0xDB629599,
        0x3C439041,
        0xFE5163AB,
    ],
    np.uint64,
)
"""Digits of base 2^32, the first is the units."""


def _reduce_angle(x: F32) -> tuple[F32, npt.NDArray[np.uint32]]:
    """(rest in [-pi/4, pi/4], quadrant modulo 4) of x >= 0; see the C for the method."""
    u = np.uint64
    reduced = x >= np.float32(0.785398185)
    bits = bits_of(np.where(reduced, x, ONE)).astype(u)
    mantissa = (bits & u(0x007FFFFF)) | u(0x00800000)
    position = (bits >> u(23)) - u(56)
    word = (position >> u(5)).astype(np.intp)
    down = u(32) - (position & u(31))
    w = [TWO_OVER_PI[word + i] for i in (-2, -1, 0, 1)]
    high, mid, low = ((((w[i] << u(32)) | w[i + 1]) >> down) & u(0xFFFFFFFF) for i in range(3))
    turns = ((mantissa * high) << u(32)) + mantissa * mid + ((mantissa * low) >> u(32))
    quadrant = (turns + u(1 << 61)) >> u(62)
    fraction = turns - (quadrant << u(62))
    negative = (fraction >> u(63)) != 0
    magnitude = np.where(negative, u(0) - fraction, fraction).astype(np.int64)
    rest = magnitude.astype(np.float32) * np.float32(3.40612167e-19)
    rest = np.where(negative, -rest, rest)
    return (
        np.where(reduced, rest, x),
        np.where(reduced, quadrant & u(3), u(0)).astype(np.uint32),
    )


def _sin_kernel(r: F32) -> F32:
    z = r * r
    tail = polynomial(z, 2.71830254e-06, -0.000198393333, 0.00833332911, -0.166666672)
    return np.asarray(r + r * (z * tail))


def _cos_kernel(r: F32) -> F32:
    z = r * r
    tail = polynomial(z, 2.44330658e-05, -0.00138873153, 0.0416666456)
    return np.asarray(ONE - (HALF * z - (z * z) * tail))


@silent
def sin(x: Floats) -> Any:
    """The sine; NaN for infinities."""
    x = f32(x)
    rest, quadrant = _reduce_angle(fabs(x))
    value = np.where(quadrant & 1 != 0, _cos_kernel(rest), _sin_kernel(rest))
    negative = (quadrant >= 2) != signbit(x)
    return np.where(fabs(x) < INF, np.where(negative, -value, value), NAN)


@silent
def cos(x: Floats) -> Any:
    """The cosine; NaN for infinities."""
    x = f32(x)
    rest, quadrant = _reduce_angle(fabs(x))
    value = np.where(quadrant & 1 != 0, _sin_kernel(rest), _cos_kernel(rest))
    negative = (quadrant + 1) & 2 != 0
    return np.where(fabs(x) < INF, np.where(negative, -value, value), NAN)


@silent
def tan(x: Floats) -> Any:
    """The tangent; NaN for infinities."""
    x = f32(x)
    rest, quadrant = _reduce_angle(fabs(x))
    s, c = _sin_kernel(rest), _cos_kernel(rest)
    value = np.where(quadrant & 1 != 0, -(c / s), s / c)
    return np.where(fabs(x) < INF, np.where(signbit(x), -value, value), NAN)


def _asin_kernel(t: F32) -> F32:
    z = t * t
    tail = polynomial(
        z, 0.0375782065, 0.014393772, 0.0318198279, 0.0445154719, 0.0750051215, 0.166666597
    )
    return np.asarray(t + t * (z * tail))


@silent
def asin(x: Floats) -> Any:
    """The inverse of sin; NaN beyond +-1."""
    t = fabs(x)
    half = _asin_kernel(sqrt((ONE - t) * HALF))
    large = HALF_PI - (TWO * half - HALF_PI_LOW)
    return copysign(np.where(t <= HALF, _asin_kernel(t), large), x)


@silent
def acos(x: Floats) -> Any:
    """The inverse of cos; NaN beyond +-1."""
    x = f32(x)
    t = fabs(x)
    small = HALF_PI - (copysign(_asin_kernel(t), x) - HALF_PI_LOW)
    half = _asin_kernel(sqrt((ONE - t) * HALF))
    large = np.where(x > 0, TWO * half, TWO * (HALF_PI - (half - HALF_PI_LOW)))
    return np.where(t <= HALF, small, large)


@silent
def atan(x: Floats) -> Any:
    """The inverse of tan."""
    t = fabs(x)
    u = np.where(t > 1, ONE / t, t)
    z = u * u
    tail = polynomial(
        z,
        -0.00179361773,
        0.0109145893,
        -0.031177815,
        0.0579575635,
        -0.0840344876,
        0.109521851,
        -0.142642409,
        0.199985489,
        -0.333332986,
    )
    value = u + u * (z * tail)
    return copysign(np.where(t > 1, HALF_PI - (value - HALF_PI_LOW), value), x)
