"""Pools of int8 by CMSIS-NN: arm_avgpool_s8 and arm_max_pool_s8."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    Dims,
    Tile,
    dims_reason,
    slower,
    slower_on_plain,
)
from mcugen.ops.pool_geometry import PoolGeometry
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import first_reason, int8_reason
from mcugen.ops.vendor.pool import AverageParams, MaxParams, counting_reason, max_range, taps_inside


@dataclass(frozen=True)
class PoolForm:
    """Arguments of a pool.

    Attributes:
        x: [N, H, W, C].
        window: h and w are the taps.
        y: [N, OH, OW, C].
        stride: of the window.
        padding: leading.
        act_min: lowest output.
        act_max: highest output.
    """

    x: Dims
    window: Dims
    y: Dims
    stride: Tile
    padding: Tile
    act_min: int
    act_max: int


def _form(g: PoolGeometry, act_min: int, act_max: int) -> PoolForm:
    return PoolForm(
        x=Dims(*g.in_shape),
        window=Dims(h=g.height.kernel, w=g.width.kernel),
        y=Dims(*g.out_shape),
        stride=Tile(g.height.stride, g.width.stride),
        padding=Tile(g.height.pad, g.width.pad),
        act_min=act_min,
        act_max=act_max,
    )


def max_form(params: MaxParams) -> PoolForm:
    """The arguments of a MaxPool."""
    return _form(params.geometry, *max_range(params))


def average_form(params: AverageParams) -> PoolForm:
    """The arguments of a QAveragePool."""
    return _form(params.geometry, params.requant.act_min, params.requant.act_max)


def _window_reason(g: PoolGeometry) -> str | None:
    if (g.height.dilation, g.width.dilation) != (1, 1):
        return f"dilations must be 1, got {g.height.dilation}x{g.width.dilation}"
    form = _form(g, 0, 0)
    reason = dims_reason(form.x, form.window, form.y)
    if reason is not None:
        return reason
    return None if taps_inside(g).min() > 0 else "every window must touch the input"


def _max_reason(params: MaxParams) -> str | None:
    return first_reason(int8_reason([params.dtype]), _window_reason(params.geometry))


def _average_reason(params: AverageParams) -> str | None:
    reason = int8_reason([params.dtype, params.requant.dtype])
    if reason is not None:
        return reason
    if not params.is_raw:
        return "input and output must be quantized alike, in --arithmetic tflite"
    reason = _window_reason(params.geometry)
    if reason is not None:
        return reason
    return counting_reason(params.geometry)


def _average_scratch(params: AverageParams, core: Core) -> int:
    return buffers.average_pool(params.geometry.channels, core)


MAX_POOL_KERNEL = Kernel(
    "cmsis_nn/max_pool.c.j2",
    LIBRARY,
    accepts=_max_reason,
    slower_on=slower,  # 1.06 to 2.06 of the cycles, with DSP 0.91 to 1.41
    headers=HEADERS,
    form=max_form,
)

AVERAGE_POOL_KERNEL = Kernel(
    "cmsis_nn/average_pool.c.j2",
    LIBRARY,
    accepts=_average_reason,
    scratch=_average_scratch,
    guarded=True,
    slower_on=slower_on_plain,  # 1.00 to 2.62 of the cycles, with DSP 0.71 to 0.96
    headers=HEADERS,
    form=average_form,
)
