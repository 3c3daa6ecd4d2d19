"""What ESP-NN's functions have in common: dimensions, alignment, limits of their arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.window import Axis
from mcugen.quantize.fixed_point import INT32_MAX

LIBRARY = "esp_nn"
HEADERS = ("mcugen_esp_nn.h",)

ALIGN_BYTES = 16
"""Vector instructions drop the lowest bits of an address: tensors must lie at multiples of this."""

MAX_DIM = 32767
"""Dimensions and positions pass through int16_t and uint16_t variables of the kernels."""

MAX_STACK_ARRAY_BYTES = 4096
"""Largest array of variable length that a kernel may put on the stack."""


@dataclass(frozen=True)
class Size:
    """The library's `data_dims_t`."""

    height: int
    width: int
    channels: int

    @property
    def elems(self) -> int:
        """Elements of an image of this size."""
        return self.height * self.width * self.channels


@dataclass(frozen=True)
class Pair:
    """The library's `data_2d_t`."""

    height: int
    width: int


def image_reason(batch: int, height: Axis, width: Axis, *channels: int) -> str | None:
    """Why the kernels cannot slide a window over such images."""
    if batch != 1:
        return f"one image at a time, got a batch of {batch}"
    if any(a.dilation != 1 and a.kernel > 1 for a in (height, width)):
        return f"dilations are ignored, got {height.dilation}x{width.dilation}"
    positions = [p for a in (height, width) for p in (a.size, a.out, a.kernel, a.stride)]
    reason = dims_reason(*positions, *channels)
    if reason is not None:
        return reason
    reach = max(a.out * a.stride + a.kernel + a.pad for a in (height, width))
    if reach > MAX_DIM:
        return f"windows must stay within {MAX_DIM} positions, got {reach}"
    if height.may_miss or width.may_miss:
        return "every window must touch the image"
    return None


def dims_reason(*dims: int) -> str | None:
    """Why the kernels cannot have these dimensions."""
    if min(dims) < 1:
        return "no dimension may be 0"
    return (
        None if max(dims) <= MAX_DIM else f"dimensions must be at most {MAX_DIM}, got {max(dims)}"
    )


def rounding_reason(bound: Array, multiplier: Array, shift: Array) -> str | None:
    """Why the right shift of a sum of this magnitude would overflow: half of it is added before.

    Args:
        bound: largest magnitude.
        multiplier: of the sums.
        shift: of the sums, positive is left.
    """
    wide = shift.astype(np.int64)
    left = bound.astype(np.float64) * 2.0 ** np.maximum(wide, 0)
    product = left * (multiplier.astype(np.float64) / 2.0**31) + 1
    halves = np.where(wide < 0, 2.0 ** (np.maximum(-wide, 1) - 1), 0.0)
    largest = float(np.max(product + halves, initial=0.0))
    if largest <= INT32_MAX:
        return None
    return f"sums must fit 32 bits before the right shift, got up to {largest:.3g}"


def stack_reason(array_bytes: int) -> str | None:
    """Why a kernel's array of variable length is too large."""
    if array_bytes <= MAX_STACK_ARRAY_BYTES:
        return None
    return f"takes an array of {array_bytes} bytes on the stack, at most {MAX_STACK_ARRAY_BYTES}"


def trailing(axis: Axis) -> int:
    """Padding that the last window reads behind the image."""
    return max(0, (axis.out - 1) * axis.stride + axis.kernel - axis.size - axis.pad)
