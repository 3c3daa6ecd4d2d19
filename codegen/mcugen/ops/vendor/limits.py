"""Limits of vendors' int8 kernels: element types, fixed point, sums that fit 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcugen.ir import Array, DType
from mcugen.quantize.fixed_point import INT32_MAX, Int64, Rounding
from mcugen.quantize.requant import Requant, dtype_range


def int8_reason(dtypes: Sequence[DType]) -> str | None:
    """Why the kernels cannot take these activations."""
    return activations_reason(dtypes, DType.INT8)


def activations_reason(dtypes: Sequence[DType], wanted: DType) -> str | None:
    """Why the kernels for one element type cannot take these activations."""
    others = [d.value for d in dtypes if d is not wanted]
    return f"activations must be {wanted.value}, got {others[0]}" if others else None


def requant_reason(requant: Requant | None) -> str | None:
    """Why the kernels cannot compute this requantization, whatever the accumulator holds."""
    if requant is None:
        return "the output must be int8, got int32"
    if not requant.is_fixed_point:
        return "computes --arithmetic tflite alone, got onnx"
    if requant.rounding is not Rounding.DOUBLE:
        return "two roundings are planned, got one"
    return int8_reason([requant.dtype])


def accumulator_bound(weights: Array, bias: Array, x_zero_point: int) -> Int64:
    """Largest magnitude of an accumulator per output channel, for int8 inputs.

    Args:
        weights: [O, ...], the zero point subtracted.
        bias: int32 [O].
        x_zero_point: of the input.
    """
    sums = np.abs(weights.astype(np.int64)).reshape(weights.shape[0], -1).sum(axis=1)
    return np.asarray(sums * magnitude(x_zero_point) + np.abs(bias.astype(np.int64)), np.int64)


def overflow_reason(bound: Array, multiplier: Array, shift: Array, zero_point: int) -> str | None:
    """Why an accumulator of this magnitude would overflow: in C that is undefined, not a wrap."""
    wide = shift.astype(np.int64)
    if bool(np.any(bound > INT32_MAX)):
        return f"sums must fit 32 bits with their bias, got up to {int(bound.max())}"
    shifted = bound.astype(np.int64) << np.maximum(wide, 0)
    if bool(np.any(shifted > INT32_MAX)):
        return f"sums must fit 32 bits after the left shift, got up to {int(shifted.max())}"
    scaled = shifted * (multiplier.astype(np.float64) / 2.0**31) * 2.0 ** np.minimum(wide, 0)
    results = scaled + abs(zero_point) + 1
    if bool(np.any(results > INT32_MAX)):
        return f"results must fit 32 bits, got up to {float(results.max()):.3g}"
    return None


def requant_overflow_reason(bound: Array, requant: Requant) -> str | None:
    """`overflow_reason` of a fixed-point requantization."""
    return overflow_reason(bound, requant.multiplier, requant.shift, requant.zero_point)


def magnitude(zero_point: int, dtype: DType = DType.INT8) -> int:
    """Largest |x - zero_point| of an x."""
    low, high = dtype_range(dtype)
    return max(high - zero_point, zero_point - low)


def first_reason(*reasons: str | None) -> str | None:
    """The first reason that there is."""
    return next((r for r in reasons if r is not None), None)
