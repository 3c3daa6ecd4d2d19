"""Affine quantization on arrays: real = (integer - zero_point) * scale, in float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, QuantParams


@dataclass(frozen=True, eq=False)
class Numbers:
    """Scales and zero points of a conversion.

    Attributes:
        scale: float32, () or [1, ..., C, ..., 1].
        zero_point: int32, the shape of `scale`.
        dtype: the output's.
    """

    scale: Array
    zero_point: Array
    dtype: DType

    @property
    def per_tensor(self) -> bool:
        """Whether there is one scale."""
        return self.scale.size == 1

    @property
    def has_zero_point(self) -> bool:
        """Whether a zero point is not 0."""
        return bool(np.any(self.zero_point))


def numbers(axis: int, rank: int, scale: Array, zero_point: Array | None, dtype: DType) -> Numbers:
    """Scales and zero points shaped to broadcast along `axis`."""
    zeros = np.zeros(scale.shape) if zero_point is None else zero_point
    shape: tuple[int, ...] = ()
    if scale.size > 1:
        shape = tuple(scale.size if k == axis else 1 for k in range(rank))
    wide = np.broadcast_to(zeros.astype(np.int32).reshape(-1), (scale.size,))
    return Numbers(scale.reshape(shape), wide.reshape(shape), dtype)


def quantize(n: Numbers, x: Array) -> Array:
    """QuantizeLinear."""
    info = np.iinfo(n.dtype.np)
    steps = np.rint(x.astype(np.float32) / n.scale)
    steps = np.where(np.isnan(steps), np.float32(0), steps)
    wide = np.clip(steps, -(2.0**22), 2.0**22).astype(np.int64) + n.zero_point
    return np.asarray(np.clip(wide, info.min, info.max).astype(n.dtype.np))


def quantized(x: Array, quant: QuantParams, dtype: DType) -> Array:
    """QuantizeLinear of floats by a tensor's quantization."""
    axis = 0 if quant.axis is None else quant.axis
    return quantize(numbers(axis, x.ndim, quant.scale, quant.zero_point, dtype), x)


def dequantize(n: Numbers, x: Array) -> Array:
    """DequantizeLinear."""
    offset = x.astype(np.int32) - n.zero_point if n.has_zero_point else x
    return np.asarray(offset.astype(np.float32) * n.scale)
