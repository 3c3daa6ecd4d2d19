"""GatherElements: y[i, j, k] = x[indices[i, j, k], j, k] for axis 0, and so on.

Negative indices and indices beyond the axis are treated as by Gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import normalize_axis, strides
from mcugen.ops.copying import Loop
from mcugen.ops.gather import (
    INDEX_CONSTRAINTS,
    array_pair,
    data_and_indices,
    must_have_rows,
    wrapped,
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
class GatherElementsAttrs:
    """`axis`: counted from the front."""

    axis: int


@dataclass(frozen=True)
class GatherElementsParams:
    """Loops over the indices, which have the output's shape.

    Attributes:
        dtype: element type of x and y.
        out_shape: the output's dimensions.
        loops: per axis of the indices; x_stride is 0 on the gathered axis.
        dim: extent of the gathered axis of x.
        stride: elements of x between neighbours on it.
    """

    dtype: DType
    out_shape: tuple[int, ...]
    loops: tuple[Loop, ...]
    dim: int
    stride: int


def gather_elements_from_onnx(ctx: ImportContext) -> None:
    """The axis defaults to 0."""
    axis = normalize_axis(int(ctx.attr("axis", 0)), ctx.tensor(0).rank)
    ctx.emit("GatherElements", ctx.inputs, GatherElementsAttrs(axis), ctx.outputs)


def _infer_elements(attrs: GatherElementsAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    data, indices = data_and_indices(inputs)
    fits = indices.rank == data.rank and all(
        i <= d or k == attrs.axis
        for k, (i, d) in enumerate(zip(indices.shape, data.shape, strict=True))
    )
    if not fits:
        raise Reject(
            f"indices must lie inside {list(data.shape)} apart from axis {attrs.axis}, "
            f"got {list(indices.shape)}"
        )
    must_have_rows((data.shape[attrs.axis],), indices.size)
    return (TensorType(indices.shape, data.dtype),)


def _elements_semantics(
    attrs: GatherElementsAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    data, indices = array_pair(arrays)
    positions: list[Array] = list(np.indices(indices.shape))
    positions[attrs.axis] = wrapped(indices, data.shape[attrs.axis])
    return (data[tuple(positions)],)


def _lower_elements(site: Site) -> Lowered:
    attrs: GatherElementsAttrs = site.attrs
    data, indices = data_and_indices(site.inputs)
    along = strides(data.shape)
    loops = tuple(
        Loop(extent, 0 if axis == attrs.axis else x_stride, y_stride)
        for axis, (extent, x_stride, y_stride) in enumerate(
            zip(indices.shape, along, strides(indices.shape), strict=True)
        )
    )
    params = GatherElementsParams(
        data.dtype, indices.shape, loops, data.shape[attrs.axis], along[attrs.axis]
    )
    return Lowered(params, (data.name, indices.name))


def elements_reference(params: GatherElementsParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Element by element as the C does, on all at once."""
    data, indices = arrays
    where = wrapped(indices, params.dim) * params.stride
    for axis, loop in enumerate(params.loops):
        counter = np.arange(loop.extent, dtype=np.int64) * loop.x_stride
        where = where + counter.reshape(-1, *(1,) * (len(params.loops) - axis - 1))
    return (data.reshape(-1)[where.reshape(params.out_shape)],)


SPECS = (
    OpSpec(
        name="GatherElements",
        infer=_infer_elements,
        semantics=_elements_semantics,
        lower=_lower_elements,
        reference=elements_reference,
        kernels=(Kernel("portable/gather_elements.c.j2", headers=("mcugen_index.h",)),),
        onnx={"GatherElements": gather_elements_from_onnx},
        constraints=INDEX_CONSTRAINTS,
        moves_values=True,
    ),
)
