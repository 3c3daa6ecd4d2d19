"""QMean: ReduceMean on 8-bit or int16 integers: y = requantize(sum(x - x_zero_point) / count).

The sum is int32; the division is part of the requantization: scale x_scale / count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, QuantParams
from mcugen.ops.axes import normalize_axes, permuted_axis
from mcugen.ops.esp_nn.mean import MEAN_KERNEL
from mcugen.ops.qconv import check_symmetric
from mcugen.ops.reduce_nest import Nest, by_result
from mcugen.ops.spec import (
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
from mcugen.quantize.requant import Requant, quantized_clamp, rounding_slack

MAX_COUNT = 2**31 // 255
"""Most elements whose int32 sum cannot overflow."""
MAX_COUNT_INT16 = 2**16 - 1
"""The same of int16, whose zero point is 0."""

_BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True)
class QMeanAttrs:
    """ReduceMean's axes, kept as 1, and the output's integers.

    Attributes:
        axes: counted from the front, ascending.
        out_dtype: int8, uint8 or int16.
        act_min: lowest output.
        act_max: highest output.
    """

    axes: tuple[int, ...]
    out_dtype: DType
    act_min: int
    act_max: int


@dataclass(frozen=True, eq=False)
class QMeanParams:
    """What the kernel gets.

    Attributes:
        nest: the loops.
        axes: reduced.
        out_shape: of the output.
        offset: start of the accumulator, -count * x_zero_point.
        requant: accumulator to output.
        in_shape: of the input.
        in_dtype: of the input.
    """

    nest: Nest
    axes: tuple[int, ...]
    out_shape: tuple[int, ...]
    offset: int
    requant: Requant
    in_shape: tuple[int, ...]
    in_dtype: DType

    @property
    def x_zero_point(self) -> int:
        """Of the input."""
        return -self.offset // self.nest.count


def quantize_mean(site: QuantSite) -> IntegerForm:
    """ReduceMean between 8-bit, or int16, per-tensor conversions."""
    source, out = site.input(0), site.outputs[0]
    wide = source.dtype is out.dtype is DType.INT16
    for tensor in (source, out):
        if (
            not (wide or tensor.dtype in _BYTES)
            or tensor.quant is None
            or not tensor.quant.per_tensor
        ):
            raise Reject(
                "ReduceMean's input and output must be int8 or uint8, or both int16, and "
                "quantized per tensor, "
                f"got {tensor.to_text()}"
            )
    assert source.quant is not None and out.quant is not None
    if wide:
        check_symmetric(source.quant, out.quant)
    attrs: Any = site.node.attrs
    most = MAX_COUNT_INT16 if wide else MAX_COUNT
    count = source.size // max(out.size, 1)
    if not (attrs.keepdims and 1 <= count <= most and source.size):
        raise Reject(f"ReduceMean must average 1 to {most} elements, got {count}")
    clamp = quantized_clamp(*site.clamp, out.quant, out.dtype)
    return IntegerForm("QMean", QMeanAttrs(attrs.axes, out.dtype, *clamp), (source,))


def _infer(attrs: QMeanAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axes(attrs.axes, source.rank)
    shape = tuple(1 if a in attrs.axes else d for a, d in enumerate(source.shape))
    return (TensorType(shape, attrs.out_dtype),)


def _lower(site: Site) -> Lowered:
    attrs: QMeanAttrs = site.attrs
    source, out = site.input(0), site.outputs[0]
    assert source.quant is not None
    assert out.quant is not None
    nest = Nest.of(source.shape, attrs.axes, rows=False)
    scale = np.asarray(source.quant.scale, np.float32)
    out_scale = np.asarray(out.quant.scale, np.float32)
    divided = QuantParams(
        np.asarray(out_scale * np.float32(nest.count), np.float32), out.quant.zero_point
    )
    real = np.asarray(scale.astype(np.float64) / (out_scale.astype(np.float64) * nest.count))
    requant = Requant.of(
        site.arithmetic,
        scale,
        divided,
        attrs.out_dtype,
        (attrs.act_min, attrs.act_max),
        real=real,
    )
    offset = -nest.count * int(source.quant.zero_point)
    params = QMeanParams(nest, attrs.axes, out.shape, offset, requant, source.shape, source.dtype)
    return Lowered(params, (source.name,))


def mean_reference(params: QMeanParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Integers exactly as the kernel computes them."""
    total = by_result(arrays[0], params.axes).astype(np.int64).sum(1) + params.offset
    return (params.requant.apply(total).reshape(params.out_shape),)


def _permute(site: Site, perm: tuple[int, ...]) -> QMeanAttrs:
    attrs: QMeanAttrs = site.attrs
    axes = tuple(sorted(permuted_axis(a, perm) for a in attrs.axes))
    return QMeanAttrs(axes, attrs.out_dtype, attrs.act_min, attrs.act_max)


SPECS = (
    OpSpec(
        name="QMean",
        rounding_slack=rounding_slack,
        infer=_infer,
        lower=_lower,
        reference=mean_reference,
        kernels=(MEAN_KERNEL, Kernel("portable/qmean.c.j2", headers=("mcugen_quant.h",))),
        permute=_permute,
    ),
)
