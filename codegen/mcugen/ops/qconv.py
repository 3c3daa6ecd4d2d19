"""QConv: the convolution of integers, requantized; ops/qconv_kernel.py has the formula.

x int8, uint8 or int16 [N, ..., C], w constant int8 or uint8 [O, C/groups, ...], bias constant
int32 [O] or absent, in units of the scale of x times that of w. Scales and zero points are those of
the tensors: x per tensor, w per tensor or per output channel (axis 0). With int16 the output is
int16 too, and both have a zero point of 0.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array, DType, QuantParams, Tensor
from mcugen.ops.cmsis_nn import weighted_int4 as cmsis_nn
from mcugen.ops.common import Clamp
from mcugen.ops.conv_geometry import conv_geometry, conv_shape
from mcugen.ops.esp_nn import conv as esp_nn
from mcugen.ops.esp_nn.matmul import ONE_PIXEL_KERNEL as ESP_NN_ONE_PIXEL
from mcugen.ops.four_bits import in_four_bits
from mcugen.ops.qconv_kernel import (
    QCONV_KERNELS,
    QConvParams,
    qconv_macs,
    qconv_reference,
    stored_weights,
    sum_fits,
)
from mcugen.ops.spec import (
    Inputs,
    IntegerForm,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.fixed_point import INT32_MAX, INT32_MIN
from mcugen.quantize.requant import Requant, quantized_clamp, rounding_slack

BYTES = (DType.INT8, DType.UINT8)
MAX_REAL_MULTIPLIER = 2.0**30
"""Bound of accumulator scale over output scale; fixed-point numbers end at 2**31."""
MAX_WIDE_MULTIPLIER = 2.0**14
"""The same for int16 activations: their multiplier has 15 bits, and one of them rounds."""


@dataclass(frozen=True)
class QConvAttrs:
    """Attributes of an integer convolution: those of ConvAttrs, and what bounds the output.

    Attributes:
        out_dtype: int8, uint8 or int16.
        act_min: lowest output, an integer of `out_dtype`.
        act_max: highest output.
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    out_dtype: DType
    act_min: int
    act_max: int
    channels_last: bool = False


def _infer(attrs: QConvAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(conv_shape(attrs, inputs), attrs.out_dtype),)


def quantize_conv(site: QuantSite) -> IntegerForm:
    """QConv for a Conv between 8-bit, or int16, tensors with constant weights and bias."""
    form = weighted_form(site)
    attrs = site.node.attrs
    return IntegerForm(
        "QConv",
        QConvAttrs(
            attrs.strides,
            attrs.pads,
            attrs.dilations,
            attrs.groups,
            site.outputs[0].dtype,
            *output_range(site),
            attrs.channels_last,
        ),
        form,
    )


def output_range(site: QuantSite) -> tuple[int, int]:
    """(act_min, act_max) from the node's own activation and the one after it."""
    out = site.outputs[0]
    assert out.quant is not None
    clamp: Clamp | None = getattr(site.node.attrs, "activation", None)
    low, high = site.clamp
    if clamp is not None:
        both = clamp.then(low, high)
        low, high = both.low, both.high
    return quantized_clamp(low, high, out.quant, out.dtype)


def weighted_form(site: QuantSite, by_output: Tensor | None = None) -> tuple[Tensor | None, ...]:
    """(x, w, bias in int32) of a node with constant weights, float or integer bias.

    Args:
        site: the node.
        by_output: the weights with the output channels first, [O, ...]; default as they are.

    Raises:
        Reject: a tensor is not of a form that the integer kernels know.
    """
    x, w, out = site.input(0), by_output or site.input(1), site.outputs[0]
    x_quant, w_quant = site.quant(0), w.quant
    if w_quant is None:
        raise Reject("input 1 is not quantized")
    wide = check_types(x, w, out)
    if not x_quant.per_tensor or out.quant is None or not out.quant.per_tensor:
        raise Reject("input and output must be quantized per tensor")
    if w.data is None:
        raise Reject("the weights must be constant")
    if w_quant.axis not in (None, 0):
        raise Reject(f"weights must be quantized per output channel, got axis {w_quant.axis}")
    stored = stored_weights(w.data, w_quant.zero_point)
    if wide:
        check_symmetric(x_quant, out.quant)
    elif not sum_fits(stored, x.dtype, int(x_quant.zero_point)):
        raise Reject("the sum of an output must fit 32 bits")
    scale = accumulator_scale(x_quant, w_quant)
    check_scales(scale, out.quant.scale, MAX_WIDE_MULTIPLIER if wide else MAX_REAL_MULTIPLIER)
    bias = site.inputs[2] if len(site.inputs) > 2 else None
    if bias is None:
        return (x, site.inputs[1])
    return (x, site.inputs[1], integer_bias(bias, scale, w.shape[0], f"{w.name}_bias"))


def check_types(x: Tensor, w: Tensor, out: Tensor) -> bool:
    """Whether the activations are int16; raises Reject where there is no kernel for the types."""
    wide = x.dtype is out.dtype is DType.INT16
    if w.dtype in BYTES and (wide or (x.dtype in BYTES and out.dtype in BYTES)):
        return wide
    raise Reject(
        "input, weights and output must be int8 or uint8, or input and output int16, got "
        f"{x.dtype.value}, {w.dtype.value}, {out.dtype.value}"
    )


def check_symmetric(*quants: QuantParams) -> None:
    """Raises Reject when an int16 tensor has a zero point."""
    for quant in quants:
        if np.any(quant.zero_point):
            raise Reject(f"int16 must have a zero point of 0, got {int(quant.zero_point)}")


def check_scales(accumulator: Array, out: Array, limit: float = MAX_REAL_MULTIPLIER) -> None:
    """Raises Reject when a scale of the sum is denormal, or out of range of fixed point."""
    if not bool(np.all((accumulator >= np.finfo(np.float32).tiny) & np.isfinite(accumulator))):
        raise Reject("the product of the inputs' scales must be a normal float")
    if not bool(np.all(accumulator / np.float64(out) < limit)):
        raise Reject("the product of the inputs' scales is too large for the output's scale")


def accumulator_scale(x: QuantParams, w: QuantParams) -> Array:
    """float32 real value of one unit of the sum, [] or [O]: the product as float32."""
    product: Array = np.float32(x.scale) * np.asarray(w.scale, np.float32)
    return product


def integer_bias(bias: Tensor, scale: Array, channels: int, name: str) -> Tensor:
    """The bias as an int32 tensor in units of `scale`, whatever its own scale was.

    Raises:
        Reject: it is computed, not constant, or does not fit int32.
    """
    if bias.data is None:
        raise Reject("the bias must be constant")
    real = bias.data.astype(np.float64)
    if bias.quant is not None:
        steps = bias.data.astype(np.float64) - bias.quant.zero_point
        real = steps * np.asarray(bias.quant.scale, np.float64)
    rounded = np.rint(real / scale.astype(np.float64))
    if not bool(np.all((rounded >= INT32_MIN) & (rounded <= INT32_MAX))):
        raise Reject("the bias must fit int32 in units of input scale times weight scale")
    value = np.broadcast_to(rounded.astype(np.int32), (channels,))
    quant = QuantParams(scale, np.zeros(scale.shape, np.int32), None if scale.ndim == 0 else 0)
    if bias.quant is not None and bias.dtype is DType.INT32 and np.array_equal(value, bias.data):
        return bias
    return Tensor(name, (channels,), DType.INT32, quant, value)


def real_multiplier(x: QuantParams, w: QuantParams, out: QuantParams) -> Array:
    """float64 [] or [O]: TFLite's convolutions multiply and divide the scales in double."""
    product = np.float64(x.scale) * np.asarray(w.scale, np.float64)
    result: Array = product / np.float64(out.scale)
    return result


def _lower(site: Site) -> Lowered:
    x, w, bias = site.input(0), site.input(1), site.optional(2)
    out, attrs = site.outputs[0], site.attrs
    if x.quant is None or w.quant is None or out.quant is None or w.data is None:
        raise InternalError(f"{site.node.name}: QConv without quantization")
    g = conv_geometry(attrs, x, w).simplified()
    form = (g.out_c, g.group_in, g.height.kernel, g.width.kernel)
    weights = stored_weights(w.data, w.quant.zero_point)
    params = QConvParams(
        geometry=g,
        x_dtype=x.dtype,
        x_zero_point=int(x.quant.zero_point),
        weights=weights.reshape(form),
        bias=np.zeros(g.out_c, np.int32) if bias is None or bias.data is None else bias.data,
        requant=Requant.of(
            site.arithmetic,
            accumulator_scale(x.quant, w.quant),
            out.quant,
            out.dtype,
            (attrs.act_min, attrs.act_max),
            real_multiplier(x.quant, w.quant, out.quant),
            wide=x.dtype is DType.INT16,
        ),
        out_shape=out.shape,
        four_bits=in_four_bits(x, w, weights),
    )
    return Lowered(params, (x.name,))


def _channels_last(attrs: QConvAttrs) -> QConvAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="QConv",
        rounding_slack=rounding_slack,
        infer=_infer,
        lower=_lower,
        reference=qconv_reference,
        kernels=(
            *cmsis_nn.CONV_KERNELS,
            ESP_NN_ONE_PIXEL,
            *esp_nn.CONV_KERNELS,
            *QCONV_KERNELS,
        ),
        macs=qconv_macs,
        channels_last=_channels_last,
    ),
)
