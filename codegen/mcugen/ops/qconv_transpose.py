"""QConvTranspose: the transposed convolution of integers, requantized.

acc = bias[o] + sum of (x - x_zero_point) * (w - w_zero_point), y = requant(acc); x int8 or uint8,
w constant [C, O/groups, ...] per tensor or per output channel (axis 1), bias constant int32.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array, DType
from mcugen.ops.cmsis_nn.conv_transpose import CONV_TRANSPOSE_KERNEL
from mcugen.ops.conv_geometry import weights_4d
from mcugen.ops.conv_transpose_geometry import (
    TransposedGeometry,
    tensor_by_output,
    transposed_geometry,
    transposed_shape,
)
from mcugen.ops.qconv import accumulator_scale, output_range, real_multiplier, weighted_form
from mcugen.ops.qconv_kernel import stored_weights
from mcugen.ops.spec import (
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
from mcugen.quantize.requant import Requant, rounding_slack


@dataclass(frozen=True)
class QConvTransposeAttrs:
    """Those of ConvTransposeAttrs, and what bounds the output.

    Attributes:
        out_dtype: int8 or uint8.
        act_min: lowest output, an integer of `out_dtype`.
        act_max: highest output.
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    output_padding: tuple[int, ...]
    out_dtype: DType
    act_min: int
    act_max: int
    channels_last: bool = False


def _infer(attrs: QConvTransposeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(transposed_shape(attrs, inputs), attrs.out_dtype),)


def quantize_transposed(site: QuantSite) -> IntegerForm:
    """QConvTranspose for a ConvTranspose between 8-bit tensors with constant weights and bias."""
    attrs = site.node.attrs
    if site.input(0).dtype is DType.INT16:
        raise Reject("int16 activations have no transposed convolution of integers")
    form = weighted_form(site, tensor_by_output(site.input(1), attrs.groups))
    return IntegerForm(
        "QConvTranspose",
        QConvTransposeAttrs(
            attrs.strides,
            attrs.pads,
            attrs.dilations,
            attrs.groups,
            attrs.output_padding,
            site.outputs[0].dtype,
            *output_range(site),
            attrs.channels_last,
        ),
        form,
    )


def packed(g: TransposedGeometry, weights: Array, lanes: int) -> Array:
    """[G, blocks, KH, KW, I, lanes] from [O, I, KH, KW], padded with zeros."""
    blocks = -(-g.group_out // lanes)
    padded = np.zeros((g.groups, blocks * lanes, *weights.shape[1:]), weights.dtype)
    padded[:, : g.group_out] = weights.reshape(g.groups, g.group_out, *weights.shape[1:])
    split = padded.reshape(g.groups, blocks, lanes, *weights.shape[1:])
    return np.ascontiguousarray(split.transpose(0, 1, 4, 5, 3, 2))


@dataclass(frozen=True, eq=False)
class QConvTransposeParams:
    """An integer transposed convolution.

    Attributes:
        geometry: shapes.
        x_dtype: int8 or uint8.
        x_zero_point: of the input.
        weights: int8 or int16 [O, C/groups, KH, KW], the zero point subtracted.
        bias: int32 [O].
        requant: accumulator -> output.
        out_shape: the output tensor's shape.
    """

    geometry: TransposedGeometry
    x_dtype: DType
    x_zero_point: int
    weights: Array
    bias: Array
    requant: Requant
    out_shape: tuple[int, ...]

    @property
    def weights_dtype(self) -> DType:
        """Element type of the stored weights."""
        return DType.of(self.weights)

    @property
    def lanes(self) -> int:
        """Output channels of one block."""
        return min(8, self.geometry.group_out)

    @property
    def blocks(self) -> int:
        """Channel blocks per group; the last one may be partly unused."""
        return -(-self.geometry.group_out // self.lanes)

    @property
    def last_block_partial(self) -> bool:
        """Whether the last block of a group has unused channels."""
        return self.geometry.group_out % self.lanes != 0


def _lower(site: Site) -> Lowered:
    x, bias, out, attrs = site.input(0), site.optional(2), site.outputs[0], site.attrs
    w = tensor_by_output(site.input(1), attrs.groups)
    if x.quant is None or w.quant is None or out.quant is None or w.data is None:
        raise InternalError(f"{site.node.name}: QConvTranspose without quantization")
    g = transposed_geometry(attrs, x, site.input(1))
    params = QConvTransposeParams(
        geometry=g,
        x_dtype=x.dtype,
        x_zero_point=int(x.quant.zero_point),
        weights=weights_4d(stored_weights(w.data, w.quant.zero_point)),
        bias=np.zeros(g.out_c, np.int32) if bias is None or bias.data is None else bias.data,
        requant=Requant.of(
            site.arithmetic,
            accumulator_scale(x.quant, w.quant),
            out.quant,
            out.dtype,
            (attrs.act_min, attrs.act_max),
            real_multiplier(x.quant, w.quant, out.quant),
        ),
        out_shape=out.shape,
    )
    return Lowered(params, (x.name,))


def _reference(params: QConvTransposeParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The definition; sums are exact, so their order does not matter."""
    g = params.geometry
    x = arrays[0].astype(np.int64) - params.x_zero_point
    start = params.bias.astype(np.int64).reshape(g.groups, -1)
    acc = g.scatter(x, params.weights.astype(np.int64), start)
    return (params.requant.apply(acc).reshape(params.out_shape),)


def _constants(params: QConvTransposeParams) -> tuple[Constant, ...]:
    weights = packed(params.geometry, params.weights, params.lanes)
    return (
        Constant("weights", weights.reshape(-1)),
        Constant("bias", params.bias),
        *params.requant.constants(),
    )


def _macs(params: QConvTransposeParams) -> int:
    return params.geometry.macs


def _channels_last(attrs: QConvTransposeAttrs) -> QConvTransposeAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="QConvTranspose",
        infer=_infer,
        lower=_lower,
        reference=_reference,
        kernels=(
            CONV_TRANSPOSE_KERNEL,
            Kernel(
                "portable/qconv_transpose.c.j2",
                constants=_constants,
                headers=("mcugen_quant.h",),
            ),
        ),
        macs=_macs,
        channels_last=_channels_last,
        rounding_slack=rounding_slack,
    ),
)
