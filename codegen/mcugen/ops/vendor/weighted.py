"""Operators with weights, as vendors' int8 kernels take them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.spec import Constant
from mcugen.ops.vendor.limits import (
    accumulator_bound,
    int8_reason,
    requant_overflow_reason,
    requant_reason,
)
from mcugen.ops.window import Axis
from mcugen.quantize.requant import Requant


class Weighted(Protocol):
    """Params of an operator with weights."""

    @property
    def x_dtype(self) -> DType:
        """Of the input."""

    @property
    def x_zero_point(self) -> int | None:
        """Of the input; None when it is computed."""

    @property
    def weights(self) -> Array:
        """[O, ...], the zero point subtracted."""

    @property
    def bias(self) -> Array:
        """int32 [O]."""

    @property
    def requant(self) -> Requant | None:
        """Accumulator -> output."""


def weighted_reason(params: Weighted) -> str | None:
    """Why no kernel with weights takes this node, whatever its shapes."""
    requant, zero = params.requant, params.x_zero_point
    reason = int8_reason([params.x_dtype]) or requant_reason(requant)
    if reason is not None:
        return reason
    if zero is None:
        return "the zero point of the input must be a constant"
    assert requant is not None
    return requant_overflow_reason(accumulator_bound(params.weights, params.bias, zero), requant)


def weights_reason(weights: Array) -> str | None:
    """Why the weights cannot be the library's."""
    if weights.dtype == np.int8:
        return None
    return "weights must fit int8 after their zero point is subtracted"


def per_channel(requant: Requant, channels: int) -> tuple[Constant, ...]:
    """Multiplier and shift as int32 [O]."""
    return (
        Constant("multiplier", _int32(requant.multiplier, channels)),
        Constant("shift", _int32(requant.shift, channels)),
    )


def _int32(values: Array, channels: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(values, (channels,)).astype(np.int32))


def is_depthwise(g: ConvGeometry) -> bool:
    """Whether every group has one input channel; with one group it is an ordinary convolution."""
    return g.groups == g.in_c > 1


def conv_constants(params: QConvParams) -> tuple[Constant, ...]:
    """Weights [O, KH, KW, I], depthwise [KH, KW, O], bias, multiplier and shift."""
    depthwise = is_depthwise(params.geometry)
    taps = params.weights
    taps = taps[:, 0].transpose(1, 2, 0) if depthwise else taps.transpose(0, 2, 3, 1)
    assert params.requant is not None
    return (
        Constant("weights", taps.reshape(-1)),
        Constant("bias", params.bias),
        *per_channel(params.requant, params.geometry.out_c),
    )


def is_one_pixel(g: ConvGeometry) -> bool:
    """Whether the window is as large as the image: the node is a matrix by a vector."""
    return g.groups == 1 and _covers(g.height) and _covers(g.width)


def _covers(axis: Axis) -> bool:
    whole = (axis.size, axis.out, axis.pad) == (axis.kernel, 1, 0)
    return whole and (axis.dilation == 1 or axis.kernel == 1)
