"""Attributes of Normalize, for the operator and for what imports as it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NormalizeAttrs:
    """What is normalised.

    Attributes:
        axes: of the statistics, counted from the front, ascending.
        epsilon: added to the variance.
        center: whether the mean is subtracted.
    """

    axes: tuple[int, ...]
    epsilon: float
    center: bool = True
