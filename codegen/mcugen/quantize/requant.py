"""Requantization: an int32 accumulator becomes an integer of the output tensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, QuantParams
from mcugen.ops.spec import Arithmetic, Constant
from mcugen.quantize.fixed_point import (
    REDUCED_BITS,
    Int64,
    Rounding,
    multiply_by_quantized_multiplier,
    multiply_wide,
    quantize_multiplier,
    reduced_multiplier,
    wrap_int32,
)

MULTIPLIER, SHIFT, SCALE = "multiplier", "shift", "scale"


@dataclass(frozen=True, eq=False)
class Requant:
    """real = acc * scale / out_scale, rounded, plus zero_point, clamped.

    TFLITE: fixed point, `clamp(RQ(acc, multiplier, shift) + zero_point)` without overflow.
    ONNX: `clamp(rint((float32(acc) * scale) / out_scale) + zero_point)`, each step in float32,
    halves to even. Dividing, instead of multiplying by scale / out_scale, is what the float
    operator followed by QuantizeLinear does.

    Attributes:
        arithmetic: which of the two.
        multiplier: int32 [C] or [1], 0..2**31-1.
        shift: int8 [C] or [1], -31..31, positive is left.
        scale: float32 [C] or [1], real value of one step of the accumulator.
        out_scale: float32, the output tensor's scale.
        zero_point: of the output tensor.
        act_min: lowest output, an integer of `dtype`.
        act_max: highest output.
        dtype: element type of the output.
        rounding: of the fixed-point product.
        wide: whether the sums are of int16 activations: up to 2^47, with a multiplier of 15 bits.
    """

    arithmetic: Arithmetic
    multiplier: Array
    shift: Array
    scale: Array
    out_scale: float
    zero_point: int
    act_min: int
    act_max: int
    dtype: DType
    rounding: Rounding = Rounding.DOUBLE
    wide: bool = False

    @staticmethod
    def of(
        arithmetic: Arithmetic,
        scale: Array,
        out: QuantParams,
        dtype: DType,
        act_range: tuple[int, int] | None = None,
        real: Array | None = None,
        *,
        wide: bool = False,
    ) -> Requant:
        """Requantization of an accumulator with this scale into a per-tensor quantized output.

        Args:
            arithmetic: which arithmetic.
            scale: float32 scale of the accumulator, per channel or a single one (any shape).
            out: the output's quantization.
            dtype: the output's element type.
            act_range: (act_min, act_max); default the range of `dtype`.
            real: float64 real multipliers where they are not `scale / out.scale` in double
                (TFLite's convolutions multiply the scales in double as well).
            wide: whether the sums are of int16 activations.
        """
        scales = np.atleast_1d(np.asarray(scale, np.float32)).reshape(-1)
        out_scale = np.float32(out.scale)
        if real is None:
            real = scales.astype(np.float64) / np.float64(out_scale)
        pairs = [quantize_multiplier(float(r)) for r in np.atleast_1d(real)]
        low, high = act_range or dtype_range(dtype)
        return Requant(
            arithmetic,
            np.array([m for m, _ in pairs], np.int32),
            np.array([s for _, s in pairs], np.int8),
            scales,
            float(out_scale),
            int(out.zero_point),
            low,
            high,
            dtype,
            wide=wide,
        )

    @staticmethod
    def fixed(
        multiplier: Array,
        shift: Array,
        zero_point: int,
        act_range: tuple[int, int],
        dtype: DType = DType.INT8,
        rounding: Rounding = Rounding.DOUBLE,
    ) -> Requant:
        """Fixed-point requantization from recorded integers."""
        return Requant(
            Arithmetic.TFLITE,
            np.atleast_1d(np.asarray(multiplier, np.int32)),
            np.atleast_1d(np.asarray(shift, np.int8)),
            np.ones(1, np.float32),
            1.0,
            zero_point,
            *act_range,
            dtype,
            rounding,
        )

    @property
    def is_fixed_point(self) -> bool:
        """Whether the arithmetic is TFLITE."""
        return self.arithmetic is Arithmetic.TFLITE

    @property
    def per_channel(self) -> bool:
        """Whether channels have numbers of their own, which then live in flash."""
        return (self.multiplier.size if self.is_fixed_point else self.scale.size) > 1

    @property
    def form(self) -> str:
        """Name of the C function's ending: which requantization the numbers allow.

        `once`: all shifts are to the right, so both roundings are one addition before one shift
        (see the function); `high`: by two places and more, so that only the product's upper word
        is shifted. `once_up`, `high_up`: besides, negative accumulators all end at `act_min`.
        `wide`, `float_wide`: of 64-bit sums.
        """
        if not self.is_fixed_point:
            return "float_wide" if self.wide else "float"
        if self.wide:
            return "wide"
        if self.rounding is Rounding.SINGLE:
            return "single"
        if int(self.shift.max()) >= 0:
            return "general"
        form = "high" if int(self.shift.max()) <= -2 else "once"
        return f"{form}_up" if self.low >= 0 else form

    @property
    def stored_shift(self) -> Array:
        """int8 [C] or [1]: what the function of `form` gets.

        For `once` and `wide` the bits of the one shift, for `high` those above the lower word.
        """
        if self.form == "wide":
            return np.int8(REDUCED_BITS) - self.shift
        if self.form.startswith("high"):
            return np.int8(-1) - self.shift
        return np.int8(31) - self.shift if self.form.startswith("once") else self.shift

    @property
    def stored_multiplier(self) -> Array:
        """int32 or, `wide`, int16 [C] or [1]: what the function of `form` gets."""
        return (
            reduced_multiplier(self.multiplier).astype(np.int16) if self.wide else self.multiplier
        )

    @property
    def multiplier0(self) -> int:
        """The stored multiplier when there is one for all channels."""
        return int(self.stored_multiplier[0])

    @property
    def shift0(self) -> int:
        """The stored shift when there is one for all channels."""
        return int(self.stored_shift[0])

    @property
    def scale0(self) -> float:
        """The accumulator's scale when there is one for all channels."""
        return float(self.scale[0])

    @property
    def low(self) -> int:
        """`act_min` relative to the zero point.

        The clamp comes before the addition of the zero point, which then cannot overflow.
        """
        return self.act_min - self.zero_point

    @property
    def high(self) -> int:
        """`act_max` relative to the zero point."""
        return self.act_max - self.zero_point

    def constants(self) -> tuple[Constant, ...]:
        """The per-channel arrays a kernel needs, in argument order; empty when per tensor."""
        if not self.per_channel:
            return ()
        if self.is_fixed_point:
            return (
                Constant(MULTIPLIER, self.stored_multiplier),
                Constant(SHIFT, self.stored_shift),
            )
        return (Constant(SCALE, self.scale),)

    def apply(self, acc: Array) -> Array:
        """Integers of `dtype` from accumulators [..., C]; beyond int32 they wrap unless `wide`."""
        sums = acc.astype(np.int64) if self.wide else wrap_int32(acc)
        scaled = self._fixed(sums) if self.is_fixed_point else self._float(sums)
        return (np.clip(scaled, self.low, self.high) + self.zero_point).astype(self.dtype.np)

    def rounding_slack(self) -> Array:
        """Distance from a tie, in LSB, within which double rounding may round the other way.

        The first rounding gives multiples of 2^shift LSB (shift < 0) and moves the value by up to
        2^(shift - 1); it decides the second one only so near a tie. `wide` rounds once, but has
        cut the multiplier: that moves the largest outputs most. Per channel.
        """
        if self.wide and self.is_fixed_point:
            exact = self.multiplier.astype(np.float64) / 2.0 ** (31 - REDUCED_BITS)
            relative = np.abs(self.stored_multiplier - exact) / np.maximum(exact, 1.0)
            return relative * float(max(abs(self.low), abs(self.high)))
        shift = self.shift.astype(np.float64)
        twice = (shift < 0) & self.is_fixed_point & (self.rounding is Rounding.DOUBLE)
        return np.where(twice, 2.0 ** (shift - 1.0), 0.0)

    def _fixed(self, acc: Int64) -> Int64:
        if self.wide:
            return multiply_wide(acc, self.stored_multiplier, self.shift)
        return multiply_by_quantized_multiplier(acc, self.multiplier, self.shift, self.rounding)

    def _float(self, acc: Int64) -> Int64:
        with np.errstate(over="ignore"):
            real = acc.astype(np.float32) * self.scale / np.float32(self.out_scale)
        # Clamped before the conversion to an integer, as the C does: nothing can overflow.
        inside = np.clip(real, np.float32(self.low), np.float32(self.high))
        rounded: Int64 = np.rint(inside).astype(np.int64)
        return rounded


def dtype_range(dtype: DType) -> tuple[int, int]:
    """(lowest, highest) value of an integer type."""
    info = np.iinfo(dtype.np)
    return int(info.min), int(info.max)


def quantized_clamp(low: float, high: float, quant: QuantParams, dtype: DType) -> tuple[int, int]:
    """(act_min, act_max) of a clamp to the real range [low, high].

    Quantization is monotone, so clamping integers between the quantized bounds is exactly
    QuantizeLinear(Clip(x, low, high)).
    """
    bounds = dtype_range(dtype)

    def quantize(value: float, infinite: int) -> int:
        if math.isinf(value):
            return infinite
        steps = np.rint(np.float32(value) / np.float32(quant.scale))
        return int(np.clip(float(steps) + int(quant.zero_point), *bounds))

    return quantize(low, bounds[0]), quantize(high, bounds[1])


def rounding_slack(params: Any) -> Array | float:
    """OpSpec.rounding_slack of operators whose params have a `requant` (None: no rounding)."""
    requant: Requant | None = params.requant
    return 0.0 if requant is None else requant.rounding_slack()
