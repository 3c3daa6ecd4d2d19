"""ConvTranspose: every input adds its product with the weights to a window of outputs.

y[n, o, p * stride - pad + k * dilation] += x[n, i, p] * w[i, o, k], on top of bias[o].
x [N, C, ...], w [C, O/groups, ...], bias [O] or absent, y [N, O, ...]; with `channels_last` x and y
are [N, ..., C] and [N, ..., O], w stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import Clamp, clamped, dtype_constraint, no_empty_dims, present
from mcugen.ops.conv_geometry import two_dimensional_kernel, weights_4d
from mcugen.ops.conv_kernel import LANES
from mcugen.ops.conv_transpose_geometry import (
    TransposedGeometry,
    by_output,
    transposed_geometry,
    transposed_shape,
    transposed_window,
)
from mcugen.ops.qconv_transpose import packed, quantize_transposed
from mcugen.ops.spec import (
    Constant,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class ConvTransposeAttrs:
    """Attributes of a float transposed convolution.

    Attributes:
        strides: outputs between neighbouring inputs, one per spatial axis.
        pads: outputs cut off: at the beginnings of all spatial axes, then at their ends.
        dilations: one per spatial axis.
        groups: channel groups.
        output_padding: outputs added at the end of each spatial axis.
        activation: clamp of the result.
        channels_last: whether x and y are [N, ..., C].
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    output_padding: tuple[int, ...]
    activation: Clamp | None = None
    channels_last: bool = False


def conv_transpose_from_onnx(ctx: ImportContext) -> None:
    """Defaults filled in, auto_pad and output_shape resolved."""
    attrs = ConvTransposeAttrs(**transposed_window(ctx))
    ctx.emit("ConvTranspose", ctx.inputs, attrs, ctx.outputs)


def _infer(attrs: ConvTransposeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(transposed_shape(attrs, inputs), present(inputs, 0).dtype),)


def _semantics(attrs: ConvTransposeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """Sums in float64, rounded to the element type once."""
    x, w = arrays[0], arrays[1]
    assert x is not None
    assert w is not None
    last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
    form = dataclasses.replace(attrs, channels_last=True)
    tensors = Tensor("x", last.shape, DType.of(x)), Tensor("w", w.shape, DType.of(w))
    g = transposed_geometry(form, *tensors)
    bias = arrays[2] if len(arrays) > 2 else None
    start = np.zeros(g.out_c) if bias is None else bias.astype(np.float64)
    taps = by_output(weights_4d(w), g.groups).astype(np.float64)
    total = g.scatter(last.astype(np.float64), taps, start.reshape(g.groups, -1))
    y = clamped(total.astype(x.dtype), attrs.activation).reshape(transposed_shape(form, tensors))
    return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)


@dataclass(frozen=True, eq=False)
class ConvTransposeParams:
    """A float transposed convolution.

    Attributes:
        geometry: shapes.
        weights: float32 [O, C/groups, KH, KW]; None when weights or bias are computed by the
            model: the kernel then reads both through pointers.
        bias: float32 [O], zeros when the operator has none; None when read through a pointer.
        activation: clamp of the result.
        out_shape: the output tensor's shape.
    """

    geometry: TransposedGeometry
    weights: Array | None
    bias: Array | None
    activation: Clamp | None
    out_shape: tuple[int, ...]

    @property
    def dtype(self) -> DType:
        """Element type of all tensors."""
        return DType.FLOAT32

    @property
    def lanes(self) -> int:
        """Output channels of one block."""
        return min(2 * LANES, self.geometry.group_out)

    @property
    def blocks(self) -> int:
        """Channel blocks per group; the last one may be partly unused."""
        return -(-self.geometry.group_out // self.lanes)

    @property
    def last_block_partial(self) -> bool:
        """Whether the last block of a group has unused channels."""
        return self.geometry.group_out % self.lanes != 0


def _lower(site: Site) -> Lowered:
    """Constant weights and bias are packed; computed ones are read as they are."""
    x, w, bias = site.input(0), site.input(1), site.optional(2)
    g = transposed_geometry(site.attrs, x, w)
    data = None if bias is not None and bias.data is None else w.data
    zeros = np.zeros(g.out_c, np.float32)
    params = ConvTransposeParams(
        geometry=g,
        weights=None if data is None else by_output(weights_4d(data), g.groups),
        bias=zeros if bias is None else None if data is None else bias.data,
        activation=site.attrs.activation,
        out_shape=site.outputs[0].shape,
    )
    read = site.node.inputs if data is None else site.node.inputs[:1]
    return Lowered(params, tuple(name for name in read if name))


def _reference(params: ConvTransposeParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Sequential over kh, kw, i for every output, starting from the bias."""
    g = params.geometry
    weights = params.weights
    if weights is None:
        taps = arrays[1].reshape(g.in_c, g.group_out, g.height.kernel, g.width.kernel)
        weights = by_output(taps, g.groups)
    bias = arrays[2] if params.bias is None else params.bias
    y = g.scatter(arrays[0], weights, bias.reshape(g.groups, -1))
    return (clamped(y, params.activation).reshape(params.out_shape),)


def _constants(params: ConvTransposeParams) -> tuple[Constant, ...]:
    if params.weights is None or params.bias is None:
        return ()
    g = params.geometry
    weights = packed(g, params.weights, params.lanes)
    bias = np.zeros((g.groups, params.blocks * params.lanes), np.float32)
    bias[:, : g.group_out] = params.bias.reshape(g.groups, -1)
    return (Constant("weights", weights.reshape(-1)), Constant("bias", bias.reshape(-1)))


def _constant(params: ConvTransposeParams) -> str | None:
    return "weights or bias are not constant" if params.weights is None else None


def _macs(params: ConvTransposeParams) -> int:
    return params.geometry.macs


def _channels_last(attrs: ConvTransposeAttrs) -> ConvTransposeAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="ConvTranspose",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=_reference,
        kernels=(
            Kernel("portable/conv_transpose_f32.c.j2", accepts=_constant, constants=_constants),
            Kernel("portable/conv_transpose_any_f32.c.j2"),
        ),
        onnx={"ConvTranspose": conv_transpose_from_onnx},
        constraints=(
            dtype_constraint(0, "the input", (DType.FLOAT32,)),
            dtype_constraint(1, "the weights", (DType.FLOAT32,)),
            two_dimensional_kernel,
            no_empty_dims,
        ),
        macs=_macs,
        channels_last=_channels_last,
        quantize=quantize_transposed,
    ),
)
