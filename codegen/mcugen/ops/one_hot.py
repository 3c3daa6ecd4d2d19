"""OneHot: y[..., d, ...] = on where d is the index at that position, off elsewhere.

`axis` is where the new dimension of `depth` stands in the output; values are [off, on]. A negative
index counts from the end; one outside [-depth, depth - 1] gives off everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import MAX_CONSTANT_ELEMS, const_scalar, normalize_axis
from mcugen.ops.cast import CastAttrs
from mcugen.ops.common import dtype_constraint, present
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
class OneHotAttrs:
    """`axis`: of the output, counted from the front; `depth`: its extent."""

    axis: int
    depth: int


@dataclass(frozen=True)
class OneHotParams:
    """Index (o, i) decides the elements (o, 0..depth-1, i) of the output.

    Attributes:
        dtype: element type of the values and the output.
        out_shape: the output's dimensions.
        outer: positions before the new axis.
        depth: extent of the new axis.
        inner: positions behind it.
    """

    dtype: DType
    out_shape: tuple[int, ...]
    outer: int
    depth: int
    inner: int


def one_hot_from_onnx(ctx: ImportContext) -> None:
    """Indices may have any numeric type, floats among them; they are compared as int64."""
    indices = ctx.tensor(0)
    depth = const_scalar(ctx, 1, "depth")
    if depth != int(depth) or not 0 <= depth <= MAX_CONSTANT_ELEMS:
        raise Reject(f"depth must be a whole number in [0, {MAX_CONSTANT_ELEMS}], got {depth}")
    axis = normalize_axis(int(ctx.attr("axis", -1)), indices.rank + 1)
    name = ctx.inputs[0]
    if indices.dtype not in (DType.INT32, DType.INT64):
        (name,) = ctx.emit("Cast", (name,), CastAttrs(DType.INT64))
    ctx.emit("OneHot", (name, ctx.inputs[2]), OneHotAttrs(axis, int(depth)), ctx.outputs)


def _infer(attrs: OneHotAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    indices, values = present(inputs, 0), present(inputs, 1)
    if values.shape != (2,):
        raise Reject(f"values must be [off, on], got shape {list(values.shape)}")
    shape = (*indices.shape[: attrs.axis], attrs.depth, *indices.shape[attrs.axis :])
    return (TensorType(shape, values.dtype),)


def _semantics(attrs: OneHotAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    indices, values = arrays
    assert indices is not None and values is not None
    positions = np.expand_dims(np.where(indices < 0, indices + attrs.depth, indices), attrs.axis)
    new = [1] * positions.ndim
    new[attrs.axis] = attrs.depth
    hit = positions == np.arange(attrs.depth, dtype=np.int64).reshape(new)
    return (np.where(hit, values[1], values[0]),)


def _lower(site: Site) -> Lowered:
    attrs: OneHotAttrs = site.attrs
    indices, values = site.input(0), site.input(1)
    params = OneHotParams(
        values.dtype,
        site.outputs[0].shape,
        math.prod(indices.shape[: attrs.axis]),
        attrs.depth,
        math.prod(indices.shape[attrs.axis :]),
    )
    return Lowered(params, (indices.name, values.name))


def one_hot_reference(params: OneHotParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The comparison of the C on all elements."""
    indices = arrays[0].astype(np.int64).reshape(params.outer, 1, params.inner)
    hot = np.where(indices < 0, indices + params.depth, indices)
    hit = hot == np.arange(params.depth, dtype=np.int64).reshape(1, -1, 1)
    return (np.where(hit, arrays[1][1], arrays[1][0]).reshape(params.out_shape),)


SPECS = (
    OpSpec(
        name="OneHot",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=one_hot_reference,
        kernels=(Kernel("portable/one_hot.c.j2"),),
        onnx={"OneHot": one_hot_from_onnx},
        constraints=(dtype_constraint(0, "indices", (DType.INT32, DType.INT64)),),
    ),
)
