"""Operators that exist only while importing: their results are constants of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mcugen.frontend.context import NodeContext
from mcugen.frontend.limits import MAX_FOLDED_BYTES
from mcugen.ir import Array
from mcugen.ops.spec import Reject

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


def _constant_of_shape(ctx: NodeContext) -> None:
    """ConstantOfShape: one value everywhere; float32 0 by default."""
    dims = [int(d) for d in ctx.const(0, "the shape").reshape(-1)]
    value = np.asarray(ctx.attr("value", np.zeros(1, np.float32)))
    if value.size != 1:
        raise Reject(f"attribute 'value' must have one element, got {value.size}")
    if any(d < 0 for d in dims):
        raise Reject(f"dimensions must not be negative, got {dims}")
    _check_bytes(math.prod(dims) * value.dtype.itemsize)
    ctx.give(np.full(dims, value.reshape(()), value.dtype))


def _shape(ctx: NodeContext) -> None:
    """Shape: dimensions `start` to `end` (opset 15) of a tensor, both clamped to its rank."""
    dims = ctx.tensor(0).shape
    start, end = ctx.attr("start", 0), ctx.attr("end", len(dims))
    low, high = (min(max(v + len(dims) if v < 0 else v, 0), len(dims)) for v in (start, end))
    ctx.give(np.array(dims[low:high], np.int64))


def _size(ctx: NodeContext) -> None:
    """Size: number of elements."""
    ctx.give(np.array(ctx.tensor(0).size, np.int64))


def _range(ctx: NodeContext) -> None:
    """Range: start + i * delta, for i below ceil((limit - start) / delta)."""
    start, limit, delta = (ctx.const(i, n) for i, n in enumerate(("start", "limit", "delta")))
    if any(a.size != 1 for a in (start, limit, delta)):
        raise Reject("start, limit and delta must be scalars")
    first, last, step = (a.reshape(()).item() for a in (start, limit, delta))
    if step == 0 or not all(math.isfinite(v) for v in (first, last, step)):
        raise Reject(f"start, limit and delta must be finite and delta not 0, got {delta}")
    exact = isinstance(step, int)
    count = max(-((first - last) // step) if exact else math.ceil((last - first) / step), 0)
    _check_bytes(count * start.dtype.itemsize)
    steps: Array = np.arange(count, dtype=np.int64 if exact else np.float64)
    with np.errstate(all="ignore"):
        ctx.give((first + steps * step).astype(start.dtype))


def _non_zero(ctx: NodeContext) -> None:
    """NonZero of a constant: indices [rank, count] in row-major order; [0, count] for rank 0."""
    value = ctx.const(0, "the input, which decides the shape of the result,")
    found = np.array(np.nonzero(np.atleast_1d(value)), np.int64)
    ctx.give(found if value.ndim else found[:0])


def _check_bytes(nbytes: int) -> None:
    if nbytes > MAX_FOLDED_BYTES:
        raise Reject(f"it computes a constant of {nbytes} bytes, the limit is {MAX_FOLDED_BYTES}")


IMPORT_ONLY: Mapping[str, Callable[[NodeContext], None]] = MappingProxyType(
    {
        "Constant": _constant,
        "ConstantOfShape": _constant_of_shape,
        "Shape": _shape,
        "Size": _size,
        "Range": _range,
        "NonZero": _non_zero,
    }
)
