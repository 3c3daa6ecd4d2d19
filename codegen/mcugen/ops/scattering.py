"""What ScatterElements and ScatterND share: how an update meets the element that it falls on.

Updates are applied in the order of their elements, so of two that fall on one element the later
one wins. Negative indices count from the end; an index beyond the axis is an error in ONNX, the C
then takes the nearest element, as Gather does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import present
from mcugen.ops.reductions import Fold, extreme, modular
from mcugen.ops.spec import ImportContext, Inputs, Reject

_MAX, _C_MAX = extreme(">")
_MIN, _C_MIN = extreme("<")


@dataclass(frozen=True)
class Meeting:
    """What an element becomes.

    Attributes:
        step: NumPy twin of `c_step`.
        c_step: element type -> C expression from `acc`, the element, and `v`, the update.
        semantics: the same by the specification.
    """

    step: Fold
    c_step: Callable[[DType], str]
    semantics: Fold


MEETINGS: Mapping[str, Meeting] = MappingProxyType(
    {
        "none": Meeting(lambda acc, v: v, lambda dtype: "v", lambda acc, v: v),
        "add": Meeting(lambda acc, v: acc + v, modular("{a} + {v}", "acc + v"), np.add),
        "mul": Meeting(lambda acc, v: acc * v, modular("{a} * {v}", "acc * v"), np.multiply),
        "max": Meeting(_MAX, _C_MAX, np.maximum),
        "min": Meeting(_MIN, _C_MIN, np.minimum),
    }
)
"""Attribute `reduction` -> what it does."""


def reduction_of(ctx: ImportContext) -> str:
    """The node's attribute `reduction`.

    Raises:
        Reject: it is none of the known ones.
    """
    found = ctx.attr("reduction", "none")
    if found not in MEETINGS:
        raise Reject(f"reduction must be {', '.join(MEETINGS)}, got {found}")
    return str(found)


def numbers_meet(attrs: Any, inputs: Inputs) -> str | None:
    """The element type must not be bool with reduction add or mul."""
    dtype = present(inputs, 0).dtype
    wrong = dtype is DType.BOOL and attrs.reduction in ("add", "mul")
    return f"bool with {attrs.reduction}" if wrong else None


def data_indices_updates(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    """The three inputs.

    Raises:
        Reject: the updates have another element type than the data.
    """
    data, indices, updates = (present(inputs, i) for i in range(3))
    if updates.dtype is not data.dtype:
        raise Reject(f"updates must be {data.dtype.value}, got {updates.dtype.value}")
    return data, indices, updates


def own_storage(params: Any) -> tuple[tuple[int, int], ...]:
    """The data may be changed in place."""
    del params
    return ((0, 0),)


def three(arrays: Any) -> tuple[Array, Array, Array]:
    """The three arrays."""
    data, indices, updates = arrays
    return data, indices, updates
