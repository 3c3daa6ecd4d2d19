"""GridSample: images [N, C, H, W] read at the positions of a grid [N, oH, oW, 2].

A position (x, y) of the grid spans the image from -1 to 1: between the middles of its border
pixels (align_corners) or between their outer edges. In float32: position v = (g + 1) * scale -
offset, weights of the taps by v - floor(v), y = sum of (weight down * weight across) * x over rows
and then columns of taps. A tap outside the image, by padding_mode: adds nothing (zeros), is the
nearest pixel (border), or is mirrored into it (reflection). NaN is far outside.

channels_last: x and y are [N, H, W, C].
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math
from mcugen.ir import Array, DType
from mcugen.ops.common import dtype_constraint, no_empty_dims, present
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)

TAPS = {"nearest": 1, "linear": 2, "cubic": 4}
"""Pixels along an axis that make one, by mode."""

PADDING_MODES = ("zeros", "border", "reflection")

FAR = np.float32(2**30)
"""Positions are limited to this magnitude: they fit int32, and no image reaches so far."""

CUBIC = -0.75
"""The coefficient of cubic convolution (R. Keys, 1981), as in ONNX."""


@dataclass(frozen=True)
class GridSampleAttrs:
    """See the ONNX operator; `mode` by its names since opset 20."""

    mode: str = "linear"
    padding_mode: str = "zeros"
    align_corners: bool = False
    channels_last: bool = False


@dataclass(frozen=True)
class GridSampleParams:
    """What the kernel gets.

    Attributes:
        batch: images.
        height: rows of an image.
        width: columns of an image.
        channels: of both images.
        points: output pixels per image.
        mode: nearest, linear or cubic.
        padding_mode: zeros, border or reflection.
        align_corners: whether -1 and 1 are the middles of the border pixels.
        out_shape: the output's dimensions.
    """

    batch: int
    height: int
    width: int
    channels: int
    points: int
    mode: str
    padding_mode: str
    align_corners: bool
    out_shape: tuple[int, ...]

    @property
    def taps(self) -> int:
        """Pixels along an axis that make one."""
        return TAPS[self.mode]

    @property
    def image_elems(self) -> int:
        """Elements of an image."""
        return self.height * self.width * self.channels


def grid_sample_from_onnx(ctx: ImportContext) -> None:
    """Linear and cubic are bilinear and bicubic before opset 20."""
    modes = {m if m == "nearest" or ctx.opset >= 20 else f"bi{m}": m for m in TAPS}
    mode = str(ctx.attr("mode", "linear" if ctx.opset >= 20 else "bilinear"))
    padding = str(ctx.attr("padding_mode", "zeros"))
    if mode not in modes:
        raise Reject(f"mode must be one of {', '.join(modes)}, got {mode}")
    if padding not in PADDING_MODES:
        raise Reject(f"padding_mode must be one of {', '.join(PADDING_MODES)}, got {padding}")
    attrs = GridSampleAttrs(modes[mode], padding, bool(ctx.attr("align_corners", 0)))
    ctx.emit("GridSample", ctx.inputs, attrs, ctx.outputs)


def two_dimensional(attrs: GridSampleAttrs, inputs: Inputs) -> str | None:
    """The images must be 2-D."""
    del attrs
    rank = present(inputs, 0).rank
    return None if rank == 4 else f"{rank - 2}-D"


def _infer(attrs: GridSampleAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    x, grid = present(inputs, 0), present(inputs, 1)
    if grid.rank != 4 or grid.shape[0] != x.shape[0] or grid.shape[3] != 2:
        raise Reject(f"the grid must be [{x.shape[0]}, oH, oW, 2], got {list(grid.shape)}")
    batch, height, width, _ = grid.shape
    if attrs.channels_last:
        return (TensorType((batch, height, width, x.shape[3]), x.dtype),)
    return (TensorType((batch, x.shape[1], height, width), x.dtype),)


def _params(attrs: GridSampleAttrs, x: Sequence[int], grid: Sequence[int]) -> GridSampleParams:
    """Parameters of the channels-last form on these shapes."""
    batch, height, width, channels = x
    return GridSampleParams(
        batch,
        height,
        width,
        channels,
        grid[1] * grid[2],
        attrs.mode,
        attrs.padding_mode,
        attrs.align_corners,
        (batch, grid[1], grid[2], channels),
    )


def _semantics(attrs: GridSampleAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """Positions in float32, as ONNX Runtime has them; weights and sums in float64."""
    x, grid = arrays
    assert x is not None
    assert grid is not None
    last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
    params = _params(attrs, last.shape, grid.shape)
    y = _sampled(params, last.astype(np.float64), grid).astype(x.dtype)
    return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)


def _lower(site: Site) -> Lowered:
    x, grid = site.input(0), site.input(1)
    return Lowered(_params(site.attrs, x.shape, grid.shape), (x.name, grid.name))


def _reference(params: GridSampleParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return (_sampled(params, *arrays),)


def _sampled(params: GridSampleParams, x: Array, grid: Array) -> Array:
    """Tap by tap as the C does, on all pixels at once, in the element type of x."""
    points = grid.reshape(params.batch, params.points, 2)
    columns, across = _taps(params, points[..., 0], params.width, x.dtype)
    rows, down = _taps(params, points[..., 1], params.height, x.dtype)
    image = np.arange(params.batch)[:, None]
    y = np.zeros((params.batch, params.points, params.channels), x.dtype)
    for r in range(params.taps):
        for c in range(params.taps):
            row, column = rows[..., r], columns[..., c]
            pixel = x[image, row, column]
            term = pixel if params.mode == "nearest" else (down[r] * across[c])[..., None] * pixel
            y = np.where(((row >= 0) & (column >= 0))[..., None], y + term, y)
    return y.reshape(params.out_shape)


def _taps(
    params: GridSampleParams, grid: Array, size: int, dtype: np.dtype[Any]
) -> tuple[Array, list[Array]]:
    """(pixels [..., taps], -1 for none; weights of `dtype` per tap), as the C has them."""
    length = np.float32(size)
    v = (grid + np.float32(1)) * (np.float32(0.5) * (length - np.float32(params.align_corners)))
    v = v if params.align_corners else v - np.float32(0.5)
    v = np.where(v >= -FAR, v, -FAR)
    v = np.where(v <= FAR, v, FAR)
    v = float_math.rint(v) if params.mode == "nearest" else v
    base = float_math.floor(v)
    first = base.astype(np.int64) - (1 if params.mode == "cubic" else 0)
    index = first[..., None] + np.arange(params.taps)
    return _inside(params, index, size), _weights(params.mode, (v - base).astype(dtype))


def _inside(params: GridSampleParams, index: Array, size: int) -> Array:
    """The pixels that stand for those at `index`, -1 for none."""
    if params.padding_mode == "zeros":
        return np.where((index >= 0) & (index < size), index, -1)
    if params.padding_mode == "border":
        return np.clip(index, 0, size - 1)
    if params.align_corners:
        period = max(2 * (size - 1), 1)
        folded = np.abs(index) % period
        return np.where(folded < size, folded, period - folded)
    folded = np.where(index < 0, -1 - index, index) % (2 * size)
    return np.where(folded < size, folded, 2 * size - 1 - folded)


def _weights(mode: str, t: Array) -> list[Array]:
    """Weight of each tap, `t` behind the one at floor(v)."""
    number = t.dtype.type
    one = number(1)
    if mode == "nearest":
        return [np.ones_like(t)]
    if mode == "linear":
        return [one - t, t]

    def near(d: Array) -> Array:
        return np.asarray(((number(CUBIC + 2) * d - number(CUBIC + 3)) * d) * d + one)

    def far(d: Array) -> Array:
        inner = (number(CUBIC) * d - number(5 * CUBIC)) * d + number(8 * CUBIC)
        return np.asarray(inner * d - number(4 * CUBIC))

    return [far(t + one), near(t), near(one - t), far(number(2) - t)]


def _macs(params: GridSampleParams) -> int:
    return math.prod(params.out_shape) * params.taps**2


def _channels_last(attrs: GridSampleAttrs) -> GridSampleAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="GridSample",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=_reference,
        kernels=(Kernel("portable/grid_sample.c.j2", headers=("mcugen_math.h",)),),
        onnx={"GridSample": grid_sample_from_onnx},
        constraints=(
            dtype_constraint(0, "the image", (DType.FLOAT32,)),
            dtype_constraint(1, "the grid", (DType.FLOAT32,)),
            two_dimensional,
            no_empty_dims,
        ),
        macs=_macs,
        channels_last=_channels_last,
    ),
)
