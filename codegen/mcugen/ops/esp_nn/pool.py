"""Pools of int8 by ESP-NN: esp_nn_avg_pool_s8 and esp_nn_max_pool_s8."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ops.esp_nn.common import (
    ALIGN_BYTES,
    HEADERS,
    LIBRARY,
    Pair,
    Size,
    image_reason,
    stack_reason,
)
from mcugen.ops.pool_geometry import PoolGeometry
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.limits import first_reason, int8_reason
from mcugen.ops.vendor.pool import AverageParams, MaxParams, counting_reason, max_range

_INT16_BYTES = 2

MAX_INT16_WINDOW = 256
"""Elements whose sum fits int16, which is what channels that are no multiple of 4 are added in."""

WORD_CHANNELS = 4
VECTOR_CHANNELS = 8


@dataclass(frozen=True)
class PoolForm:
    """Arguments of a pool.

    Attributes:
        x: the image.
        window: its taps.
        y: the output.
        stride: of the window.
        padding: leading.
        act_min: lowest output.
        act_max: highest output.
    """

    x: Size
    window: Pair
    y: Size
    stride: Pair
    padding: Pair
    act_min: int
    act_max: int


def _form(g: PoolGeometry, act_min: int, act_max: int) -> PoolForm:
    return PoolForm(
        x=Size(*g.in_shape[1:]),
        window=Pair(g.height.kernel, g.width.kernel),
        y=Size(*g.out_shape[1:]),
        stride=Pair(g.height.stride, g.width.stride),
        padding=Pair(g.height.pad, g.width.pad),
        act_min=act_min,
        act_max=act_max,
    )


def max_form(params: MaxParams) -> PoolForm:
    """The arguments of a MaxPool."""
    return _form(params.geometry, *max_range(params))


def average_form(params: AverageParams) -> PoolForm:
    """The arguments of a QAveragePool."""
    return _form(params.geometry, params.requant.act_min, params.requant.act_max)


def _image_reason(g: PoolGeometry) -> str | None:
    return image_reason(g.batch, g.height, g.width, g.channels)


def _max_reason(params: MaxParams) -> str | None:
    g = params.geometry
    reason = int8_reason([params.dtype]) or _image_reason(g)
    if reason is not None:
        return reason
    if g.channels % WORD_CHANNELS:
        return f"nothing is computed unless channels are a multiple of 4, got {g.channels}"
    low = max_form(params).act_min
    if g.channels % VECTOR_CHANNELS and low > -128:
        return f"the lower clamp is lost unless channels are a multiple of 8, got {g.channels}"
    return None


def _average_reason(params: AverageParams) -> str | None:
    reason = int8_reason([params.dtype, params.requant.dtype])
    if reason is not None:
        return reason
    if not params.is_raw:
        return "input and output must be quantized alike, in --arithmetic tflite"
    g = params.geometry
    return first_reason(_image_reason(g), counting_reason(g), _channels_reason(g))


def _channels_reason(g: PoolGeometry) -> str | None:
    if g.channels % WORD_CHANNELS == 0:
        return None
    if g.window > MAX_INT16_WINDOW:
        return (
            f"windows of more than {MAX_INT16_WINDOW} elements overflow unless channels are a "
            f"multiple of 4, got {g.window} elements of {g.channels} channels"
        )
    return stack_reason(_INT16_BYTES * g.channels)


MAX_POOL_KERNEL = Kernel(
    "esp_nn/max_pool.c.j2",
    LIBRARY,
    accepts=_max_reason,
    headers=HEADERS,
    form=max_form,
    align_bytes=ALIGN_BYTES,
)

AVERAGE_POOL_KERNEL = Kernel(
    "esp_nn/average_pool.c.j2",
    LIBRARY,
    accepts=_average_reason,
    headers=HEADERS,
    form=average_form,
    align_bytes=ALIGN_BYTES,
)
