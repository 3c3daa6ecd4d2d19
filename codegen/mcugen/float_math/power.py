"""Twin of mcugen_pow in `mcugen_math_exp.h`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.float_math.bits import (
    F32,
    INF,
    NAN,
    Floats,
    bits_of,
    clamp,
    f32,
    fabs,
    float_of,
    polynomial,
    signbit,
    silent,
)
from mcugen.float_math.exponential import ONE, ROUNDER, ROUNDER_BITS, scale, split_exponent

TWO_OVER_LN2 = np.float32(2.88539004)
TWO_OVER_LN2_LOW = np.float32(3.85192607e-08)


def _product_error(a: F32, b: F32 | np.float32, product: F32) -> F32:
    """The exact a * b - product, product being a * b rounded (Dekker)."""
    mask = np.uint32(0xFFFFF000)
    a_high, b_high = float_of(bits_of(a) & mask), float_of(bits_of(f32(b)) & mask)
    a_low, b_low = a - a_high, b - b_high
    return np.asarray(
        ((a_high * b_high - product) + (a_high * b_low + a_low * b_high)) + a_low * b_low
    )


def _log2(x: F32) -> tuple[F32, F32]:
    """log2(x) as high + low, for positive finite x; relative error about 2^-31."""
    m, k = split_exponent(x)
    f = m - ONE
    d = m + ONE
    d_low = m - (d - ONE)
    s = f / d
    sd = s * d
    s_low = (((f - sd) - _product_error(s, d, sd)) - s * d_low) / d
    z = s * s
    tail = polynomial(z, 0.117913835, 0.142686397, 0.200001672, 0.333333313)
    rest = s_low + s * (z * tail)
    a = s + rest
    a_low = rest - (a - s)
    b = a * TWO_OVER_LN2
    b_low = _product_error(a, TWO_OVER_LN2, b) + (a * TWO_OVER_LN2_LOW + a_low * TWO_OVER_LN2)
    high = k + b
    carried = high - k
    return high, ((k - (high - carried)) + (b - carried)) + b_low


def _pow_positive(x: F32, y: F32) -> F32:
    """x^y for 0 < x < inf and finite y."""
    log2_high, log2_low = _log2(x)
    power = clamp(y, -8589934592.0, 8589934592.0)
    high = power * log2_high
    low = _product_error(power, log2_high, high) + power * log2_low
    limited = clamp(high, -160.0, 130.0)
    shifted = limited + ROUNDER
    r = (limited - (shifted - ROUNDER)) + np.where(limited == high, low, np.float32(0))
    e = polynomial(
        r,
        1.51959312e-05,
        0.000154670081,
        0.00133339386,
        0.00961803738,
        0.0555041023,
        0.240226507,
        0.693147182,
    )
    return scale(ONE + r * e, bits_of(shifted) - ROUNDER_BITS)


@silent
def pow(x: Floats, y: Floats) -> Any:
    """x^y with the special cases of C's pow."""
    x, y = np.broadcast_arrays(f32(x), f32(y))
    magnitude, y_magnitude = fabs(x), fabs(y)
    integral = np.trunc(y) == y
    counted = np.where(y_magnitude < 16777216, y_magnitude, 0)
    odd = integral & (counted.astype(np.uint32) % 2 == 1)
    sign = np.where(signbit(x) & odd, -ONE, ONE)
    result = sign * _pow_positive(magnitude, y)
    result = np.where((x < 0) & ~integral, NAN, result)
    grows = np.where((magnitude > 1) == (y > 0), INF, np.float32(0))
    result = np.where(y_magnitude == INF, np.where(magnitude == 1, ONE, grows), result)
    vanishes = (magnitude == 0) == (y > 0)
    edge = np.where(vanishes, sign * np.float32(0), sign * INF)
    result = np.where((magnitude == 0) | (magnitude == INF), edge, result)
    result = np.where((x != x) | (y != y), NAN, result)
    return np.where((y == 0) | (x == 1), ONE, result)
