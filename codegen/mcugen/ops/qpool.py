"""QAveragePool: the average of 8-bit or int16 integers, in three forms.

RAW      TFLITE, input and output of equal scale and zero point: the mean of the integers, ties
         away from zero (TFLM, CMSIS-NN, ESP-NN). Padding that counts is the zero point.
SCALED   TFLITE, otherwise: requant(sum of (x - x_zero_point)), the divisor in the multiplier.
REAL     ONNX: QuantizeLinear of the float mean. Terms, sum and mean are float32, in order: ties are
         common here, and only the same roundings decide them as ONNX Runtime's float pool does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array, DType, QuantParams, Tensor
from mcugen.ops.cmsis_nn import pool as cmsis_nn
from mcugen.ops.esp_nn import pool as esp_nn
from mcugen.ops.pool_geometry import PoolGeometry, pool_geometry, pool_shape, window_sums
from mcugen.ops.qconv import BYTES, check_scales, check_symmetric, output_range
from mcugen.ops.spec import (
    Arithmetic,
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
from mcugen.quantize.fixed_point import INT32_MAX
from mcugen.quantize.requant import Requant


class Average(Enum):
    """Which of the forms."""

    RAW = "raw"
    SCALED = "scaled"
    REAL = "real"


@dataclass(frozen=True)
class QPoolAttrs:
    """Attributes of an integer pool: those of PoolAttrs, and what bounds the output.

    Attributes:
        out_dtype: int8, uint8 or int16.
        act_min: lowest output, an integer of `out_dtype`.
        act_max: highest output.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    ceil_mode: bool
    count_include_pad: bool
    out_dtype: DType
    act_min: int
    act_max: int
    channels_last: bool = False


def _infer(attrs: QPoolAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(pool_shape(attrs, inputs), attrs.out_dtype),)


def quantize_average(site: QuantSite) -> IntegerForm:
    """QAveragePool between 8-bit, or int16, tensors that are quantized per tensor."""
    x, out, attrs = site.input(0), site.outputs[0], site.node.attrs
    quant = site.quant(0)
    wide = x.dtype is out.dtype is DType.INT16
    if not wide and (x.dtype not in BYTES or out.dtype not in BYTES):
        raise Reject("input and output must be int8 or uint8, or both int16")
    if not quant.per_tensor or out.quant is None or not out.quant.per_tensor:
        raise Reject("input and output must be quantized per tensor")
    window = int(np.prod(attrs.kernel, dtype=np.int64))
    if wide:
        check_symmetric(quant, out.quant)
    largest = 2**15 if wide else 255
    if window * largest > INT32_MAX:
        raise Reject(f"a window may have at most {INT32_MAX // largest} taps, got {window}")
    if not _same(quant, x, out.quant, out):
        form = dataclasses.replace(attrs, channels_last=True)
        shape = x.shape if attrs.channels_last else (x.shape[0], *x.shape[2:], x.shape[1])
        if pool_geometry(form, Tensor("x", shape, x.dtype)).divisor is None:
            raise Reject(
                "where padding changes the divisor, input and output must be quantized alike"
            )
        check_scales(np.asarray(quant.scale / np.float32(window)), out.quant.scale)
    return IntegerForm(
        "QAveragePool",
        QPoolAttrs(
            attrs.kernel,
            attrs.strides,
            attrs.pads,
            attrs.dilations,
            attrs.ceil_mode,
            attrs.count_include_pad,
            out.dtype,
            *output_range(site),
            attrs.channels_last,
        ),
        (x,),
    )


def _same(a: QuantParams, x: Tensor, b: QuantParams, y: Tensor) -> bool:
    return x.dtype is y.dtype and a == b


@dataclass(frozen=True, eq=False)
class QPoolParams:
    """An average of integers.

    Attributes:
        geometry: shapes.
        dtype: of the input.
        form: which average.
        x_zero_point: of the input.
        x_scale: of the input; used by REAL alone.
        requant: its range and type in all forms; its fixed-point numbers in SCALED, its
            `out_scale` in REAL.
        out_shape: the output tensor's shape: the geometry may be a simplified one.
    """

    geometry: PoolGeometry
    dtype: DType
    form: Average
    x_zero_point: int
    x_scale: float
    requant: Requant
    out_shape: tuple[int, ...]

    @property
    def is_raw(self) -> bool:
        """Whether the form is RAW."""
        return self.form is Average.RAW

    @property
    def is_real(self) -> bool:
        """Whether the form is REAL."""
        return self.form is Average.REAL

    @property
    def offset(self) -> int:
        """What is subtracted from every input; padding then adds nothing."""
        return self.x_zero_point if self.form is not Average.RAW else 0

    @property
    def padding(self) -> int:
        """What a tap in counted padding adds to a raw sum."""
        return self.x_zero_point if self.is_raw and self.geometry.count_include_pad else 0


def _lower(site: Site) -> Lowered:
    x, out, attrs = site.input(0), site.outputs[0], site.attrs
    if x.quant is None or out.quant is None:
        raise InternalError(f"{site.node.name}: QAveragePool without quantization")
    g = pool_geometry(attrs, x).simplified()
    form = Average.REAL
    if site.arithmetic is Arithmetic.TFLITE:
        form = Average.RAW if _same(x.quant, x, out.quant, out) else Average.SCALED
    divisor = g.divisor if form is Average.SCALED else 1
    assert divisor is not None
    params = QPoolParams(
        geometry=g,
        dtype=x.dtype,
        form=form,
        x_zero_point=int(x.quant.zero_point),
        x_scale=float(x.quant.scale),
        requant=Requant.of(
            site.arithmetic,
            x.quant.scale,
            out.quant,
            out.dtype,
            (attrs.act_min, attrs.act_max),
            np.asarray(np.float64(x.quant.scale) / np.float64(out.quant.scale) / divisor),
        ),
        out_shape=out.shape,
    )
    return Lowered(params, (x.name,))


def _reference(params: QPoolParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    g, requant = params.geometry, params.requant
    steps = arrays[0].reshape(g.in_shape).astype(np.int64) - params.offset
    counts = g.counts()[None, :, :, None]
    if params.is_real:
        terms = steps.astype(np.float32) * np.float32(params.x_scale)
        mean = window_sums(g, terms) / counts.astype(np.float32)
        real = np.clip(mean / np.float32(requant.out_scale), requant.low, requant.high)
        y = np.rint(real).astype(np.int64) + requant.zero_point
        return (y.astype(requant.dtype.np).reshape(params.out_shape),)
    total = window_sums(g, steps)
    if not params.is_raw:
        return (requant.apply(total).reshape(params.out_shape),)
    inside = window_sums(g, np.ones_like(steps[:1, :, :, :1]))
    total = total + params.padding * (counts - inside)
    magnitude = (np.abs(total) + counts // 2) // counts
    y = np.clip(np.sign(total) * magnitude, requant.act_min, requant.act_max)
    return (y.astype(requant.dtype.np).reshape(params.out_shape),)


def _rounding_slack(params: QPoolParams) -> Array | float:
    return params.requant.rounding_slack() if params.form is Average.SCALED else 0.0


def _channels_last(attrs: QPoolAttrs) -> QPoolAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="QAveragePool",
        infer=_infer,
        lower=_lower,
        reference=_reference,
        kernels=(
            cmsis_nn.AVERAGE_POOL_KERNEL,
            esp_nn.AVERAGE_POOL_KERNEL,
            Kernel("portable/qaverage_pool.c.j2", headers=("mcugen_quant.h",)),
        ),
        channels_last=_channels_last,
        rounding_slack=_rounding_slack,
    ),
)
