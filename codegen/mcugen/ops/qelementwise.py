"""QAdd and QMul: addition, subtraction and multiplication of 8-bit or int16 quantized tensors.

With A = a - zero_point_a, B = b - zero_point_b, and RQ of ARITHMETIC:
    tflite QAdd: y = clamp(RQ(RQ(A << 20, m_a, s_a) +- RQ(B << 20, m_b, s_b), m_y, s_y) + zp_y)
    tflite QMul: y = clamp(RQ(A * B, m_y, s_y) + zp_y)
    onnx:        y = clamp(rint((A * scale_a op B * scale_b) / scale_y) + zp_y) in float32
Multipliers as TFLite Micro's AddPrepare and MulPrepare compute them from float32 scales. int16 has
zero points of 0, and is shifted by 15 instead of 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.c_types import ctype, float_literal, int_literal
from mcugen.ir import Array, DType, QuantParams, Tensor
from mcugen.ops.broadcasting import broadcast
from mcugen.ops.cmsis_nn import elementwise as cmsis_nn
from mcugen.ops.elementwise import (
    BYTES,
    ELEMENTWISE,
    ElementwiseParams,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    required,
)
from mcugen.ops.esp_nn import elementwise as esp_nn
from mcugen.ops.qconv import check_symmetric
from mcugen.ops.spec import (
    Arithmetic,
    Inputs,
    IntegerForm,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.fixed_point import (
    Rounding,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    wrap_int32,
)
from mcugen.quantize.requant import quantized_clamp

LEFT_SHIFT = 20
"""Headroom bits of QAdd's inputs (TFLite; fewer break the DSP kernels of CMSIS-NN)."""
LEFT_SHIFT_INT16 = 15
"""The same of int16."""


@dataclass(frozen=True)
class QElementwiseAttrs:
    """What the integer node adds to the float one.

    Attributes:
        out_dtype: int8, uint8 or int16.
        act_min: lowest output.
        act_max: highest output.
        subtract: for QAdd: a - b.
    """

    out_dtype: DType
    act_min: int
    act_max: int
    subtract: bool = False


@dataclass(frozen=True)
class Multiplier:
    """A fixed-point factor: multiplier * 2^(shift - 31)."""

    multiplier: int
    shift: int

    @staticmethod
    def of(real: float) -> Multiplier:
        """The factor nearest to `real`."""
        return Multiplier(*quantize_multiplier(real))

    def apply(self, value: Array) -> Array:
        """RQ(value) in int64."""
        factor, shift = np.array(self.multiplier), np.array(self.shift)
        return multiply_by_quantized_multiplier(value, factor, shift, Rounding.DOUBLE)

    def c(self, value: str) -> str:
        """RQ of a C expression."""
        return f"mcugen_requantize({value}, {self.multiplier}, {self.shift})"


@dataclass(frozen=True)
class Affine:
    """Per-tensor quantization as plain numbers."""

    scale: float
    zero_point: int

    @staticmethod
    def of(tensor: Tensor) -> Affine:
        """Those of a tensor that has them."""
        quant = tensor.quant
        assert quant is not None and quant.per_tensor, tensor.name
        return Affine(float(np.float32(quant.scale)), int(quant.zero_point))


@dataclass(frozen=True)
class FixedPoint:
    """Numbers of the tflite arithmetic.

    Attributes:
        zero_points: of a, b and the output.
        inputs: factors of A << left_shift and B << left_shift; none for a multiplication.
        output: factor of the sum or product.
        subtract: whether B is subtracted.
        bounds: (act_min, act_max).
        left_shift: headroom bits of an addition.
    """

    zero_points: tuple[int, int, int]
    inputs: tuple[Multiplier, ...]
    output: Multiplier
    subtract: bool
    bounds: tuple[int, int]
    left_shift: int = LEFT_SHIFT

    @property
    def is_fixed_point(self) -> bool:
        """Always."""
        return True

    def prepare(self, operand: int) -> tuple[str, ...]:
        """C statements that make `fa` or `fb` of an operand."""
        name = "ab"[operand]
        offset = offset_c(name, self.zero_points[operand])
        value = f"{offset} * {1 << self.left_shift}" if self.inputs else offset
        text = self.inputs[operand].c(value) if self.inputs else value.strip("()")
        return (f"const int32_t f{name} = {text};",)

    def result(self) -> str:
        """The output as an int32_t C expression, of `fa` and `fb`."""
        symbol = "-" if self.subtract else "+" if self.inputs else "*"
        return clamp_c(self.output.c(f"fa {symbol} fb"), self.bounds, self.zero_points[2])

    def reference(self, a: Array, b: Array) -> Array:
        """The output in int64."""
        pairs = zip((a, b), self.zero_points[:2], strict=True)
        wide = [x.astype(np.int64) - z for x, z in pairs]
        if self.inputs:
            fa, fb = (m.apply(w << self.left_shift) for m, w in zip(self.inputs, wide, strict=True))
            total = fa - fb if self.subtract else fa + fb
        else:
            total = wide[0] * wide[1]
        return clamp_integers(
            self.output.apply(wrap_int32(total)), self.bounds, self.zero_points[2]
        )


@dataclass(frozen=True)
class FloatScales:
    """Numbers of the onnx arithmetic: quantizations of a, b and the output."""

    a: Affine
    b: Affine
    y: Affine
    symbol: str
    bounds: tuple[int, int]

    @property
    def is_fixed_point(self) -> bool:
        """Never."""
        return False

    def prepare(self, operand: int) -> tuple[str, ...]:
        """C statements that make `fa` or `fb` of an operand."""
        name = "ab"[operand]
        quant = (self.a, self.b)[operand]
        offset = f"(float){offset_c(name, quant.zero_point)}"
        return (f"const float f{name} = {offset} * {float_literal(quant.scale)};",)

    def result(self) -> str:
        """The output as an int32_t C expression, of `fa` and `fb`."""
        low, high = (float_literal(float(v - self.y.zero_point)) for v in self.bounds)
        steps = f"(fa {self.symbol} fb) / {float_literal(self.y.scale)}"
        return f"mcugen_float_round({steps}, {low}, {high}) + {int_literal(self.y.zero_point)}"

    def reference(self, a: Array, b: Array) -> Array:
        """The output in int64."""
        fa, fb = (
            (x.astype(np.int32) - q.zero_point).astype(np.float32) * np.float32(q.scale)
            for x, q in ((a, self.a), (b, self.b))
        )
        operation = {"+": np.add, "-": np.subtract, "*": np.multiply}[self.symbol]
        steps = operation(fa, fb) / np.float32(self.y.scale)
        low, high = (v - self.y.zero_point for v in self.bounds)
        numbers = np.where(np.isnan(steps), np.float32(0), steps)
        limited = np.clip(numbers, np.float32(low), np.float32(high))
        return np.asarray(np.rint(limited).astype(np.int64) + self.y.zero_point)


def offset_c(name: str, zero_point: int) -> str:
    """`name` - zero point as a C expression of type int."""
    if zero_point == 0:
        return name
    return f"({name} {'-' if zero_point > 0 else '+'} {int_literal(abs(zero_point))})"


def clamp_c(value: str, bounds: tuple[int, int], zero_point: int) -> str:
    """`value` + zero point within `bounds`; clamped first, so that nothing overflows."""
    low, high = (int_literal(v - zero_point) for v in bounds)
    return f"mcugen_clamp({value}, {low}, {high}) + {int_literal(zero_point)}"


def clamp_integers(value: Array, bounds: tuple[int, int], zero_point: int) -> Array:
    """The same on int64 arrays."""
    low, high = (v - zero_point for v in bounds)
    return np.clip(value, low, high) + zero_point


def add_numbers(attrs: QElementwiseAttrs, a: Affine, b: Affine, y: Affine) -> FixedPoint:
    """TFLite Micro's AddPrepare (and SubPrepare)."""
    left_shift = LEFT_SHIFT_INT16 if attrs.out_dtype is DType.INT16 else LEFT_SHIFT
    twice_max = 2.0 * max(a.scale, b.scale)
    inputs = (Multiplier.of(a.scale / twice_max), Multiplier.of(b.scale / twice_max))
    output = Multiplier.of(twice_max / ((1 << left_shift) * y.scale))
    zeros = (a.zero_point, b.zero_point, y.zero_point)
    bounds = (attrs.act_min, attrs.act_max)
    return FixedPoint(zeros, inputs, output, attrs.subtract, bounds, left_shift)


def mul_numbers(attrs: QElementwiseAttrs, a: Affine, b: Affine, y: Affine) -> FixedPoint:
    """TFLite Micro's MulPrepare."""
    zeros = (a.zero_point, b.zero_point, y.zero_point)
    output = Multiplier.of(a.scale * b.scale / y.scale)
    return FixedPoint(zeros, (), output, False, (attrs.act_min, attrs.act_max))


def _lower(site: Site) -> Lowered:
    attrs: QElementwiseAttrs = site.attrs
    a, b, y = (Affine.of(t) for t in (site.input(0), site.input(1), site.outputs[0]))
    multiply = site.node.op == "QMul"
    numbers: FixedPoint | FloatScales
    if site.arithmetic is Arithmetic.TFLITE:
        numbers = (mul_numbers if multiply else add_numbers)(attrs, a, b, y)
    else:
        symbol = "*" if multiply else "-" if attrs.subtract else "+"
        numbers = FloatScales(a, b, y, symbol, (attrs.act_min, attrs.act_max))
    return lower_numbers(site, numbers)


def lower_numbers(site: Site, numbers: FixedPoint | FloatScales) -> Lowered:
    """The kernel's loops over the site's shapes, with these numbers."""
    result = f"({ctype(site.outputs[0].dtype)})({numbers.result()})"
    return lowered(site, numbers, result, prepare=(numbers.prepare(0), numbers.prepare(1)))


def _reference(params: ElementwiseParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    numbers: FixedPoint | FloatScales = params.attrs

    def run(attrs: Any, a: Array, b: Array) -> Array:
        del attrs
        return numbers.reference(a, b).astype(params.dtype.np)

    return evaluate(run, None, arrays)


def _rounding_slack(params: ElementwiseParams) -> float:
    """What the first rounding of the last factor may move, and half a step of each input's."""
    numbers: FixedPoint | FloatScales = params.attrs
    if not isinstance(numbers, FixedPoint):
        return 0.0
    output = numbers.output
    first = 2.0 ** (output.shift - 1) if output.shift < 0 else 0.0
    step = output.multiplier * 2.0 ** (output.shift - 31)
    return float(first + 0.5 * len(numbers.inputs) * step)


def _infer(attrs: QElementwiseAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(broadcast([required(t).shape for t in inputs]), attrs.out_dtype),)


def _integer_form(site: QuantSite, op: str, subtract: bool = False) -> IntegerForm:
    """Both inputs and the output 8-bit, or int16, and per tensor, of whatever scales."""
    out = site.outputs[0]
    assert out.quant is not None
    tensors = (site.input(0), site.input(1), out)
    quants = (site.quant(0), site.quant(1), out.quant)
    wide = all(t.dtype is DType.INT16 for t in tensors)
    names = ("input 0", "input 1", "the output")
    for tensor, quant, what in zip(tensors, quants, names, strict=True):
        (_check_per_tensor if wide else check_8_bit)(tensor, quant, what)
    if wide:
        check_symmetric(*quants)
    act = quantized_clamp(*site.clamp, out.quant, out.dtype)
    return IntegerForm(op, QElementwiseAttrs(out.dtype, *act, subtract), site.inputs)


def check_8_bit(tensor: Tensor, quant: QuantParams, what: str) -> None:
    """Raise Reject unless the tensor has 8 bits and one scale."""
    if tensor.dtype not in BYTES:
        raise Reject(f"{what} must be int8 or uint8, got {tensor.dtype.value}")
    _check_per_tensor(tensor, quant, what)


def _check_per_tensor(tensor: Tensor, quant: QuantParams, what: str) -> None:
    del tensor
    if not quant.per_tensor:
        raise Reject(f"{what} must be quantized per tensor, got per axis")


def quantize_add(site: QuantSite) -> IntegerForm:
    """Add -> QAdd."""
    return _integer_form(site, "QAdd")


def quantize_sub(site: QuantSite) -> IntegerForm:
    """Sub -> QAdd with `subtract`."""
    return _integer_form(site, "QAdd", subtract=True)


def quantize_mul(site: QuantSite) -> IntegerForm:
    """Mul -> QMul."""
    return _integer_form(site, "QMul")


SPECS = tuple(
    OpSpec(
        name=name,
        infer=_infer,
        lower=_lower,
        reference=_reference,
        kernels=(*vendor, ELEMENTWISE),
        inplace=inplace,
        permute=keep_attrs,
        rounding_slack=_rounding_slack,
    )
    for name, vendor in (
        ("QAdd", (cmsis_nn.ADD_KERNEL, esp_nn.ADD_KERNEL)),
        ("QMul", (cmsis_nn.MUL_KERNEL, esp_nn.MUL_KERNEL)),
    )
)
