"""ScatterElements: y = x, but y[indices[i, j, k], j, k] = updates[i, j, k] for axis 0, and so on.

With a reduction the update is added to what is there, multiplied, or the larger or smaller stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import normalize_axis, strides
from mcugen.ops.copying import Loop
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
class ScatterElementsAttrs:
    """`axis`: counted from the front; `reduction`: none, add, mul, max or min."""

    axis: int
    reduction: str = "none"


@dataclass(frozen=True)
class ScatterElementsParams:
    """Loops over the indices, which have the updates' shape.

    Attributes:
        dtype: element type of x and y.
        shape: of x and y.
        axis: the scattered axis.
        loops: per axis of the indices; x_stride, here of the output, is 0 on the scattered axis.
        dim: extent of the scattered axis of the output.
        stride: elements between neighbours on it.
        reduction: none, add, mul, max or min.
    """

    dtype: DType
    shape: tuple[int, ...]
    axis: int
    loops: tuple[Loop, ...]
    dim: int
    stride: int
    reduction: str

    @property
    def nbytes(self) -> int:
        """Bytes of x."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def step(self) -> str:
        """C expression of the new element from `acc` and `v`."""
        return MEETINGS[self.reduction].c_step(self.dtype)


def scatter_elements_from_onnx(ctx: ImportContext) -> None:
    """The axis defaults to 0. Scatter, its name before opset 11, means the same."""
    axis = normalize_axis(int(ctx.attr("axis", 0)), ctx.tensor(0).rank)
    attrs = ScatterElementsAttrs(axis, reduction_of(ctx))
    ctx.emit("ScatterElements", ctx.inputs, attrs, ctx.outputs)


def _infer(attrs: ScatterElementsAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    data, indices, updates = data_indices_updates(inputs)
    fits = indices.rank == data.rank and all(
        i <= d or k == attrs.axis
        for k, (i, d) in enumerate(zip(indices.shape, data.shape, strict=True))
    )
    if not fits or updates.shape != indices.shape:
        raise Reject(
            f"indices and updates must have one shape inside {list(data.shape)} apart from axis "
            f"{attrs.axis}, got {list(indices.shape)} and {list(updates.shape)}"
        )
    must_have_rows((data.shape[attrs.axis],), indices.size)
    return (TensorType(data.shape, data.dtype),)


def _scattered(
    axis: int, step: Fold, data: Array, indices: Array, updates: Array
) -> tuple[Array, ...]:
    """One position along the axis after the other: those of one position never meet."""
    result = np.array(data, order="C")
    where: list[Array] = list(np.indices(indices.shape))
    where[axis] = wrapped(indices, data.shape[axis])
    for k in range(indices.shape[axis]):
        at = tuple(np.take(w, k, axis) for w in where)
        result[at] = step(result[at], np.take(updates, k, axis))
    return (result,)


def _semantics(attrs: ScatterElementsAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return _scattered(attrs.axis, MEETINGS[attrs.reduction].semantics, *three(arrays))


def scatter_elements_reference(
    params: ScatterElementsParams, arrays: Sequence[Array]
) -> tuple[Array, ...]:
    """The updates that fall on one element in the order of the C."""
    return _scattered(params.axis, MEETINGS[params.reduction].step, *three(arrays))


def _lower(site: Site) -> Lowered:
    attrs: ScatterElementsAttrs = site.attrs
    data, indices, updates = data_indices_updates(site.inputs)
    along = strides(data.shape)
    loops = tuple(
        Loop(extent, 0 if axis == attrs.axis else stride, own)
        for axis, (extent, stride, own) in enumerate(
            zip(indices.shape, along, strides(indices.shape), strict=True)
        )
    )
    params = ScatterElementsParams(
        data.dtype,
        data.shape,
        attrs.axis,
        loops,
        data.shape[attrs.axis],
        along[attrs.axis],
        attrs.reduction,
    )
    return Lowered(params, (data.name, indices.name, updates.name))


SPECS = (
    OpSpec(
        name="ScatterElements",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=scatter_elements_reference,
        kernels=(Kernel("portable/scatter_elements.c.j2", headers=("mcugen_index.h",)),),
        onnx={
            "ScatterElements": scatter_elements_from_onnx,
            "Scatter": scatter_elements_from_onnx,
        },
        constraints=(*INDEX_CONSTRAINTS, numbers_meet),
        inplace=own_storage,
    ),
)
