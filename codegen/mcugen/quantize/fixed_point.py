"""Fixed-point arithmetic of TFLite Micro, CMSIS-NN and ESP-NN, on NumPy arrays.

Every function takes and gives integers that fit in int32, held in int64 arrays; what overflows
int32 wraps around, as the C does. A positive `shift` is a left shift.
Source: gemmlowp `fixedpoint.h`, TensorFlow `kernels/internal/common.h` and
`quantization_util.cc`. The C twins are in `firmware/mcugen_quant.h`.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
import numpy.typing as npt

from mcugen.ir import Array

Int64 = npt.NDArray[np.int64]

INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1
MIN_SHIFT = -31
MAX_SHIFT = 31
REDUCED_BITS = 15
"""Fraction bits of the multiplier of 64-bit sums."""


class Rounding(Enum):
    """How a product is brought back to 32 bits.

    DOUBLE: rounded at bit 31, then rounded again by the right shift (the default everywhere).
    SINGLE: rounded once (CMSIS-NN built with CMSIS_NN_USE_SINGLE_ROUNDING).
    """

    DOUBLE = "double"
    SINGLE = "single"


def quantize_multiplier(real: float) -> tuple[int, int]:
    """(multiplier, shift) with real ~ multiplier * 2**(shift - 31), multiplier 0 or >= 2**30.

    TFLite's QuantizeMultiplier: a real multiplier below 2**-32 becomes (0, 0).

    Raises:
        ValueError: `real` is negative, not finite, or 2**31 and above.
    """
    if not (math.isfinite(real) and real >= 0.0):
        raise ValueError(f"a real multiplier must be finite and not negative, got {real}")
    if real == 0.0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    multiplier = math.floor(mantissa * 2.0**31 + 0.5)  # std::round of a positive number
    if multiplier == 2**31:
        multiplier //= 2
        shift += 1
    if shift < MIN_SHIFT:
        return 0, 0
    if shift > MAX_SHIFT:
        raise ValueError(f"a real multiplier must be below 2**31, got {real}")
    return multiplier, shift


def wrap_int32(value: Array) -> Int64:
    """`value` modulo 2**32 in [-2**31, 2**31)."""
    wrapped: Int64 = ((value.astype(np.int64) + 2**31) & 0xFFFFFFFF) - 2**31
    return wrapped


def srdhm(a: Array, b: Array) -> Int64:
    """(a * b + 2**30) >> 31: saturating rounding doubling high multiply, ties upward."""
    product = a.astype(np.int64) * b.astype(np.int64)
    high: Int64 = np.minimum((product + 2**30) >> 31, INT32_MAX)
    return high


def rounding_divide_by_pot(value: Array, exponent: Array) -> Int64:
    """round(value / 2**exponent), ties away from zero; exponent 0..31."""
    wide = value.astype(np.int64)
    power = exponent.astype(np.int64)
    mask = (np.int64(1) << power) - 1
    threshold = (mask >> 1) + (wide < 0)
    return (wide >> power) + ((wide & mask) > threshold)


def multiply_by_quantized_multiplier(
    value: Array, multiplier: Array, shift: Array, rounding: Rounding = Rounding.DOUBLE
) -> Int64:
    """Give value * multiplier * 2**(shift - 31), rounded; the arguments broadcast.

    Args:
        value: int32 numbers.
        multiplier: 0..2**31-1, from `quantize_multiplier`.
        shift: -31..31 (-31..30 with single rounding), positive is left.
        rounding: see Rounding.
    """
    wide = shift.astype(np.int64)
    if rounding is Rounding.SINGLE:
        total = 31 - wide
        product = value.astype(np.int64) * multiplier.astype(np.int64)
        return wrap_int32((product + (np.int64(1) << (total - 1))) >> total)
    shifted = wrap_int32(value.astype(np.int64) << np.maximum(wide, 0))
    return rounding_divide_by_pot(srdhm(shifted, multiplier), np.maximum(-wide, 0))


def reduced_multiplier(multiplier: Array) -> Int64:
    """The 31-bit multiplier in 15 bits, rounded; what would not fit is the largest."""
    half = 1 << (31 - REDUCED_BITS - 1)
    rounded: Int64 = (multiplier.astype(np.int64) + half) >> (31 - REDUCED_BITS)
    return np.asarray(np.minimum(rounded, 0x7FFF), np.int64)


def multiply_wide(value: Array, multiplier: Array, shift: Array) -> Int64:
    """Give value * multiplier * 2**(shift - 15), rounded once, halves upward.

    TFLite's MultiplyByQuantizedMultiplier of 64-bit sums; its result is not cut to 32 bits here.

    Args:
        value: in [-2**47, 2**47).
        multiplier: from `reduced_multiplier`.
        shift: -31..14, positive is left.
    """
    bits = REDUCED_BITS - shift.astype(np.int64)
    product = value.astype(np.int64) * multiplier.astype(np.int64)
    scaled: Int64 = (product + (np.int64(1) << (bits - 1))) >> bits
    return scaled
