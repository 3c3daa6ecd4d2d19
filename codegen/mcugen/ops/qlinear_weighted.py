"""Importers of QLinearConv, QLinearMatMul and QGemm: DequantizeLinear, op, QuantizeLinear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcugen.ir import Array
from mcugen.ops.qlinear import dequantized, quantized
from mcugen.ops.quantize_linear import DequantizeLinearAttrs
from mcugen.ops.spec import FromOnnx, ImportContext


def qlinear_conv(attributes: Callable[[ImportContext], Any]) -> FromOnnx:
    """Inputs x, w and y as (tensor, scale, zero point), then an int32 bias in units of both scales.

    Args:
        attributes: ctx -> ConvAttrs, the weights being input 3.
    """

    def from_onnx(ctx: ImportContext) -> None:
        inputs = [dequantized(ctx, 0), dequantized(ctx, 3, axis=0)]
        if ctx.has(8):
            inputs.append(_bias(ctx, 8, _product(ctx, 1, 4), axis=0))
        (value,) = ctx.emit("Conv", inputs, attributes(ctx))
        quantized(ctx, value, 6)

    return from_onnx


def qlinear_matmul(attrs: Any) -> FromOnnx:
    """Inputs a, b and y as (tensor, scale, zero point); a per row, b per column where per axis."""

    def from_onnx(ctx: ImportContext) -> None:
        inputs = (dequantized(ctx, 0, axis=-2), dequantized(ctx, 3, axis=-1))
        (value,) = ctx.emit("MatMul", inputs, attrs)
        quantized(ctx, value, 6)

    return from_onnx


def qgemm(attributes: Callable[[ImportContext], Any]) -> FromOnnx:
    """com.microsoft QGemm: a and b as (tensor, scale, zero point), C, then y's scale, zero point.

    C is int32 in units of alpha times both scales. Without y's scale the result is float.
    Source: onnxruntime docs/ContribOperators.md.
    """

    def from_onnx(ctx: ImportContext) -> None:
        attrs = attributes(ctx)
        columns = 0 if attrs.trans_b else 1
        inputs = [dequantized(ctx, 0), dequantized(ctx, 3, axis=columns)]
        if ctx.has(6):
            scale = (np.float32(attrs.alpha) * _product(ctx, 1, 4)).astype(np.float32)
            inputs.append(_bias(ctx, 6, scale, axis=ctx.tensor(6).rank - 1))
        if not ctx.has(7):
            ctx.emit("Gemm", inputs, attrs, ctx.outputs)
            return
        (value,) = ctx.emit("Gemm", inputs, attrs)
        quantized(ctx, value, 7)

    return from_onnx


def _product(ctx: ImportContext, first: int, second: int) -> Array:
    """The product of two scales in float32, [] or [C]."""
    scales = ctx.const(first, "scale"), ctx.const(second, "scale")
    product: Array = np.multiply(*(s.astype(np.float32).reshape(-1) for s in scales))
    return product if product.size > 1 else product.reshape(())


def _bias(ctx: ImportContext, index: int, scale: Array, *, axis: int) -> str:
    """The int32 input in real numbers."""
    name = ctx.constant(scale, f"{ctx.inputs[index]}_scale")
    attrs = DequantizeLinearAttrs(axis if scale.size > 1 else 0)
    return ctx.emit("DequantizeLinear", (ctx.inputs[index], name), attrs)[0]
