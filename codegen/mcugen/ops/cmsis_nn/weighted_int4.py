"""Layers with weights of 4 bits by CMSIS-NN; fully connected ones: arm_fully_connected_s4.

x [N, K], weights [O, K], two in a byte, the first in the low half, rows right after each other; one
multiplier for all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from mcugen.ops.cmsis_nn import weighted_s16
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, dims_reason, slower
from mcugen.ops.cmsis_nn.conv_int4 import CONV_INT4_KERNEL, CONV_INT4_KERNELS, conv_int4_reason
from mcugen.ops.cmsis_nn.matmul import fully_connected_form
from mcugen.ops.four_bits import packed_signed
from mcugen.ops.qconv_kernel import QConvParams, four_bits_reason
from mcugen.ops.spec import Constant, Kernel
from mcugen.ops.vendor.weighted import is_one_pixel, weighted_reason


def _reason(params: QConvParams) -> str | None:
    reason = four_bits_reason(params) or weighted_reason(params)
    if reason is not None:
        return reason
    form = fully_connected_form(params)
    if form.per_channel:
        return conv_int4_reason(params) or "one multiplier per channel"
    return dims_reason(form.x, form.filters, form.y)


def _one_pixel_reason(params: QConvParams) -> str | None:
    if not is_one_pixel(params.geometry):
        return conv_int4_reason(params) or "more than one pixel"
    return _reason(params)


def _constants(params: QConvParams) -> tuple[Constant, ...]:
    weights = packed_signed(params.weights.transpose(0, 2, 3, 1))
    return (Constant("weights", weights), Constant("bias", params.bias))


_FULLY_CONNECTED = Kernel(
    "cmsis_nn/fully_connected_int4.c.j2",
    LIBRARY,
    accepts=_reason,
    constants=_constants,
    slower_on=slower,  # 1.19 and 1.31 of the cycles, with DSP 1.23 and 1.45
    headers=HEADERS,
    form=fully_connected_form,
)

_ONE_PIXEL = dataclasses.replace(_FULLY_CONNECTED, accepts=_one_pixel_reason)
"""The same for a convolution of one pixel."""


def _of_more_bits(kernel: Kernel, int4: Callable[[QConvParams], str | None]) -> Kernel:
    """The kernel, which tells of 4 bits what the kernel for these has against the node."""

    def accepts(params: Any) -> str | None:
        if params.four_bits:
            return int4(params) or "weights are stored in 4 bits"
        return kernel.accepts(params)

    return dataclasses.replace(kernel, accepts=accepts)


CONV_KERNELS = (
    *(_of_more_bits(k, _one_pixel_reason) for k in weighted_s16.CONV_KERNELS),
    _ONE_PIXEL,
    *CONV_INT4_KERNELS,
)
"""Of QConv, whatever its activations and weights."""

FULLY_CONNECTED_KERNELS = (
    *(_of_more_bits(k, _reason) for k in weighted_s16.FULLY_CONNECTED_KERNELS),
    _FULLY_CONNECTED,
    CONV_INT4_KERNEL,
)
"""Of QFullyConnected: weights per output channel are a convolution of single pixels."""
