"""Integer convolutions by CMSIS-NN: arm_convolve_wrapper_s8, arm_depthwise_conv_wrapper_s8.

With weights of 4 bits they are in conv_int4.py, which shares all but the functions.
filters: [O, KH, KW, I] or depthwise [1, KH, KW, O]; multiplier and shift are int32 [O].
"""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    MAX_DIM,
    Dims,
    Tile,
    dims_reason,
    slower_cores,
)
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import first_reason
from mcugen.ops.vendor.weighted import (
    conv_constants,
    is_depthwise,
    is_one_pixel,
    weighted_reason,
    weights_reason,
)


@dataclass(frozen=True)
class ConvForm:
    """Arguments of a convolution, in the library's terms.

    Attributes:
        function: which function is called.
        getter: which one tells its working memory.
        x: [N, H, W, C].
        filters: n is O; depthwise n is 1 and c is O.
        y: [N, OH, OW, O].
        stride: of the window.
        padding: leading; what is behind follows from the output's size.
        dilation: of the window.
        channel_multiplier: output channels per input channel, depthwise.
        input_offset: -zero point of the input.
        output_offset: zero point of the output.
        act_min: lowest output.
        act_max: highest output.
    """

    function: str
    getter: str
    x: Dims
    filters: Dims
    y: Dims
    stride: Tile
    padding: Tile
    dilation: Tile
    channel_multiplier: int
    input_offset: int
    output_offset: int
    act_min: int
    act_max: int

    @property
    def typed_bias(self) -> bool:
        """Whether the bias is passed along with its type."""
        return self.function == "arm_convolve_wrapper_s16"

    @property
    def whole_image(self) -> bool:
        """Whether the plain convolution is called, past the wrapper and its row kernel."""
        return self.function in ("arm_convolve_s8", "arm_convolve_s4")

    @property
    def upscales(self) -> bool:
        """Whether the function also does transposed convolutions."""
        return self.function == "arm_convolve_s8"


def conv_form(params: QConvParams) -> ConvForm:
    """The arguments of either kind of convolution."""
    g, requant, zero = params.geometry, params.requant, params.x_zero_point
    assert requant is not None and zero is not None
    depthwise = is_depthwise(g)
    x = Dims(g.batch, g.height.size, g.width.size, g.in_c)
    filters = Dims(g.out_c, g.height.kernel, g.width.kernel, g.group_in)
    if depthwise:
        filters = Dims(1, filters.h, filters.w, g.out_c)
    y = Dims(g.batch, g.height.out, g.width.out, g.out_c)
    name = "arm_depthwise_conv_wrapper_s8" if depthwise else _function(g, x, filters, y)
    return ConvForm(
        function=name,
        getter=f"{name}_get_buffer_size",
        x=x,
        filters=filters,
        y=y,
        stride=_stride(g),
        padding=_padding(g),
        dilation=_dilation(g),
        channel_multiplier=g.group_out,
        input_offset=-zero,
        output_offset=requant.zero_point,
        act_min=requant.act_min,
        act_max=requant.act_max,
    )


def _stride(g: ConvGeometry) -> Tile:
    return Tile(g.height.stride, g.width.stride)


def _padding(g: ConvGeometry) -> Tile:
    return Tile(g.height.pad, g.width.pad)


def _dilation(g: ConvGeometry) -> Tile:
    return Tile(g.height.dilation, g.width.dilation)


def _function(g: ConvGeometry, x: Dims, filters: Dims, y: Dims) -> str:
    """The wrapper, but for images of one row that its MVE kernel for these gets wrong."""
    if buffers.is_pointwise(x, filters, _padding(g), _dilation(g)):
        return "arm_convolve_wrapper_s8"
    if not buffers.is_one_by_n(x, filters, _stride(g), _dilation(g)):
        return "arm_convolve_wrapper_s8"
    total = (y.w - 1) * g.width.stride + filters.w - x.w
    even = total >= 0 and 2 * g.width.pad == total - total % 2
    works = g.width.stride == 1 and even and x.w >= filters.w
    return "arm_convolve_wrapper_s8" if works else "arm_convolve_s8"


def _scratch(params: QConvParams, core: Core) -> int:
    form = conv_form(params)
    if form.whole_image:
        return buffers.convolve(form.x, form.filters, core)
    if buffers.is_pointwise(form.x, form.filters, form.padding, form.dilation):
        return 0
    if buffers.is_one_by_n(form.x, form.filters, form.stride, form.dilation):
        place = (form.stride.w, form.padding.w)
        return buffers.one_by_n(form.x, form.filters, form.y, *place, core)
    return buffers.convolve(form.x, form.filters, core)


def _depthwise_scratch(params: QConvParams, core: Core) -> int:
    form = conv_form(params)
    return buffers.depthwise(form.x, form.filters, form.y, form.padding, form.dilation, core)


def conv_reason(params: QConvParams) -> str | None:
    """Why the node cannot be an ordinary convolution."""
    if is_depthwise(params.geometry):
        return _depthwise_reason(params) or "depthwise"
    reason = weighted_reason(params) or weights_reason(params.weights)
    if reason is not None:
        return reason
    form = conv_form(params)
    if buffers.is_pointwise(form.x, form.filters, form.padding, form.dilation):
        # Pixels are counted in 32 bits here.
        return dims_reason(Dims(c=form.x.c), Dims(c=form.y.c), Dims(w=min(form.x.w, MAX_DIM)))
    return window_reason(form)


def _depthwise_reason(params: QConvParams) -> str | None:
    if not is_depthwise(params.geometry):
        return conv_reason(params) or "not depthwise"
    reason = weighted_reason(params) or weights_reason(params.weights)
    if reason is not None:
        return reason
    form = conv_form(params)
    return first_reason(window_reason(form), _three_by_three_reason(form))


def window_reason(form: ConvForm) -> str | None:
    """Why the kernels cannot have these dimensions."""
    last_h = (form.y.h - 1) * form.stride.h + (form.filters.h - 1) * form.dilation.h
    last_w = (form.y.w - 1) * form.stride.w + (form.filters.w - 1) * form.dilation.w
    reach = Dims(h=max(last_h, 1), w=max(last_w, 1))
    pads = Dims(h=max(form.padding.h, 1), w=max(form.padding.w, 1))
    return dims_reason(form.x, form.filters, form.y, reach, pads)


def _three_by_three_reason(form: ConvForm) -> str | None:
    """The 3x3 kernel always reads the middle column of its window, inside the image or not."""
    three = form.filters.h == form.filters.w == 3 and form.channel_multiplier == 1
    plain = form.x.n == 1 and form.dilation == Tile(1, 1)
    if not (three and plain and form.padding.h <= 1 and form.padding.w <= 1):
        return None
    middle = (form.y.w - 1) * form.stride.w - form.padding.w + 1
    if middle < form.x.w:
        return None
    return f"3x3 windows may reach 1 column beyond the image, got {middle + 2 - form.x.w}"


MANY_CHANNELS = 24
"""Output channels per group that make up for widening the pixels of a window, without DSP."""

SHORT_ROW = 8
"""Bytes of one row of a window up to which portable C is slow without DSP."""

VERY_MANY_CHANNELS = 64
"""Output channels per group that make up for widening pixels of few channels, with DSP."""


def _slower(params: QConvParams) -> frozenset[Core]:
    """Pointwise convolutions took 0.71 to 1.04 of portable C's cycles, 0.70 to 1.13 with DSP.

    Windows took 0.72 and 0.85 where rows are short and channels many, else 0.96 to 1.46; with DSP
    0.67 to 0.89, but 1.04 to 1.73 of fewer than 4 channels into fewer than 64. Pixels are taken by
    two: a single one is for fully connected layers.
    """
    g, form = params.geometry, conv_form(params)
    if is_one_pixel(g):
        return slower_cores(plain=True, dsp=True)
    if buffers.is_pointwise(form.x, form.filters, form.padding, form.dilation):
        return slower_cores(plain=False, dsp=False)
    short = g.width.kernel * g.group_in <= SHORT_ROW
    return slower_cores(
        plain=not (short and g.group_out >= MANY_CHANNELS),
        dsp=g.group_in < 4 and g.group_out < VERY_MANY_CHANNELS,
    )


def _depthwise_slower(params: QConvParams) -> frozenset[Core]:
    """All took 1.20 to 2.66 of portable C's cycles.

    With DSP 0.50 to 0.97, but 1.07 to 3.6 for one pixel, and twice as many in plain C.
    """
    form = conv_form(params)
    plain_c = form.channel_multiplier != 1 or form.x.n != 1 or form.dilation != Tile(1, 1)
    return slower_cores(plain=True, dsp=plain_c or form.y.h * form.y.w == 1)


CONV_KERNELS = (
    Kernel(
        "cmsis_nn/depthwise_conv.c.j2",
        LIBRARY,
        accepts=_depthwise_reason,
        constants=conv_constants,
        scratch=_depthwise_scratch,
        guarded=True,
        slower_on=_depthwise_slower,
        headers=HEADERS,
        form=conv_form,
    ),
    Kernel(
        "cmsis_nn/convolve.c.j2",
        LIBRARY,
        accepts=conv_reason,
        constants=conv_constants,
        scratch=_scratch,
        guarded=True,
        slower_on=_slower,
        headers=HEADERS,
        form=conv_form,
    ),
)
