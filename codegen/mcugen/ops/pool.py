"""MaxPool and AveragePool over sliding windows, each channel alone; the global pools too.

x [N, C, ...], y [N, C, ...], or both [N, ..., C] with `channels_last`. Padding is never the maximum
and adds nothing to a sum. The divisor of an average is the number of taps inside the input, or with
`count_include_pad` inside the padded input: never what `ceil_mode` adds beyond that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.cmsis_nn import pool as cmsis_nn
from mcugen.ops.common import Clamp, clamped, dtype_constraint, no_empty_dims, present
from mcugen.ops.esp_nn import pool as esp_nn
from mcugen.ops.pool_geometry import (
    PoolGeometry,
    global_window,
    pool_geometry,
    pool_shape,
    pool_window,
    taps,
    two_dimensional_window,
    window_sums,
)
from mcugen.ops.qlinear import dequantized, quantized
from mcugen.ops.qpool import quantize_average
from mcugen.ops.spec import (
    FromOnnx,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class PoolAttrs:
    """Attributes of a pool.

    Attributes:
        kernel: taps per spatial axis.
        strides: one per spatial axis.
        pads: leading pads of all spatial axes, then trailing ones.
        dilations: one per spatial axis.
        ceil_mode: whether a window may end beyond the padding.
        count_include_pad: whether padding counts in the divisor of an average.
        activation: clamp of the result.
        channels_last: whether x and y are [N, ..., C].
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    ceil_mode: bool = False
    count_include_pad: bool = False
    activation: Clamp | None = None
    channels_last: bool = False


def max_pool_from_onnx(ctx: ImportContext) -> None:
    """The indices are not computed; storage_order is about them alone."""
    if len(ctx.outputs) > 1 and ctx.outputs[1]:
        raise Reject("the output Indices must not be used, got a reader of it")
    ctx.emit("MaxPool", ctx.inputs, PoolAttrs(**pool_window(ctx)), ctx.outputs[:1])


def average_pool_from_onnx(ctx: ImportContext) -> None:
    """Defaults filled in, auto_pad resolved."""
    ctx.emit("AveragePool", ctx.inputs, PoolAttrs(**pool_window(ctx)), ctx.outputs)


def _global(op: str) -> FromOnnx:
    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs, PoolAttrs(**global_window(ctx)), ctx.outputs)

    return from_onnx


def _qlinear(window: Callable[[ImportContext, bool], dict[str, object]]) -> FromOnnx:
    """com.microsoft QLinear pools: x and y as (tensor, scale, zero point); may be channels last."""

    def from_onnx(ctx: ImportContext) -> None:
        attrs = PoolAttrs(**window(ctx, bool(ctx.attr("channels_last", 0))))  # type: ignore[arg-type]
        (value,) = ctx.emit("AveragePool", (dequantized(ctx, 0),), attrs)
        quantized(ctx, value, 3)

    return from_onnx


def _infer(attrs: PoolAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(pool_shape(attrs, inputs), present(inputs, 0).dtype),)


@dataclass(frozen=True, eq=False)
class PoolParams:
    """A pool of one element type.

    Attributes:
        geometry: shapes.
        dtype: element type of x and y.
        activation: clamp of the result.
        out_shape: the output tensor's shape: the geometry may be a simplified one.
    """

    geometry: PoolGeometry
    dtype: DType
    activation: Clamp | None
    out_shape: tuple[int, ...]

    @property
    def lowest(self) -> float | int:
        """What is below every element."""
        return -np.inf if self.dtype.is_float else int(np.iinfo(self.dtype.np).min)


def _lower(site: Site) -> Lowered:
    x = site.input(0)
    geometry = pool_geometry(site.attrs, x).simplified()
    params = PoolParams(geometry, x.dtype, site.attrs.activation, site.outputs[0].shape)
    return Lowered(params, (x.name,))


def _maximum(g: PoolGeometry, x: Array, lowest: float | int) -> Array:
    """The greatest of all taps by `>`: NaN is never greater."""
    y = np.full(g.out_shape, lowest, x.dtype)
    for rows, columns, seen in taps(g, x):
        target = y[:, rows, columns]
        target[...] = np.where(seen > target, seen, target)
    return y


def _max_reference(params: PoolParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    g = params.geometry
    y = _maximum(g, arrays[0].reshape(g.in_shape), params.lowest)
    return (clamped(y, params.activation).reshape(params.out_shape),)


def _average_reference(params: PoolParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Sequential float32 sums, divided once."""
    g = params.geometry
    divisors = g.counts()[None, :, :, None].astype(np.float32)
    y = window_sums(g, arrays[0].reshape(g.in_shape)) / divisors
    return (clamped(y, params.activation).reshape(params.out_shape),)


def _semantics(
    pool: Callable[[PoolGeometry, Array], Array],
) -> Callable[[PoolAttrs, Sequence[Array | None]], tuple[Array, ...]]:
    def semantics(attrs: PoolAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        x = arrays[0]
        assert x is not None
        last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
        form = dataclasses.replace(attrs, channels_last=True)
        tensor = Tensor("x", last.shape, DType.of(x))
        y = pool(pool_geometry(form, tensor), last).astype(x.dtype)
        y = clamped(y, attrs.activation).reshape(pool_shape(form, (tensor,)))
        return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)

    return semantics


def _max_meaning(g: PoolGeometry, x: Array) -> Array:
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return _maximum(g, x.reshape(g.in_shape), lowest)


def _average_meaning(g: PoolGeometry, x: Array) -> Array:
    """Summed in the type of x, in order, as ONNX Runtime's global pool does.

    A mean of quantized values is often a rounding tie for the QuantizeLinear behind it, which a
    sum in float64 would decide otherwise.
    """
    divisors = g.counts()[None, :, :, None].astype(x.dtype)
    mean: Array = window_sums(g, x.reshape(g.in_shape)) / divisors
    return mean


def _channels_last(attrs: PoolAttrs) -> PoolAttrs:
    return dataclasses.replace(attrs, channels_last=True)


_MAX_TYPES = (DType.FLOAT32, DType.INT8, DType.UINT8)

SPECS = (
    OpSpec(
        name="MaxPool",
        infer=_infer,
        semantics=_semantics(_max_meaning),
        lower=_lower,
        reference=_max_reference,
        kernels=(
            cmsis_nn.MAX_POOL_KERNEL,
            esp_nn.MAX_POOL_KERNEL,
            Kernel("portable/max_pool.c.j2"),
        ),
        onnx={"MaxPool": max_pool_from_onnx, "GlobalMaxPool": _global("MaxPool")},
        constraints=(
            dtype_constraint(0, "the input", _MAX_TYPES),
            two_dimensional_window,
            no_empty_dims,
        ),
        moves_values=True,
        channels_last=_channels_last,
    ),
    OpSpec(
        name="AveragePool",
        infer=_infer,
        semantics=_semantics(_average_meaning),
        lower=_lower,
        reference=_average_reference,
        kernels=(Kernel("portable/average_pool_f32.c.j2"),),
        onnx={
            "AveragePool": average_pool_from_onnx,
            "GlobalAveragePool": _global("AveragePool"),
            "com.microsoft::QLinearAveragePool": _qlinear(pool_window),
            "com.microsoft::QLinearGlobalAveragePool": _qlinear(global_window),
        },
        constraints=(
            dtype_constraint(0, "the input", (DType.FLOAT32,)),
            two_dimensional_window,
            no_empty_dims,
        ),
        channels_last=_channels_last,
        quantize=quantize_average,
    ),
)
