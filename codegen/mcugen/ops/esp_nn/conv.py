"""Integer convolutions by ESP-NN: esp_nn_conv_s8 and esp_nn_depthwise_conv_s8.

filters: [O, KH, KW, I] or depthwise [KH, KW, O]; multiplier and shift are int32 [O].
"""

from __future__ import annotations

from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.esp_nn import buffers
from mcugen.ops.esp_nn.buffers import ConvPath, DepthwisePath
from mcugen.ops.esp_nn.common import (
    ALIGN_BYTES,
    HEADERS,
    LIBRARY,
    image_reason,
    rounding_reason,
    stack_reason,
    trailing,
)
from mcugen.ops.esp_nn.form import ConvForm, conv_form
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import accumulator_bound, first_reason
from mcugen.ops.vendor.weighted import (
    Weighted,
    conv_constants,
    is_depthwise,
    weighted_reason,
    weights_reason,
)

_INT32_BYTES = 4


def numbers_reason(params: Weighted) -> str | None:
    """Why no kernel with weights takes this node, whatever its shapes."""
    reason = weighted_reason(params) or weights_reason(params.weights)
    if reason is not None:
        return reason
    requant, zero = params.requant, params.x_zero_point
    assert requant is not None and zero is not None
    bound = accumulator_bound(params.weights, params.bias, zero)
    return rounding_reason(bound, requant.multiplier, requant.shift)


def _image_reason(g: ConvGeometry) -> str | None:
    return image_reason(g.batch, g.height, g.width, g.in_c, g.out_c)


def conv_reason(params: QConvParams) -> str | None:
    """Why the node cannot be an ordinary convolution."""
    g = params.geometry
    if is_depthwise(g):
        return _depthwise_reason(params) or "depthwise"
    reason = numbers_reason(params) or _image_reason(g)
    if reason is not None:
        return reason
    if g.groups != 1:
        return f"groups of channels are computed in plain C, got {g.groups} groups"
    path = buffers.conv_path(conv_form(params))
    if path is ConvPath.WINDOW:
        return _window_reason(g)
    return _trailing_reason(g) if g.height.pad or g.width.pad else None


def _window_reason(g: ConvGeometry) -> str | None:
    """Its test for windows inside the image divides a negative number by the stride."""
    for axis in (g.height, g.width):
        if axis.size < axis.kernel and axis.stride > 1:
            return f"images smaller than the window need stride 1, got {axis.stride}"
    return None


def _trailing_reason(g: ConvGeometry) -> str | None:
    """What is in front is padded behind as well, and no more."""
    if trailing(g.height) <= g.height.pad and trailing(g.width) <= g.width.pad:
        return None
    return (
        "padding behind may be at most that in front, got "
        f"{trailing(g.height)}x{trailing(g.width)} behind {g.height.pad}x{g.width.pad}"
    )


def _depthwise_reason(params: QConvParams) -> str | None:
    g = params.geometry
    if not is_depthwise(g):
        return conv_reason(params) or "not depthwise"
    reason = numbers_reason(params) or _image_reason(g)
    if reason is not None:
        return reason
    form = conv_form(params)
    path = buffers.depthwise_path(form)
    if path is DepthwisePath.PLAIN:
        return (
            "is computed in plain C, unless there are 4 channels and more or a multiple of 4 "
            f"outputs of each, got {g.in_c} with {g.group_out}"
        )
    return first_reason(
        _trailing_reason(g) if path is DepthwisePath.SAME else None,
        _rows_reason(form) if path is DepthwisePath.INT16 else None,
        _widened_reason(form) if path is DepthwisePath.WIDENED else None,
    )


def _rows_reason(form: ConvForm) -> str | None:
    """Rows of padding are filled with input_offset, as if the input were 0 there."""
    last = (form.y.height - 1) * form.stride.height + form.filters.height - form.padding.height
    above_or_below = form.padding.height > 0 or last > form.x.height
    if not (buffers.converts_rows(form) and above_or_below and form.input_offset):
        return None
    return (
        f"images beyond {buffers.WHOLE_INT16_BYTES} bytes as int16 are padded above and below with "
        "0 instead of the zero point"
    )


def _widened_reason(form: ConvForm) -> str | None:
    return stack_reason(3 * _INT32_BYTES * buffers.widened_channels(form))


def _conv_scratch(params: QConvParams, core: Core) -> int:
    del core
    return buffers.conv(conv_form(params))


def _depthwise_scratch(params: QConvParams, core: Core) -> int:
    del core
    return buffers.depthwise(conv_form(params))


CONV_KERNELS = (
    Kernel(
        "esp_nn/depthwise_conv.c.j2",
        LIBRARY,
        accepts=_depthwise_reason,
        constants=conv_constants,
        scratch=_depthwise_scratch,
        guarded=True,
        headers=HEADERS,
        form=conv_form,
        align_bytes=ALIGN_BYTES,
    ),
    Kernel(
        "esp_nn/conv.c.j2",
        LIBRARY,
        accepts=conv_reason,
        constants=conv_constants,
        scratch=_conv_scratch,
        guarded=True,
        headers=HEADERS,
        form=conv_form,
        align_bytes=ALIGN_BYTES,
    ),
)
