"""Convolutions and fully connected layers of int16 activations by CMSIS-NN.

arm_convolve_wrapper_s16, arm_depthwise_conv_wrapper_s16 and arm_fully_connected_s16: weights int8,
bias int64, requantized with a multiplier of 15 bits (Requant.wide).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mcugen.ir import DType
from mcugen.ops.cmsis_nn import buffers, conv, matmul
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    Tile,
    dim_reason,
    dims_reason,
    slower,
    slower_cores,
)
from mcugen.ops.cmsis_nn.conv import ConvForm
from mcugen.ops.cmsis_nn.matmul import FullyConnectedForm
from mcugen.ops.qconv_kernel import QConvParams, wide_bound
from mcugen.ops.spec import Constant, Core, Kernel
from mcugen.ops.vendor.limits import first_reason
from mcugen.ops.vendor.weighted import (
    conv_constants,
    is_depthwise,
    is_one_pixel,
    weights_reason,
)
from mcugen.quantize.fixed_point import INT32_MAX
from mcugen.quantize.requant import Requant

MAX_SHIFT = 7
MAX_RESULT = 2**30
"""A result is doubled before its last bit rounds it, in 32 bits."""

FAST_COLUMNS = 512
"""Terms of a sum up to which the kernels with DSP instructions take one loop."""


def _wide_reason(params: QConvParams) -> str | None:
    """Why no kernel takes this node, whatever its shapes."""
    requant = params.requant
    if params.x_dtype is not DType.INT16 or requant is None or not requant.wide:
        return f"activations must be int16, got {params.x_dtype.value}"
    if not requant.is_fixed_point:
        return "computes --arithmetic tflite alone, got onnx"
    return weights_reason(params.weights) or _numbers_reason(params, requant)


def _numbers_reason(params: QConvParams, requant: Requant) -> str | None:
    largest = wide_bound(params)
    if largest > INT32_MAX:
        return f"sums must fit 32 bits with their bias, got up to {largest}"
    return result_reason(requant, largest)


def result_reason(requant: Requant, largest: int) -> str | None:
    """Why sums up to `largest` cannot be requantized by the library."""
    if int(requant.shift.max()) > MAX_SHIFT:
        return f"multipliers must be below {2**MAX_SHIFT}, got a shift of {requant.shift.max()}"
    real = requant.multiplier.astype(np.float64) * 2.0 ** (requant.shift.astype(np.float64) - 31)
    result = float(real.max()) * largest
    if result >= MAX_RESULT:
        return f"results must fit 31 bits, got up to {result:.3g}"
    return None


def conv_form(params: QConvParams) -> ConvForm:
    """The arguments of either kind of convolution."""
    kind = "depthwise_conv" if is_depthwise(params.geometry) else "convolve"
    name = f"arm_{kind}_wrapper_s16"
    form = conv.conv_form(params)
    return dataclasses.replace(form, function=name, getter=f"{name}_get_buffer_size")


def _conv_reason(params: QConvParams) -> str | None:
    """Why the node cannot be an ordinary convolution.

    The kernel with DSP instructions reads beyond the last of an odd number of rows of weights that
    are longer than one loop of it and no multiple of 4.
    """
    g = params.geometry
    if is_depthwise(g):
        return _depthwise_reason(params) or "depthwise"
    reason = _wide_reason(params)
    if reason is not None:
        return reason
    if g.groups != 1:
        return f"groups must be 1, got {g.groups}"
    if g.depth > FAST_COLUMNS and g.depth % 4 and g.out_c % 2:
        return f"{g.out_c} rows of {g.depth} weights: the last one would be read beyond its end"
    return first_reason(dim_reason(g.depth), conv.window_reason(conv_form(params)))


def _depthwise_reason(params: QConvParams) -> str | None:
    """Why the node cannot be a depthwise convolution.

    Windows above or below the image are written beyond the working memory with DSP instructions;
    with MVE channels are taken by 4, their constants and the working memory read beyond the end.
    """
    g = params.geometry
    if not is_depthwise(g):
        return _conv_reason(params) or "not depthwise"
    reason = _wide_reason(params)
    if reason is not None:
        return reason
    form = conv_form(params)
    if _is_fast(form):
        last = (form.y.h - 1) * form.stride.h - form.padding.h
        if form.padding.h > form.filters.h or last > form.x.h:
            return "every window must touch the input"
        if form.x.c % 4:
            return f"channels must be a multiple of 4, got {form.x.c}"
    return conv.window_reason(form)


def _is_fast(form: ConvForm) -> bool:
    """Whether the wrapper takes its kernel with working memory."""
    taps = form.filters.h * form.filters.w
    return form.channel_multiplier == 1 and form.dilation == Tile(1, 1) and taps < FAST_COLUMNS


def _conv_scratch(params: QConvParams, core: Core) -> int:
    form = conv_form(params)
    return buffers.convolve_s16(form.x, form.filters, core)


def _depthwise_scratch(params: QConvParams, core: Core) -> int:
    form = conv_form(params)
    return buffers.depthwise_s16(form.x, form.filters, core) if _is_fast(form) else 0


def fully_connected_form(params: QConvParams) -> FullyConnectedForm:
    """The arguments of a fully connected layer."""
    return dataclasses.replace(
        matmul.fully_connected_form(params), function="arm_fully_connected_s16"
    )


def _fully_connected_reason(params: QConvParams) -> str | None:
    reason = _wide_reason(params)
    if reason is not None:
        return reason
    form = fully_connected_form(params)
    if form.per_channel:
        return "weights must be quantized per tensor"
    return dims_reason(form.x, form.filters, form.y)


def _constants(params: QConvParams) -> tuple[Constant, ...]:
    """Those of int8 with the bias widened."""
    return tuple(_widened(c) for c in conv_constants(params))


def _fully_connected_constants(params: QConvParams) -> tuple[Constant, ...]:
    return _constants(params)[:2]


def _widened(constant: Constant) -> Constant:
    if constant.name != "bias":
        return constant
    return dataclasses.replace(constant, array=constant.array.astype(np.int64))


MANY_CHANNELS = 16
"""Channels of a pixel from which on a convolution was faster."""


def _conv_slower(params: QConvParams) -> frozenset[Core]:
    """Pointwise convolutions took 0.85 of portable C's cycles, 0.95 with DSP.

    Windows of 16 channels took 1.16, with DSP 0.88; of 1 and 3 channels 1.00 and 0.86, with DSP
    1.82 and 1.37: nothing is won on the whole.
    """
    g, form = params.geometry, conv_form(params)
    if is_one_pixel(g) or g.in_c < MANY_CHANNELS:
        return slower_cores(plain=True, dsp=True)
    pointwise = buffers.is_pointwise(form.x, form.filters, form.padding, form.dilation)
    return slower_cores(plain=not pointwise, dsp=False)


def _depthwise_slower(params: QConvParams) -> frozenset[Core]:
    """All took 1.71 to 2.04 of portable C's cycles; with DSP 0.84 to 0.96, in plain C 1.86."""
    form = conv_form(params)
    return slower_cores(plain=True, dsp=not _is_fast(form) or form.y.h * form.y.w == 1)


_CONV = Kernel(
    "cmsis_nn/convolve.c.j2",
    LIBRARY,
    accepts=_conv_reason,
    constants=_constants,
    scratch=_conv_scratch,
    guarded=True,
    slower_on=_conv_slower,
    headers=HEADERS,
    form=conv_form,
)

_DEPTHWISE = dataclasses.replace(
    _CONV,
    template="cmsis_nn/depthwise_conv.c.j2",
    accepts=_depthwise_reason,
    scratch=_depthwise_scratch,
    slower_on=_depthwise_slower,
)

_FULLY_CONNECTED = Kernel(
    "cmsis_nn/fully_connected.c.j2",
    LIBRARY,
    accepts=_fully_connected_reason,
    constants=_fully_connected_constants,
    guarded=True,
    slower_on=slower,  # 8.3 to 9.8 times the cycles, with DSP 1.01 to 1.14
    headers=HEADERS,
    form=fully_connected_form,
)


def _of_int8(kernel: Kernel, wide: Callable[[QConvParams], str | None]) -> Kernel:
    """The kernel, which tells of int16 what the kernel for these has against the node."""

    def accepts(params: Any) -> str | None:
        if params.x_dtype is DType.INT16:
            return wide(params) or "int16"
        return kernel.accepts(params)

    return dataclasses.replace(kernel, accepts=accepts)


CONV_KERNELS = (
    *(_of_int8(k, _conv_reason) for k in (matmul.ONE_PIXEL_KERNEL, *conv.CONV_KERNELS)),
    _DEPTHWISE,
    _CONV,
)
"""Of QConv, whatever its activations."""

FULLY_CONNECTED_KERNELS = (
    _of_int8(matmul.FULLY_CONNECTED_KERNEL, _fully_connected_reason),
    _FULLY_CONNECTED,
    _CONV,
)
"""Of QFullyConnected: weights per output channel are a convolution of single pixels."""
