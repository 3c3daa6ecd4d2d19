"""Resize and Interpolate: each axis of the input is sampled at new positions.

Resize (nearest) copies elements. Interpolate (linear, cubic, or with an extrapolation value)
computes y = sum over the taps of all resized axes of (product of their weights) * x in float32,
the taps in row-major order. The axes are independent, so any layout will do.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import strides
from mcugen.ops.common import dtype_constraint
from mcugen.ops.copying import (
    COPY,
    Block,
    Loop,
    block,
    copy_reference,
    frame_blocks,
    index_table,
    lowered_copy,
)
from mcugen.ops.resize_import import resize_from_onnx, upsample_from_onnx
from mcugen.ops.resize_tables import AxisTable, ResizeAttrs
from mcugen.ops.spec import (
    Constant,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)

MAX_TAPS = 64
"""Most input elements of one output element: 6 linear axes or 3 cubic ones."""


@dataclass(frozen=True, eq=False)
class TapAxis:
    """A resized axis of Interpolate.

    Attributes:
        loop: its position among `InterpolateParams.loops`.
        taps: elements that make one.
        x_stride: elements of x between neighbours.
        index: table of source indices, [extent * taps], named at<k>.
        weight: float32 table of weights, named w<k>.
    """

    loop: int
    taps: int
    x_stride: int
    index: Constant
    weight: Constant


@dataclass(frozen=True, eq=False)
class InterpolateParams:
    """What the kernel gets.

    Attributes:
        dtype: float32.
        loops: over the output's positions inside the input, without `row`; x_stride is 0 on
            resized axes.
        axes: the resized axes, in order.
        row: extent of the innermost axis when it is not resized, else 1.
        y_offset: first output element inside.
        blocks: fills of the positions outside.
        fill: their value.
        out_shape: of the output.
    """

    dtype: DType
    loops: tuple[Loop, ...]
    axes: tuple[TapAxis, ...]
    row: int
    y_offset: int
    blocks: tuple[Block, ...]
    fill: float
    out_shape: tuple[int, ...]

    @property
    def taps(self) -> int:
        """Input elements of one output element."""
        return math.prod(a.taps for a in self.axes)


def _infer(attrs: ResizeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    if tuple(a.size_in for a in attrs.axes) != source.shape:
        raise Reject(f"axes must describe {list(source.shape)}, got {attrs.axes}")
    return (TensorType(tuple(a.size_out for a in attrs.axes), source.dtype),)


def at_most_max_taps(attrs: ResizeAttrs, inputs: Inputs) -> str | None:
    """at most 64 input elements may make one output element"""  # noqa: D400, D403, D415
    del inputs
    taps = math.prod(t.taps for t in attrs.tables() if not t.is_identity)
    return None if taps <= MAX_TAPS else str(taps)


def _semantics(attrs: ResizeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """Axis by axis, in float64 unless elements are only copied."""
    source = arrays[0]
    assert source is not None
    nearest = attrs.how.mode == "nearest"
    result = source if nearest else source.astype(np.float64)
    for axis, table in enumerate(attrs.tables()):
        taken = np.take(result, table.index, axis)
        behind = (1,) * (source.ndim - axis - 1)
        if not nearest:
            taken = taken * table.weight.reshape(*table.weight.shape, *behind)
        outside = ~table.inside.reshape(-1, *behind)
        result = taken.sum(axis + 1, dtype=result.dtype)
        result = np.where(outside, result.dtype.type(attrs.how.extrapolation), result)
    return (result.astype(source.dtype),)


def _lower_copy(site: Site) -> Lowered:
    """Regular axes are plain loops, others read through a table."""
    attrs: ResizeAttrs = site.attrs
    loops: list[Loop] = []
    tables: list[Constant] = []
    offset = 0
    rows = zip(strides(site.input(0).shape), strides(site.outputs[0].shape), strict=True)
    for axis, (x_stride, y_stride) in enumerate(rows):
        index = attrs.tables()[axis].index[:, 0]
        regular = _regular(index, attrs.axes[axis].size_in, x_stride, y_stride)
        if regular is None:
            tables.append(index_table(f"map{axis}", index.tolist()))
            loops.append(Loop(len(index), x_stride, y_stride, f"map{axis}"))
        else:
            loops += regular
            offset += int(index[0]) * x_stride if index.size else 0
    return lowered_copy(site, block(loops, x_offset=offset), tables=tables)


def _regular(index: Array, size_in: int, x_stride: int, y_stride: int) -> list[Loop] | None:
    """Loops for equidistant indices, or for every element repeated equally often."""
    extent = len(index)
    step = int(index[1] - index[0]) if extent > 1 else 1
    if extent < 2 or (np.diff(index) == step).all():
        return [Loop(extent, step * x_stride, y_stride)]
    repeats = extent // size_in
    if extent == repeats * size_in and (index == np.arange(extent) // repeats).all():
        return [Loop(size_in, x_stride, repeats * y_stride), Loop(repeats, 0, y_stride)]
    return None


def _lower_interpolate(site: Site) -> Lowered:
    attrs: ResizeAttrs = site.attrs
    source, out = site.input(0), site.outputs[0]
    tables = attrs.tables()
    inside = [_run(t.inside) for t in tables]
    if any(first == last for first, last in inside):
        inside = [(0, 0)] * len(tables)
    box = [last - first for first, last in inside]
    ends = [size - last for size, (_, last) in zip(out.shape, inside, strict=True)]
    fills, y_offset = frame_blocks(box, [first for first, _ in inside], ends)
    loops: list[Loop] = []
    names: dict[str, AxisTable] = {}
    steps = zip(box, strides(source.shape), strides(out.shape), strict=True)
    for k, (table, step) in enumerate(zip(tables, steps, strict=True)):
        name = "" if table.is_identity else str(k)
        names[name] = _part(table, *inside[k])
        loops.append(Loop(*step, name))
    merged = block(loops)
    nest = list(merged[0].loops) if merged else [Loop(0, 0, 0)]
    row = 1
    if nest and not nest[-1].table and (nest[-1].x_stride, nest[-1].y_stride) == (1, 1):
        row = nest.pop().extent
    params = InterpolateParams(
        source.dtype,
        tuple(dataclasses.replace(n, x_stride=0) if n.table else n for n in nest),
        tuple(_tap_axis(i, n, names[n.table]) for i, n in enumerate(nest) if n.table),
        row,
        y_offset,
        tuple(fills),
        attrs.how.extrapolation,
        out.shape,
    )
    return Lowered(params, (source.name,))


def _run(inside: Array) -> tuple[int, int]:
    """[first, last) of the one run of true values; (0, 0) when there is none."""
    hits = np.flatnonzero(inside)
    return (int(hits[0]), int(hits[-1]) + 1) if hits.size else (0, 0)


def _part(table: AxisTable, first: int, last: int) -> AxisTable:
    rows = slice(first, last)
    return AxisTable(table.index[rows], table.weight[rows], table.inside[rows])


def _tap_axis(loop: int, nest: Loop, table: AxisTable) -> TapAxis:
    index = index_table(f"at{nest.table}", table.index.reshape(-1).tolist())
    weight = Constant(f"w{nest.table}", table.weight.astype(np.float32).reshape(-1))
    return TapAxis(loop, table.taps, nest.x_stride, index, weight)


def interpolate_reference(params: InterpolateParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Tap after tap, on all outputs at once."""
    x = arrays[0].reshape(-1)
    y = np.full(math.prod(params.out_shape), params.fill, params.dtype.np)
    loops = (*params.loops, Loop(params.row, 1, 1))
    base, where = (_positions(loops, side) for side in ("x_stride", "y_stride"))
    acc: Array | None = None
    for taps in product(*(range(a.taps) for a in params.axes)):
        index, weight = base, np.ones((), np.float32)
        for axis, tap in zip(params.axes, taps, strict=True):
            shape = [-1 if k == axis.loop else 1 for k in range(len(loops))]
            places = axis.index.array[tap :: axis.taps].reshape(shape).astype(np.int64)
            index = index + places * axis.x_stride
            weight = weight * axis.weight.array[tap :: axis.taps].reshape(shape)
        term = weight * x[index]
        acc = term if acc is None else acc + term
    assert acc is not None
    y[params.y_offset + where] = acc
    return (y.reshape(params.out_shape),)


def _positions(loops: Sequence[Loop], side: str) -> Array:
    """Sum of counter * stride over the nest, one axis per loop."""
    total = np.zeros((), np.int64)
    for loop in loops:
        total = total[..., None] + np.arange(loop.extent, dtype=np.int64) * getattr(loop, side)
    return np.asarray(total)


def interpolate_constants(params: InterpolateParams) -> tuple[Constant, ...]:
    """Per resized axis, indices and weights."""
    return tuple(c for axis in params.axes for c in (axis.index, axis.weight))


def _macs(params: InterpolateParams) -> int:
    return math.prod(params.out_shape) * params.taps


def _permute(site: Site, perm: tuple[int, ...]) -> ResizeAttrs:
    attrs: ResizeAttrs = site.attrs
    return ResizeAttrs(tuple(attrs.axes[p] for p in perm), attrs.how)


SPECS = (
    OpSpec(
        name="Resize",
        infer=_infer,
        semantics=_semantics,
        lower=_lower_copy,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"Resize": resize_from_onnx, "Upsample": upsample_from_onnx},
        moves_values=True,
        permute=_permute,
    ),
    OpSpec(
        name="Interpolate",
        infer=_infer,
        semantics=_semantics,
        lower=_lower_interpolate,
        reference=interpolate_reference,
        kernels=(Kernel("portable/interpolate.c.j2", constants=interpolate_constants),),
        constraints=(
            dtype_constraint(0, "a linearly or cubically resized input", (DType.FLOAT32,)),
            at_most_max_taps,
        ),
        macs=_macs,
        permute=_permute,
    ),
)
