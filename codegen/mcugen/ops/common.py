"""Small things that several operator families share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.spec import Constraint, Inputs


@dataclass(frozen=True)
class Clamp:
    """An activation as a clamp of the result: Relu is Clamp(0, inf), Relu6 is Clamp(0, 6).

    Either bound may be infinite. NaN passes through. A range that is empty is all `high`, as
    `Clip` with min above max.
    """

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", min(self.low, self.high))

    def then(self, low: float, high: float) -> Clamp:
        """The clamp that does this one and then one to [low, high]."""
        return Clamp(min(max(self.low, low), high), min(max(self.high, low), high))

    def integers(self, dtype: DType) -> Clamp:
        """The integers of `dtype` that are in the range, as a finite clamp."""
        info = np.iinfo(dtype.np)
        low, high = (min(max(b, int(info.min)), int(info.max)) for b in (self.low, self.high))
        return Clamp(math.ceil(low), math.floor(high))

    @property
    def has_low(self) -> bool:
        """Whether the lower bound does anything."""
        return self.low != -math.inf

    @property
    def has_high(self) -> bool:
        """Whether the upper bound does anything."""
        return self.high != math.inf


NO_CLAMP = Clamp()


def clamped(values: Array, clamp: Clamp | None) -> Array:
    """`values` clamped, comparison by comparison as the C does: NaN and -0.0 stay."""
    if clamp is None:
        return values
    bounds = clamp.integers(DType.of(values)) if values.dtype.kind in "iu" else clamp
    low, high = values.dtype.type(bounds.low), values.dtype.type(bounds.high)
    raised = np.where(values < low, low, values)
    return np.where(raised > high, high, raised)


def present(inputs: Inputs, index: int) -> Tensor:
    """Input `index`, which the operator requires."""
    tensor = inputs[index]
    assert tensor is not None
    return tensor


def optional(inputs: Inputs, index: int) -> Tensor | None:
    """Input `index`, None when absent."""
    return inputs[index] if index < len(inputs) else None


def dtype_constraint(index: int, what: str, allowed: tuple[DType, ...]) -> Constraint:
    """Constraint: the element type of input `index` is one of `allowed`."""

    def constraint(attrs: Any, inputs: Inputs) -> str | None:
        del attrs
        tensor = optional(inputs, index)
        return None if tensor is None or tensor.dtype in allowed else tensor.dtype.value

    names = [d.value for d in allowed]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    constraint.__doc__ = f"the element type of {what} must be {listed}"
    return constraint


def no_empty_dims(attrs: Any, inputs: Inputs) -> str | None:
    """No dimension of an input may be 0."""
    del attrs
    shapes = [t.shape for t in inputs if t is not None and 0 in t.shape]
    return str(list(shapes[0])) if shapes else None
