"""Compress: the slices of x along an axis where a constant condition holds, by Slice or Gather.

Without an axis x counts as flat. A condition shorter than the axis takes nothing behind its end.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from mcugen.ops.axes import normalize_axis
from mcugen.ops.gather import GatherAttrs, as_slice
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import Expansion, ImportContext, Reject


def compress_from_onnx(ctx: ImportContext) -> None:
    """The condition decides the shape of the result: it must be constant."""
    source = ctx.tensor(0)
    name, shape, given = source.name, source.shape, ctx.attr("axis")
    if given is None:
        shape = (source.size,)
        (name,) = ctx.emit("Reshape", (name,), ReshapeAttrs(shape))
    axis = 0 if given is None else normalize_axis(int(given), source.rank)
    condition = ctx.const(1, "the condition")
    if condition.ndim != 1 or condition.size > shape[axis]:
        raise Reject(
            f"the condition must be a vector of at most {shape[axis]}, got {list(condition.shape)}"
        )
    indices = np.flatnonzero(condition).astype(np.int64)
    attrs = as_slice(shape, axis, indices)
    if attrs is not None:
        ctx.emit("Slice", (name,), attrs, ctx.outputs)
    else:
        ctx.emit("Gather", (name, ctx.constant(indices, "indices")), GatherAttrs(axis), ctx.outputs)


_RULE = "the condition must be constant"

EXPANSIONS = MappingProxyType({"Compress": Expansion(compress_from_onnx, "Gather", (_RULE,))})
