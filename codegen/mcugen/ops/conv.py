"""Conv: y[n, o, p] = bias[o] + sum of x[n, i, p * stride - pad + k * dilation] * w[o, i, k].

x [N, C, ...], w [O, C/groups, ...], bias [O] or absent, y [N, O, ...]; with `channels_last` x and y
are [N, ..., C] and [N, ..., O], w stays. Output channel o reads the input channels of its group
only. Padding contributes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import Clamp, clamped, dtype_constraint, no_empty_dims, present
from mcugen.ops.conv_geometry import (
    conv_geometry,
    conv_shape,
    conv_window,
    convolve,
    two_dimensional_kernel,
    weights_4d,
)
from mcugen.ops.conv_kernel import CONV_KERNELS, ConvParams, conv_macs, conv_reference
from mcugen.ops.qconv import quantize_conv
from mcugen.ops.qlinear_weighted import qlinear_conv
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class ConvAttrs:
    """Attributes of a float convolution.

    Attributes:
        strides: one per spatial axis.
        pads: leading pads of all spatial axes, then trailing ones.
        dilations: one per spatial axis.
        groups: channel groups; the input's channel count for a depthwise convolution.
        activation: clamp of the result.
        channels_last: whether x and y are [N, ..., C].
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1
    activation: Clamp | None = None
    channels_last: bool = False


def conv_from_onnx(ctx: ImportContext) -> None:
    """Defaults filled in, auto_pad resolved."""
    ctx.emit("Conv", ctx.inputs, _attrs_from_onnx(ctx, 1), ctx.outputs)


def _attrs_from_onnx(ctx: ImportContext, weights: int) -> ConvAttrs:
    return ConvAttrs(**conv_window(ctx, ctx.tensor(weights)))


def _infer(attrs: ConvAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(conv_shape(attrs, inputs), present(inputs, 0).dtype),)


def _semantics(attrs: ConvAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """Sums in float64, rounded to the element type once."""
    x, w = arrays[0], arrays[1]
    assert x is not None
    assert w is not None
    last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
    form = dataclasses.replace(attrs, channels_last=True)
    tensors = Tensor("x", last.shape, DType.of(x)), Tensor("w", w.shape, DType.of(w))
    total = convolve(conv_geometry(form, *tensors), last, weights_4d(w))
    if len(arrays) > 2 and arrays[2] is not None:
        total = total + arrays[2].astype(np.float64)
    y = clamped(total.astype(x.dtype), attrs.activation).reshape(conv_shape(form, tensors))
    return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)


def _lower(site: Site) -> Lowered:
    """Constant weights and bias are packed; computed ones are read as they are."""
    x, w, bias = site.input(0), site.input(1), site.optional(2)
    g = conv_geometry(site.attrs, x, w).simplified()
    form = (g.out_c, g.group_in, g.height.kernel, g.width.kernel)
    constant = w.data is not None and (bias is None or bias.data is not None)
    zeros = np.zeros(g.out_c, np.float32)
    params = ConvParams(
        geometry=g,
        weights=w.data.reshape(form) if constant and w.data is not None else None,
        bias=zeros if bias is None else bias.data if constant else None,
        activation=site.attrs.activation,
        out_shape=site.outputs[0].shape,
    )
    read = site.node.inputs[:1] if constant else site.node.inputs
    return Lowered(params, tuple(name for name in read if name))


def _channels_last(attrs: ConvAttrs) -> ConvAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="Conv",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=conv_reference,
        kernels=CONV_KERNELS,
        onnx={
            "Conv": conv_from_onnx,
            "QLinearConv": qlinear_conv(lambda ctx: _attrs_from_onnx(ctx, 3)),
        },
        constraints=(
            dtype_constraint(0, "the input", (DType.FLOAT32,)),
            dtype_constraint(1, "the weights", (DType.FLOAT32,)),
            two_dimensional_kernel,
            no_empty_dims,
        ),
        macs=conv_macs,
        channels_last=_channels_last,
        quantize=quantize_conv,
    ),
)
