"""Clip: y = min(max(x, low), high); NaN passes, and the upper bound wins where low > high."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcugen.c_types import ctype
from mcugen.ir import Array, DType
from mcugen.ops.elementwise import NUMBERS, NoAttrs, Row, bounds_in, literal, spec_of
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.spec import ImportContext, Reject


@dataclass(frozen=True)
class ClipAttrs:
    """Bounds, exact numbers of the tensor's type; infinite where there is none."""

    low: float = -math.inf
    high: float = math.inf


def clip_from_onnx(ctx: ImportContext) -> None:
    """Attributes before opset 11, scalar inputs after; computed bounds become Max and Min."""
    if ctx.opset < 11:
        attrs = ClipAttrs(float(ctx.attr("min", -math.inf)), float(ctx.attr("max", math.inf)))
        ctx.emit("Clip", ctx.inputs[:1], attrs, ctx.outputs)
        return
    if all(not ctx.has(i) or ctx.tensor(i).is_constant for i in (1, 2)):
        attrs = ClipAttrs(_bound(ctx, 1, "min", -math.inf), _bound(ctx, 2, "max", math.inf))
        ctx.emit("Clip", ctx.inputs[:1], attrs, ctx.outputs)
        return
    result = ctx.inputs[0]
    for index, op in ((1, "Max"), (2, "Min")):
        if ctx.has(index):
            (result,) = ctx.emit(op, (result, ctx.inputs[index]), NoAttrs())
    ctx.emit("Identity", (result,), IdentityAttrs(), ctx.outputs)


def _bound(ctx: ImportContext, index: int, what: str, default: float) -> float:
    """The exact value of a constant bound: an int for integers."""
    if not ctx.has(index):
        return default
    value = ctx.const(index, what)
    if value.size != 1:
        raise Reject(f"{what} must be a scalar, got shape {list(value.shape)}")
    number: float = value.reshape(()).item()
    return number


def _bounds(attrs: ClipAttrs, dtype: DType) -> tuple[float | None, float | None]:
    """(low, high), None where the bound changes nothing; low <= high."""
    low, high = bounds_in(dtype, attrs.low, attrs.high)
    least, most = bounds_in(dtype, -math.inf, math.inf)
    return (None if low == least else low), (None if high == most else high)


def _c(attrs: ClipAttrs, dtype: DType) -> str:
    low, high = _bounds(attrs, dtype)
    low_text, high_text = (None if b is None else literal(b, dtype) for b in (low, high))
    text = "a" if high_text is None else f"a > {high_text} ? {high_text} : a"
    if low_text is not None:
        text = f"a < {low_text} ? {low_text} : {text if text == 'a' else f'({text})'}"
    return text if dtype.is_float or text == "a" else f"({ctype(dtype)})({text})"


def _clip(attrs: ClipAttrs, x: Array) -> Array:
    low, high = _bounds(attrs, DType.of(x))
    result = x
    if high is not None:
        result = np.where(result > x.dtype.type(high), x.dtype.type(high), result)
    if low is not None:
        result = np.where(x < x.dtype.type(low), x.dtype.type(low), result)
    return result


SPECS = (spec_of(Row("Clip", c=_c, twin=_clip, dtypes=NUMBERS, onnx={"Clip": clip_from_onnx})),)
