"""Twins of `mcugen_math_hyper.h`: hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.float_math.bits import NAN, Floats, copysign, f32, fabs, polynomial, silent, sqrt
from mcugen.float_math.exponential import HALF, MINUS_ONE, ONE, TWO, exp_scaled, log, log1p

LN2 = np.float32(0.693147182)


@silent
def sinh(x: Floats) -> Any:
    """The hyperbolic sine."""
    t = fabs(x)
    z = t * t
    tail = polynomial(z, 2.81744587e-06, 0.000198360649, 0.00833335053, 0.166666672)
    small = t + t * (z * tail)
    large = exp_scaled(t, MINUS_ONE) - exp_scaled(-t, MINUS_ONE)
    return copysign(np.where(t < 1, small, large), x)


@silent
def cosh(x: Floats) -> Any:
    """The hyperbolic cosine."""
    t = fabs(x)
    return exp_scaled(t, MINUS_ONE) + exp_scaled(-t, MINUS_ONE)


@silent
def asinh(x: Floats) -> Any:
    """The inverse of sinh."""
    t = fabs(x)
    z = t * t
    near = log1p(t + z / (ONE + sqrt(ONE + z)))
    far = log(t) + LN2
    return copysign(np.where(t < 4096, near, far), x)


@silent
def acosh(x: Floats) -> Any:
    """The inverse of cosh; NaN below 1."""
    x = f32(x)
    t = x - ONE
    near = log1p(t + sqrt(TWO * t + t * t))
    far = log(x) + LN2
    return np.where(x < 1, NAN, np.where(x < 4096, near, far))


@silent
def atanh(x: Floats) -> Any:
    """The inverse of tanh; NaN beyond +-1."""
    t = fabs(x)
    return copysign(HALF * log1p((t + t) / (ONE - t)), x)
