"""Sliding windows over spatial axes: what convolution and pooling share.

Along one axis, output `o` reads input positions `o * stride - pad + tap * dilation` for the taps
0..kernel-1; positions outside the input are padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mcugen.ops.spec import ImportContext, InvalidNode, Reject


class WindowLike(Protocol):
    """The attributes that all operators with a sliding window have in common."""

    @property
    def strides(self) -> tuple[int, ...]:
        """One per spatial axis."""

    @property
    def pads(self) -> tuple[int, ...]:
        """All begins, then all ends; of the input, of a transposed convolution's output."""

    @property
    def dilations(self) -> tuple[int, ...]:
        """One per spatial axis."""

    @property
    def channels_last(self) -> bool:
        """Whether x and y are [N, ..., C]."""


@dataclass(frozen=True)
class Axis:
    """One spatial axis of a window.

    Attributes:
        size: input positions.
        out: output positions.
        kernel: taps.
        stride: input positions between neighbouring outputs.
        pad: padding before the first input position.
        dilation: input positions between neighbouring taps.
    """

    size: int
    out: int
    kernel: int = 1
    stride: int = 1
    pad: int = 0
    dilation: int = 1

    @property
    def reach(self) -> int:
        """Input positions from the first to the last tap."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def inside_begin(self) -> int:
        """First output whose taps are all inside the input; `out` when there is none."""
        first = -(-self.pad // self.stride)
        return first if first < self._inside_limit else self.out

    @property
    def inside_end(self) -> int:
        """One past the last output whose taps are all inside; `inside_begin` when none."""
        return max(self.inside_begin, self._inside_limit)

    @property
    def _inside_limit(self) -> int:
        return min(self.out, (self.size - self.reach + self.pad) // self.stride + 1)

    @property
    def padded(self) -> bool:
        """Whether any output reads padding."""
        return (self.inside_begin, self.inside_end) != (0, self.out)

    @property
    def may_miss(self) -> bool:
        """Whether the window of some output lies in the padding with all its taps."""
        seen = {o for tap in range(self.kernel) for o in range(*self.outputs_of(tap))}
        return len(seen) < self.out

    @property
    def is_identity(self) -> bool:
        """Whether output `o` reads input `o` alone."""
        return self.kernel == self.stride == 1 and self.pad == 0 and self.size == self.out

    def outputs_of(self, tap: int) -> tuple[int, int]:
        """(begin, end) of the outputs for which this tap is inside the input."""
        shift = tap * self.dilation - self.pad
        begin = max(0, -(shift // self.stride))
        end = min(self.out, (self.size - 1 - shift) // self.stride + 1)
        return begin, max(begin, end)

    def inputs_of(self, tap: int) -> slice:
        """The input positions that this tap reads for the outputs of `outputs_of`."""
        begin, end = self.outputs_of(tap)
        first = begin * self.stride - self.pad + tap * self.dilation
        return slice(
            first,
            first + (end - begin - 1) * self.stride + 1 if end > begin else first,
            self.stride,
        )


@dataclass(frozen=True)
class Window:
    """Strides, pads and dilations of a node, resolved: one number per spatial axis (pads: two)."""

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]


def auto_pads(
    mode: str,
    size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, ...]:
    """Pads (all begins, then all ends) of auto_pad VALID, SAME_UPPER or SAME_LOWER.

    SAME gives ceil(size / stride) outputs; an odd total puts the larger share at the end
    (UPPER) or at the beginning (LOWER).
    """
    if mode == "VALID":
        return (0,) * (2 * len(size))
    totals = [
        max(0, (-(-s // st) - 1) * st + (k - 1) * d + 1 - s)
        for s, k, st, d in zip(size, kernel, strides, dilations, strict=True)
    ]
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return tuple(small + large if mode == "SAME_UPPER" else large + small)


def window_from_onnx(ctx: ImportContext, size: Sequence[int], kernel: Sequence[int]) -> Window:
    """The node's window attributes with their defaults, auto_pad resolved.

    Raises:
        Reject: an attribute has the wrong length or a value out of range.
    """
    rank = len(size)
    strides = _attribute(ctx, "strides", rank, 1, lowest=1)
    dilations = _attribute(ctx, "dilations", rank, 1, lowest=1)
    pads = _attribute(ctx, "pads", 2 * rank, 0, lowest=0)
    mode = ctx.attr("auto_pad", "NOTSET")
    if mode not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise InvalidNode(f"auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got {mode}")
    if mode != "NOTSET":
        pads = auto_pads(mode, size, kernel, strides, dilations)
    return Window(strides, pads, dilations)


def _attribute(
    ctx: ImportContext, name: str, length: int, default: int, *, lowest: int
) -> tuple[int, ...]:
    values = tuple(int(v) for v in ctx.attr(name, (default,) * length))
    if len(values) != length:
        raise InvalidNode(f"{name} must have {length} values, got {len(values)}")
    if min(values, default=lowest) < lowest:
        raise InvalidNode(f"{name} must be at least {lowest}, got {list(values)}")
    return values


def spatial_dims(shape: Sequence[int], channels_last: bool) -> tuple[int, ...]:
    """The spatial part of [N, C, ...] or [N, ..., C]."""
    return tuple(shape[1:-1] if channels_last else shape[2:])


def with_spatial(
    batch: int, channels: int, spatial: Sequence[int], channels_last: bool
) -> tuple[int, ...]:
    """[N, C, ...] or [N, ..., C]."""
    return (batch, *spatial, channels) if channels_last else (batch, channels, *spatial)


def axes(
    size: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: bool = False,
) -> tuple[Axis, ...]:
    """The spatial axes with their output sizes.

    With `ceil_mode` a window may begin in the input or its leading padding and end beyond the
    trailing padding, but none begins in the trailing padding (onnx `Pool` specification).

    Raises:
        Reject: a window is larger than its padded input.
    """
    rank = len(size)
    found = []
    for k in range(rank):
        room = size[k] + pads[k] + pads[k + rank] - (kernel[k] - 1) * dilations[k] - 1
        if room < 0:
            raise Reject(
                f"the window must fit the padded input, got {kernel[k]} taps "
                f"(dilation {dilations[k]}) over {size[k]} positions with pads "
                f"{pads[k]} and {pads[k + rank]}"
            )
        out = (-(-room // strides[k]) if ceil_mode else room // strides[k]) + 1
        if ceil_mode and (out - 1) * strides[k] >= size[k] + pads[k]:
            out -= 1
        found.append(Axis(size[k], out, kernel[k], strides[k], pads[k], dilations[k]))
    return tuple(found)


def two_dimensional(spatial: tuple[Axis, ...]) -> tuple[Axis, Axis]:
    """(height, width): a 1-D window is one of height 1."""
    height, width = (Axis(1, 1), *spatial)[-2:]
    return height, width
