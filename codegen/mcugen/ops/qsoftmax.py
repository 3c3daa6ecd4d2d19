"""QSoftmax: Softmax on 8-bit integers, to 8-bit ones or int16.

Fixed point (TFLite arithmetic, the lowest zero point and an output scale of 1/256, int16 1/65536):
exp in Q0.31 of the
scaled difference to the maximum, the sum in Q12.19, its reciprocal by Newton's method. Any other
output quantization, and ONNX arithmetic: y = round(e / sum / out_scale) + zero_point, halves to
even, in float32.
Both read the exponentials from a table over the difference to the maximum, 0..255.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, QuantParams, Tensor
from mcugen.ops.axes import Lines, normalize_axis, permuted_axis
from mcugen.ops.cmsis_nn import softmax as cmsis_nn
from mcugen.ops.esp_nn import softmax as esp_nn
from mcugen.ops.softmax_fixed import (
    SUM_INTEGER_BITS,
    exp_on_negative_values,
    one_over_one_plus_x,
    softmax_scaling,
)
from mcugen.ops.spec import (
    Arithmetic,
    Constant,
    Inputs,
    IntegerForm,
    Kernel,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.fixed_point import rounding_divide_by_pot, srdhm
from mcugen.quantize.requant import dtype_range

MAX_FIXED_COUNT = 4095
"""Longest line whose Q12.19 sum of exponentials cannot overflow."""

_BYTES = (DType.INT8, DType.UINT8)
_RESULTS = (*_BYTES, DType.INT16)


@dataclass(frozen=True)
class QSoftmaxAttrs:
    """`axis`: counted from the front; `out_dtype`: int8, uint8 or int16."""

    axis: int
    out_dtype: DType


@dataclass(frozen=True, eq=False)
class QSoftmaxParams:
    """What the fixed-point kernel gets.

    Attributes:
        lines: what is normalised.
        shape: of input and output.
        exp: int32, exp of minus the difference in Q0.31; larger differences give `zero_point`.
        zero_point: of the output, the lowest integer of its type.
        act_max: the highest integer of the output's type.
        out_dtype: element type of the output.
        in_dtype: element type of the input.
        scaling: (multiplier, left shift, lowest difference), of which `exp` is made.
    """

    lines: Lines
    shape: tuple[int, ...]
    exp: Array
    zero_point: int
    act_max: int
    out_dtype: DType
    in_dtype: DType
    scaling: tuple[int, int, int]

    @property
    def table_size(self) -> int:
        """Entries of `exp`, 1..256."""
        return int(self.exp.size)

    @property
    def exponent(self) -> int:
        """Right shift of exponential by reciprocal, without the headroom of the sum."""
        return 31 + SUM_INTEGER_BITS - 8 * self.out_dtype.itemsize

    @property
    def is_fixed_point(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, eq=False)
class QSoftmaxFloatParams:
    """What the float kernel gets.

    Attributes:
        lines: what is normalised.
        shape: of input and output.
        exp: float32 [256], exp of minus the difference.
        out_scale: of the output.
        zero_point: of the output.
        act_min: lowest integer of the output's type.
        act_max: highest integer of the output's type.
        out_dtype: element type of the output.
    """

    lines: Lines
    shape: tuple[int, ...]
    exp: Array
    out_scale: float
    zero_point: int
    act_min: int
    act_max: int
    out_dtype: DType

    @property
    def is_fixed_point(self) -> bool:
        """Never."""
        return False

    @property
    def float_min(self) -> float:
        """`act_min` relative to the zero point."""
        return float(self.act_min - self.zero_point)

    @property
    def float_max(self) -> float:
        """`act_max` relative to the zero point."""
        return float(self.act_max - self.zero_point)


Params = QSoftmaxParams | QSoftmaxFloatParams


def quantize_softmax(site: QuantSite) -> IntegerForm:
    """Softmax of 8 bits between per-tensor conversions."""
    for tensor, dtypes in ((site.input(0), _BYTES), (site.outputs[0], _RESULTS)):
        if tensor.dtype not in dtypes or tensor.quant is None or not tensor.quant.per_tensor:
            raise Reject(
                "Softmax's input must be int8 or uint8, its output int8, uint8 or int16, both "
                f"quantized per tensor, got {tensor.to_text()}"
            )
    if site.clamp != (-math.inf, math.inf):
        raise Reject(f"Softmax must have no activation behind it, got a clamp to {site.clamp}")
    attrs: Any = site.node.attrs
    return IntegerForm(
        "QSoftmax", QSoftmaxAttrs(attrs.axis, site.outputs[0].dtype), (site.input(0),)
    )


def _infer(attrs: QSoftmaxAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axis(attrs.axis, source.rank)
    return (TensorType(source.shape, attrs.out_dtype),)


def _quant(tensor: Tensor) -> QuantParams:
    assert tensor.quant is not None
    return tensor.quant


def _lower(site: Site) -> Lowered:
    attrs: QSoftmaxAttrs = site.attrs
    source, out = site.input(0), _quant(site.outputs[0])
    lines = Lines.of(source.shape, attrs.axis)
    scale = float(np.float32(_quant(source).scale))
    low, high = dtype_range(attrs.out_dtype)
    scaling = softmax_scaling(scale)
    lowest = float(out.scale) == 1 / (high - low + 1) and int(out.zero_point) == low
    fixed = site.arithmetic is Arithmetic.TFLITE and lowest and lines.count <= MAX_FIXED_COUNT
    params: Params
    if fixed and scaling is not None:
        params = fixed_params(lines, source.shape, scaling, attrs.out_dtype, source.dtype)
    else:
        exp = np.array([math.exp(-d * scale) for d in range(256)], np.float64).astype(np.float32)
        params = QSoftmaxFloatParams(
            lines,
            source.shape,
            exp,
            float(np.float32(out.scale)),
            int(out.zero_point),
            low,
            high,
            attrs.out_dtype,
        )
    return Lowered(params, (source.name,))


def fixed_params(
    lines: Lines,
    shape: tuple[int, ...],
    scaling: tuple[int, int, int],
    out_dtype: DType,
    in_dtype: DType = DType.INT8,
) -> QSoftmaxParams:
    """Params of the fixed-point kernel; `scaling` as `softmax_scaling` gives it."""
    multiplier, shift, lowest = scaling
    difference = np.arange(0, max(lowest, -255) - 1, -1, dtype=np.int64)
    scaled = srdhm(difference << shift, np.array(multiplier))
    exp = exp_on_negative_values(scaled).astype(np.int32)
    low, high = dtype_range(out_dtype)
    return QSoftmaxParams(lines, shape, exp, low, high, out_dtype, in_dtype, scaling)


def _differences(lines: Lines, x: Array) -> Array:
    """Maximum minus element, 0..255, as [outer, count, inner]."""
    split = lines.split(x).astype(np.int64)
    difference: Array = split.max(1, keepdims=True, initial=-128) - split
    return difference


def softmax_reference(params: Params, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Integers exactly as either kernel computes them."""
    difference = _differences(params.lines, arrays[0])
    apply = _fixed if isinstance(params, QSoftmaxParams) else _float
    result = apply(params, difference)  # type: ignore[arg-type]
    return (result.astype(params.out_dtype.np).reshape(params.shape),)


def _fixed(params: QSoftmaxParams, difference: Array) -> Array:
    inside = difference < params.table_size
    e = np.where(inside, params.exp[np.where(inside, difference, 0)].astype(np.int64), 0)
    total = rounding_divide_by_pot(e, np.array(SUM_INTEGER_BITS)).sum(1, keepdims=True)
    headroom = 31 - np.floor(np.log2(np.maximum(total, 1))).astype(np.int64)
    reciprocal = one_over_one_plus_x((total << headroom) - 2**31)
    exponent = params.exponent - headroom
    # Beyond 31 bits the product, which is below 2^31, rounds to 0.
    value = rounding_divide_by_pot(srdhm(reciprocal, e), np.minimum(exponent, 31))
    value = np.where(exponent > 31, 0, value) + params.zero_point
    return np.where(inside, np.minimum(value, params.act_max), params.zero_point)


def _float(params: QSoftmaxFloatParams, difference: Array) -> Array:
    e = params.exp[difference]
    total = np.zeros_like(e[:, :1])
    for k in range(params.lines.count):
        total = total + e[:, k : k + 1]
    real = e / total / np.float32(params.out_scale)
    inside = np.clip(real, np.float32(params.float_min), np.float32(params.float_max))
    return np.rint(inside).astype(np.int64) + params.zero_point


def _own_storage(params: Params) -> tuple[tuple[int, int], ...]:
    """An element is read for the last time just before it is written, when both are bytes."""
    return ((0, 0),) if params.out_dtype in _BYTES else ()


def _permute(site: Site, perm: tuple[int, ...]) -> QSoftmaxAttrs:
    attrs: QSoftmaxAttrs = site.attrs
    return QSoftmaxAttrs(permuted_axis(attrs.axis, perm), attrs.out_dtype)


def _is_fixed(params: Params) -> str | None:
    if isinstance(params, QSoftmaxParams):
        return None
    return "fixed point needs TFLite arithmetic and an output of scale 1/256, int16 1/65536"


def _constants(params: Params) -> tuple[Constant, ...]:
    return (Constant("exp", params.exp),)


SPECS = (
    OpSpec(
        name="QSoftmax",
        infer=_infer,
        lower=_lower,
        reference=softmax_reference,
        kernels=(
            cmsis_nn.SOFTMAX_KERNEL,
            esp_nn.SOFTMAX_KERNEL,
            Kernel(
                "portable/qsoftmax.c.j2",
                accepts=_is_fixed,
                constants=_constants,
                headers=("mcugen_softmax.h",),
            ),
            Kernel(
                "portable/qsoftmax_float.c.j2",
                constants=_constants,
                headers=("mcugen_math.h",),
            ),
        ),
        inplace=_own_storage,
        permute=_permute,
    ),
)
