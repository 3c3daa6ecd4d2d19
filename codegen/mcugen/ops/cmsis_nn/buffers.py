"""Working memory of CMSIS-NN's kernels in bytes: the library's own rules at the pinned commit.

The library decides by macros of the compiler; here it is by `Core`. PLAIN is Cortex-M0+ and M3 and
the host, DSP Cortex-M4, M7 and M33, MVE Cortex-M55 and M85.
"""

from __future__ import annotations

from mcugen.ops.cmsis_nn.common import Dims, Tile
from mcugen.ops.spec import Core

_INT16_BYTES = 2
_INT32_BYTES = 4
_MVE_LANES = 16
_MVE_COLUMNS = 4
_DEPTHWISE_BLOCK = 124
"""Channels of one block of the MVE depthwise kernel, CH_IN_BLOCK_MVE."""

REVERSE_CHANNELS = 16
"""Above this many input channels a transposed convolution is done as an ordinary one."""


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


def convolve(x: Dims, filters: Dims, core: Core) -> int:
    """arm_convolve_s8: two columns of int16, or four of int8 in whole vectors."""
    taps = filters.w * filters.h * x.c
    if core is Core.MVE:
        return _MVE_COLUMNS * _rounded_up(taps, _MVE_LANES)
    return 2 * _INT16_BYTES * _rounded_up(taps, 4)


def is_pointwise(x: Dims, filters: Dims, padding: Tile, dilation: Tile) -> bool:
    """Whether arm_convolve_wrapper_s8 takes a kernel that needs no buffer."""
    plain = padding == Tile(0, 0) and dilation == Tile(1, 1)
    return plain and filters.h == filters.w == 1 and filters.c == x.c


def is_one_by_n(x: Dims, filters: Dims, stride: Tile, dilation: Tile) -> bool:
    """Whether arm_convolve_wrapper_s8 takes its kernel for one row."""
    one_row = x.h == filters.h == 1 and dilation.w == 1
    return one_row and stride.w * x.c % 4 == 0 and x.c == filters.c


def one_by_n(x: Dims, filters: Dims, y: Dims, stride_w: int, pad_w: int, core: Core) -> int:
    """arm_convolve_1_x_n_s8."""
    if core is not Core.MVE:
        return convolve(x, filters, core)
    extra = _one_by_n_extra(x, filters, y, stride_w)
    right = max(1, -(-(pad_w + extra) // stride_w)) if pad_w + extra else 0
    left = max(1, -(-pad_w // stride_w)) if pad_w else 0
    if right + max(y.w - right - left, 0) + left != y.w:
        return convolve(x, filters, core)
    left_elems = (filters.w + pad_w) * x.c
    right_elems = (filters.w - 1 + (right if extra else pad_w)) * x.c
    return max(left_elems, right_elems)


def _one_by_n_extra(x: Dims, filters: Dims, y: Dims, stride_w: int) -> int:
    """What the trailing padding has more than the leading; C's remainder, with the sign."""
    total = (y.w - 1) * stride_w + filters.w - x.w
    return total % 2 if total >= 0 else -(-total % 2)


def depthwise(x: Dims, filters: Dims, y: Dims, padding: Tile, dilation: Tile, core: Core) -> int:
    """arm_depthwise_conv_wrapper_s8 of two and more input channels."""
    if x.c != y.c or x.n != 1 or dilation != Tile(1, 1) or core is Core.PLAIN:
        return 0
    taps = filters.w * filters.h
    if core is Core.MVE:
        return 4 * _DEPTHWISE_BLOCK * taps
    if filters.w == filters.h == 3 and padding.h <= 1 and padding.w <= 1:
        return 0
    return _INT16_BYTES * x.c * taps


def convolve_s4(x: Dims, filters: Dims, core: Core) -> int:
    """arm_convolve_s4: two columns of int16, or four of int8 in whole vectors.

    Its own getter tells MVE the former, which is less.
    """
    taps = filters.w * filters.h * x.c
    if core is Core.MVE:
        return _MVE_COLUMNS * _rounded_up(taps, _MVE_LANES)
    return 2 * _INT16_BYTES * taps


def is_depthwise_s4_opt(x: Dims, y: Dims, dilation: Tile) -> bool:
    """Whether arm_depthwise_conv_wrapper_s4 takes the kernel that gathers columns."""
    return x.c == y.c and x.n == 1 and dilation == Tile(1, 1)


def depthwise_s4(x: Dims, filters: Dims, y: Dims, dilation: Tile) -> int:
    """arm_depthwise_conv_wrapper_s4 without MVE: a column of int16."""
    if not is_depthwise_s4_opt(x, y, dilation):
        return 0
    return _INT16_BYTES * x.c * filters.w * filters.h


def is_reverse(x: Dims, stride: Tile) -> bool:
    """Whether a transposed convolution is done as an ordinary one on a widened input."""
    return stride.w <= 2 and stride.h <= 2 and x.c > REVERSE_CHANNELS


def transpose_convolve(x: Dims, filters: Dims, y: Dims, stride: Tile, core: Core) -> int:
    """arm_transpose_conv_wrapper_s8, first buffer; its width takes the larger stride as it is."""
    if is_reverse(x, stride):
        return convolve(x, filters, core)
    width = ((x.w - 1) * stride.w + max(filters.w, stride.h)) * y.c
    return _INT32_BYTES * width * max(filters.h, stride.h)


def reversed_filters(x: Dims, filters: Dims, stride: Tile) -> int:
    """arm_transpose_conv_wrapper_s8, second buffer: the filters turned round."""
    return filters.elems if is_reverse(x, stride) else 0


def fully_connected(units: int, core: Core) -> int:
    """arm_fully_connected_s8 and its like: a sum for each row of weights."""
    return _INT32_BYTES * units if core is Core.MVE else 0


def average_pool(channels: int, core: Core) -> int:
    """arm_avgpool_s8: the sums of one output pixel."""
    return _INT32_BYTES * channels if core is Core.DSP else 0


def convolve_s16(x: Dims, filters: Dims, core: Core) -> int:
    """arm_convolve_wrapper_s16: two columns, or four in whole vectors."""
    taps = filters.w * filters.h * x.c
    if core is Core.MVE:
        return _MVE_COLUMNS * _INT16_BYTES * _rounded_up(taps, _MVE_LANES // _INT16_BYTES)
    return 2 * _INT16_BYTES * taps


def depthwise_s16(x: Dims, filters: Dims, core: Core) -> int:
    """arm_depthwise_conv_fast_s16: a column, or four and a vector's end."""
    column = _INT16_BYTES * x.c * filters.w * filters.h
    if core is Core.MVE:
        return _MVE_COLUMNS * column + 8
    return column if core is Core.DSP else 0
