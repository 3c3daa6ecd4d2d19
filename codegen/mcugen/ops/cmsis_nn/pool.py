"""Pools of int8 or int16 by CMSIS-NN: arm_avgpool_s8, arm_max_pool_s8 and the same of s16."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ir import DType
from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    Dims,
    Tile,
    activations,
    dims_reason,
    slower,
    slower_on_plain,
)
from mcugen.ops.pool_geometry import PoolGeometry
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import activations_reason, first_reason
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
        suffix: of the function's name: s8 or s16.
    """

    x: Dims
    window: Dims
    y: Dims
    stride: Tile
    padding: Tile
    act_min: int
    act_max: int
    suffix: str


def _form(g: PoolGeometry, act_min: int, act_max: int, dtype: DType = DType.INT8) -> PoolForm:
    return PoolForm(
        x=Dims(*g.in_shape),
        window=Dims(h=g.height.kernel, w=g.width.kernel),
        y=Dims(*g.out_shape),
        stride=Tile(g.height.stride, g.width.stride),
        padding=Tile(g.height.pad, g.width.pad),
        act_min=act_min,
        act_max=act_max,
        suffix="s16" if dtype is DType.INT16 else "s8",
    )


def max_form(params: MaxParams) -> PoolForm:
    """The arguments of a MaxPool."""
    return _form(params.geometry, *max_range(params), params.dtype)


def average_form(params: AverageParams) -> PoolForm:
    """The arguments of a QAveragePool."""
    return _form(params.geometry, params.requant.act_min, params.requant.act_max, params.dtype)


def _window_reason(g: PoolGeometry) -> str | None:
    if (g.height.dilation, g.width.dilation) != (1, 1):
        return f"dilations must be 1, got {g.height.dilation}x{g.width.dilation}"
    form = _form(g, 0, 0)
    reason = dims_reason(form.x, form.window, form.y)
    if reason is not None:
        return reason
    return None if taps_inside(g).min() > 0 else "every window must touch the input"


def _max_reason(params: MaxParams) -> str | None:
    wanted = activations(params.dtype)
    return first_reason(activations_reason([params.dtype], wanted), _window_reason(params.geometry))


def _average_reason(params: AverageParams) -> str | None:
    types = [params.dtype, params.requant.dtype]
    reason = activations_reason(types, activations(params.dtype))
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
    # 1.06 to 2.06 of the cycles, with DSP 0.91 to 1.41; int16 2.47 to 3.39 and 1.33 to 1.36
    slower_on=slower,
    headers=HEADERS,
    form=max_form,
)

AVERAGE_POOL_KERNEL = Kernel(
    "cmsis_nn/average_pool.c.j2",
    LIBRARY,
    accepts=_average_reason,
    scratch=_average_scratch,
    guarded=True,
    # 1.00 to 2.62 of the cycles, with DSP 0.71 to 0.96; int16 0.98 to 1.03 and 0.66 to 0.98
    slower_on=slower_on_plain,
    headers=HEADERS,
    form=average_form,
)
