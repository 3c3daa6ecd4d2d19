"""Gather and GatherND: elements of x picked by integer indices.

Gather: y[..., j..., ...] = x[..., indices[j...], ...] on `axis`.
GatherND: y[b..., j..., ...] = x[b..., indices[b..., j..., :], ...].
A negative index counts from the end. An index beyond the axis is an error in ONNX; the C then
reads the nearest valid element, never outside the tensor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.axes import int_tuple, normalize_axis, strides
from mcugen.ops.common import dtype_constraint
from mcugen.ops.copying import (
    COPY,
    MEMCPY_BYTES,
    CopyParams,
    Loop,
    block,
    copy_reference,
    index_table,
    lowered_copy,
)
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    InvalidNode,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class GatherAttrs:
    """`axis`: of the data, counted from the front."""

    axis: int


@dataclass(frozen=True)
class GatherNDAttrs:
    """`batch_dims`: leading axes that data and indices share."""

    batch_dims: int


@dataclass(frozen=True)
class GatherParams:
    """Rows of `inner` elements picked by tuples of indices.

    y[o, j, :] = x[o, k_0, k_1, ..., :] with k_m = indices[o % index_batches, j, m]. Gather has
    tuples of one; GatherND those of its last axis.

    Attributes:
        dtype: element type of x and y.
        outer: leading positions that x and y share.
        index_batches: of them, how many have indices of their own: `outer`, or 1.
        dims: extent of each indexed axis.
        strides: elements between neighbours on each indexed axis.
        count: index tuples per batch.
        inner: elements of a row.
        out_shape: the output's dimensions.
    """

    dtype: DType
    outer: int
    index_batches: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    count: int
    inner: int
    out_shape: tuple[int, ...]

    @property
    def batch_elems(self) -> int:
        """Elements of x per outer position."""
        return math.prod(self.dims) * self.inner

    @property
    def uses_memcpy(self) -> bool:
        """Whether a row is long enough for memcpy."""
        return self.inner * self.dtype.itemsize >= MEMCPY_BYTES

    @property
    def index_base(self) -> str:
        """C index of tuple `j` of outer position `o`."""
        depth = len(self.dims)
        batch = f"o * {self.count * depth} + " if self.index_batches > 1 else ""
        return batch + ("j" if depth == 1 else f"j * {depth}")


def gather_from_onnx(ctx: ImportContext) -> None:
    """One constant index, or equidistant ones, are a Slice."""
    data, indices = ctx.tensor(0), ctx.tensor(1)
    axis = normalize_axis(int(ctx.attr("axis", 0)), data.rank)
    attrs = None if indices.data is None else as_slice(data.shape, axis, indices.data)
    if attrs is None:
        ctx.emit("Gather", ctx.inputs, GatherAttrs(axis), ctx.outputs)
    elif indices.rank == 1:
        ctx.emit("Slice", ctx.inputs[:1], attrs, ctx.outputs)
    else:
        shape = (*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :])
        (name,) = ctx.emit("Slice", ctx.inputs[:1], attrs)
        ctx.emit("Reshape", (name,), ReshapeAttrs(shape), ctx.outputs)


def as_slice(shape: Sequence[int], axis: int, indices: Array) -> SliceAttrs | None:
    """The Slice that takes the same elements of a tensor of this shape, None when there is none."""
    dim = shape[axis]
    wanted = [i + dim if i < 0 else i for i in int_tuple(indices)]
    if not wanted:
        return None
    if min(wanted) < 0 or max(wanted) >= dim:
        raise InvalidNode(f"indices must be in [{-dim}, {dim - 1}], got {list(int_tuple(indices))}")
    step = wanted[1] - wanted[0] if len(wanted) > 1 else 1
    if step == 0 or any(b - a != step for a, b in pairwise(wanted)):
        return None
    return SliceAttrs.whole(shape).along(axis, wanted[0], len(wanted), step)


def gather_nd_from_onnx(ctx: ImportContext) -> None:
    """batch_dims exists since opset 12."""
    attrs = GatherNDAttrs(int(ctx.attr("batch_dims", 0)))
    ctx.emit("GatherND", ctx.inputs, attrs, ctx.outputs)


def data_and_indices(inputs: Inputs) -> tuple[Tensor, Tensor]:
    """The first two inputs."""
    data, indices = inputs[:2]
    assert data is not None
    assert indices is not None
    return data, indices


def must_have_rows(dims: Sequence[int], count: int) -> None:
    """Reject indices into an empty axis."""
    if count and 0 in dims:
        raise Reject(f"an indexed axis must not be empty, got {list(dims)}")


def _infer_gather(attrs: GatherAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    data, indices = data_and_indices(inputs)
    axis = normalize_axis(attrs.axis, data.rank)
    must_have_rows(data.shape[axis : axis + 1], indices.size)
    shape = (*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :])
    return (TensorType(shape, data.dtype),)


def _infer_nd(attrs: GatherNDAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    data, indices = data_and_indices(inputs)
    batch = attrs.batch_dims
    if not 0 <= batch < min(data.rank, indices.rank):
        raise Reject(f"batch_dims must be below both ranks, got {batch}")
    depth = indices.shape[-1]
    if data.shape[:batch] != indices.shape[:batch] or not 1 <= depth <= data.rank - batch:
        raise Reject(
            f"indices must be tuples of 1 to {data.rank - batch} with the data's batch "
            f"dimensions, got {list(indices.shape)} for {list(data.shape)}"
        )
    must_have_rows(data.shape[batch : batch + depth], indices.size)
    shape = (*indices.shape[:-1], *data.shape[batch + depth :])
    return (TensorType(shape, data.dtype),)


def wrapped(indices: Array, dim: int) -> Array:
    """Indices counted from the front, inside the axis."""
    wide = indices.astype(np.int64)
    return np.clip(np.where(wide < 0, wide + dim, wide), 0, max(dim - 1, 0))


def array_pair(arrays: Sequence[Array | None]) -> tuple[Array, Array]:
    """The first two arrays."""
    data, indices = arrays[:2]
    assert data is not None
    assert indices is not None
    return data, indices


def _gather_semantics(attrs: GatherAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    data, indices = array_pair(arrays)
    return (np.take(data, wrapped(indices, data.shape[attrs.axis]), attrs.axis),)


def _nd_semantics(attrs: GatherNDAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    data, indices = array_pair(arrays)
    batch, depth = attrs.batch_dims, indices.shape[-1]
    shape = indices.shape[:-1]
    own = [wrapped(indices[..., m], data.shape[batch + m]) for m in range(depth)]
    leading = [np.arange(shape[k]).reshape(-1, *(1,) * (len(shape) - k - 1)) for k in range(batch)]
    return (data[tuple(leading + own)],)


def _lower_gather(site: Site) -> Lowered:
    """Constant indices become a table of the copy kernel."""
    attrs: GatherAttrs = site.attrs
    data, indices = data_and_indices(site.inputs)
    before, dim, after = (
        data.shape[: attrs.axis],
        data.shape[attrs.axis],
        data.shape[attrs.axis + 1 :],
    )
    outer, inner = math.prod(before), math.prod(after)
    if indices.data is not None:
        table = index_table("map0", int_tuple(wrapped(indices.data, dim)))
        loops = (
            Loop(outer, dim * inner, indices.size * inner),
            Loop(indices.size, inner, inner, table.name),
            Loop(inner, 1, 1),
        )
        return lowered_copy(site, block(loops), tables=(table,))
    params = GatherParams(
        data.dtype, outer, 1, (dim,), (inner,), indices.size, inner, site.outputs[0].shape
    )
    return Lowered(params, (data.name, indices.name))


def _lower_nd(site: Site) -> Lowered:
    attrs: GatherNDAttrs = site.attrs
    data, indices = data_and_indices(site.inputs)
    batch, depth = attrs.batch_dims, indices.shape[-1]
    outer = math.prod(data.shape[:batch])
    params = GatherParams(
        dtype=data.dtype,
        outer=outer,
        index_batches=outer,
        dims=data.shape[batch : batch + depth],
        strides=strides(data.shape)[batch : batch + depth],
        count=math.prod(indices.shape[batch:-1]),
        inner=math.prod(data.shape[batch + depth :]),
        out_shape=site.outputs[0].shape,
    )
    return Lowered(params, (data.name, indices.name))


def gather_reference(
    params: GatherParams | CopyParams, arrays: Sequence[Array]
) -> tuple[Array, ...]:
    """Row by row as the C does, on all rows at once."""
    if isinstance(params, CopyParams):
        return copy_reference(params, arrays)
    data, indices = arrays
    if 0 in params.out_shape:
        return (np.zeros(params.out_shape, params.dtype.np),)
    tuples = indices.reshape(params.index_batches, params.count, len(params.dims))
    row = np.zeros((params.index_batches, params.count), np.int64)
    for m, (dim, stride) in enumerate(zip(params.dims, params.strides, strict=True)):
        row += wrapped(tuples[..., m], dim) * stride
    first = np.arange(params.outer, dtype=np.int64)[:, None] * params.batch_elems + row
    where = first[..., None] + np.arange(params.inner)
    return (data.reshape(-1)[where].reshape(params.out_shape),)


def _is_copy(params: object) -> str | None:
    return None if isinstance(params, CopyParams) else "the indices are not constant"


_GATHER = Kernel("portable/gather.c.j2", headers=("mcugen_index.h",))
_COPY_TABLE = Kernel(COPY.template, accepts=_is_copy, constants=COPY.constants)
INDEX_CONSTRAINTS = (dtype_constraint(1, "indices", (DType.INT32, DType.INT64)),)
"""Of all operators of this family."""

SPECS = (
    OpSpec(
        name="Gather",
        infer=_infer_gather,
        semantics=_gather_semantics,
        lower=_lower_gather,
        reference=gather_reference,
        kernels=(_COPY_TABLE, _GATHER),
        onnx={"Gather": gather_from_onnx},
        constraints=INDEX_CONSTRAINTS,
        moves_values=True,
    ),
    OpSpec(
        name="GatherND",
        infer=_infer_nd,
        semantics=_nd_semantics,
        lower=_lower_nd,
        reference=gather_reference,
        kernels=(_GATHER,),
        onnx={"GatherND": gather_nd_from_onnx},
        constraints=INDEX_CONSTRAINTS,
        moves_values=True,
    ),
)
