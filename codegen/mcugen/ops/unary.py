"""Elementwise functions of one tensor without parameters: one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import erf
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from mcugen import float_math as fm
from mcugen.ir import Array, DType
from mcugen.ops.elementwise import (
    BOOL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    Row,
    in_double,
    literal,
    narrowed,
    spec_of,
    wrapped,
)
from mcugen.ops.qlinear import qlinear_unary
from mcugen.ops.qsigmoid import quantize_sigmoid, quantize_tanh
from mcugen.ops.spec import FromOnnx, ImportContext, IntegerForm, QuantSite


@dataclass(frozen=True)
class UnaryAttrs:
    """No attributes."""


NO_MORE: Mapping[str, FromOnnx] = MappingProxyType({})


def unary_from_onnx(op: str) -> FromOnnx:
    """The importer of an operator without attributes."""

    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs[:1], UnaryAttrs(), ctx.outputs)

    return from_onnx


def _relu_c(attrs: Any, dtype: DType) -> str:
    del attrs
    if dtype.is_integer and dtype not in SIGNED:
        return "a"
    zero = literal(0, dtype)
    return narrowed(f"a < {zero} ? {zero} : a", dtype)


def relu(attrs: Any, x: Array) -> Array:
    """max(x, 0); NaN and -0.0 pass."""
    del attrs
    return np.where(x < 0, np.zeros((), x.dtype), x)


def _abs_c(attrs: Any, dtype: DType) -> str:
    del attrs
    if dtype is DType.FLOAT32:
        return "mcugen_fabs(a)"
    if dtype is DType.FLOAT64:
        return "a <= 0.0 ? 0.0 - a : a"
    if dtype not in SIGNED:
        return "a"
    return f"a < 0 ? {wrapped('0U - {a}', dtype)} : a"


def _abs(attrs: Any, x: Array) -> Array:
    """|x|; the lowest integer stays as it is."""
    del attrs
    return np.abs(x)


def _neg_c(attrs: Any, dtype: DType) -> str:
    del attrs
    return "-a" if dtype.is_float else wrapped("0U - {a}", dtype)


def _sign_c(attrs: Any, dtype: DType) -> str:
    del attrs
    if dtype.is_float:
        one = literal(1, dtype)
        return f"a > {literal(0, dtype)} ? {one} : (a < {literal(0, dtype)} ? -{one} : a)"
    return narrowed("(a > 0) - (a < 0)" if dtype in SIGNED else "a > 0U ? 1U : 0U", dtype)


def _sign(attrs: Any, x: Array) -> Array:
    """-1, 0 or 1; NaN and zeros pass."""
    del attrs
    one = np.ones((), x.dtype)
    if x.dtype.kind == "u":
        return np.where(x > 0, one, 0 * one)
    return np.where(x > 0, one, np.where(x < 0, -one, x))


def _function(
    name: str,
    c: str,
    twin: Callable[..., Any],
    exact: Callable[..., npt.NDArray[Any]],
    onnx: Mapping[str, FromOnnx] = NO_MORE,
    quantize: Callable[[QuantSite], IntegerForm] | None = None,
) -> Row:
    """A float32 function of `mcugen_math.h` named as the ONNX operator."""
    return Row(
        name,
        c=lambda attrs, dtype: c,
        twin=lambda attrs, x: np.asarray(twin(x)),
        semantics=in_double(lambda attrs, x: exact(x)),
        onnx={name: unary_from_onnx(name), **onnx},
        quantize=quantize,
    )


def sigmoid_exact(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, e, 1.0) / (1.0 + e))


def _erf_exact(x: Array) -> Array:
    return np.asarray(np.vectorize(erf, otypes=[np.float64])(x))


_FUNCTIONS = (
    _function("Exp", "mcugen_exp(a)", fm.exp, np.exp),
    _function("Log", "mcugen_log(a)", fm.log, np.log),
    _function("Sqrt", "mcugen_sqrt(a)", fm.sqrt, np.sqrt),
    _function("Reciprocal", "1.0f / a", lambda x: np.float32(1) / x, np.reciprocal),
    _function("Floor", "mcugen_floor(a)", fm.floor, np.floor),
    _function("Ceil", "mcugen_ceil(a)", fm.ceil, np.ceil),
    _function("Round", "mcugen_rint(a)", fm.rint, np.rint),
    _function(
        "Sigmoid",
        "mcugen_sigmoid(a)",
        fm.sigmoid,
        sigmoid_exact,
        {
            "com.microsoft::QLinearSigmoid": qlinear_unary("Sigmoid", lambda ctx: UnaryAttrs()),
        },
        quantize_sigmoid,
    ),
    _function("Tanh", "mcugen_tanh(a)", fm.tanh, np.tanh, quantize=quantize_tanh),
    _function("Erf", "mcugen_erf(a)", fm.erf, _erf_exact),
    _function("Softplus", "mcugen_softplus(a)", fm.softplus, lambda x: np.logaddexp(x, 0.0)),
    _function("Sin", "mcugen_sin(a)", fm.sin, np.sin),
    _function("Cos", "mcugen_cos(a)", fm.cos, np.cos),
    _function("Tan", "mcugen_tan(a)", fm.tan, np.tan),
    _function("Asin", "mcugen_asin(a)", fm.asin, np.arcsin),
    _function("Acos", "mcugen_acos(a)", fm.acos, np.arccos),
    _function("Atan", "mcugen_atan(a)", fm.atan, np.arctan),
    _function("Sinh", "mcugen_sinh(a)", fm.sinh, np.sinh),
    _function("Cosh", "mcugen_cosh(a)", fm.cosh, np.cosh),
    _function("Asinh", "mcugen_asinh(a)", fm.asinh, np.arcsinh),
    _function("Acosh", "mcugen_acosh(a)", fm.acosh, np.arccosh),
    _function("Atanh", "mcugen_atanh(a)", fm.atanh, np.arctanh),
    _function(
        "Softsign",
        "a / (1.0f + mcugen_fabs(a))",
        lambda x: x / (np.float32(1) + np.abs(x)),
        lambda x: x / (1.0 + np.abs(x)),
    ),
    _function(
        "Mish",
        "a * mcugen_tanh(mcugen_softplus(a))",
        lambda x: x * fm.tanh(fm.softplus(x)),
        lambda x: x * np.tanh(np.logaddexp(x, 0.0)),
    ),
    _function(
        "HardSwish",
        "a * mcugen_clampf(a * 0x1.555556p-3f + 0.5f, 0.0f, 1.0f)",
        lambda x: x * fm.clamp(x * np.float32(1 / 6) + np.float32(0.5), 0.0, 1.0),
        lambda x: x * np.clip(x / 6.0 + 0.5, 0.0, 1.0),
    ),
)


def _row(
    name: str,
    c: Callable[[Any, DType], str],
    twin: Callable[..., Array],
    dtypes: frozenset[DType],
    *,
    predicate: bool = False,
) -> Row:
    onnx = {name: unary_from_onnx(name)}
    return Row(name, c=c, twin=twin, dtypes=dtypes, predicate=predicate, onnx=onnx)


ROWS = (
    _row("Relu", _relu_c, relu, NUMBERS),
    _row("Abs", _abs_c, _abs, NUMBERS),
    _row("Neg", _neg_c, lambda attrs, x: -x, FLOATS | SIGNED),
    _row("Sign", _sign_c, _sign, NUMBERS),
    _row("Not", lambda attrs, dtype: "!a", lambda attrs, x: ~x, BOOL),
    _row("BitwiseNot", lambda attrs, dtype: wrapped("~{a}", dtype), lambda attrs, x: ~x, INTEGERS),
    _row("IsNaN", lambda attrs, dtype: "a != a", lambda attrs, x: x != x, FLOATS, predicate=True),
    *_FUNCTIONS,
)

SPECS = tuple(spec_of(row) for row in ROWS)
