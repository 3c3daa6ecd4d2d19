"""ArgMax and ArgMin: the position of the best element of each line, as int64.

The first of equal elements, or the last with select_last_index. A NaN counts as the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.reductions import ORDERED
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import (
    FromOnnx,
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
class ArgAttrs:
    """`axis`: counted from the front; `keepdims`: whether it stays, as 1."""

    axis: int
    keepdims: bool = True
    select_last_index: bool = False


@dataclass(frozen=True)
class ArgParams:
    """What the kernel gets.

    Attributes:
        lines: what is searched.
        dtype: element type of the input.
        out_shape: of the output.
        better: C comparison of an element `v` with the best so far, `top`.
        maximum: whether the largest is wanted.
        last: whether the last of equal elements is.
    """

    lines: Lines
    dtype: DType
    out_shape: tuple[int, ...]
    better: str
    maximum: bool
    last: bool


def _from_onnx(op: str) -> FromOnnx:
    def from_onnx(ctx: ImportContext) -> None:
        """The axis is kept, a Reshape behind drops it."""
        shape = ctx.tensor(0).shape
        axis = normalize_axis(int(ctx.attr("axis", 0)), len(shape))
        attrs = ArgAttrs(axis, select_last_index=bool(ctx.attr("select_last_index", 0)))
        if ctx.attr("keepdims", 1):
            ctx.emit(op, ctx.inputs[:1], attrs, ctx.outputs)
            return
        (kept,) = ctx.emit(op, ctx.inputs[:1], attrs)
        dropped = ReshapeAttrs(shape[:axis] + shape[axis + 1 :])
        ctx.emit("Reshape", (kept,), dropped, ctx.outputs)

    return from_onnx


def _out_shape(attrs: ArgAttrs, shape: tuple[int, ...]) -> tuple[int, ...]:
    kept = (1,) if attrs.keepdims else ()
    return shape[: attrs.axis] + kept + shape[attrs.axis + 1 :]


def _infer(attrs: ArgAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    axis = normalize_axis(attrs.axis, source.rank)
    if source.shape[axis] == 0:
        raise Reject(f"the searched axis must not be empty, got {list(source.shape)}")
    return (TensorType(_out_shape(attrs, source.shape), DType.INT64),)


def _spec(op: str) -> OpSpec:
    maximum = op == "ArgMax"

    def semantics(attrs: ArgAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        source = arrays[0]
        assert source is not None
        find = np.argmax if maximum else np.argmin
        if attrs.select_last_index:
            found = source.shape[attrs.axis] - 1 - find(np.flip(source, attrs.axis), attrs.axis)
        else:
            found = find(source, attrs.axis)
        shape = _out_shape(attrs, source.shape)
        return (np.asarray(found, np.int64).reshape(shape),)

    def lower(site: Site) -> Lowered:
        attrs: ArgAttrs = site.attrs
        source = site.input(0)
        params = ArgParams(
            Lines.of(source.shape, attrs.axis),
            source.dtype,
            site.outputs[0].shape,
            _better(source.dtype, maximum, attrs.select_last_index),
            maximum,
            attrs.select_last_index,
        )
        return Lowered(params, (source.name,))

    return OpSpec(
        name=op,
        infer=_infer,
        semantics=semantics,
        lower=lower,
        reference=arg_reference,
        kernels=(Kernel("portable/arg.c.j2"),),
        onnx={op: _from_onnx(op)},
        constraints=(dtype_constraint(0, "the input", ORDERED),),
        permute=_permute,
    )


def _better(dtype: DType, maximum: bool, last: bool) -> str:
    sign = (">" if maximum else "<") + ("=" if last else "")
    if not dtype.is_float:
        return f"v {sign} top"
    return f"v {sign} top || v != v" if last else f"v {sign} top || (v != v && top == top)"


def arg_reference(params: ArgParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Element after element of all lines at once."""
    lines = params.lines.split(arrays[0])
    top = lines[:, 0]
    best = np.zeros(top.shape, np.int64)
    for k in range(1, params.lines.count):
        v = lines[:, k]
        better = v > top if params.maximum else v < top
        equal, nan = v == top, v != v
        better = better | equal | nan if params.last else better | (nan & (top == top))
        top, best = np.where(better, v, top), np.where(better, k, best)
    return (best.reshape(params.out_shape),)


def _permute(site: Site, perm: tuple[int, ...]) -> ArgAttrs | None:
    attrs: ArgAttrs = site.attrs
    if not attrs.keepdims:
        return None
    return ArgAttrs(permuted_axis(attrs.axis, perm), True, attrs.select_last_index)


SPECS = (_spec("ArgMax"), _spec("ArgMin"))
