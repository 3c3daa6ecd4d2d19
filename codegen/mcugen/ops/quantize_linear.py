"""QuantizeLinear and DequantizeLinear: between real numbers and integers.

    QuantizeLinear:   y = saturate(rint(x / scale) + zero_point), halves to even, NaN -> zero_point
    DequantizeLinear: y = (x - zero_point) * scale
All in float32, with one scale and zero point for the tensor or one per index of `axis`. They are
usually constants and then literals or tables of the kernel; computed ones are read as any operand.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.c_types import ctype, float_literal, int_literal
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.affine import Numbers, dequantize, numbers, quantize
from mcugen.ops.affine import quantized as quantized
from mcugen.ops.axes import normalize_axis, permuted_axis
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    Extra,
    element_type_rule,
    evaluate,
    inplace,
    lowered,
    required,
)
from mcugen.ops.onnx_types import dtype_of_code
from mcugen.ops.spec import (
    Constraint,
    ImportContext,
    Inputs,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)

Reference = Callable[[Any, Sequence[Array]], tuple[Array, ...]]

QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16, DType.UINT16)
DEQUANTIZED = frozenset({*QUANTIZED, DType.INT32})


@dataclass(frozen=True)
class QuantizeLinearAttrs:
    """`axis`: where scales are per axis, counted from the front; `dtype`: of the output."""

    dtype: DType
    axis: int = 0


@dataclass(frozen=True)
class DequantizeLinearAttrs:
    """`axis`: where scales are per axis, counted from the front."""

    axis: int = 0


def _quantize_from_onnx(ctx: ImportContext) -> None:
    """The type is that of the zero point, or output_dtype (opset 21), or uint8."""
    code = ctx.attr("output_dtype", 0)
    dtype = dtype_of_code(code, "output_dtype") if code else DType.UINT8
    if ctx.has(2):
        if code and ctx.tensor(2).dtype is not dtype:
            raise Reject(
                f"output_dtype must be the zero point's type {ctx.tensor(2).dtype.value}, "
                f"got {dtype.value}"
            )
        dtype = ctx.tensor(2).dtype
    if dtype not in QUANTIZED:
        raise Reject(f"output type must be int8, uint8, int16 or uint16, got {dtype.value}")
    axis = _axis(ctx)
    ctx.emit("QuantizeLinear", ctx.inputs[:3], QuantizeLinearAttrs(dtype, axis), ctx.outputs)


def _dequantize_from_onnx(ctx: ImportContext) -> None:
    """The output is float32, as the scale is."""
    code = ctx.attr("output_dtype", 0)
    if code and dtype_of_code(code, "output_dtype") is not DType.FLOAT32:
        raise Reject(f"output_dtype must be float32, got {dtype_of_code(code, '').value}")
    axis = _axis(ctx)
    ctx.emit("DequantizeLinear", ctx.inputs[:3], DequantizeLinearAttrs(axis), ctx.outputs)


def checked_axis(ctx: ImportContext, rank: int, index: int, axis: int) -> int:
    """The axis of per-axis scales from the front, 0 for a single scale.

    Args:
        ctx: the node being imported.
        rank: of the tensor that is converted.
        index: of the scale; the zero point follows.
        axis: as the node gives it.

    Raises:
        Reject: the shapes of scale and zero point disagree.
    """
    scale = ctx.tensor(index)
    if scale.rank > 1 and scale.size > 1:
        raise Reject(f"scale must be a scalar or a vector, got shape {list(scale.shape)}")
    if ctx.has(index + 1):
        zero_point = ctx.tensor(index + 1)
        if zero_point.size not in (1, scale.size):
            raise Reject(
                f"zero_point must have the shape of scale, {list(scale.shape)}, "
                f"got {list(zero_point.shape)}"
            )
    return 0 if scale.size == 1 else normalize_axis(axis, rank)


def _axis(ctx: ImportContext) -> int:
    """The axis of a QuantizeLinear or DequantizeLinear node, which must not be blocked."""
    if ctx.attr("block_size", 0):
        raise Reject(
            f"block_size must be 0, got {ctx.attr('block_size')}",
            "quantize per tensor or per channel",
        )
    return checked_axis(ctx, ctx.tensor(0).rank, 1, int(ctx.attr("axis", 1)))


def scale_is_valid(attrs: Any, inputs: Inputs) -> str | None:
    """The scale must be float32, positive and finite."""
    del attrs
    scale = required(inputs[1])
    if scale.dtype is not DType.FLOAT32:
        return str(scale.dtype.value)
    if scale.data is None:
        return None
    good = np.isfinite(scale.data) & (scale.data > 0)
    return None if bool(np.all(good)) else f"{scale.data[~good].reshape(-1)[0]}"


def scales_fit_axis(attrs: Any, inputs: Inputs) -> str | None:
    """There must be one scale, or one for each index of axis."""
    x, scale = required(inputs[0]), required(inputs[1])
    if scale.size == 1 or (attrs.axis < x.rank and scale.shape == (x.shape[attrs.axis],)):
        return None
    return f"{scale.size} scales for axis {attrs.axis} of shape {list(x.shape)}"


def integers_are_not_offset(attrs: Any, inputs: Inputs) -> str | None:
    """The zero point of int32 must be 0."""
    del attrs
    zero = inputs[2] if len(inputs) > 2 else None
    if required(inputs[0]).dtype is not DType.INT32 or zero is None:
        return None
    if zero.data is None:
        return "a computed one"
    return f"{zero.data.reshape(-1)[0]}" if np.any(zero.data) else None


def zero_point_type_fits(attrs: Any, inputs: Inputs) -> str | None:
    """The zero point must have the type of the quantized tensor."""
    zero = inputs[2] if len(inputs) > 2 else None
    dtype: DType = getattr(attrs, "dtype", required(inputs[0]).dtype)
    return None if zero is None or zero.dtype is dtype else zero.dtype.value


_COMMON: tuple[Constraint, ...] = (scale_is_valid, scales_fit_axis, zero_point_type_fits)


def _numbers_of(attrs: Any, inputs: Sequence[Tensor | None], dtype: DType) -> Numbers:
    zero = inputs[2] if len(inputs) > 2 else None
    scale = required(inputs[1]).data
    assert scale is not None
    return numbers(
        attrs.axis, required(inputs[0]).rank, scale, None if zero is None else zero.data, dtype
    )


def _numbers_from(attrs: Any, arrays: Sequence[Array | None], dtype: DType) -> Numbers:
    zero = arrays[2] if len(arrays) > 2 else None
    x, scale = arrays[0], arrays[1]
    assert x is not None and scale is not None
    return numbers(attrs.axis, x.ndim, scale, zero, dtype)


def _extras(n: Numbers) -> tuple[Extra, ...]:
    """Per-axis numbers in flash; the zero points in the narrowest type, absent where all are 0."""
    if n.per_tensor:
        return ()
    extras = [Extra("scale", n.scale)]
    if n.has_zero_point:
        fits = [t for t in (np.int8, np.uint8, np.int16) if _fits(n.zero_point, np.iinfo(t))]
        extras.append(Extra("zero_point", n.zero_point.astype(fits[0] if fits else np.int32)))
    return tuple(extras)


def _fits(values: Array, info: Any) -> bool:
    return bool(values.min() >= info.min and values.max() <= info.max)


@dataclass(frozen=True)
class Computed:
    """Scales and zero points that come with the inputs: `axis` and the output's type."""

    axis: int
    dtype: DType


def _is_computed(site: Site) -> bool:
    return any(t is not None and t.data is None for t in site.inputs[1:])


def _lower_computed(site: Site, attrs: Computed, result: str) -> Lowered:
    """Scale (`b`) and zero point (`c`) read from memory, shaped to broadcast along the axis."""
    x = site.input(0)

    def along_axis(tensor: Tensor) -> Tensor:
        dims = [tensor.size if k == attrs.axis else 1 for k in range(x.rank)]
        return tensor.replace(shape=tuple(dims) if tensor.size > 1 else (), data=None)

    parameters = [along_axis(t) for t in site.inputs[1:] if t is not None]
    return lowered(site, attrs, result, inputs=(x, *parameters))


def _reference(function: Callable[[Numbers, Array], Array]) -> Reference:
    """The conversion by the kernel's own numbers or by those among the inputs."""

    def run(params: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
        n = params.attrs
        if isinstance(n, Computed):
            n = _numbers_from(n, arrays, n.dtype)
        return evaluate(function, n, arrays[:1])

    return run


def _lower_quantize(site: Site) -> Lowered:
    attrs: QuantizeLinearAttrs = site.attrs
    if _is_computed(site):
        info = np.iinfo(attrs.dtype.np)
        x = "a" if site.input(0).dtype is DType.FLOAT32 else "(float)a"
        offset = " + c" if site.optional(2) is not None else ""
        steps = f"mcugen_float_round({x} / b, -4194304.0f, 4194304.0f){offset}"
        text = f"mcugen_clamp({steps}, {int(info.min)}, {int(info.max)})"
        result = f"({ctype(attrs.dtype)})({text})"
        return _lower_computed(site, Computed(attrs.axis, attrs.dtype), result)
    n = _numbers_of(site.attrs, site.inputs, site.attrs.dtype)
    info = np.iinfo(n.dtype.np)
    x = "a" if site.input(0).dtype is DType.FLOAT32 else "(float)a"
    if n.per_tensor:
        zero = int(n.zero_point)
        low, high = (float_literal(float(v - zero)) for v in (int(info.min), int(info.max)))
        steps = f"mcugen_float_round({x} / {float_literal(float(n.scale))}, {low}, {high})"
        text = f"{steps} + {int_literal(zero)}" if zero else steps
    else:
        steps = f"mcugen_float_round({x} / scale_i, -4194304.0f, 4194304.0f)"
        total = f"{steps} + zero_point_i" if n.has_zero_point else steps
        text = f"mcugen_clamp({total}, {int(info.min)}, {int(info.max)})"
    result = f"({ctype(n.dtype)})({text})"
    return lowered(site, n, result, inputs=(site.input(0),), extras=_extras(n))


def _lower_dequantize(site: Site) -> Lowered:
    if _is_computed(site):
        whole = site.optional(2) is None or site.input(0).dtype is DType.INT32
        offset = "a" if whole else "(a - c)"
        computed = Computed(site.attrs.axis, DType.FLOAT32)
        return _lower_computed(site, computed, f"(float){offset} * b")
    n = _numbers_of(site.attrs, site.inputs, DType.FLOAT32)
    if n.per_tensor:
        zero, scale = int(n.zero_point), float_literal(float(n.scale))
        offset = f"(a {'-' if zero > 0 else '+'} {int_literal(abs(zero))})" if zero else "a"
    else:
        scale = "scale_i"
        offset = "(a - zero_point_i)" if n.has_zero_point else "a"
    result = f"(float){offset} * {scale}"
    return lowered(site, n, result, inputs=(site.input(0),), extras=_extras(n))


def _permute(site: Site, perm: tuple[int, ...]) -> Any:
    """Attributes with the axis where the permutation takes it."""
    if site.input(1).size == 1:
        return site.attrs
    return dataclasses.replace(site.attrs, axis=permuted_axis(site.attrs.axis, perm))


SPECS = (
    OpSpec(
        name="QuantizeLinear",
        infer=lambda attrs, inputs: (TensorType(required(inputs[0]).shape, attrs.dtype),),
        semantics=lambda attrs, arrays: evaluate(
            quantize, _numbers_from(attrs, arrays, attrs.dtype), arrays[:1]
        ),
        lower=_lower_quantize,
        reference=_reference(quantize),
        kernels=(ELEMENTWISE,),
        onnx={
            "QuantizeLinear": _quantize_from_onnx,
            "com.microsoft::QuantizeLinear": _quantize_from_onnx,
        },
        constraints=(
            element_type_rule(frozenset({DType.FLOAT32, DType.INT32})),
            *_COMMON,
        ),
        inplace=inplace,
        permute=_permute,
    ),
    OpSpec(
        name="DequantizeLinear",
        infer=lambda attrs, inputs: (TensorType(required(inputs[0]).shape, DType.FLOAT32),),
        semantics=lambda attrs, arrays: evaluate(
            dequantize, _numbers_from(attrs, arrays, DType.FLOAT32), arrays[:1]
        ),
        lower=_lower_dequantize,
        reference=_reference(dequantize),
        kernels=(ELEMENTWISE,),
        onnx={
            "DequantizeLinear": _dequantize_from_onnx,
            "com.microsoft::DequantizeLinear": _dequantize_from_onnx,
        },
        constraints=(
            element_type_rule(DEQUANTIZED),
            *_COMMON,
            integers_are_not_offset,
        ),
        inplace=inplace,
        permute=_permute,
    ),
)
