"""Pools of int8 or int16, as vendors' kernels take them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mcugen.ir import DType
from mcugen.ops.common import NO_CLAMP, Clamp
from mcugen.ops.pool_geometry import PoolGeometry, window_sums
from mcugen.quantize.fixed_point import Int64
from mcugen.quantize.requant import Requant


class MaxParams(Protocol):
    """PoolParams as far as it is needed here."""

    @property
    def geometry(self) -> PoolGeometry:
        """Shapes."""

    @property
    def dtype(self) -> DType:
        """Of input and output."""

    @property
    def activation(self) -> Clamp | None:
        """Clamp of the result."""


class AverageParams(Protocol):
    """QPoolParams as far as it is needed here."""

    @property
    def geometry(self) -> PoolGeometry:
        """Shapes."""

    @property
    def dtype(self) -> DType:
        """Of the input."""

    @property
    def is_raw(self) -> bool:
        """Whether it is the mean of the integers themselves."""

    @property
    def requant(self) -> Requant:
        """Its range and type."""


def taps_inside(g: PoolGeometry) -> Int64:
    """[OH, OW]: how many taps of each window are inside the input."""
    ones = np.ones((1, *g.in_shape[1:3], 1), np.int64)
    return window_sums(g, ones)[0, :, :, 0]


def counting_reason(g: PoolGeometry) -> str | None:
    """Why the divisors of an average cannot be the library's: it never counts padding."""
    return None if np.array_equal(g.counts(), taps_inside(g)) else "padding must not count"


def max_range(params: MaxParams) -> tuple[int, int]:
    """(lowest, highest) output of a MaxPool."""
    clamp = (params.activation or NO_CLAMP).integers(params.dtype)
    return int(clamp.low), int(clamp.high)
