"""QPRelu: PRelu from an 8-bit tensor to an 8-bit tensor, with constant real slopes.

With A = x - zero_point_x and RQ of ARITHMETIC:
    tflite: y = clamp(RQ(A << 20, m, s) + zp_y), m and s of scale_x / scale_y / 2^20 where A >= 0
            and of the slope times that below
    onnx:   y = clamp(rint(f / scale_y) + zp_y), f = A * scale_x, times the slope below 0
TFLite quantizes the slopes to 8 bits and shifts nothing, so that small numbers are rounded twice;
here the slopes stay as exact as a multiplier is, and the shift of QAdd leaves one rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.c_types import ctype, float_literal, int_literal
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.affine import dequantize, numbers
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    Extra,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    required,
)
from mcugen.ops.qelementwise import (
    LEFT_SHIFT,
    Affine,
    Multiplier,
    check_8_bit,
    clamp_c,
    clamp_integers,
    offset_c,
)
from mcugen.ops.spec import (
    Arithmetic,
    Inputs,
    IntegerForm,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from mcugen.quantize.requant import quantized_clamp


@dataclass(frozen=True)
class QPReluAttrs:
    """`out_dtype`: int8 or uint8; the output stays in act_min..act_max."""

    out_dtype: DType
    act_min: int
    act_max: int


@dataclass(frozen=True, eq=False)
class FixedSlopes:
    """Numbers of the tflite arithmetic.

    Attributes:
        x: quantization of the input.
        y: quantization of the output.
        above: factor where x >= 0.
        multiplier: int32, factors below, broadcast to x; negative for negative slopes.
        shift: int8, the shape of `multiplier`.
        bounds: (act_min, act_max).
    """

    x: Affine
    y: Affine
    above: Multiplier
    multiplier: Array
    shift: Array
    bounds: tuple[int, int]

    @property
    def extras(self) -> tuple[Extra, ...]:
        """The factors below 0 when there are several."""
        if self.multiplier.size == 1:
            return ()
        return (Extra("multiplier", self.multiplier), Extra("shift", self.shift))

    @property
    def prepare(self) -> str:
        """C statement that makes `fa`."""
        return f"const int32_t fa = {offset_c('a', self.x.zero_point)} * {1 << LEFT_SHIFT};"

    @property
    def result(self) -> str:
        """The output as an int32_t C expression of `fa`."""
        below = "mcugen_requantize(fa, multiplier_i, shift_i)"
        if not self.extras:
            below = Multiplier(self.multiplier.item(), self.shift.item()).c("fa")
        scaled = f"fa < 0 ? {below} : {self.above.c('fa')}"
        return clamp_c(scaled, self.bounds, self.y.zero_point)

    def reference(self, x: Array) -> Array:
        """The output in int64."""
        a = (x.astype(np.int64) - self.x.zero_point) << LEFT_SHIFT
        below = multiply_by_quantized_multiplier(a, self.multiplier, self.shift)
        scaled = np.where(a < 0, below, self.above.apply(a))
        return clamp_integers(scaled, self.bounds, self.y.zero_point)


@dataclass(frozen=True, eq=False)
class FloatSlopes:
    """Numbers of the onnx arithmetic: quantizations, and float32 slopes broadcast to x."""

    x: Affine
    y: Affine
    slope: Array
    bounds: tuple[int, int]

    @property
    def extras(self) -> tuple[Extra, ...]:
        """The slopes when there are several."""
        return () if self.slope.size == 1 else (Extra("slope", self.slope),)

    @property
    def prepare(self) -> str:
        """C statement that makes `fa`."""
        offset = offset_c("a", self.x.zero_point)
        return f"const float fa = (float){offset} * {float_literal(self.x.scale)};"

    @property
    def result(self) -> str:
        """The output as an int32_t C expression of `fa`."""
        slope = "slope_i" if self.extras else float_literal(self.slope.item())
        low, high = (float_literal(float(v - self.y.zero_point)) for v in self.bounds)
        steps = f"(fa < 0.0f ? fa * {slope} : fa) / {float_literal(self.y.scale)}"
        return f"mcugen_float_round({steps}, {low}, {high}) + {int_literal(self.y.zero_point)}"

    def reference(self, x: Array) -> Array:
        """The output in int64."""
        fa = (x.astype(np.int32) - self.x.zero_point).astype(np.float32) * np.float32(self.x.scale)
        steps = np.where(fa < 0, fa * self.slope, fa) / np.float32(self.y.scale)
        low, high = (np.float32(v - self.y.zero_point) for v in self.bounds)
        rounded = np.rint(np.clip(steps, low, high)).astype(np.int64)
        return np.asarray(rounded + self.y.zero_point)


def fixed_slopes(x: Affine, y: Affine, slope: Array, bounds: tuple[int, int]) -> FixedSlopes:
    """The factors of real slopes, computed in double."""
    ratio = x.scale / y.scale / (1 << LEFT_SHIFT)
    pairs = [quantize_multiplier(abs(float(s)) * ratio) for s in slope.reshape(-1)]
    signs = np.where(slope.reshape(-1) < 0, -1, 1)
    multiplier = np.array([m for m, _ in pairs], np.int32) * signs.astype(np.int32)
    shift = np.array([s for _, s in pairs], np.int8)
    shaped = multiplier.reshape(slope.shape), shift.reshape(slope.shape)
    return FixedSlopes(x, y, Multiplier.of(ratio), *shaped, bounds)


def _lower(site: Site) -> Lowered:
    attrs: QPReluAttrs = site.attrs
    x, y = Affine.of(site.input(0)), Affine.of(site.outputs[0])
    slope = site.input(1).data
    assert slope is not None, site.node.name
    bounds = (attrs.act_min, attrs.act_max)
    n: FixedSlopes | FloatSlopes
    if site.arithmetic is Arithmetic.TFLITE:
        n = fixed_slopes(x, y, slope, bounds)
    else:
        n = FloatSlopes(x, y, slope, bounds)
    result = f"({ctype(attrs.out_dtype)})({n.result})"
    return lowered(
        site, n, result, inputs=(site.input(0),), prepare=((n.prepare,),), extras=n.extras
    )


def _reference(params: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    def run(n: FixedSlopes | FloatSlopes, x: Array) -> Array:
        return n.reference(x).astype(params.dtype.np)

    return evaluate(run, params.attrs, arrays)


def _infer(attrs: QPReluAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(required(inputs[0]).shape, attrs.out_dtype),)


def quantize_prelu(site: QuantSite) -> IntegerForm:
    """PRelu with constant slopes, quantized or not -> QPRelu."""
    out = site.outputs[0]
    assert out.quant is not None
    check_8_bit(site.input(0), site.quant(0), "input 0")
    check_8_bit(out, out.quant, "the output")
    attrs = QPReluAttrs(out.dtype, *quantized_clamp(*site.clamp, out.quant, out.dtype))
    return IntegerForm("QPRelu", attrs, (site.input(0), _real_slope(site.input(1))))


def _real_slope(slope: Tensor) -> Tensor:
    """The constant slope as finite float32 numbers."""
    if slope.data is None:
        raise Reject("the slope is computed at run time")
    values = slope.data
    if slope.quant is not None:
        quant = slope.quant
        axis = 0 if quant.axis is None else quant.axis
        n = numbers(axis, slope.rank, quant.scale, quant.zero_point, DType.FLOAT32)
        values = dequantize(n, values)
    if values.dtype != np.float32 or not np.isfinite(values).all():
        raise Reject("the slopes must be finite float32 numbers")
    if slope.quant is None:
        return slope
    name = f"{slope.name}_real"
    return Tensor(name, slope.shape, DType.FLOAT32, data=values.reshape(slope.shape))


SPECS = (
    OpSpec(
        name="QPRelu",
        infer=_infer,
        lower=_lower,
        reference=_reference,
        kernels=(ELEMENTWISE,),
        inplace=inplace,
        permute=keep_attrs,
    ),
)
