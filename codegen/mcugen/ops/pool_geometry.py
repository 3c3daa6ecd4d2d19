"""Shapes of a pooling operator, float or integer.

x [N, H, W, C], y [N, OH, OW, C]; every channel is pooled alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mcugen.ir import Array, Tensor
from mcugen.ops.common import present
from mcugen.ops.conv_kernel import Section, sections
from mcugen.ops.spec import ImportContext, Inputs, InvalidNode, Reject
from mcugen.ops.window import (
    Axis,
    WindowLike,
    axes,
    spatial_dims,
    two_dimensional,
    window_from_onnx,
    with_spatial,
)


class PoolLike(WindowLike, Protocol):
    """The attributes that all pools have in common."""

    @property
    def kernel(self) -> tuple[int, ...]:
        """Taps per spatial axis."""

    @property
    def ceil_mode(self) -> bool:
        """Whether a window may end beyond the padding."""

    @property
    def count_include_pad(self) -> bool:
        """Whether the padding counts in the divisor of an average."""


@dataclass(frozen=True)
class PoolGeometry:
    """A 2-D pool in channels-last layout.

    Attributes:
        batch: N.
        height: the vertical axis.
        width: the horizontal axis.
        channels: C.
        limits: input positions per axis up to which taps count in the divisor: the size, or with
            the trailing padding where padding counts.
        count_include_pad: whether the leading padding counts too.
    """

    batch: int
    height: Axis
    width: Axis
    channels: int
    limits: tuple[int, int]
    count_include_pad: bool = False

    @property
    def out_shape(self) -> tuple[int, int, int, int]:
        """[N, OH, OW, C]."""
        return (self.batch, self.height.out, self.width.out, self.channels)

    @property
    def in_shape(self) -> tuple[int, int, int, int]:
        """[N, H, W, C]."""
        return (self.batch, self.height.size, self.width.size, self.channels)

    @property
    def window(self) -> int:
        """Taps of a whole window."""
        return self.height.kernel * self.width.kernel

    @property
    def sections(self) -> tuple[Section, ...]:
        """Channels that a kernel handles at once: 16 or 8, then the rest."""
        return sections(self.channels, 1, 16 if self.channels % 16 == 0 else 8)

    def simplified(self) -> PoolGeometry:
        """A column of width 1 is turned into a row."""
        if self.width != Axis(1, 1):
            return self
        return dataclasses.replace(
            self, height=self.width, width=self.height, limits=self.limits[::-1]
        )

    def counts(self) -> Array:
        """int64 [OH, OW]: the divisor of every output's average."""
        rows = self._counted(self.height, self.limits[0])
        columns = self._counted(self.width, self.limits[1])
        return rows[:, None] * columns[None, :]

    def _counted(self, axis: Axis, limit: int) -> Array:
        first = np.arange(axis.out)[:, None] * axis.stride - axis.pad
        position = first + np.arange(axis.kernel)[None, :] * axis.dilation
        counted = position < limit
        if not self.count_include_pad:
            counted &= position >= 0
        taps_counted: Array = counted.sum(axis=1)
        return taps_counted

    @property
    def divisor(self) -> int | None:
        """The divisor when it is the same everywhere, else None."""
        distinct = np.unique(self.counts())
        return int(distinct[0]) if distinct.size == 1 else None


def pool_window(ctx: ImportContext, channels_last: bool = False) -> dict[str, Any]:
    """Attributes of a pooling node for PoolAttrs."""
    size = spatial_dims(ctx.tensor(0).shape, channels_last)
    kernel = tuple(int(k) for k in ctx.attr("kernel_shape", ()))
    if len(kernel) != len(size) or min(kernel, default=1) < 1:
        raise InvalidNode(f"kernel_shape must have {len(size)} positive values, got {list(kernel)}")
    return {
        "kernel": kernel,
        **dataclasses.asdict(window_from_onnx(ctx, size, kernel)),
        "ceil_mode": bool(ctx.attr("ceil_mode", 0)),
        "count_include_pad": bool(ctx.attr("count_include_pad", 0)),
        "channels_last": channels_last,
    }


def global_window(ctx: ImportContext, channels_last: bool = False) -> dict[str, Any]:
    """The window that is the whole image."""
    size = spatial_dims(ctx.tensor(0).shape, channels_last)
    return {
        "kernel": size,
        "strides": (1,) * len(size),
        "pads": (0,) * (2 * len(size)),
        "dilations": (1,) * len(size),
        "channels_last": channels_last,
    }


def _axes(attrs: PoolLike, shape: tuple[int, ...]) -> tuple[Axis, ...]:
    size = spatial_dims(shape, attrs.channels_last)
    if len(size) != len(attrs.kernel):
        raise Reject(f"the input must have {len(attrs.kernel)} spatial axes, got {list(shape)}")
    return axes(size, attrs.kernel, attrs.strides, attrs.pads, attrs.dilations, attrs.ceil_mode)


def pool_shape(attrs: PoolLike, inputs: Inputs) -> tuple[int, ...]:
    """The output's shape; raises Reject when shapes disagree."""
    shape = present(inputs, 0).shape
    out = [axis.out for axis in _axes(attrs, shape)]
    channels = shape[-1] if attrs.channels_last else shape[1]
    return with_spatial(shape[0], channels, out, attrs.channels_last)


def pool_geometry(attrs: PoolLike, x: Tensor) -> PoolGeometry:
    """The geometry of a channels-last node."""
    assert attrs.channels_last
    spatial = _axes(attrs, x.shape)
    ends = attrs.pads[len(spatial) :] if attrs.count_include_pad else (0,) * len(spatial)
    limits = (1, *(axis.size + end for axis, end in zip(spatial, ends, strict=True)))
    height, width = two_dimensional(spatial)
    return PoolGeometry(
        x.shape[0],
        height,
        width,
        x.shape[-1],
        (limits[-2], limits[-1]),
        attrs.count_include_pad,
    )


def taps(g: PoolGeometry, x: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Per tap in order: the output rows and columns it concerns, and what it reads for them.

    x is [N, H, W, any number of channels].
    """
    for kh in range(g.height.kernel):
        for kw in range(g.width.kernel):
            seen = x[:, g.height.inputs_of(kh), g.width.inputs_of(kw)]
            yield slice(*g.height.outputs_of(kh)), slice(*g.width.outputs_of(kw)), seen


def window_sums(g: PoolGeometry, x: Array) -> Array:
    """The sums of all taps in the type of x, kernel rows then columns; padding is left out."""
    y = np.zeros((x.shape[0], g.height.out, g.width.out, x.shape[3]), x.dtype)
    for rows, columns, seen in taps(g, x):
        y[:, rows, columns] += seen
    return y


def two_dimensional_window(attrs: Any, inputs: Inputs) -> str | None:
    """Pooling must be 1-D or 2-D."""
    del inputs
    return None if len(attrs.kernel) in (1, 2) else f"{len(attrs.kernel)}-D"
