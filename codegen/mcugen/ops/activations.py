"""Activation functions with parameters: rows of the elementwise table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import erfc
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.ir import Array, DType
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.elementwise import FLOATS, Row, in_double, literal, spec_of
from mcugen.ops.qlinear import qlinear_unary
from mcugen.ops.spec import FromOnnx, ImportContext, Reject
from mcugen.ops.unary import sigmoid_exact

SQRT_HALF = 0.7071067811865476
SQRT_2_OVER_PI = 0.7978845608028654
GELU_CUBIC = 0.044715

_F = np.float32


def _f(value: float) -> str:
    """`value` as a float32 literal."""
    return literal(float(_F(value)), DType.FLOAT32)


@dataclass(frozen=True)
class AlphaAttrs:
    """`alpha`: slope, scale or threshold, by the operator."""

    alpha: float


@dataclass(frozen=True)
class SeluAttrs:
    """gamma * (x if x > 0 else alpha * (exp(x) - 1))."""

    alpha: float = 1.67326319217681884765625
    gamma: float = 1.05070102214813232421875


@dataclass(frozen=True)
class HardSigmoidAttrs:
    """max(0, min(1, alpha * x + beta))."""

    alpha: float = 0.2
    beta: float = 0.5


@dataclass(frozen=True)
class GeluAttrs:
    """`tanh`: whether the approximation by tanh is meant, else erf."""

    tanh: bool = False


@dataclass(frozen=True)
class ShrinkAttrs:
    """x + bias below -lambd, x - bias above lambd, 0 between."""

    bias: float = 0.0
    lambd: float = 0.5


@dataclass(frozen=True)
class IsInfAttrs:
    """Which infinities count."""

    negative: bool = True
    positive: bool = True


def _leaky_relu_c(attrs: AlphaAttrs, dtype: DType) -> str:
    del dtype
    return f"a < 0.0f ? a * {_f(attrs.alpha)} : a"


def _leaky_relu(attrs: AlphaAttrs, x: Array) -> Array:
    return np.where(x < 0, x * x.dtype.type(attrs.alpha), x)


def _elu_c(attrs: AlphaAttrs, dtype: DType) -> str:
    del dtype
    return f"a < 0.0f ? mcugen_expm1(a) * {_f(attrs.alpha)} : a"


def _elu(attrs: AlphaAttrs, x: Array) -> Array:
    return np.where(x < 0, fm.expm1(x) * _F(attrs.alpha), x)


def _celu_c(attrs: AlphaAttrs, dtype: DType) -> str:
    del dtype
    alpha = _f(attrs.alpha)
    return f"a < 0.0f ? mcugen_expm1(a / {alpha}) * {alpha} : a"


def _celu(attrs: AlphaAttrs, x: Array) -> Array:
    return np.where(x < 0, fm.expm1(x / _F(attrs.alpha)) * _F(attrs.alpha), x)


def _celu_exact(attrs: AlphaAttrs, x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.minimum(0, attrs.alpha * np.expm1(x / attrs.alpha)))


def _selu_c(attrs: SeluAttrs, dtype: DType) -> str:
    del dtype
    below = float(_F(attrs.gamma) * _F(attrs.alpha))
    return f"a > 0.0f ? a * {_f(attrs.gamma)} : mcugen_expm1(a) * {_f(below)}"


def _selu(attrs: SeluAttrs, x: Array) -> Array:
    below = _F(attrs.gamma) * _F(attrs.alpha)
    return np.where(x > 0, x * _F(attrs.gamma), fm.expm1(x) * below)


def _selu_exact(attrs: SeluAttrs, x: Array) -> Array:
    return np.asarray(attrs.gamma * np.where(x > 0, x, attrs.alpha * np.expm1(x)))


def _hard_sigmoid_c(attrs: HardSigmoidAttrs, dtype: DType) -> str:
    del dtype
    return f"mcugen_clampf(a * {_f(attrs.alpha)} + {_f(attrs.beta)}, 0.0f, 1.0f)"


def _hard_sigmoid(attrs: HardSigmoidAttrs, x: Array) -> Array:
    return fm.clamp(x * _F(attrs.alpha) + _F(attrs.beta), 0.0, 1.0)


def _thresholded_relu_c(attrs: AlphaAttrs, dtype: DType) -> str:
    del dtype
    return f"a <= {_f(attrs.alpha)} ? 0.0f : a"


def _thresholded_relu(attrs: AlphaAttrs, x: Array) -> Array:
    return np.where(x <= x.dtype.type(attrs.alpha), x.dtype.type(0), x)


def _gelu_c(attrs: GeluAttrs, dtype: DType) -> str:
    del dtype
    if attrs.tanh:
        cubic = f"a + {_f(GELU_CUBIC)} * (a * (a * a))"
        return f"(0.5f * a) * (1.0f + mcugen_tanh({_f(SQRT_2_OVER_PI)} * ({cubic})))"
    return f"(0.5f * a) * (1.0f + mcugen_erf(a * {_f(SQRT_HALF)}))"


def _gelu(attrs: GeluAttrs, x: Array) -> Array:
    if attrs.tanh:
        inner = fm.tanh(_F(SQRT_2_OVER_PI) * (x + _F(GELU_CUBIC) * (x * (x * x))))
    else:
        inner = fm.erf(x * _F(SQRT_HALF))
    return (_F(0.5) * x) * (_F(1) + inner)


def _gelu_exact(attrs: GeluAttrs, x: Array) -> Array:
    if attrs.tanh:
        wide = np.tanh(SQRT_2_OVER_PI * (x + GELU_CUBIC * x**3))
        return np.asarray(0.5 * x * (1 + wide))
    return np.asarray(0.5 * x * np.vectorize(erfc, otypes=[np.float64])(-x * SQRT_HALF))


def _swish_c(attrs: AlphaAttrs, dtype: DType) -> str:
    del dtype
    inner = "a" if attrs.alpha == 1.0 else f"a * {_f(attrs.alpha)}"
    return f"a * mcugen_sigmoid({inner})"


def _swish(attrs: AlphaAttrs, x: Array) -> Array:
    return x * fm.sigmoid(x if attrs.alpha == 1.0 else x * _F(attrs.alpha))


def _shrink_c(attrs: ShrinkAttrs, dtype: DType) -> str:
    del dtype
    bias, low, high = _f(attrs.bias), _f(-attrs.lambd), _f(attrs.lambd)
    return f"a < {low} ? a + {bias} : (a > {high} ? a - {bias} : 0.0f)"


def _shrink(attrs: ShrinkAttrs, x: Array) -> Array:
    bias, lambd = x.dtype.type(attrs.bias), x.dtype.type(attrs.lambd)
    above = np.where(x > lambd, x - bias, x.dtype.type(0))
    return np.asarray(np.where(x < -lambd, x + bias, above))


def _is_inf_c(attrs: IsInfAttrs, dtype: DType) -> str:
    top = literal(float(np.finfo(dtype.np).max), dtype)
    tests = [f"a > {top}"] * attrs.positive + [f"a < -{top}"] * attrs.negative
    return " || ".join(tests) or f"a > {top} && a < -{top}"


def _is_inf(attrs: IsInfAttrs, x: Array) -> Array:
    found = ((x == np.inf) & attrs.positive) | ((x == -np.inf) & attrs.negative)
    return np.asarray(found)


def _importer(op: str, build: Callable[[ImportContext], Any]) -> FromOnnx:
    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs[:1], build(ctx), ctx.outputs)

    return from_onnx


def _alpha(ctx: ImportContext, default: float) -> AlphaAttrs:
    return AlphaAttrs(float(ctx.attr("alpha", default)))


def _celu_attrs(ctx: ImportContext) -> AlphaAttrs:
    attrs = _alpha(ctx, 1.0)
    if attrs.alpha == 0.0:
        raise Reject("alpha must not be 0, got 0")
    return attrs


def _selu_attrs(ctx: ImportContext) -> SeluAttrs:
    alpha = float(ctx.attr("alpha", SeluAttrs.alpha))
    return SeluAttrs(alpha, float(ctx.attr("gamma", SeluAttrs.gamma)))


def _hard_sigmoid_attrs(ctx: ImportContext) -> HardSigmoidAttrs:
    return HardSigmoidAttrs(float(ctx.attr("alpha", 0.2)), float(ctx.attr("beta", 0.5)))


def _gelu_attrs(ctx: ImportContext) -> GeluAttrs:
    mode = ctx.attr("approximate", "none")
    if mode not in ("none", "tanh"):
        raise Reject(f"approximate must be none or tanh, got {mode}")
    return GeluAttrs(mode == "tanh")


def _shrink_attrs(ctx: ImportContext) -> ShrinkAttrs:
    return ShrinkAttrs(float(ctx.attr("bias", 0.0)), float(ctx.attr("lambd", 0.5)))


def _is_inf_attrs(ctx: ImportContext) -> IsInfAttrs:
    return IsInfAttrs(bool(ctx.attr("detect_negative", 1)), bool(ctx.attr("detect_positive", 1)))


def _fast_gelu(ctx: ImportContext) -> None:
    """com.microsoft::FastGelu: the tanh approximation of x + bias."""
    _biased_gelu(ctx, GeluAttrs(tanh=True))


def _bias_gelu(ctx: ImportContext) -> None:
    """com.microsoft::BiasGelu: erf-Gelu of x + bias."""
    _biased_gelu(ctx, GeluAttrs())


def _biased_gelu(ctx: ImportContext, attrs: GeluAttrs) -> None:
    source = ctx.inputs[0]
    if ctx.has(1):
        (source,) = ctx.emit("Add", ctx.inputs[:2], BinaryAttrs())
    ctx.emit("Gelu", (source,), attrs, ctx.outputs)


def _row(
    name: str,
    c: Callable[[Any, DType], str],
    twin: Callable[..., Array],
    exact: Callable[..., Array],
    onnx: Mapping[str, FromOnnx],
) -> Row:
    return Row(name, c=c, twin=twin, semantics=in_double(exact), onnx=onnx)


ROWS = (
    _row(
        "LeakyRelu",
        _leaky_relu_c,
        _leaky_relu,
        _leaky_relu,
        {
            "LeakyRelu": _importer("LeakyRelu", partial(_alpha, default=0.01)),
            "com.microsoft::QLinearLeakyRelu": qlinear_unary(
                "LeakyRelu", partial(_alpha, default=0.01)
            ),
        },
    ),
    _row(
        "Elu",
        _elu_c,
        _elu,
        lambda attrs, x: np.where(x < 0, attrs.alpha * np.expm1(x), x),
        {"Elu": _importer("Elu", partial(_alpha, default=1.0))},
    ),
    _row("Celu", _celu_c, _celu, _celu_exact, {"Celu": _importer("Celu", _celu_attrs)}),
    _row("Selu", _selu_c, _selu, _selu_exact, {"Selu": _importer("Selu", _selu_attrs)}),
    _row(
        "HardSigmoid",
        _hard_sigmoid_c,
        _hard_sigmoid,
        lambda attrs, x: np.clip(attrs.alpha * x + attrs.beta, 0, 1),
        {"HardSigmoid": _importer("HardSigmoid", _hard_sigmoid_attrs)},
    ),
    _row(
        "ThresholdedRelu",
        _thresholded_relu_c,
        _thresholded_relu,
        _thresholded_relu,
        {"ThresholdedRelu": _importer("ThresholdedRelu", partial(_alpha, default=1.0))},
    ),
    _row(
        "Gelu",
        _gelu_c,
        _gelu,
        _gelu_exact,
        {
            "Gelu": _importer("Gelu", _gelu_attrs),
            "com.microsoft::Gelu": _importer("Gelu", lambda ctx: GeluAttrs()),
            "com.microsoft::FastGelu": _fast_gelu,
            "com.microsoft::BiasGelu": _bias_gelu,
        },
    ),
    _row(
        "Swish",
        _swish_c,
        _swish,
        lambda attrs, x: x * sigmoid_exact(attrs.alpha * x),
        {
            "Swish": _importer("Swish", partial(_alpha, default=1.0)),
            "com.microsoft::QuickGelu": _importer("Swish", partial(_alpha, default=1.702)),
        },
    ),
    _row("Shrink", _shrink_c, _shrink, _shrink, {"Shrink": _importer("Shrink", _shrink_attrs)}),
    Row(
        "IsInf",
        c=_is_inf_c,
        twin=_is_inf,
        dtypes=FLOATS,
        predicate=True,
        onnx={"IsInf": _importer("IsInf", _is_inf_attrs)},
    ),
)

SPECS = tuple(spec_of(row) for row in ROWS)
