"""ConvInteger: the convolution of 8-bit integers without requantization, int32.

y = sum of (x - x_zero_point) * (w - w_zero_point) over the taps; padding holds x's zero point.
x [N, C, ...], constant w [O, C/groups, ...], x_zero_point scalar and perhaps computed (by
DynamicQuantizeLinear), w_zero_point constant, scalar or [O]. Layouts as of Conv.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import dtype_constraint, no_empty_dims, optional, present
from mcugen.ops.conv_geometry import (
    conv_geometry,
    conv_shape,
    conv_window,
    convolve,
    two_dimensional_kernel,
    weights_4d,
)
from mcugen.ops.qconv_kernel import (
    QCONV_KERNELS,
    QConvParams,
    qconv_macs,
    qconv_reference,
    stored_weights,
    sum_fits,
)
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType

BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True)
class ConvIntegerAttrs:
    """Attributes of ConvAttrs without an activation."""

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1
    channels_last: bool = False


def conv_integer_from_onnx(ctx: ImportContext) -> None:
    """Defaults filled in, auto_pad resolved."""
    attrs = ConvIntegerAttrs(**conv_window(ctx, ctx.tensor(1)))
    ctx.emit("ConvInteger", ctx.inputs, attrs, ctx.outputs)


def _infer(attrs: ConvIntegerAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    x_zero, w_zero = optional(inputs, 2), optional(inputs, 3)
    if x_zero is not None and x_zero.size != 1:
        raise Reject(f"the zero point of the input must be a scalar, got {list(x_zero.shape)}")
    out_c = present(inputs, 1).shape[0]
    if w_zero is not None and w_zero.size != 1 and w_zero.shape != (out_c,):
        raise Reject(
            f"the zero point of the weights must be a scalar or [{out_c}], got {list(w_zero.shape)}"
        )
    shape = conv_shape(attrs, inputs[:2])
    zero = np.zeros(1, np.int32) if w_zero is None else w_zero.data
    w = present(inputs, 1)
    if w.data is not None and zero is not None:
        stored = stored_weights(w.data, zero)
        if not sum_fits(stored, present(inputs, 0).dtype, None):
            raise Reject(f"the sum of an output must fit 32 bits, got {w.size // out_c} products")
    return (TensorType(shape, DType.INT32),)


def _semantics(attrs: ConvIntegerAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    x, w = arrays[0], arrays[1]
    assert x is not None
    assert w is not None
    zeros = [np.zeros(1) if z is None else z.reshape(-1) for z in [*arrays[2:], None, None][:2]]
    last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
    form = dataclasses.replace(attrs, channels_last=True)
    tensors = Tensor("x", last.shape, DType.of(x)), Tensor("w", w.shape, DType.of(w))
    taps = w.astype(np.float64) - zeros[1].reshape(-1, *[1] * (w.ndim - 1))
    total = convolve(
        conv_geometry(form, *tensors), last - zeros[0].astype(np.float64), weights_4d(taps)
    )
    y = total.astype(np.int64).astype(np.int32).reshape(conv_shape(form, tensors))
    return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)


def _lower(site: Site) -> Lowered:
    x, w, x_zero, w_zero = site.input(0), site.input(1), site.optional(2), site.optional(3)
    zero = np.zeros(1, np.int32) if w_zero is None else w_zero.data
    if w.data is None or zero is None:
        raise InternalError(f"{site.node.name}: ConvInteger with computed weights")
    g = conv_geometry(site.attrs, x, w).simplified()
    stored = stored_weights(w.data, zero)
    literal = 0 if x_zero is None else None
    if x_zero is not None and x_zero.data is not None:
        literal = int(x_zero.data.reshape(()))
    params = QConvParams(
        geometry=g,
        x_dtype=x.dtype,
        x_zero_point=literal,
        weights=stored.reshape(g.out_c, g.group_in, g.height.kernel, g.width.kernel),
        bias=np.zeros(g.out_c, np.int32),
        requant=None,
        out_shape=site.outputs[0].shape,
    )
    read = (x.name,) if x_zero is None or literal is not None else (x.name, x_zero.name)
    return Lowered(params, read)


def weights_are_constant(attrs: ConvIntegerAttrs, inputs: Inputs) -> str | None:
    """The weights and their zero point must be constant."""
    del attrs
    w, zero = present(inputs, 1), optional(inputs, 3)
    constant = w.is_constant and (zero is None or zero.is_constant)
    if constant or present(inputs, 0).is_constant:
        return None
    return "computed ones"


def _channels_last(attrs: ConvIntegerAttrs) -> ConvIntegerAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="ConvInteger",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=qconv_reference,
        kernels=QCONV_KERNELS,
        onnx={"ConvInteger": conv_integer_from_onnx},
        constraints=(
            dtype_constraint(0, "the input", BYTES),
            dtype_constraint(1, "the weights", BYTES),
            two_dimensional_kernel,
            no_empty_dims,
            weights_are_constant,
        ),
        macs=qconv_macs,
        channels_last=_channels_last,
    ),
)
