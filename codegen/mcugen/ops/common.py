"""Small things that several operator families share."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Clamp:
    """An activation as a clamp of the result: Relu is Clamp(0, inf), Relu6 is Clamp(0, 6).

    Either bound may be infinite. NaN passes through.
    """

    low: float = -math.inf
    high: float = math.inf

    @property
    def has_low(self) -> bool:
        """Whether the lower bound does anything."""
        return self.low != -math.inf

    @property
    def has_high(self) -> bool:
        """Whether the upper bound does anything."""
        return self.high != math.inf


NO_CLAMP = Clamp()


def prod(dims: tuple[int, ...]) -> int:
    """Product of the dimensions, 1 for none."""
    return math.prod(dims)
