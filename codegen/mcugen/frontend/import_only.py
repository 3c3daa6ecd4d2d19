"""Operators that exist only while importing: their results are constants of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mcugen.frontend.context import NodeContext
from mcugen.ir import DType
from mcugen.ops.spec import Reject, TensorType

_VALUE_ATTRIBUTES: Mapping[str, type[np.generic] | None] = MappingProxyType(
    {
        "value": None,
        "value_float": np.float32,
        "value_floats": np.float32,
        "value_int": np.int64,
        "value_ints": np.int64,
    }
)


def _constant(ctx: NodeContext) -> None:
    """Constant: the value of its one attribute."""
    given = [(k, t) for k, t in _VALUE_ATTRIBUTES.items() if ctx.attr(k) is not None]
    others = [k for k in ("sparse_value", "value_string", "value_strings") if ctx.present(k)]
    if len(given) + len(others) != 1:
        raise Reject(f"it must have exactly one value attribute, got {len(given) + len(others)}")
    if others:
        raise Reject(
            f"attribute '{others[0]}' is not supported: strings and sparse tensors are not"
        )
    name, dtype = given[0]
    ctx.give(np.asarray(ctx.attr(name), dtype))


def _non_zero(ctx: NodeContext) -> None:
    """NonZero of a constant: indices [rank, count] in row-major order; [0, count] for rank 0."""
    value = ctx.const(0, "the input, which decides the shape of the result,")
    ctx.charge(TensorType((value.ndim, int(np.count_nonzero(value))), DType.INT64))
    found = np.array(np.nonzero(np.atleast_1d(value)), np.int64)
    ctx.give(found if value.ndim else found[:0])


IMPORT_ONLY: Mapping[str, Callable[[NodeContext], None]] = MappingProxyType(
    {
        "Constant": _constant,
        "NonZero": _non_zero,
    }
)
