"""Fixed-point pieces of the 8-bit Softmax, as in gemmlowp's `fixedpoint.h`.

Qm.n below is a 32-bit integer whose value is raw / 2**n. Verified against the recorded results
of CMSIS-NN, ESP-NN and TensorFlow Lite Micro.
"""

from __future__ import annotations

import math

import numpy as np

from mcugen.ir import Array
from mcugen.quantize.fixed_point import (
    INT32_MAX,
    INT32_MIN,
    Int64,
    rounding_divide_by_pot,
    srdhm,
)

DIFF_INTEGER_BITS = 5
"""Differences to the maximum are Q5.26."""

SUM_INTEGER_BITS = 12
"""Sums of exponentials are Q12.19."""

_EXP_QUARTER = (
    (-2, 1672461947),
    (-1, 1302514674),
    (0, 790015084),
    (1, 290630308),
    (2, 39332535),
    (3, 720401),
    (4, 242),
)
"""(k, exp(-2**k) in Q0.31): the factors of exp's barrel shifter."""

_EXP_MINUS_EIGHTH = 1895147668
_ONE_THIRD = 715827883
_48_OVER_17 = 1515870810
"""48 / 17 in Q2.29: with the next, the first guess of Newton's division."""

_MINUS_32_OVER_17 = -1010580540


def _mul(a: Array, b: int) -> Int64:
    return srdhm(a, np.array(b, np.int64))


def saturating_shift_left(value: Array, bits: int) -> Int64:
    """Value * 2**bits, limited to int32."""
    shifted: Int64 = np.clip(value.astype(np.int64) << bits, INT32_MIN, INT32_MAX)
    return shifted


def exp_on_negative_values(a: Array) -> Int64:
    """exp(a) in Q0.31 of a in Q5.26, a <= 0."""
    quarter = 1 << 24
    a = a.astype(np.int64)
    rest = (a & (quarter - 1)) - quarter  # in [-1/4, 0)
    result = _exp_minus_quarter_to_0(rest << DIFF_INTEGER_BITS)
    remainder = rest - a
    for power, factor in _EXP_QUARTER:
        bit = 1 << (26 + power)
        result = np.where(remainder & bit, _mul(result, factor), result)
    return np.where(a == 0, np.int64(INT32_MAX), result)


def _exp_minus_quarter_to_0(a: Int64) -> Int64:
    """exp(a) in Q0.31 of a in Q0.31 in [-1/4, 0): Taylor around -1/8."""
    x = a + (1 << 28)
    x2 = srdhm(x, x)
    x3 = srdhm(x2, x)
    x4 = srdhm(x2, x2)
    x4_over_4 = rounding_divide_by_pot(x4, np.array(2))
    higher = rounding_divide_by_pot(_mul(x4_over_4 + x3, _ONE_THIRD) + x2, np.array(1))
    return _EXP_MINUS_EIGHTH + _mul(x + higher, _EXP_MINUS_EIGHTH)


def one_over_one_plus_x(a: Array) -> Int64:
    """1 / (1 + a) in Q0.31 of a in Q0.31 in [0, 1)."""
    total = a.astype(np.int64) + INT32_MAX
    half_denominator = (total + 1) // 2  # total >= 0: rounds half up
    x = _48_OVER_17 + _mul(half_denominator, _MINUS_32_OVER_17)
    for _ in range(3):
        error = (1 << 29) - srdhm(half_denominator, x)
        x = x + saturating_shift_left(srdhm(x, error), 2)
    return saturating_shift_left(x, 1)


def softmax_scaling(input_scale: float) -> tuple[int, int, int] | None:
    """(multiplier, left shift, lowest difference) that scale int8 differences to Q5.26.

    None when the scale is too small for a left shift. Source: TFLite's
    PreprocessSoftmaxScaling and CalculateInputRadius.
    """
    real = min(input_scale * (1 << (31 - DIFF_INTEGER_BITS)), 2.0**31 - 1.0)
    if not real > 1.0:
        return None
    mantissa, shift = math.frexp(real)
    multiplier = math.floor(mantissa * 2.0**31 + 0.5)
    if multiplier == 2**31:
        multiplier //= 2
        shift += 1
    radius = ((1 << DIFF_INTEGER_BITS) - 1) * (1 << (31 - DIFF_INTEGER_BITS)) / 2.0**shift
    return multiplier, shift, -math.floor(radius)
