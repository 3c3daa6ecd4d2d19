"""Weights of 4 bits, two in a byte, the first in the low half.

Vendors store two's complement, w & 15, one row right after the other. Portable C stores w + 8,
0..15: it needs no sign, and sum over k of v * w = sum over k of v * (w + 8) - 8 * sum over k of v,
where the last sum serves all outputs. Its rows begin with a byte of their own.
"""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, Tensor
from mcugen.quantize.fixed_point import INT32_MAX

BITS = 4
LOWEST, HIGHEST = -8, 7
_LARGEST_TERM = 255 * (HIGHEST - 2 * LOWEST)
"""Of an input by w + 8, and by the 8 that its sum begins without."""


def in_four_bits(x: Tensor, w: Tensor, stored: Array) -> bool:
    """Whether weights that have 4 bits in the model are stored so, without their zero point.

    Args:
        x: the input; sums of int16 have no room for what is added.
        w: the weights [O, ...].
        stored: the same, the zero point subtracted.
    """
    if w.bits != BITS or stored.size == 0 or x.dtype.itemsize > 1:
        return False
    sums_fit = stored[0].size * _LARGEST_TERM <= INT32_MAX
    return sums_fit and int(stored.min()) >= LOWEST and int(stored.max()) <= HIGHEST


def packed_rows(rows: Array) -> Array:
    """uint8 [R, ceil(K / 2)] of weights [R, K], as portable C reads them."""
    padded = np.pad(rows, ((0, 0), (0, rows.shape[1] % 2)))
    shifted = (padded.astype(np.int16) - LOWEST).astype(np.uint8)
    return np.asarray(shifted[:, 0::2] | shifted[:, 1::2] << BITS, np.uint8)


def packed_signed(weights: Array) -> Array:
    """int8 [ceil(K / 2)] of all weights in order, as vendors read them."""
    flat = weights.reshape(-1).astype(np.uint8) & 15
    flat = np.pad(flat, (0, flat.size % 2))
    return np.asarray(flat[0::2] | flat[1::2] << BITS, np.uint8).view(np.int8)
