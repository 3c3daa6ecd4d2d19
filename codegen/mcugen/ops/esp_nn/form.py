"""Arguments of ESP-NN's convolutions, ordinary and depthwise, in the library's terms."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ops.esp_nn.common import Pair, Size
from mcugen.ops.qconv_kernel import QConvParams


@dataclass(frozen=True)
class ConvForm:
    """Arguments of a convolution.

    Attributes:
        x: the image.
        filters: channels are those of the input, in a depthwise convolution too.
        y: the output.
        stride: of the window.
        padding: leading; what is behind follows from the output's size.
        channel_multiplier: output channels per input channel of a depthwise convolution.
        input_offset: -zero point of the input.
        output_offset: zero point of the output.
        act_min: lowest output.
        act_max: highest output.
    """

    x: Size
    filters: Size
    y: Size
    stride: Pair
    padding: Pair
    channel_multiplier: int
    input_offset: int
    output_offset: int
    act_min: int
    act_max: int

    @property
    def padded(self) -> bool:
        """Whether there is leading padding."""
        return self.padding != Pair(0, 0)

    @property
    def is_3x3(self) -> bool:
        """Whether the window is 3x3."""
        return (self.filters.height, self.filters.width) == (3, 3)

    @property
    def taps(self) -> int:
        """Positions of a window."""
        return self.filters.height * self.filters.width


def conv_form(params: QConvParams) -> ConvForm:
    """The arguments of either kind of convolution."""
    g, requant, zero = params.geometry, params.requant, params.x_zero_point
    assert requant is not None and zero is not None
    return ConvForm(
        x=Size(g.height.size, g.width.size, g.in_c),
        filters=Size(g.height.kernel, g.width.kernel, g.in_c),
        y=Size(g.height.out, g.width.out, g.out_c),
        stride=Pair(g.height.stride, g.width.stride),
        padding=Pair(g.height.pad, g.width.pad),
        channel_multiplier=g.group_out,
        input_offset=-zero,
        output_offset=requant.zero_point,
        act_min=requant.act_min,
        act_max=requant.act_max,
    )
