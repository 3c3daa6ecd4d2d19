"""Convolutions with weights of 4 bits by CMSIS-NN: arm_convolve_wrapper_s4 and its like.

filters: [O, KH, KW, I] or depthwise [1, KH, KW, O], two in a byte, the first in the low half, rows
right after each other: an odd row ends in the middle of a byte.
"""

from __future__ import annotations

import dataclasses

from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, Dims, dims_reason, slower
from mcugen.ops.cmsis_nn.conv import ConvForm, conv_form, window_reason
from mcugen.ops.four_bits import packed_signed
from mcugen.ops.qconv_kernel import QConvParams, four_bits_reason
from mcugen.ops.spec import Constant, Core, Kernel
from mcugen.ops.vendor.limits import first_reason
from mcugen.ops.vendor.weighted import conv_constants, is_depthwise, weighted_reason


def conv_int4_form(params: QConvParams) -> ConvForm:
    """The arguments of either kind of convolution.

    Images of one row go past the wrapper: its MVE kernel for these fails with uneven padding.
    """
    form = conv_form(params)
    if is_depthwise(params.geometry):
        name = "arm_depthwise_conv_wrapper_s4"
    elif _pointwise(form) or not _one_by_n(form):
        name = "arm_convolve_wrapper_s4"
    else:
        name = "arm_convolve_s4"
    return dataclasses.replace(form, function=name, getter=f"{name}_get_buffer_size")


def _pointwise(form: ConvForm) -> bool:
    return buffers.is_pointwise(form.x, form.filters, form.padding, form.dilation)


def _one_by_n(form: ConvForm) -> bool:
    return buffers.is_one_by_n(form.x, form.filters, form.stride, form.dilation)


def conv_int4_reason(params: QConvParams) -> str | None:
    """Why the node cannot be an ordinary convolution."""
    g = params.geometry
    if is_depthwise(g):
        return _depthwise_reason(params) or "depthwise"
    reason = four_bits_reason(params) or weighted_reason(params)
    if reason is not None:
        return reason
    if g.groups > 1:
        return f"groups must be 1 with weights of 4 bits, got {g.groups}"
    return _sizes_reason(conv_int4_form(params))


def _depthwise_reason(params: QConvParams) -> str | None:
    if not is_depthwise(params.geometry):
        return conv_int4_reason(params) or "not depthwise"
    reason = four_bits_reason(params) or weighted_reason(params)
    if reason is not None:
        return reason
    form = conv_int4_form(params)
    return first_reason(_sizes_reason(form), _odd_channels_reason(form))


def _sizes_reason(form: ConvForm) -> str | None:
    """Rows of weights are counted in 16 bits too."""
    row = form.filters.h * form.filters.w * form.filters.c
    return first_reason(window_reason(form), dims_reason(Dims(c=row)))


def _odd_channels_reason(form: ConvForm) -> str | None:
    """The general kernel loses its place in the weights of an odd number of channels."""
    if buffers.is_depthwise_s4_opt(form.x, form.y, form.dilation) or form.x.c % 2 == 0:
        return None
    return (
        "an odd number of channels with weights of 4 bits must be one image, not dilated, "
        f"with as many outputs, got {form.x.n} images, dilation {form.dilation.h}x"
        f"{form.dilation.w}, {form.x.c} channels to {form.y.c}"
    )


def _scratch(params: QConvParams, core: Core) -> int:
    form = conv_int4_form(params)
    return 0 if _pointwise(form) else buffers.convolve_s4(form.x, form.filters, core)


def _depthwise_scratch(params: QConvParams, core: Core) -> int:
    del core
    form = conv_int4_form(params)
    return buffers.depthwise_s4(form.x, form.filters, form.y, form.dilation)


def _constants(params: QConvParams) -> tuple[Constant, ...]:
    weights, *others = conv_constants(params)
    return (Constant(weights.name, packed_signed(weights.array)), *others)


# Convolutions took 0.95 to 1.25 of portable C's cycles, 1.20 to 1.65 of its instructions with DSP;
# depthwise 1.84 and 2.26.
CONV_INT4_KERNEL = Kernel(
    "cmsis_nn/convolve_int4.c.j2",
    LIBRARY,
    accepts=conv_int4_reason,
    constants=_constants,
    scratch=_scratch,
    guarded=True,
    slower_on=slower,
    headers=HEADERS,
    form=conv_int4_form,
)
"""Also takes the rows of fully connected layers with one multiplier per channel."""

CONV_INT4_KERNELS = (
    Kernel(
        "cmsis_nn/depthwise_conv_int4.c.j2",
        LIBRARY,
        accepts=_depthwise_reason,
        constants=_constants,
        scratch=_depthwise_scratch,
        guarded=True,
        wrong_on=frozenset({Core.MVE}),  # most results of random cases in an emulated Cortex-M55
        slower_on=slower,
        headers=HEADERS,
        form=conv_int4_form,
    ),
    CONV_INT4_KERNEL,
)
