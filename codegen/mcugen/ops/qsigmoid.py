"""QSigmoid and QTanh: the functions on int16.

Fixed point (TFLite arithmetic, zero points 0, an output scale of 1/32768 and an input scale that is
a power of 2, for QTanh at least 1/4096): the input becomes steps of 1/12288, v. With t = 65536 *
sigmoid at multiples of 1/24, a straight line in between and S(v) = t(|v|) in steps of 2^-25:
    QSigmoid: y = (S + 2^9) >> 10 for v >= 0, else 32768 less that
    QTanh:    y = sign(v) * ((S(2v) - 2^23 + 2^7) >> 8), S in steps of 2^-24; |v| stands for 2|v|
Any other quantization, and ONNX arithmetic: y = round(f((x - zx) * scale_x) / scale_y) + zy, halves
to even, in float32.
Source: TFLite's reference_integer_ops/logistic.h and tanh.h, CMSIS-NN's arm_nn_activation_s16.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.c_types import float_literal, int_literal
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.cmsis_nn import activation as cmsis_nn
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    ElementwiseParams,
    NoAttrs,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    required,
)
from mcugen.ops.qelementwise import Affine, offset_c
from mcugen.ops.spec import (
    Arithmetic,
    Constant,
    Inputs,
    IntegerForm,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.requant import dtype_range

INTEGER_BITS = 3
"""The table's inputs are within +-10.67: steps of 1/4096 of int16 are taken as they are."""

MAX_SHIFT = 14
"""Left shift up to which 3 * x fits int32."""

MIN_SHIFT = {"QSigmoid": -15, "QTanh": 0}
"""Finer inputs make tanh 2 steps wrong, which float32 does not: they are not for the table."""

SIGMOID, TANH = "QSigmoid", "QTanh"


@cache
def sigmoid_table() -> Array:
    """uint16 [256]: 65536 * sigmoid(i / 24).

    A sixteenth of the second derivative more, so that the lines between the entries are as often
    above as below the curve; the last entry is the limit.
    """
    entries = []
    for i in range(256):
        s = 1.0 / (1.0 + math.exp(-i / 24))
        bend = s * (1.0 - s) * (2.0 * s - 1.0) / 24**2
        entries.append(round(65536 * (s + bend / 16)))
    table = np.array([*entries[:-1], 65535], np.uint16)
    table.flags.writeable = False
    return table


@dataclass(frozen=True)
class FixedCurve:
    """Numbers of the fixed point.

    Attributes:
        tanh: whether it is the hyperbolic tangent.
        left_shift: the input is 2^(left_shift - 12) a step.
    """

    tanh: bool
    left_shift: int

    @property
    def is_fixed_point(self) -> bool:
        """Always."""
        return True

    def c(self) -> str:
        """The output as an int16_t C expression of `a`."""
        right = max(-self.left_shift, 0)
        steps = f"a * {3 << max(self.left_shift, 0)}"
        if right:
            steps = f"({steps} + {1 << (right - 1)}) >> {right}"
        return f"mcugen_{'tanh' if self.tanh else 'sigmoid'}_s16({steps}, table)"

    def reference(self, x: Array) -> Array:
        """The output in int64."""
        right = max(-self.left_shift, 0)
        v = x.astype(np.int64) * (3 << max(self.left_shift, 0))
        v = (v + (1 << right >> 1)) >> right
        return _tanh(v) if self.tanh else _sigmoid(v)


def _on_lines(v: Array, bits: int, limit: int) -> Array:
    """Table and the lines between its entries, 2^bits steps apart; `limit` beyond the table."""
    size = np.abs(v)
    index = np.minimum(size >> bits, 254)
    table = sigmoid_table().astype(np.int64)
    low, high = table[index], table[index + 1]
    inside = (low << bits) + (size & ((1 << bits) - 1)) * (high - low)
    return np.where(size >> bits >= 255, limit, inside)


def _sigmoid(v: Array) -> Array:
    value = (_on_lines(v, 9, 0x7FFF << 10) + (1 << 9)) >> 10
    return np.where(v < 0, 32768 - value, value)


def _tanh(v: Array) -> Array:
    value = (_on_lines(v, 8, 0xFFFF << 8) - (1 << 23) + (1 << 7)) >> 8
    return np.where(v < 0, -value, value)


@dataclass(frozen=True)
class FloatCurve:
    """Numbers of the float32 form."""

    tanh: bool
    x: Affine
    y: Affine

    @property
    def is_fixed_point(self) -> bool:
        """Never."""
        return False

    def c(self) -> str:
        """The output as an int16_t C expression of `a`."""
        name = "mcugen_tanh" if self.tanh else "mcugen_sigmoid"
        real = f"{name}((float){offset_c('a', self.x.zero_point)} * {float_literal(self.x.scale)})"
        low, high = (float_literal(v) for v in self._bounds())
        steps = f"mcugen_float_round({real} / {float_literal(self.y.scale)}, {low}, {high})"
        return f"(int16_t)({steps} + {int_literal(self.y.zero_point)})"

    def reference(self, x: Array) -> Array:
        """The output in int64."""
        real = (x.astype(np.int32) - self.x.zero_point).astype(np.float32) * np.float32(
            self.x.scale
        )
        value: Callable[[Array], Any] = fm.tanh if self.tanh else fm.sigmoid
        low, high = (np.float32(v) for v in self._bounds())
        steps = np.clip(value(real) / np.float32(self.y.scale), low, high)
        return np.asarray(np.rint(steps).astype(np.int64) + self.y.zero_point)

    def _bounds(self) -> tuple[float, float]:
        low, high = dtype_range(DType.INT16)
        return float(low - self.y.zero_point), float(high - self.y.zero_point)


def quantize_sigmoid(site: QuantSite) -> IntegerForm:
    """Sigmoid of int16 -> QSigmoid."""
    return _integer_form(site, SIGMOID)


def quantize_tanh(site: QuantSite) -> IntegerForm:
    """Tanh of int16 -> QTanh."""
    return _integer_form(site, TANH)


def _integer_form(site: QuantSite, op: str) -> IntegerForm:
    for tensor in (site.input(0), site.outputs[0]):
        if tensor.dtype is not DType.INT16 or tensor.quant is None or not tensor.quant.per_tensor:
            raise Reject(
                f"input and output must be int16 and quantized per tensor, got {tensor.to_text()}"
            )
    if site.clamp != (-math.inf, math.inf):
        raise Reject(f"no activation may follow, got a clamp to {site.clamp}")
    return IntegerForm(op, NoAttrs(), (site.input(0),))


def _lower(site: Site) -> Lowered:
    x, y = Affine.of(site.input(0)), Affine.of(site.outputs[0])
    tanh = site.node.op == TANH
    fixed = site.arithmetic is Arithmetic.TFLITE
    shift = _left_shift(x, y, MIN_SHIFT[site.node.op]) if fixed else None
    numbers = FloatCurve(tanh, x, y) if shift is None else FixedCurve(tanh, shift)
    return lower_curve(site, numbers)


def lower_curve(site: Site, numbers: FixedCurve | FloatCurve) -> Lowered:
    """The kernel's loops over the site's shape, with these numbers."""
    tables = (Constant("table", sigmoid_table()),) if numbers.is_fixed_point else ()
    return lowered(site, numbers, numbers.c(), tables=tables)


def _left_shift(x: Affine, y: Affine, lowest: int) -> int | None:
    """That of the input; None where the fixed point cannot be."""
    if (x.zero_point, y.zero_point, y.scale) != (0, 0, 2.0**-15):
        return None
    mantissa, exponent = math.frexp(x.scale)
    shift = exponent - 1 + 15 - INTEGER_BITS
    return shift if mantissa == 0.5 and lowest <= shift <= MAX_SHIFT else None


def _reference(params: ElementwiseParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    numbers: FixedCurve | FloatCurve = params.attrs

    def run(attrs: Any, x: Array) -> Array:
        del attrs
        return numbers.reference(x).astype(np.int16)

    return evaluate(run, None, arrays)


def _rounding_slack(params: ElementwiseParams) -> float:
    """The lines between the table's entries are up to half a step away from the curve."""
    return 0.5 if params.attrs.is_fixed_point else 0.0


def _infer(attrs: Any, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    source: Tensor = required(inputs[0])
    return (TensorType(source.shape, DType.INT16),)


_PORTABLE = dataclasses.replace(ELEMENTWISE, headers=(*ELEMENTWISE.headers, "mcugen_sigmoid_s16.h"))

SPECS = tuple(
    OpSpec(
        name=name,
        infer=_infer,
        lower=_lower,
        reference=_reference,
        kernels=(cmsis_nn.ACTIVATION_KERNEL, _PORTABLE),
        inplace=inplace,
        permute=keep_attrs,
        rounding_slack=_rounding_slack,
    )
    for name in (SIGMOID, TANH)
)
