"""Falling edges of a sampled pin, and samples thinned without losing energy."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array


def falling_edges(time_s: Array, level: Array) -> Array:
    """Times of the first low sample after a high one, float64."""
    high = np.asarray(level) > 0
    return np.asarray(time_s, np.float64)[1:][high[:-1] & ~high[1:]]


def thinned(time_s: Array, values: Array, factor: int) -> tuple[Array, Array]:
    """(middle times, means) of each `factor` samples; a rest at the end is left out."""
    whole = len(values) // factor * factor
    shape = (-1, factor)
    return time_s[:whole].reshape(shape).mean(axis=1), values[:whole].reshape(shape).mean(axis=1)
