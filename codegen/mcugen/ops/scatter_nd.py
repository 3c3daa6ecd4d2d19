"""ScatterND: y = x, but y[indices[j..., :], ...] = updates[j..., ...].

With a reduction the update is added to what is there, multiplied, or the larger or smaller stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import strides
from mcugen.ops.copying import MEMCPY_BYTES
from mcugen.ops.gather import INDEX_CONSTRAINTS, must_have_rows, wrapped
from mcugen.ops.reductions import Fold
from mcugen.ops.scattering import (
    MEETINGS,
    data_indices_updates,
    numbers_meet,
    own_storage,
    reduction_of,
    three,
)
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class ScatterNDAttrs:
    """`reduction`: none, add, mul, max or min."""

    reduction: str = "none"


@dataclass(frozen=True)
class ScatterNDParams:
    """Rows of `inner` elements that tuples of indices name.

    Attributes:
        dtype: element type of x and y.
        shape: of x and y.
        depth: indices of a tuple: the leading axes of y that they count on.
        count: tuples.
        reduction: none, add, mul, max or min.
    """

    dtype: DType
    shape: tuple[int, ...]
    depth: int
    count: int
    reduction: str

    @property
    def dims(self) -> tuple[int, ...]:
        """Extents of the indexed axes."""
        return self.shape[: self.depth]

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements between neighbours on each of them."""
        return strides(self.shape)[: self.depth]

    @property
    def inner(self) -> int:
        """Elements of a row."""
        return math.prod(self.shape[self.depth :])

    @property
    def nbytes(self) -> int:
        """Bytes of x."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def uses_memcpy(self) -> bool:
        """Whether a row is replaced and long enough for memcpy."""
        return self.reduction == "none" and self.inner * self.dtype.itemsize >= MEMCPY_BYTES

    @property
    def step(self) -> str:
        """C expression of the new element from `acc` and `v`."""
        return MEETINGS[self.reduction].c_step(self.dtype)


def scatter_nd_from_onnx(ctx: ImportContext) -> None:
    """A reduction exists since opset 16."""
    ctx.emit("ScatterND", ctx.inputs, ScatterNDAttrs(reduction_of(ctx)), ctx.outputs)


def _infer(attrs: ScatterNDAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    data, indices, updates = data_indices_updates(inputs)
    if indices.rank < 1 or not 1 <= indices.shape[-1] <= data.rank:
        raise Reject(f"indices must be tuples of 1 to {data.rank}, got {list(indices.shape)}")
    depth = indices.shape[-1]
    wanted = (*indices.shape[:-1], *data.shape[depth:])
    if updates.shape != wanted:
        raise Reject(f"updates must have shape {list(wanted)}, got {list(updates.shape)}")
    must_have_rows(data.shape[:depth], indices.size)
    return (TensorType(data.shape, data.dtype),)


def _scattered(step: Fold, data: Array, indices: Array, updates: Array) -> tuple[Array, ...]:
    """One tuple after the other."""
    depth = indices.shape[-1]
    result = np.array(data, order="C")
    columns = [wrapped(indices[..., m], data.shape[m]).reshape(-1) for m in range(depth)]
    rows = updates.reshape(columns[0].size, *data.shape[depth:])
    for j, row in enumerate(rows):
        at = tuple(int(c[j]) for c in columns)
        result[at] = step(result[at], row)
    return (result,)


def _semantics(attrs: ScatterNDAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return _scattered(MEETINGS[attrs.reduction].semantics, *three(arrays))


def scatter_nd_reference(params: ScatterNDParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The order of the C."""
    return _scattered(MEETINGS[params.reduction].step, *three(arrays))


def _lower(site: Site) -> Lowered:
    attrs: ScatterNDAttrs = site.attrs
    data, indices, updates = data_indices_updates(site.inputs)
    params = ScatterNDParams(
        data.dtype,
        data.shape,
        indices.shape[-1],
        math.prod(indices.shape[:-1]) if updates.size else 0,
        attrs.reduction,
    )
    return Lowered(params, (data.name, indices.name, updates.name))


SPECS = (
    OpSpec(
        name="ScatterND",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=scatter_nd_reference,
        kernels=(Kernel("portable/scatter_nd.c.j2", headers=("mcugen_index.h",)),),
        onnx={"ScatterND": scatter_nd_from_onnx},
        constraints=(*INDEX_CONSTRAINTS, numbers_meet),
        inplace=own_storage,
    ),
)
