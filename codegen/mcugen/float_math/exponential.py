"""Twins of `mcugen_math_exp.h` but for pow: exponentials, logarithms, sigmoid, tanh, erf."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.float_math.bits import (
    F32,
    INF,
    NAN,
    U32,
    Floats,
    bits_of,
    clamp,
    copysign,
    f32,
    fabs,
    float_of,
    maximum,
    polynomial,
    silent,
)

ROUNDER = np.float32(12582912.0)
ROUNDER_BITS = np.uint32(0x4B400000)
LN2_HIGH = np.float32(0.693145752)
LN2_LOW = np.float32(1.42860677e-06)
LOG2E = np.float32(1.44269502)
MINUS_ONE = np.uint32(0xFFFFFFFF)
ONE = np.float32(1)
TWO = np.float32(2)
HALF = np.float32(0.5)


def scale(value: F32, k: U32) -> F32:
    """The product value * 2^k for k in [-252, 252] (two's complement), rounded once."""
    total = k + np.uint32(254)
    first = total >> np.uint32(1)
    return np.asarray(
        value * float_of(first << np.uint32(23)) * float_of((total - first) << np.uint32(23))
    )


def _reduce(limited: F32) -> tuple[F32, F32, U32]:
    """(k as float, r, k) with limited = k ln2 + r."""
    shifted = limited * LOG2E + ROUNDER
    k = shifted - ROUNDER
    r = (limited - k * LN2_HIGH) - k * LN2_LOW
    return k, r, bits_of(shifted) - ROUNDER_BITS


def _exp_tail(r: F32) -> F32:
    return polynomial(r, 0.00138144335, 0.00836879667, 0.0416683964, 0.166665196, 0.49999994)


@silent
def exp_scaled(x: Floats, extra: np.uint32) -> Any:
    """exp(x) * 2^extra for extra 0 or MINUS_ONE."""
    _, r, k = _reduce(clamp(x, -104.0, 90.0))
    return scale((r + (r * r) * _exp_tail(r)) + ONE, k + extra)


@silent
def exp(x: Floats) -> Any:
    """e^x; at most 1 ulp off."""
    return exp_scaled(x, np.uint32(0))


@silent
def expm1(x: Floats) -> Any:
    """e^x - 1 without cancellation near 0."""
    x = f32(x)
    k_float, r, k = _reduce(clamp(x, -18.0, 90.0))
    inverse = np.where(k_float > 25, np.float32(0), float_of((np.uint32(127) - k) << np.uint32(23)))
    value = (r + (r * r) * _exp_tail(r)) + (ONE - inverse)
    return np.where(x == 0, x, scale(value, k))


def split_exponent(x: F32) -> tuple[F32, F32]:
    """(m, k) with x = m * 2^k and m in [sqrt(1/2), sqrt(2)), for positive finite x."""
    subnormal = x < np.float32(1.17549435e-38)
    normal = np.where(subnormal, x * np.float32(8388608), x)
    offset = bits_of(normal) - np.uint32(0x3F3504F3)
    m = float_of((offset & np.uint32(0x007FFFFF)) + np.uint32(0x3F3504F3))
    k = ((offset + np.uint32(0x40000000)) >> np.uint32(23)).astype(np.int32) - np.int32(128)
    return m, k.astype(np.float32) - np.where(subnormal, np.float32(23), np.float32(0))


@silent
def log(x: Floats) -> Any:
    """The natural logarithm; -inf at 0, NaN below."""
    x = f32(x)
    m, k = split_exponent(x)
    f = m - ONE
    z = f * f
    tail = polynomial(
        f,
        0.0674834922,
        -0.116778925,
        0.118886359,
        -0.124052763,
        0.142194524,
        -0.166680083,
        0.200021237,
        -0.250000089,
        0.333333135,
    )
    tail = (f * z) * tail + k * LN2_LOW
    result = (f + (tail - HALF * z)) + k * LN2_HIGH
    result = np.where(x < INF, result, x)
    result = np.where(x < 0, NAN, result)
    return np.where(x == 0, -INF, result)


@silent
def log1p(x: Floats) -> Any:
    """log(1 + x) without the loss of 1 + x near 0."""
    x = f32(x)
    u = ONE + x
    lost = x - (u - ONE)
    result = log(u) + lost / u
    result = np.where((u > 0) & (u < INF), result, log(u))
    return np.where(fabs(x) < np.float32(5.96046448e-08), x, result)


@silent
def sigmoid(x: Floats) -> Any:
    """The logistic function 1 / (1 + exp(-x))."""
    x = f32(x)
    e = exp(-fabs(x))
    return np.where(x < 0, e, ONE) / (ONE + e)


@silent
def softplus(x: Floats) -> Any:
    """The smooth ramp log(1 + exp(x))."""
    return maximum(x, 0.0) + log1p(exp(-fabs(x)))


@silent
def tanh(x: Floats) -> Any:
    """The hyperbolic tangent."""
    t = fabs(x)
    z = t * t
    tail = polynomial(z, -0.00571658975, 0.0206501987, -0.0537433848, 0.133314908, -0.333332837)
    small = t + t * (z * tail)
    large = ONE - TWO / (exp(TWO * t) + ONE)
    return copysign(np.where(t < np.float32(0.625), small, large), x)


@silent
def erf(x: Floats) -> Any:
    """The error function."""
    t = fabs(x)
    z = t * t
    tail = polynomial(
        z,
        8.36957915e-05,
        -0.000814258121,
        0.00520102168,
        -0.0268593933,
        0.112836957,
        -0.376126349,
        0.128379166,
    )
    small = t + t * tail
    u = np.where(t > 4, np.float32(4), t)
    logarithm = polynomial(
        u,
        0.000195937449,
        -0.00304321945,
        0.0222269278,
        -0.103931613,
        -0.637182236,
        -1.12767565,
        -0.000195673041,
    )
    large = ONE - exp(logarithm)
    return copysign(np.where(t < np.float32(0.921875), small, large), x)
