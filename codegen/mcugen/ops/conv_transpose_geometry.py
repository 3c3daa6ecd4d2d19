"""Shapes of a transposed convolution, float or integer.

It is a convolution from y to x with the arrows turned round: along an axis, input i adds to output
i * stride - pad + tap * dilation for every tap, where that is inside the output. So the axes here
are those of that convolution: `size` counts outputs and `out` inputs.
x [N, H, W, C], w [C, O/groups, KH, KW] (kept here as [O, C/groups, KH, KW]), y [N, OH, OW, O].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mcugen.ir import Array, QuantParams, Tensor
from mcugen.ops.common import optional, present
from mcugen.ops.conv_geometry import ConvLike
from mcugen.ops.spec import ImportContext, Inputs, InvalidNode, Reject
from mcugen.ops.window import (
    Axis,
    spatial_dims,
    two_dimensional,
    window_from_onnx,
    with_spatial,
)


class TransposedLike(ConvLike, Protocol):
    """The attributes that ConvTranspose and QConvTranspose have in common."""

    @property
    def output_padding(self) -> tuple[int, ...]:
        """Positions added at the end of each axis."""


@dataclass(frozen=True)
class TransposedGeometry:
    """A 2-D transposed convolution in channels-last layout; see above for the axes."""

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
    def in_shape(self) -> tuple[int, int, int, int]:
        """[N, H, W, C]."""
        return (self.batch, self.height.out, self.width.out, self.in_c)

    @property
    def out_shape(self) -> tuple[int, int, int, int]:
        """[N, OH, OW, O]."""
        return (self.batch, self.height.size, self.width.size, self.out_c)

    @property
    def macs(self) -> int:
        """Multiply-accumulates, those that pads cut off included."""
        taps = self.height.kernel * self.width.kernel
        pixels = self.batch * self.height.out * self.width.out
        return pixels * taps * self.in_c * self.group_out

    def scatter(self, x: Array, w: Array, start: Array) -> Array:
        """Start [G, O/G] plus all products, per output in the order kh, kw, i, in start's type.

        Args:
            x: [N, H, W, C].
            w: [O, C/groups, KH, KW].
            start: broadcast over all pixels.
        """
        pixels = x.reshape(*self.in_shape[:3], self.groups, self.group_in)
        taps = w.reshape(self.groups, self.group_out, *w.shape[1:])
        shape = (*self.out_shape[:3], self.groups, self.group_out)
        acc = np.broadcast_to(start, shape).copy()
        for kh in range(self.height.kernel):
            rows, read_rows = self.height.inputs_of(kh), slice(*self.height.outputs_of(kh))
            for kw in range(self.width.kernel):
                target = acc[:, rows, self.width.inputs_of(kw)]
                seen = pixels[:, read_rows, slice(*self.width.outputs_of(kw))]
                for i in range(self.group_in):
                    target += seen[..., i, None] * taps[:, :, i, kh, kw]
        return acc.reshape(self.out_shape)


def transposed_window(ctx: ImportContext) -> dict[str, Any]:
    """Attributes of a ConvTranspose node: output_shape and auto_pad become pads.

    Raises:
        Reject: an attribute contradicts the weights or has a bad value.
    """
    x, w = ctx.tensor(0), ctx.tensor(1)
    size, kernel = x.shape[2:], w.shape[2:]
    if w.rank != x.rank or x.rank < 3:
        raise InvalidNode(
            f"input and weights must have the same rank, 3 or more, got {x.rank} and {w.rank}"
        )
    declared = tuple(ctx.attr("kernel_shape", kernel))
    if declared != kernel:
        raise InvalidNode(
            f"kernel_shape must be that of the weights {list(kernel)}, got {declared}"
        )
    window = window_from_onnx(ctx, size, kernel)
    rank = len(size)
    extra = tuple(int(v) for v in ctx.attr("output_padding", (0,) * rank))
    if len(extra) != rank or min(extra, default=0) < 0:
        raise Reject(f"output_padding must have {rank} values of at least 0, got {list(extra)}")
    wanted = ctx.attr("output_shape", ())
    mode = ctx.attr("auto_pad", "NOTSET")
    pads = window.pads
    if wanted or mode in ("SAME_UPPER", "SAME_LOWER"):
        out = tuple(int(v) for v in wanted)[-rank:]
        out = out or tuple(n * s for n, s in zip(size, window.strides, strict=True))
        if len(out) != rank or min(out) < 1:
            raise Reject(f"output_shape must have {rank} positive values, got {list(wanted)}")
        pads, extra = _fitted(size, kernel, window.strides, window.dilations, extra, out, mode)
    return {
        "strides": window.strides,
        "pads": pads,
        "dilations": window.dilations,
        "groups": int(ctx.attr("group", 1)),
        "output_padding": extra,
    }


def _fitted(
    size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    extra: Sequence[int],
    out: Sequence[int],
    mode: str,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(pads, output_padding) that give the wanted output sizes.

    An odd total cuts the larger share off the end (SAME_UPPER) or the beginning (otherwise).
    """
    rooms = [
        (n - 1) * s + (k - 1) * d + 1 + e
        for n, s, k, d, e in zip(size, strides, kernel, dilations, extra, strict=True)
    ]
    totals = [max(0, room - o) for room, o in zip(rooms, out, strict=True)]
    grown = [e + max(0, o - room) for room, o, e in zip(rooms, out, extra, strict=True)]
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    pads = small + large if mode == "SAME_UPPER" else large + small
    return tuple(pads), tuple(grown)


def transposed_axes(attrs: TransposedLike, x: Tensor, w: Tensor) -> tuple[Axis, ...]:
    """The axes, see above; raises Reject when shapes disagree or nothing is left."""
    size, kernel = spatial_dims(x.shape, attrs.channels_last), w.shape[2:]
    rank = len(size)
    if not len(kernel) == len(attrs.strides) == len(attrs.output_padding) == rank:
        raise Reject(f"input {list(x.shape)} and weights {list(w.shape)} do not fit together")
    found = []
    for k in range(rank):
        room = (size[k] - 1) * attrs.strides[k] + (kernel[k] - 1) * attrs.dilations[k] + 1
        out = room + attrs.output_padding[k] - attrs.pads[k] - attrs.pads[k + rank]
        if out < 1:
            raise Reject(f"pads must leave an output, got {attrs.pads} for {room} positions")
        found.append(
            Axis(out, size[k], kernel[k], attrs.strides[k], attrs.pads[k], attrs.dilations[k])
        )
    return tuple(found)


def transposed_shape(attrs: TransposedLike, inputs: Inputs) -> tuple[int, ...]:
    """The output's shape; raises Reject when channels, groups or bias disagree."""
    x, w, bias = present(inputs, 0), present(inputs, 1), optional(inputs, 2)
    spatial = transposed_axes(attrs, x, w)
    in_c = x.shape[-1] if attrs.channels_last else x.shape[1]
    if attrs.groups < 1 or in_c % attrs.groups:
        raise Reject(f"group must divide the {in_c} input channels, got {attrs.groups}")
    if w.shape[0] != in_c:
        raise Reject(f"weights must have {in_c} input channels, got {w.shape[0]}")
    out_c = w.shape[1] * attrs.groups
    if bias is not None and bias.shape != (out_c,):
        raise Reject(f"bias must have shape [{out_c}], got {list(bias.shape)}")
    return with_spatial(x.shape[0], out_c, [a.size for a in spatial], attrs.channels_last)


def transposed_geometry(attrs: TransposedLike, x: Tensor, w: Tensor) -> TransposedGeometry:
    """The geometry of a channels-last node."""
    assert attrs.channels_last
    height, width = two_dimensional(transposed_axes(attrs, x, w))
    out_c = w.shape[1] * attrs.groups
    return TransposedGeometry(x.shape[0], height, width, x.shape[-1], out_c, attrs.groups)


def by_output(weights: Array, groups: int) -> Array:
    """Weights [C, O/groups, ...] as [O, C/groups, ...]."""
    split = weights.reshape(groups, -1, *weights.shape[1:])
    return np.moveaxis(split, 1, 2).reshape(-1, split.shape[1], *weights.shape[2:])


def tensor_by_output(w: Tensor, groups: int) -> Tensor:
    """Constant quantized weights with the output channels first, scales included.

    Raises:
        Reject: the scales belong to another axis than that of the output channels.
    """
    quant = w.quant
    if quant is not None and quant.axis is not None:
        if quant.axis != 1:
            raise Reject(f"weights must be quantized per output channel, got axis {quant.axis}")
        quant = QuantParams(np.tile(quant.scale, groups), np.tile(quant.zero_point, groups), 0)
    if w.data is None:
        raise Reject("the weights must be constant")
    data = by_output(w.data, groups)
    return dataclasses.replace(w, shape=data.shape, quant=quant, data=data)
