"""Pow: y = a^b broadcast, in the element type of a.

Float powers have the special cases of C's pow. A constant exponent of 1, 2, 3, -1 or 1/2 becomes
multiplications, a division or a square root. Integers wrap around, and a negative power of an
integer is truncated to an integer (0 for 0). An integer base with a float exponent is computed in
float32 and converted as Cast does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.c_types import ctype
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.binary import binary_from_onnx
from mcugen.ops.broadcasting import broadcast
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    F32,
    INTEGERS,
    NoAttrs,
    element_type_rule,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    required,
)
from mcugen.ops.spec import Inputs, Lowered, OpSpec, Site, TensorType

PowAttrs = NoAttrs
"""No attributes of its own."""


@dataclass(frozen=True)
class PowForm:
    """How the power is computed: `base` and `exponent` types, and a known exponent."""

    base: DType
    exponent: DType
    known: float | None = None


SHORT = {
    1.0: "a",
    2.0: "a * a",
    3.0: "a * a * a",
    -1.0: "1.0f / a",
    0.5: "a == -mcugen_inf() ? mcugen_inf() : mcugen_sqrt(a) + 0.0f",
}
"""Known exponent -> C expression, with the special cases of pow."""


def exponent_type(attrs: Any, inputs: Inputs) -> str | None:
    """The exponent's element type must be float32 or an integer type."""
    del attrs
    if all(t is None or t.is_constant for t in inputs):
        return None
    dtype = required(inputs[1]).dtype
    return None if dtype in F32 | INTEGERS else dtype.value


def _infer(attrs: Any, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    base, exponent = required(inputs[0]), required(inputs[1])
    return (TensorType(broadcast((base.shape, exponent.shape)), base.dtype),)


def integer_power(a: Array, n: Array) -> Array:
    """a^n modulo the width of a, which is sign-extended to 64 bits; 0 for a fraction."""
    base = a.astype(np.int64).astype(np.uint64) if a.dtype.kind == "i" else a.astype(np.uint64)
    base, left = np.broadcast_arrays(base, np.abs(n.astype(object)).astype(np.uint64))
    odd = left % np.uint64(2) == 1
    result, square = np.ones(base.shape, np.uint64), base
    while np.any(left > 0):
        result = np.where(left % np.uint64(2) == 1, result * square, result)
        square, left = square * square, left // np.uint64(2)
    if n.dtype.kind == "i":
        minus_one = np.uint64(2**64 - 1)
        sign = np.where(odd, minus_one, np.uint64(1))
        fraction = np.where(base == minus_one, sign, np.where(base == 1, base, np.uint64(0)))
        result = np.where(n < 0, fraction, result)
    return np.asarray(result).astype(a.dtype)


def power(form: PowForm, a: Array, *exponent: Array) -> Array:
    """The steps of the C; without an exponent it is `form.known`."""
    if form.known is not None:
        return _short(form.known, a)
    (b,) = exponent
    if form.base.is_integer and form.exponent.is_integer:
        return integer_power(a, b)
    real = fm.pow(a.astype(np.float32), b.astype(np.float32))
    return real if form.base.is_float else fm.to_integer(real, form.base.np)


def _short(exponent: float, a: Array) -> Array:
    if exponent == 0.5:
        return np.where(a == -np.inf, np.float32(np.inf), fm.sqrt(a) + np.float32(0))
    products = {1.0: a, 2.0: a * a, 3.0: a * a * a}
    return products[exponent] if exponent in products else np.float32(1) / a


def _exact(attrs: Any, a: Array, b: Array) -> Array:
    del attrs
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        return integer_power(a, b)
    base, exponent = np.broadcast_arrays(a.astype(np.float64), b.astype(np.float64))
    real = np.float_power(base, exponent.copy())  # NumPy takes a lone 0.5 for a square root
    return fm.to_integer(real, a.dtype) if a.dtype.kind in "iu" else real.astype(a.dtype)


def _known_exponent(base: Tensor, exponent: Tensor, out: tuple[int, ...]) -> float | None:
    """The one exponent of a float power that has a short form."""
    if exponent.data is None or exponent.size == 0 or base.dtype not in F32 or base.shape != out:
        return None
    values = np.unique(exponent.data.astype(np.float64))
    return float(values[0]) if len(values) == 1 and float(values[0]) in SHORT else None


def _text(form: PowForm) -> str:
    if form.base.is_integer and form.exponent.is_integer:
        exponent = "int64" if form.exponent.np.kind == "i" else "uint64"
        return f"({ctype(form.base)})mcugen_pow_{exponent}((uint64_t)a, b)"
    a = "a" if form.base.is_float else "(float)a"
    b = "b" if form.exponent.is_float else "(float)b"
    text = f"mcugen_pow({a}, {b})"
    return text if form.base.is_float else f"mcugen_float_to_{form.base.value}({text})"


def _lower(site: Site) -> Lowered:
    base, exponent = site.input(0), site.input(1)
    known = _known_exponent(base, exponent, site.outputs[0].shape)
    form = PowForm(base.dtype, exponent.dtype, known)
    if known is not None:
        return lowered(site, form, SHORT[known], inputs=(base,))
    return lowered(site, form, _text(form))


def _reference(params: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return evaluate(power, params.attrs, arrays)


SPECS = (
    OpSpec(
        name="Pow",
        infer=_infer,
        semantics=lambda attrs, arrays: evaluate(_exact, attrs, arrays),
        lower=_lower,
        reference=_reference,
        kernels=(ELEMENTWISE,),
        onnx={"Pow": binary_from_onnx("Pow", PowAttrs())},
        constraints=(element_type_rule(F32 | INTEGERS), exponent_type),
        inplace=inplace,
        permute=keep_attrs,
    ),
)
