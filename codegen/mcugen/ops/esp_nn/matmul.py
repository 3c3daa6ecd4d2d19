"""Fully connected layers by ESP-NN: esp_nn_fully_connected_s8, per tensor and per channel.

x [N, K] with one call per row, weights [O, K]. A convolution of one pixel is one of them, and then
needs no working memory.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from mcugen.ops.esp_nn.common import ALIGN_BYTES, HEADERS, LIBRARY, dims_reason, stack_reason
from mcugen.ops.esp_nn.conv import conv_reason, numbers_reason
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.spec import Constant, Kernel
from mcugen.ops.vendor.weighted import is_one_pixel, per_channel

_INT32_BYTES = 4

MIN_ROW_ELEMS = 16
"""Shorter rows go to a kernel on int16 that is known to be wrong."""

ROW_STEP_ELEMS = 8
"""Rows are whole multiples of this."""


@dataclass(frozen=True)
class FullyConnectedForm:
    """Arguments of a fully connected layer.

    Attributes:
        per_channel: whether every row of weights has its own multiplier.
        rows: of the input.
        inner: length of the sums.
        units: outputs per row.
        input_offset: -zero point of the input.
        output_offset: zero point of the output.
        multiplier: when there is one.
        shift: likewise; positive is left.
        act_min: lowest output.
        act_max: highest output.
    """

    per_channel: bool
    rows: int
    inner: int
    units: int
    input_offset: int
    output_offset: int
    multiplier: int
    shift: int
    act_min: int
    act_max: int


def fully_connected_form(params: QConvParams) -> FullyConnectedForm:
    """The arguments; the node is a pointwise convolution over its rows, or of one pixel."""
    g, requant, zero = params.geometry, params.requant, params.x_zero_point
    assert requant is not None and zero is not None
    return FullyConnectedForm(
        per_channel=requant.per_channel,
        rows=g.batch * g.height.out * g.width.out,
        inner=g.depth,
        units=g.out_c,
        input_offset=-zero,
        output_offset=requant.zero_point,
        multiplier=int(requant.multiplier[0]),
        shift=int(requant.shift[0]),
        act_min=requant.act_min,
        act_max=requant.act_max,
    )


def _reason(params: QConvParams) -> str | None:
    reason = numbers_reason(params)
    if reason is not None:
        return reason
    form = fully_connected_form(params)
    reason = dims_reason(form.inner, form.units, form.rows) or _row_reason(form)
    return reason or stack_reason(_INT32_BYTES * form.units)


def _one_pixel_reason(params: QConvParams) -> str | None:
    if not is_one_pixel(params.geometry):
        return conv_reason(params) or "more than one pixel"
    reason = _reason(params)
    return reason and (conv_reason(params) or reason)


def _row_reason(form: FullyConnectedForm) -> str | None:
    if form.inner < MIN_ROW_ELEMS or form.inner % ROW_STEP_ELEMS:
        return (
            f"rows must have {MIN_ROW_ELEMS} elements and more, a multiple of {ROW_STEP_ELEMS}, "
            f"got {form.inner}"
        )
    if form.rows > 1 and form.inner % ALIGN_BYTES:
        return (
            f"several rows must have a multiple of {ALIGN_BYTES} elements to lie aligned, "
            f"got {form.inner}"
        )
    return None


def _constants(params: QConvParams) -> tuple[Constant, ...]:
    taps = params.weights.transpose(0, 2, 3, 1)
    arrays = (Constant("weights", taps.reshape(-1)), Constant("bias", params.bias))
    requant = params.requant
    assert requant is not None
    if not requant.per_channel:
        return arrays
    return (*arrays, *per_channel(requant, params.geometry.out_c))


FULLY_CONNECTED_KERNEL = Kernel(
    "esp_nn/fully_connected.c.j2",
    LIBRARY,
    accepts=_reason,
    constants=_constants,
    headers=HEADERS,
    form=fully_connected_form,
    align_bytes=ALIGN_BYTES,
)

ONE_PIXEL_KERNEL = dataclasses.replace(FULLY_CONNECTED_KERNEL, accepts=_one_pixel_reason)
"""For QConv."""
