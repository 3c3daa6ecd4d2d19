"""Importers of operators on integers, QLinearAdd and others: DequantizeLinear, op, QuantizeLinear.

One canonical form reaches the passes. The inputs of these operators come in groups
(tensor, scale, zero point), then (scale, zero point) of the output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcugen.ops.quantize_linear import (
    QUANTIZED,
    DequantizeLinearAttrs,
    QuantizeLinearAttrs,
    checked_axis,
)
from mcugen.ops.spec import FromOnnx, ImportContext, Reject


def _parameters(ctx: ImportContext, scale: int) -> tuple[str, ...]:
    """Names of the scale and, where present, the zero point after it."""
    ctx.tensor(scale)
    return ctx.inputs[scale : scale + (2 if ctx.has(scale + 1) else 1)]


def dequantized(ctx: ImportContext, index: int, *, axis: int = 1) -> str:
    """DequantizeLinear of input `index` by the two inputs after it; returns the float tensor.

    Args:
        ctx: the node being imported.
        index: of the integer tensor.
        axis: where there is a scale per channel.
    """
    attrs = DequantizeLinearAttrs(checked_axis(ctx, ctx.tensor(index).rank, index + 1, axis))
    inputs = (ctx.inputs[index], *_parameters(ctx, index + 1))
    return ctx.emit("DequantizeLinear", inputs, attrs)[0]


def quantized(ctx: ImportContext, value: str, index: int) -> None:
    """QuantizeLinear of float tensor `value`, per tensor, as the node's result.

    Args:
        ctx: the node being imported.
        value: what its float operator gives.
        index: of the output's scale; the zero point follows. Without one the type is that of the
            node's first integer input.
    """
    if ctx.tensor(index).size != 1:
        raise Reject(f"the output must have one scale, got {ctx.tensor(index).size}")
    checked_axis(ctx, 0, index, 0)
    dtype = ctx.tensor(index + 1).dtype if ctx.has(index + 1) else _integer_type(ctx)
    inputs = (value, *_parameters(ctx, index))
    ctx.emit("QuantizeLinear", inputs, QuantizeLinearAttrs(dtype), ctx.outputs)


def _integer_type(ctx: ImportContext) -> Any:
    types = (ctx.tensor(i).dtype for i in range(len(ctx.inputs)) if ctx.has(i))
    return next(t for t in types if t in QUANTIZED)


def qlinear_unary(op: str, build: Callable[[ImportContext], Any]) -> FromOnnx:
    """The importer of op(x): inputs x, scale, zero point, scale, zero point of the output."""

    def from_onnx(ctx: ImportContext) -> None:
        (value,) = ctx.emit(op, (dequantized(ctx, 0),), build(ctx))
        quantized(ctx, value, 3)

    return from_onnx


def qlinear_binary(op: str, attrs: Any) -> FromOnnx:
    """The importer of op(a, b): a, scale, zero point, b, scale, zero point, those of the output."""

    def from_onnx(ctx: ImportContext) -> None:
        (value,) = ctx.emit(op, (dequantized(ctx, 0), dequantized(ctx, 3)), attrs)
        quantized(ctx, value, 6)

    return from_onnx
