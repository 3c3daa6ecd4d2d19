"""ONNX Resize (opset 10 and up) and Upsample (up to opset 9) -> Resize or Interpolate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from mcugen.ir import Tensor
from mcugen.ops.axes import int_tuple, normalize_axis
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.resize_tables import (
    COORDINATES,
    MODES,
    NEAREST,
    AxisResize,
    Interpolation,
    ResizeAttrs,
)
from mcugen.ops.spec import ImportContext, Reject

Number = TypeVar("Number", int, float)

_SIMPLE = ("asymmetric", "floor")
"""Coordinates and nearest mode of Upsample and of Resize 10."""


def upsample_from_onnx(ctx: ImportContext) -> None:
    """Scales are an attribute before opset 9, then an input."""
    scales = ctx.attr("scales") if ctx.opset < 9 else _floats(ctx, 1, "scales")
    if scales is None:
        raise Reject("scales must be given, got none")
    how = Interpolation(_choice(ctx, "mode", "nearest", MODES[:2]), *_SIMPLE)
    _emit(ctx, _scaled_axes(ctx.tensor(0), [float(s) for s in scales]), how)


def resize_from_onnx(ctx: ImportContext) -> None:
    """Scales or sizes, of all axes or of `axes`."""
    source = ctx.tensor(0)
    if ctx.opset < 11:
        how = Interpolation(_choice(ctx, "mode", "nearest", MODES[:2]), *_SIMPLE)
        _emit(ctx, _scaled_axes(source, _floats(ctx, 1, "scales")), how)
        return
    axes = _given_axes(ctx, source.rank)
    how = _interpolation(ctx)
    scales = _floats(ctx, 2, "scales") if ctx.has(2) else ()
    if len(scales) > 0:
        full = _spread(scales, axes, [1.0] * source.rank, "scales")
        resized = _scaled_axes(source, full)
    elif ctx.has(3):
        sizes = _spread(int_tuple(ctx.const(3, "sizes")), axes, list(source.shape), "sizes")
        resized = _sized_axes(
            source, axes, sizes, str(ctx.attr("keep_aspect_ratio_policy", "stretch"))
        )
    else:
        raise Reject("scales or sizes must be given, got none")
    if how.coordinates == "tf_crop_and_resize":
        resized = _with_roi(ctx, resized, axes)
    _emit(ctx, resized, how)


def _choice(ctx: ImportContext, name: str, default: str, allowed: Sequence[str]) -> str:
    value = str(ctx.attr(name, default))
    if value == "bilinear":
        value = "linear"
    if value not in allowed:
        raise Reject(f"{name} must be one of {', '.join(allowed)}, got {value}")
    return value


def _interpolation(ctx: ImportContext) -> Interpolation:
    return Interpolation(
        _choice(ctx, "mode", "nearest", MODES),
        _choice(ctx, "coordinate_transformation_mode", "half_pixel", COORDINATES),
        _choice(ctx, "nearest_mode", "round_prefer_floor", NEAREST),
        float(ctx.attr("cubic_coeff_a", -0.75)),
        bool(ctx.attr("exclude_outside", 0)),
        float(ctx.attr("extrapolation_value", 0.0)),
        bool(ctx.attr("antialias", 0)),
    )


def _floats(ctx: ImportContext, index: int, what: str) -> tuple[float, ...]:
    return tuple(float(v) for v in ctx.const(index, what).reshape(-1))


def _given_axes(ctx: ImportContext, rank: int) -> tuple[int, ...]:
    given = ctx.attr("axes")
    if given is None:
        return tuple(range(rank))
    return tuple(normalize_axis(int(a), rank, "axes") for a in given)


def _spread(
    values: Sequence[Number], axes: Sequence[int], default: list[Number], what: str
) -> list[Number]:
    """One value per axis of the input; `default` where the axis is not resized."""
    if len(values) != len(axes):
        raise Reject(f"{what} must be {len(axes)} numbers, got {len(values)}")
    for axis, value in zip(axes, values, strict=True):
        default[axis] = value
    return default


def _scaled_axes(source: Tensor, scales: Sequence[float]) -> list[AxisResize]:
    """Sizes are floor(dim * scale), in float32 as ONNX's shape inference computes them."""
    if len(scales) != source.rank:
        raise Reject(f"scales must be {source.rank} numbers, got {len(scales)}")
    if not all(math.isfinite(s) and s > 0 for s in scales):
        raise Reject(f"scales must be positive, got {list(scales)}")
    return [
        AxisResize(dim, math.floor(np.float32(dim) * np.float32(scale)), scale)
        for dim, scale in zip(source.shape, scales, strict=True)
    ]


def _sized_axes(
    source: Tensor, axes: Sequence[int], sizes: Sequence[int], policy: str
) -> list[AxisResize]:
    """Scales follow from the sizes; another policy than stretch takes one scale for all axes."""
    if min(sizes, default=1) < 0 or any(
        size and not dim for dim, size in zip(source.shape, sizes, strict=True)
    ):
        raise Reject(f"sizes must fit {list(source.shape)}, got {list(sizes)}")
    each = [
        AxisResize(dim, size, size / dim if dim else 1.0)
        for dim, size in zip(source.shape, sizes, strict=True)
    ]
    if policy == "stretch":
        return each
    if policy not in ("not_larger", "not_smaller"):
        raise Reject(f"keep_aspect_ratio_policy must be a known one, got {policy}")
    pick = min if policy == "not_larger" else max
    scale = pick(each[a].scale for a in axes)
    for axis in axes:
        dim = source.shape[axis]
        each[axis] = AxisResize(dim, math.floor(scale * dim + 0.5), scale)
    return each


def _with_roi(
    ctx: ImportContext, axes: Sequence[AxisResize], resized: Sequence[int]
) -> list[AxisResize]:
    """The region of every resized axis: starts, then ends."""
    roi = _floats(ctx, 1, "roi") if ctx.has(1) else ()
    if len(roi) != 2 * len(resized):
        raise Reject(f"roi must be {2 * len(resized)} numbers, got {len(roi)}")
    result = list(axes)
    for i, axis in enumerate(resized):
        was = axes[axis]
        bounds = (roi[i], roi[len(resized) + i])
        result[axis] = AxisResize(was.size_in, was.size_out, was.scale, bounds)
    return result


def _emit(ctx: ImportContext, axes: Sequence[AxisResize], how: Interpolation) -> None:
    attrs = ResizeAttrs(tuple(axes), how)
    tables = attrs.tables()
    if all(t.is_identity for t in tables):
        ctx.emit("Identity", ctx.inputs[:1], IdentityAttrs(), ctx.outputs)
        return
    copies = how.mode == "nearest" and all(t.inside.all() for t in tables)
    ctx.emit("Resize" if copies else "Interpolate", ctx.inputs[:1], attrs, ctx.outputs)
