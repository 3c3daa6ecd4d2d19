"""Elementwise arithmetic of two broadcast tensors: one row each.

Integer arithmetic wraps around; a division by zero gives 0 (C and ONNX leave it undefined).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.ir import Array, DType
from mcugen.ops.cmsis_nn.elementwise import MAXIMUM_KERNEL, MINIMUM_KERNEL
from mcugen.ops.common import Clamp, clamped
from mcugen.ops.elementwise import (
    NUMBERS,
    UNSIGNED,
    NoAttrs,
    Row,
    bounds_in,
    literal,
    narrowed,
    spec_of,
    wrapped,
)
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.qelementwise import quantize_add, quantize_mul, quantize_sub
from mcugen.ops.qlinear import qlinear_binary
from mcugen.ops.spec import FromOnnx, ImportContext, IntegerForm, QuantSite, Reject


@dataclass(frozen=True)
class BinaryAttrs:
    """Of Add, Sub, Mul and Div. `activation`: clamp of the result."""

    activation: Clamp | None = None


@dataclass(frozen=True)
class ModAttrs:
    """`fmod`: the remainder has the sign of the dividend, else of the divisor."""

    fmod: bool = False


Attrs = BinaryAttrs | NoAttrs


def binary_from_onnx(op: str, attrs: Attrs) -> FromOnnx:
    """The importer of an operator of two inputs without attributes."""

    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs[:2], attrs, ctx.outputs)

    return from_onnx


def chain(ctx: ImportContext, op: str, attrs: Attrs) -> str | None:
    """All inputs but the last combined by `op`, left to right; None when there is one input."""
    if len(ctx.inputs) < 2:
        return None
    result = ctx.inputs[0]
    for name in ctx.inputs[1:-1]:
        (result,) = ctx.emit(op, (result, name), attrs)
    return result


def variadic_from_onnx(op: str, attrs: Attrs) -> FromOnnx:
    """The importer of an operator of any number of inputs, combined left to right."""

    def from_onnx(ctx: ImportContext) -> None:
        so_far = chain(ctx, op, attrs)
        if so_far is None:
            ctx.emit("Identity", ctx.inputs, IdentityAttrs(), ctx.outputs)
        else:
            ctx.emit(op, (so_far, ctx.inputs[-1]), attrs, ctx.outputs)

    return from_onnx


def mean_from_onnx(ctx: ImportContext) -> None:
    """The sum of the inputs divided by their number."""
    so_far = chain(ctx, "Add", BinaryAttrs())
    if so_far is None:
        ctx.emit("Identity", ctx.inputs, IdentityAttrs(), ctx.outputs)
        return
    (total,) = ctx.emit("Add", (so_far, ctx.inputs[-1]), BinaryAttrs())
    dtype = ctx.tensor(0).dtype
    count = ctx.constant(np.array(len(ctx.inputs), dtype.np), "count")
    ctx.emit("Div", (total, count), BinaryAttrs(), ctx.outputs)


def mod_from_onnx(ctx: ImportContext) -> None:
    """Floats without `fmod` are of opset 28."""
    ctx.emit("Mod", ctx.inputs[:2], ModAttrs(bool(ctx.attr("fmod", 0))), ctx.outputs)


_CLAMPS = {
    DType.FLOAT32: "mcugen_clampf",
    DType.FLOAT64: "mcugen_clampd",
    DType.UINT32: "(uint32_t)mcugen_clamp_int64",
    DType.INT64: "mcugen_clamp_int64",
    DType.UINT64: "mcugen_clamp_uint64",
}
"""C function that clamps an element type; `mcugen_clamp` is for what fits int32_t."""


def _activated(text: str, activation: Clamp | None, dtype: DType) -> str:
    """The clamp of an expression."""
    if activation is None:
        return text
    low, high = (literal(v, dtype) for v in bounds_in(dtype, activation.low, activation.high))
    return narrowed(f"{_CLAMPS.get(dtype, 'mcugen_clamp')}({text}, {low}, {high})", dtype)


def _arithmetic_c(symbol: str) -> Callable[[BinaryAttrs, DType], str]:
    def c(attrs: BinaryAttrs, dtype: DType) -> str:
        plain = f"a {symbol} b"
        text = plain if dtype.is_float else wrapped(f"{{a}} {symbol} {{b}}", dtype)
        return _activated(text, attrs.activation, dtype)

    return c


def _arithmetic(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def twin(attrs: BinaryAttrs, a: Array, b: Array) -> Array:
        return clamped(np.asarray(operation(a, b)), attrs.activation)

    return twin


def word(dtype: DType) -> str:
    """The type that C computes this integer type in, as in the names of mcugen_int.h."""
    if dtype.itemsize < 4:
        return "int32"
    return dtype.value


def _call(function: str, dtype: DType) -> str:
    return narrowed(f"mcugen_{function}_{word(dtype)}(a, b)", dtype)


def _div_c(attrs: BinaryAttrs, dtype: DType) -> str:
    text = "a / b" if dtype.is_float else _call("div", dtype)
    return _activated(text, attrs.activation, dtype)


def truncated_quotient(a: Array, b: Array) -> Array:
    """Integer division towards zero; 0 where b is 0, wrapping where it overflows."""
    divisor = np.where(b == 0, b.dtype.type(1), b)
    quotient = np.floor_divide(a, divisor)
    inexact = quotient * divisor != a
    quotient = quotient + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)
    return np.asarray(np.where(b == 0, a.dtype.type(0), quotient))


def _div(attrs: BinaryAttrs, a: Array, b: Array) -> Array:
    quotient = np.asarray(a / b) if a.dtype.kind == "f" else truncated_quotient(a, b)
    return clamped(quotient, attrs.activation)


def _mod_c(attrs: ModAttrs, dtype: DType) -> str:
    if dtype.is_float:
        return "mcugen_fmod(a, b)" if attrs.fmod else "mcugen_mod(a, b)"
    floored = dtype.itemsize < 4 or dtype not in UNSIGNED
    return _call("mod" if floored and not attrs.fmod else "rem", dtype)


def _mod(attrs: ModAttrs, a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.asarray(np.fmod(a, b)) if attrs.fmod else fm.mod(a, b)
    divisor = np.where(b == 0, b.dtype.type(1), b)
    remainder = np.fmod(a, divisor) if attrs.fmod else np.mod(a, divisor)
    return np.asarray(np.where(b == 0, a.dtype.type(0), remainder))


def _choice_c(symbol: str, function: str) -> Callable[[Any, DType], str]:
    def c(attrs: Any, dtype: DType) -> str:
        del attrs
        if dtype is DType.FLOAT32:
            return f"mcugen_{function}(a, b)"
        nan = " || a != a" if dtype.is_float else ""
        return narrowed(f"(a {symbol} b{nan}) ? a : b", dtype)

    return c


def _minimum(attrs: Any, a: Array, b: Array) -> Array:
    del attrs
    return np.where((a < b) | (a != a), a, b)


def _maximum(attrs: Any, a: Array, b: Array) -> Array:
    del attrs
    return np.where((a > b) | (a != a), a, b)


def _quantize_choice(site: QuantSite) -> IntegerForm:
    """Min or Max on the integers, which are in the order of the numbers when quantized alike."""
    out = site.outputs[0]
    alike = all(
        site.quant(i) == out.quant and site.input(i).dtype is out.dtype
        for i in range(len(site.inputs))
    )
    if not alike or out.quant is None or not out.quant.per_tensor:
        raise Reject("inputs and output must be quantized alike and per tensor")
    if site.clamp != (-math.inf, math.inf):
        raise Reject(f"no activation may follow, got a clamp to {site.clamp}")
    return IntegerForm(site.node.op, NoAttrs(), site.inputs)


def _arithmetic_row(
    name: str,
    symbol: str,
    operation: Callable[[Array, Array], Array],
    onnx: Mapping[str, FromOnnx],
    quantize: Callable[[QuantSite], IntegerForm] | None = None,
) -> Row:
    return Row(
        name,
        c=_arithmetic_c(symbol),
        twin=_arithmetic(operation),
        dtypes=NUMBERS,
        onnx=onnx,
        activates=True,
        quantize=quantize,
    )


ROWS = (
    _arithmetic_row(
        "Add",
        "+",
        np.add,
        {
            "Add": binary_from_onnx("Add", BinaryAttrs()),
            "Sum": variadic_from_onnx("Add", BinaryAttrs()),
            "Mean": mean_from_onnx,
            "com.microsoft::QLinearAdd": qlinear_binary("Add", BinaryAttrs()),
        },
        quantize_add,
    ),
    _arithmetic_row(
        "Sub", "-", np.subtract, {"Sub": binary_from_onnx("Sub", BinaryAttrs())}, quantize_sub
    ),
    _arithmetic_row(
        "Mul",
        "*",
        np.multiply,
        {
            "Mul": binary_from_onnx("Mul", BinaryAttrs()),
            "com.microsoft::QLinearMul": qlinear_binary("Mul", BinaryAttrs()),
        },
        quantize_mul,
    ),
    Row(
        "Div",
        c=_div_c,
        twin=_div,
        dtypes=NUMBERS,
        onnx={"Div": binary_from_onnx("Div", BinaryAttrs())},
        activates=True,
    ),
    Row(
        "Mod",
        c=_mod_c,
        twin=_mod,
        dtypes=NUMBERS - {DType.FLOAT64},
        onnx={"Mod": mod_from_onnx},
    ),
    Row(
        "Min",
        c=_choice_c("<", "min"),
        twin=_minimum,
        dtypes=NUMBERS,
        onnx={"Min": variadic_from_onnx("Min", NoAttrs())},
        quantize=_quantize_choice,
        vendor=(MINIMUM_KERNEL,),
    ),
    Row(
        "Max",
        c=_choice_c(">", "max"),
        twin=_maximum,
        dtypes=NUMBERS,
        onnx={"Max": variadic_from_onnx("Max", NoAttrs())},
        quantize=_quantize_choice,
        vendor=(MAXIMUM_KERNEL,),
    ),
)

SPECS = tuple(spec_of(row) for row in ROWS)
