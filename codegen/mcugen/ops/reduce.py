"""ReduceX: a reduction over some axes; see the table in `reductions.py`.

In C the elements of one result are taken in row-major order, one after the other, into an
accumulator of the element type. Where the innermost axis is kept, its results are accumulated side
by side in the output.
Imported with the reduced axes kept as 1; a Reshape behind drops them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import attr_or_input, normalize_axes, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.qlinear import dequantized, quantized
from mcugen.ops.qmean import quantize_mean
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.reduce_nest import Nest, by_result
from mcugen.ops.reductions import REDUCTIONS, Number, Reduction
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import (
    FromOnnx,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Site,
    TensorType,
)


@dataclass(frozen=True, eq=False)
class ReduceParams:
    """What the kernel gets.

    Attributes:
        nest: the loops.
        dtype: element type of input, accumulator and output.
        axes: reduced.
        out_shape: of the output.
        init: of the accumulator.
        step: C expression of the next `acc` from `acc` and `v`.
        finish: C expression of the result from `acc`, "" when it is `acc`.
        row: the table's row.
    """

    nest: Nest
    dtype: DType
    axes: tuple[int, ...]
    out_shape: tuple[int, ...]
    init: Number
    step: str
    finish: str
    row: Reduction = field(repr=False)


def _from_onnx(row: Reduction) -> FromOnnx:
    axes_input_since = 13 if row.name == "ReduceSum" else 18

    def from_onnx(ctx: ImportContext) -> None:
        """No axes are all axes, or none with noop_with_empty_axes."""
        shape = ctx.tensor(0).shape
        given = attr_or_input(ctx, "axes", 1, since=axes_input_since)
        if given:
            axes = normalize_axes(given, len(shape))
        else:
            noop = bool(ctx.attr("noop_with_empty_axes", 0))
            axes = () if noop else tuple(range(len(shape)))
        keepdims = bool(ctx.attr("keepdims", 1))
        _emit(ctx, row.name, ctx.inputs[0], shape, axes, keepdims, ctx.outputs)

    return from_onnx


def qlinear_reduce_mean_from_onnx(ctx: ImportContext) -> None:
    """Axes are an attribute; none are all axes."""
    shape = ctx.tensor(0).shape
    given = ctx.attr("axes") or range(len(shape))
    axes = normalize_axes([int(a) for a in given], len(shape))
    source = dequantized(ctx, 0)
    keepdims = bool(ctx.attr("keepdims", 1))
    (value,) = _emit(ctx, "ReduceMean", source, shape, axes, keepdims, None)
    quantized(ctx, value, 3)


def _emit(
    ctx: ImportContext,
    op: str,
    source: str,
    shape: Sequence[int],
    axes: tuple[int, ...],
    keepdims: bool,
    outputs: Sequence[str] | None,
) -> tuple[str, ...]:
    """The reduction with its axes kept, and the Reshape that drops them."""
    if keepdims or not axes:
        return ctx.emit(op, (source,), ReduceAttrs(axes), outputs)
    (kept,) = ctx.emit(op, (source,), ReduceAttrs(axes))
    dropped = tuple(d for a, d in enumerate(shape) if a not in axes)
    return ctx.emit("Reshape", (kept,), ReshapeAttrs(dropped), outputs)


def _out_shape(attrs: ReduceAttrs, shape: Sequence[int]) -> tuple[int, ...]:
    if attrs.keepdims:
        return tuple(1 if a in attrs.axes else d for a, d in enumerate(shape))
    return tuple(d for a, d in enumerate(shape) if a not in attrs.axes)


def _infer(attrs: ReduceAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axes(attrs.axes, source.rank)
    return (TensorType(_out_shape(attrs, source.shape), source.dtype),)


def _reference(params: ReduceParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """All results at once, element after element."""
    x = by_result(arrays[0], params.axes)
    top = _finite_maximum(x) if params.row.shifted else np.zeros(len(x), x.dtype)
    acc = np.full(len(x), params.init, x.dtype)
    for j in range(params.nest.count):
        acc = params.row.step(acc, x[:, j] - top if params.row.shifted else x[:, j])
    if params.row.finish is not None:
        acc = params.row.finish(acc, params.nest.count)
    if params.row.shifted:
        acc = acc + top
    return (acc.reshape(params.out_shape),)


def _finite_maximum(x: Array) -> Array:
    """The maximum of each row, 0 where it is infinite or NaN; NaN never is the maximum."""
    top = np.full(len(x), -np.inf, x.dtype)
    for j in range(x.shape[1]):
        top = np.where(x[:, j] > top, x[:, j], top)
    return np.where(np.isinf(top), np.float32(0), top)


def _spec(row: Reduction) -> OpSpec:
    def semantics(attrs: ReduceAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        source = arrays[0]
        assert source is not None
        result = row.semantics(source, attrs.axes)
        return (result.astype(source.dtype).reshape(_out_shape(attrs, source.shape)),)

    def lower(site: Site) -> Lowered:
        attrs: ReduceAttrs = site.attrs
        source = site.input(0)
        nest = Nest.of(source.shape, attrs.axes, rows=not row.shifted)
        finish = row.c_finish(source.dtype, nest.count) if row.c_finish else ""
        params = ReduceParams(
            nest=nest,
            dtype=source.dtype,
            axes=attrs.axes,
            out_shape=site.outputs[0].shape,
            init=row.init(source.dtype),
            step=row.c_step(source.dtype),
            finish=finish,
            row=row,
        )
        return Lowered(params, (source.name,))

    importers: dict[str, FromOnnx] = {row.name: _from_onnx(row)}
    if row.name == "ReduceMean":
        importers["com.microsoft::QLinearReduceMean"] = qlinear_reduce_mean_from_onnx
    template = "portable/reduce_shifted.c.j2" if row.shifted else "portable/reduce.c.j2"
    return OpSpec(
        name=row.name,
        infer=_infer,
        semantics=semantics,
        lower=lower,
        reference=_reference,
        kernels=(Kernel(template, headers=("mcugen_math.h",)),),
        onnx=importers,
        constraints=(dtype_constraint(0, "the input", row.dtypes),),
        moves_values=row.name in ("ReduceMax", "ReduceMin"),
        permute=_permute,
        quantize=quantize_mean if row.name == "ReduceMean" else None,
    )


def _permute(site: Site, perm: tuple[int, ...]) -> ReduceAttrs | None:
    attrs: ReduceAttrs = site.attrs
    if not attrs.keepdims:
        return None
    return ReduceAttrs(tuple(sorted(permuted_axis(a, perm) for a in attrs.axes)))


SPECS = tuple(_spec(row) for row in REDUCTIONS)
