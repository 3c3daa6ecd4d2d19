"""Comparisons, logic and bits of two broadcast tensors: one row of the elementwise table each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.c_types import ctype
from mcugen.ir import Array, DType
from mcugen.ops.binary import binary_from_onnx
from mcugen.ops.elementwise import (
    BOOL,
    INTEGERS,
    NUMBERS,
    UNSIGNED,
    NoAttrs,
    Row,
    spec_of,
    wrapped,
)
from mcugen.ops.spec import ImportContext, Reject


@dataclass(frozen=True)
class BitShiftAttrs:
    """`left`: direction; a negative amount counts as one of the width or more.

    A right shift extends the sign. A shift by the width or more gives 0, or -1 to the right of a
    negative number.
    """

    left: bool


def bit_shift_from_onnx(ctx: ImportContext) -> None:
    """LEFT or RIGHT."""
    direction = ctx.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise Reject(f"direction must be LEFT or RIGHT, got {direction}")
    ctx.emit("BitShift", ctx.inputs[:2], BitShiftAttrs(direction == "LEFT"), ctx.outputs)


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


def _compare(name: str, symbol: str, operation: Callable[[Array, Array], Array]) -> Row:
    return Row(
        name,
        c=lambda attrs, dtype: f"a {symbol} b",
        twin=lambda attrs, a, b: np.asarray(operation(a, b)),
        dtypes=NUMBERS | BOOL if name == "Equal" else NUMBERS,
        predicate=True,
        onnx={name: binary_from_onnx(name, NoAttrs())},
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
        onnx={name: binary_from_onnx(name, NoAttrs())},
    )


ROWS = (
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
        onnx={"BitShift": bit_shift_from_onnx},
    ),
)

SPECS = tuple(spec_of(row) for row in ROWS)
