"""Shapes of a convolution, float or integer: what Conv, QConv and the fully connected share.

x [N, H, W, C], w [O, C/groups, KH, KW], y [N, OH, OW, O].
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mcugen.ir import Array, Tensor
from mcugen.ops.common import optional, present
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


class ConvLike(WindowLike, Protocol):
    """The attributes that all convolutions have in common."""

    @property
    def groups(self) -> int:
        """Channel groups."""


@dataclass(frozen=True)
class ConvGeometry:
    """A 2-D convolution in channels-last layout.

    Attributes:
        batch: N.
        height: the vertical axis.
        width: the horizontal axis.
        in_c: input channels, all groups together.
        out_c: output channels, all groups together.
        groups: channel groups.
    """

    batch: int
    height: Axis
    width: Axis
    in_c: int
    out_c: int
    groups: int = 1

    @property
    def group_in(self) -> int:
        """Input channels of one group."""
        return self.in_c // self.groups

    @property
    def group_out(self) -> int:
        """Output channels of one group."""
        return self.out_c // self.groups

    @property
    def depth(self) -> int:
        """Terms of the sum of one output: taps times input channels of a group."""
        return self.height.kernel * self.width.kernel * self.group_in

    @property
    def is_depthwise(self) -> bool:
        """Whether output channel c reads input channel c alone."""
        return self.groups == self.in_c == self.out_c and self.groups > 1

    @property
    def is_pointwise(self) -> bool:
        """Whether output pixel i reads input pixel i alone."""
        return self.height.is_identity and self.width.is_identity

    @property
    def contiguous_row(self) -> bool:
        """Whether the taps of a kernel row are neighbours in memory, channels included."""
        return self.groups == 1 and (self.width.dilation == 1 or self.width.kernel == 1)

    @property
    def macs(self) -> int:
        """Multiply-accumulates, padding counted as if it were there."""
        return self.batch * self.height.out * self.width.out * self.out_c * self.depth

    @property
    def out_shape(self) -> tuple[int, int, int, int]:
        """[N, OH, OW, O]."""
        return (self.batch, self.height.out, self.width.out, self.out_c)

    @property
    def in_shape(self) -> tuple[int, int, int, int]:
        """[N, H, W, C]."""
        return (self.batch, self.height.size, self.width.size, self.in_c)

    def simplified(self) -> ConvGeometry:
        """The same computation on the same bytes with as much as possible on the width.

        Kernels walk along the width: pixels of a pointwise convolution are one row, and a
        column of width 1 is turned.
        """
        if self.is_pointwise:
            pixels = self.batch * self.height.size * self.width.size
            return dataclasses.replace(self, batch=1, height=Axis(1, 1), width=Axis(pixels, pixels))
        if self.width == Axis(1, 1):
            return dataclasses.replace(self, height=self.width, width=self.height)
        return self


def conv_window(ctx: ImportContext, weights: Tensor) -> dict[str, Any]:
    """Attributes of a convolution node, for ConvAttrs: strides, pads, dilations, groups.

    Raises:
        Reject: an attribute contradicts the weights or has a bad value.
    """
    x = ctx.tensor(0)
    kernel = weights.shape[2:]
    if weights.rank != x.rank or x.rank < 3:
        raise InvalidNode(
            f"input and weights must have the same rank, 3 or more, got {x.rank} and {weights.rank}"
        )
    declared = tuple(ctx.attr("kernel_shape", kernel))
    if declared != kernel:
        raise InvalidNode(
            f"kernel_shape must be that of the weights {list(kernel)}, got {declared}"
        )
    window = window_from_onnx(ctx, x.shape[2:], kernel)
    return {**dataclasses.asdict(window), "groups": int(ctx.attr("group", 1))}


def conv_axes(attrs: ConvLike, x: Tensor, w: Tensor) -> tuple[Axis, ...]:
    """The spatial axes; raises Reject when shapes disagree."""
    size = spatial_dims(x.shape, attrs.channels_last)
    kernel = w.shape[2:]
    rank = len(size)
    if (len(kernel), len(attrs.strides), len(attrs.dilations), len(attrs.pads)) != (
        rank,
        rank,
        rank,
        2 * rank,
    ):
        raise Reject(f"input {list(x.shape)} and weights {list(w.shape)} do not fit together")
    return axes(size, kernel, attrs.strides, attrs.pads, attrs.dilations)


def conv_shape(attrs: ConvLike, inputs: Inputs) -> tuple[int, ...]:
    """The output's shape.

    Raises:
        Reject: channels, groups or bias disagree.
    """
    x, w, bias = present(inputs, 0), present(inputs, 1), optional(inputs, 2)
    spatial = conv_axes(attrs, x, w)
    in_c = x.shape[-1] if attrs.channels_last else x.shape[1]
    out_c = w.shape[0]
    if attrs.groups < 1 or in_c % attrs.groups or out_c % attrs.groups:
        raise Reject(
            f"group must divide the {in_c} input and {out_c} output channels, got {attrs.groups}"
        )
    if w.shape[1] * attrs.groups != in_c:
        raise Reject(
            f"weights must have {in_c // attrs.groups} input channels per group, got {w.shape[1]}"
        )
    if bias is not None and bias.shape != (out_c,):
        raise Reject(f"bias must have shape [{out_c}], got {list(bias.shape)}")
    return with_spatial(x.shape[0], out_c, [a.out for a in spatial], attrs.channels_last)


def conv_geometry(attrs: ConvLike, x: Tensor, w: Tensor) -> ConvGeometry:
    """The geometry of a channels-last node."""
    assert attrs.channels_last
    height, width = two_dimensional(conv_axes(attrs, x, w))
    return ConvGeometry(x.shape[0], height, width, x.shape[-1], w.shape[0], attrs.groups)


def weights_4d(weights: Array) -> Array:
    """Weights [O, I, K] or [O, I, KH, KW] as [O, I, KH, KW]."""
    return weights if weights.ndim == 4 else weights[:, :, None, :]


def two_dimensional_kernel(attrs: Any, inputs: Inputs) -> str | None:
    """Convolution must be 1-D or 2-D."""
    del attrs
    rank = present(inputs, 0).rank - 2
    return None if rank in (1, 2) else f"{rank}-D"


def convolve(g: ConvGeometry, x: Array, w: Array) -> Array:
    """Sums over all taps in float64, [N, OH, OW, O]; padding contributes nothing.

    Exact for integers whose sums stay below 2**53. Shared by the ONNX meaning of the float
    operator and by the integer reference; the order of the additions is not defined.

    Args:
        g: the geometry.
        x: [N, H, W, C].
        w: [O, C/groups, KH, KW].
    """
    total = np.zeros((*g.out_shape[:3], g.groups, g.group_out))
    wide = x.astype(np.float64).reshape(*g.in_shape[:3], g.groups, g.group_in)
    taps = w.astype(np.float64).reshape(g.groups, g.group_out, g.group_in, *w.shape[2:])
    for kh in range(g.height.kernel):
        rows = slice(*g.height.outputs_of(kh))
        for kw in range(g.width.kernel):
            cols = slice(*g.width.outputs_of(kw))
            seen = wide[:, g.height.inputs_of(kh), g.width.inputs_of(kw)]
            total[:, rows, cols] += _per_group(seen, taps[..., kh, kw])
    return total.reshape(g.out_shape)


def _per_group(x: Array, w: Array) -> Array:
    """[N, OH, OW, G, I] by [G, O, I] -> [N, OH, OW, G, O]."""
    if w.shape[1:] == (1, 1):
        return x * w[:, :, 0]
    by_group = np.moveaxis(x, 3, 0).reshape(w.shape[0], -1, w.shape[2])
    product = np.matmul(by_group, w.transpose(0, 2, 1))
    return np.moveaxis(product.reshape(w.shape[0], *x.shape[:3], w.shape[1]), 0, 3)
