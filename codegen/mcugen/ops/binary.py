"""Elementwise operators of two broadcast tensors: one row each.

Integer arithmetic wraps around; a division by zero gives 0 (C and ONNX leave it undefined).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.c_types import ctype
from mcugen.ir import Array, DType
from mcugen.ops.common import Clamp, clamped
from mcugen.ops.elementwise import (
    BOOL,
    INTEGERS,
    NUMBERS,
    UNSIGNED,
    Row,
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
    """`activation`: clamp of a float result."""

    activation: Clamp | None = None


@dataclass(frozen=True)
class ModAttrs:
    """`fmod`: the remainder has the sign of the dividend, else of the divisor."""

    fmod: bool = False


@dataclass(frozen=True)
class BitShiftAttrs:
    """`left`: direction; a negative amount counts as one of the width or more.

    A right shift extends the sign. A shift by the width or more gives 0, or -1 to the right of a
    negative number.
    """

    left: bool


def binary_from_onnx(op: str) -> FromOnnx:
    """The importer of an operator of two inputs without attributes."""

    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs[:2], BinaryAttrs(), ctx.outputs)

    return from_onnx


def chain(ctx: ImportContext, op: str) -> str | None:
    """All inputs but the last combined by `op`, left to right; None when there is one input."""
    if len(ctx.inputs) < 2:
        return None
    result = ctx.inputs[0]
    for name in ctx.inputs[1:-1]:
        (result,) = ctx.emit(op, (result, name), BinaryAttrs())
    return result


def variadic_from_onnx(op: str) -> FromOnnx:
    """The importer of an operator of any number of inputs, combined left to right."""

    def from_onnx(ctx: ImportContext) -> None:
        so_far = chain(ctx, op)
        if so_far is None:
            ctx.emit("Identity", ctx.inputs, IdentityAttrs(), ctx.outputs)
        else:
            ctx.emit(op, (so_far, ctx.inputs[-1]), BinaryAttrs(), ctx.outputs)

    return from_onnx


def mean_from_onnx(ctx: ImportContext) -> None:
    """The sum of the inputs divided by their number."""
    so_far = chain(ctx, "Add")
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


def bit_shift_from_onnx(ctx: ImportContext) -> None:
    """LEFT or RIGHT."""
    direction = ctx.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Reject(f"direction must be LEFT or RIGHT, got {direction}")
    ctx.emit("BitShift", ctx.inputs[:2], BitShiftAttrs(direction == "LEFT"), ctx.outputs)


def _activated(text: str, activation: Clamp | None, dtype: DType) -> str:
    """The clamp of a float expression."""
    if activation is None:
        return text
    low, high = (literal(v, dtype) for v in (activation.low, activation.high))
    suffix = "f" if dtype is DType.FLOAT32 else "d"
    return f"mcugen_clamp{suffix}({text}, {low}, {high})"


def _arithmetic_c(symbol: str) -> Callable[[BinaryAttrs, DType], str]:
    def c(attrs: BinaryAttrs, dtype: DType) -> str:
        if dtype.is_float:
            return _activated(f"a {symbol} b", attrs.activation, dtype)
        return wrapped(f"{{a}} {symbol} {{b}}", dtype)

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
    if dtype.is_float:
        return _activated("a / b", attrs.activation, dtype)
    return _call("div", dtype)


def truncated_quotient(a: Array, b: Array) -> Array:
    """Integer division towards zero; 0 where b is 0, wrapping where it overflows."""
    divisor = np.where(b == 0, b.dtype.type(1), b)
    quotient = np.floor_divide(a, divisor)
    inexact = quotient * divisor != a
    quotient = quotient + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)
    return np.asarray(np.where(b == 0, a.dtype.type(0), quotient))


def _div(attrs: BinaryAttrs, a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return clamped(np.asarray(a / b), attrs.activation)
    return truncated_quotient(a, b)


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


def _shift_c(attrs: BitShiftAttrs, dtype: DType) -> str:
    unsigned = "uint64_t" if dtype.itemsize == 8 else "uint32_t"
    width, to = 8 * dtype.itemsize, ctype(dtype)
    inside = f"b < {width}" if dtype in UNSIGNED else f"(b >= 0 && b < {width})"
    if not attrs.left and dtype not in UNSIGNED:
        return f"({to})(a >> ({inside} ? b : {width - 1}))"
    symbol = "<<" if attrs.left else ">>"
    return f"{inside} ? ({to})(({unsigned})a {symbol} b) : ({to})0"


def _shift(attrs: BitShiftAttrs, a: Array, b: Array) -> Array:
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    amount = np.where(inside, b, b.dtype.type(width - 1))
    if not attrs.left and a.dtype.kind == "i":
        return np.asarray(np.right_shift(a, amount))
    moved = np.left_shift(a, amount) if attrs.left else np.right_shift(a, amount)
    return np.asarray(np.where(inside, moved, a.dtype.type(0)))


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
        arity=2,
        onnx=onnx,
        quantize=quantize,
    )


def _compare(name: str, symbol: str, operation: Callable[[Array, Array], Array]) -> Row:
    return Row(
        name,
        c=lambda attrs, dtype: f"a {symbol} b",
        twin=lambda attrs, a, b: np.asarray(operation(a, b)),
        dtypes=NUMBERS | BOOL if name == "Equal" else NUMBERS,
        arity=2,
        predicate=True,
        onnx={name: binary_from_onnx(name)},
    )


def _bits(
    name: str,
    symbol: str,
    operation: Callable[[Array, Array], Array],
    dtypes: frozenset[DType],
) -> Row:
    """A bitwise operator of integers, or a logical one of bools."""

    def c(attrs: Any, dtype: DType) -> str:
        del attrs
        if dtype is DType.BOOL:
            return f"a {symbol} b"
        return wrapped(f"{{a}} {symbol} {{b}}", dtype)

    return Row(
        name,
        c=c,
        twin=lambda attrs, a, b: np.asarray(operation(a, b)),
        dtypes=dtypes,
        arity=2,
        onnx={name: binary_from_onnx(name)},
    )


ROWS = (
    _arithmetic_row(
        "Add",
        "+",
        np.add,
        {
            "Add": binary_from_onnx("Add"),
            "Sum": variadic_from_onnx("Add"),
            "Mean": mean_from_onnx,
            "com.microsoft::QLinearAdd": qlinear_binary("Add", BinaryAttrs()),
        },
        quantize_add,
    ),
    _arithmetic_row("Sub", "-", np.subtract, {"Sub": binary_from_onnx("Sub")}, quantize_sub),
    _arithmetic_row(
        "Mul",
        "*",
        np.multiply,
        {
            "Mul": binary_from_onnx("Mul"),
            "com.microsoft::QLinearMul": qlinear_binary("Mul", BinaryAttrs()),
        },
        quantize_mul,
    ),
    Row(
        "Div",
        c=_div_c,
        twin=_div,
        dtypes=NUMBERS,
        arity=2,
        onnx={"Div": binary_from_onnx("Div")},
    ),
    Row(
        "Mod",
        c=_mod_c,
        twin=_mod,
        dtypes=NUMBERS - {DType.FLOAT64},
        arity=2,
        onnx={"Mod": mod_from_onnx},
    ),
    Row(
        "Min",
        c=_choice_c("<", "min"),
        twin=_minimum,
        dtypes=NUMBERS,
        arity=2,
        onnx={"Min": variadic_from_onnx("Min")},
    ),
    Row(
        "Max",
        c=_choice_c(">", "max"),
        twin=_maximum,
        dtypes=NUMBERS,
        arity=2,
        onnx={"Max": variadic_from_onnx("Max")},
    ),
    _bits("And", "&&", np.logical_and, BOOL),
    _bits("Or", "||", np.logical_or, BOOL),
    _bits("Xor", "!=", np.logical_xor, BOOL),
    _bits("BitwiseAnd", "&", np.bitwise_and, INTEGERS),
    _bits("BitwiseOr", "|", np.bitwise_or, INTEGERS),
    _bits("BitwiseXor", "^", np.bitwise_xor, INTEGERS),
    _compare("Equal", "==", np.equal),
    _compare("Less", "<", np.less),
    _compare("LessOrEqual", "<=", np.less_equal),
    _compare("Greater", ">", np.greater),
    _compare("GreaterOrEqual", ">=", np.greater_equal),
    Row(
        "BitShift",
        c=_shift_c,
        twin=_shift,
        dtypes=INTEGERS,
        arity=2,
        onnx={"BitShift": bit_shift_from_onnx},
    ),
)

SPECS = tuple(spec_of(row) for row in ROWS)
