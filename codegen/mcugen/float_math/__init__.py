"""NumPy twins of the C in `firmware/mcugen_math.h`: the same float32 steps in the same order.

Every function takes and gives float32 arrays (any shape, broadcasting where there are two) and
equals its C namesake in every bit; NaNs are equal whatever their payload. Operations that IEEE 754
defines to the bit (+ - * /, square root, floor, fmod ...) are NumPy's own.
"""

from mcugen.float_math.bits import (
    ceil,
    clamp,
    copysign,
    fabs,
    floor,
    fmod,
    maximum,
    minimum,
    mod,
    rint,
    round_half_away,
    sqrt,
    trunc,
)
from mcugen.float_math.convert import to_integer
from mcugen.float_math.exponential import (
    erf,
    exp,
    expm1,
    log,
    log1p,
    sigmoid,
    softplus,
    tanh,
)
from mcugen.float_math.hyperbolic import acosh, asinh, atanh, cosh, sinh
from mcugen.float_math.power import pow
from mcugen.float_math.trigonometric import acos, asin, atan, cos, sin, tan

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "log",
    "log1p",
    "maximum",
    "minimum",
    "mod",
    "pow",
    "rint",
    "round_half_away",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
    "to_integer",
    "trunc",
]
