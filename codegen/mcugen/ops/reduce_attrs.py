"""Attributes of the reductions, for the operators and for what imports as them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReduceAttrs:
    """`axes`: counted from the front, ascending; none at all reduces every element alone."""

    axes: tuple[int, ...]
    keepdims: bool = True
