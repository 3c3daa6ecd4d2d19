"""TopK: the k best elements of each line in order, and their positions as int64.

Of equal elements the first comes first. NaN counts as larger than every number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, const_scalar, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.reductions import ORDERED
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
class TopKAttrs:
    """`axis`: counted from the front; `k`: elements wanted; `largest`: else the smallest."""

    axis: int
    k: int
    largest: bool = True


@dataclass(frozen=True)
class TopKParams:
    """What the kernel gets.

    Attributes:
        lines: what is searched.
        k: elements wanted of each.
        dtype: element type.
        out_shape: of both outputs.
        largest: whether the largest are wanted.
        better: C comparison: whether `v` goes before `w`, which was seen earlier.
    """

    lines: Lines
    k: int
    dtype: DType
    out_shape: tuple[int, ...]
    largest: bool
    better: str

    @property
    def block_elems(self) -> int:
        """Output elements of all lines of one outer position."""
        return self.k * self.lines.inner


def topk_from_onnx(ctx: ImportContext) -> None:
    """K is an attribute before opset 10; the result is sorted whatever `sorted` says."""
    k = ctx.attr("k") if ctx.opset < 10 else int(const_scalar(ctx, 1, "k"))
    if k is None:
        raise Reject("k must be given, got none")
    axis = normalize_axis(int(ctx.attr("axis", -1)), ctx.tensor(0).rank)
    attrs = TopKAttrs(axis, int(k), bool(ctx.attr("largest", 1)))
    ctx.emit("TopK", ctx.inputs[:1], attrs, ctx.outputs)


def _infer(attrs: TopKAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    axis = normalize_axis(attrs.axis, source.rank)
    if not 0 <= attrs.k <= source.shape[axis]:
        raise Reject(f"k must be in [0, {source.shape[axis]}], got {attrs.k}")
    shape = (*source.shape[:axis], attrs.k, *source.shape[axis + 1 :])
    return TensorType(shape, source.dtype), TensorType(shape, DType.INT64)


def _order(x: Array, axis: int, largest: bool) -> Array:
    """Positions along `axis`, best first, equal ones in their own order."""
    rank = np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(np.int64)
    return np.argsort(-rank if largest else rank, axis, kind="stable")


def _semantics(attrs: TopKAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    order = np.take(_order(source, attrs.axis, attrs.largest), np.arange(attrs.k), attrs.axis)
    return np.take_along_axis(source, order, attrs.axis), order.astype(np.int64)


def _lower(site: Site) -> Lowered:
    attrs: TopKAttrs = site.attrs
    source = site.input(0)
    sign = ">" if attrs.largest else "<"
    nan, number = ("v", "w") if attrs.largest else ("w", "v")
    better = f"v {sign} w"
    if source.dtype.is_float:
        better += f" || ({nan} != {nan} && {number} == {number})"
    params = TopKParams(
        Lines.of(source.shape, attrs.axis),
        attrs.k,
        source.dtype,
        site.outputs[0].shape,
        attrs.largest,
        better,
    )
    return Lowered(params, (source.name,))


def topk_reference(params: TopKParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The order is the C's insertion order: stable."""
    lines = params.lines.split(arrays[0])
    order = _order(lines, 1, params.largest)[:, : params.k]
    values = np.take_along_axis(lines, order, 1)
    return values.reshape(params.out_shape), order.reshape(params.out_shape)


def _permute(site: Site, perm: tuple[int, ...]) -> TopKAttrs:
    attrs: TopKAttrs = site.attrs
    return TopKAttrs(permuted_axis(attrs.axis, perm), attrs.k, attrs.largest)


SPECS = (
    OpSpec(
        name="TopK",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=topk_reference,
        kernels=(Kernel("portable/topk.c.j2"),),
        onnx={"TopK": topk_from_onnx},
        constraints=(dtype_constraint(0, "the input", ORDERED),),
        permute=_permute,
    ),
)
