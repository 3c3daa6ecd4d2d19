"""Movement of int8 tensors by CMSIS-NN: arm_pad_s8, arm_transpose_s8, arm_concatenation_s8_z.

The nodes are copies by loops (ops/copying.py), neighbouring axes that stay together merged; the
arguments are found in those loops, with as few axes as there can be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mcugen.ops.axes import strides
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    Dims,
    dim_reason,
    gather_reason,
    slower,
    slower_cores,
)
from mcugen.ops.copying import Block, CopyParams
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import int8_reason

_RANK = 4


@dataclass(frozen=True)
class TransposeForm:
    """Arguments of a transposition.

    Attributes:
        x: dimensions of the input, outermost first.
        perm: input axis of each output axis.
    """

    x: tuple[int, ...]
    perm: tuple[int, ...]

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.perm)

    @property
    def x_dims(self) -> Dims:
        """The input's."""
        return _dims(self.x)

    @property
    def y_dims(self) -> Dims:
        """The output's."""
        return _dims(tuple(self.x[p] for p in self.perm))


def _dims(shape: tuple[int, ...]) -> Dims:
    return Dims(*shape, *(1,) * (_RANK - len(shape)))


def transpose_form(params: CopyParams) -> TransposeForm | None:
    """The arguments; None when the copy is no transposition of all of its input."""
    if len(params.blocks) != 1:
        return None
    loops = params.blocks[0].loops
    order = sorted(range(len(loops)), key=lambda k: -loops[k].x_stride)
    shape = tuple(loops[k].extent for k in order)
    read = tuple(loops[k].x_stride for k in order)
    if any(loop.table for loop in loops) or read != strides(shape):
        return None
    return TransposeForm(shape, tuple(order.index(k) for k in range(len(loops))))


def _transpose_reason(params: CopyParams) -> str | None:
    reason = int8_reason([params.dtype])
    if reason is not None:
        return reason
    form = transpose_form(params)
    if form is None or not 2 <= form.rank <= _RANK:
        return "must move 2 to 4 axes"
    return dim_reason(max(form.x)) or gather_reason(form.x[-1])


@dataclass(frozen=True)
class PadForm:
    """Arguments of a padding with a constant.

    Attributes:
        x: dimensions of the input.
        before: elements in front, per axis.
        after: elements behind, per axis.
        value: of the padding.
    """

    x: Dims
    before: Dims
    after: Dims
    value: int


def pad_form(params: CopyParams) -> PadForm | None:
    """The arguments; None when the copy is no padding of up to 4 axes."""
    copies = [b for b in params.blocks if b.source]
    if len(copies) != 1 or params.tables:
        return None
    axes = _padded_axes(copies[0], math.prod(params.targets[0][1]))
    if axes is None or len(axes) > _RANK:
        return None
    axes = [(1, 0, 0)] * (_RANK - len(axes)) + axes
    x, before, after = (Dims(*values) for values in zip(*axes, strict=True))
    return PadForm(x, before, after, int(params.fill))


def _padded_axes(copied: Block, total: int) -> list[tuple[int, int, int]] | None:
    """(extent, elements in front, behind) per axis of an output of `total` elements."""
    steps = [loop.y_stride for loop in copied.loops]
    extents = [loop.extent for loop in copied.loops]
    if not steps or steps[-1] != 1:
        steps, extents = [*steps, 1], [*extents, 1]
    if tuple(x.x_stride for x in copied.loops) != strides(extents)[: len(copied.loops)]:
        return None
    axes, rest, size = [], copied.y_offset, total
    for extent, step in zip(extents, steps, strict=True):
        whole, left = divmod(size, step)
        front, rest = divmod(rest, step)
        if left or front + extent > whole:
            return None
        axes.append((extent, front, whole - front - extent))
        size = step
    return axes


def _pad_reason(params: CopyParams) -> str | None:
    reason = int8_reason([params.dtype])
    if reason is not None:
        return reason
    if pad_form(params) is None:
        return "must pad up to 4 axes with a constant"
    return None


@dataclass(frozen=True)
class Part:
    """One input of a concatenation: `depth` rows, from row `offset` on."""

    name: str
    depth: int
    offset: int


@dataclass(frozen=True)
class ConcatForm:
    """Arguments of a concatenation: outer x depth x row.

    Attributes:
        outer: positions before the axis.
        depth: of the output, along the axis.
        row: elements behind one position of the axis.
        parts: the inputs.
    """

    outer: int
    depth: int
    row: int
    parts: tuple[Part, ...]


def concat_form(params: CopyParams) -> ConcatForm | None:
    """The arguments; None when the copies are not the parts of rows."""
    total = math.prod(params.targets[0][1])
    runs = [_run(block, total) for block in params.blocks]
    if not runs or len(runs) != len({b.source for b in params.blocks}):
        return None
    outer = runs[0][0] if runs[0] else 0
    sizes = [run[1] for run in runs if run and run[0] == outer]
    if len(sizes) != len(runs) or not outer or sum(sizes) * outer != total:
        return None
    row = math.gcd(*sizes)
    offsets = [block.y_offset for block in params.blocks]
    parts = zip((b.source for b in params.blocks), sizes, offsets, strict=True)
    return ConcatForm(
        outer, sum(sizes) // row, row, tuple(Part(n, s // row, o // row) for n, s, o in parts)
    )


def _run(block: Block, total: int) -> tuple[int, int] | None:
    """(times, elements) of a block that copies runs into equally spaced places."""
    loops = list(block.loops)
    size = 1
    if loops and (loops[-1].x_stride, loops[-1].y_stride) == (1, 1) and not loops[-1].table:
        size = loops.pop().extent
    if not loops:
        return (1, size)
    if len(loops) != 1 or loops[0].table or loops[0].x_stride != size:
        return None
    return (loops[0].extent, size) if loops[0].extent * loops[0].y_stride == total else None


def _concat_reason(params: CopyParams) -> str | None:
    reason = int8_reason([params.dtype])
    if reason is not None:
        return reason
    form = concat_form(params)
    if form is None:
        return "every input must be used once"
    return dim_reason(max(form.outer, form.depth, form.row))


MIN_COLUMNS = 8
"""Of a matrix that is worth turning by the library."""


def _transpose_slower(params: CopyParams) -> frozenset[Core]:
    """Matrices of 8 columns and more took 0.59 to 0.95 of portable C's cycles.

    Others, and what has more axes, up to 3.03; with DSP 0.60 to 1.29, for no reason that was found,
    and up to 14.
    """
    form = transpose_form(params)
    wide = form is not None and form.rank == 2 and form.x[1] >= MIN_COLUMNS
    return slower_cores(plain=not wide, dsp=True)


TRANSPOSE_KERNEL = Kernel(
    "cmsis_nn/transpose.c.j2",
    LIBRARY,
    accepts=_transpose_reason,
    slower_on=_transpose_slower,
    headers=HEADERS,
    form=transpose_form,
)
PAD_KERNEL = Kernel(
    "cmsis_nn/pad.c.j2",
    LIBRARY,
    accepts=_pad_reason,
    slower_on=slower,  # 1.24 of the cycles, with DSP 4.13
    headers=HEADERS,
    form=pad_form,
)
CONCAT_KERNEL = Kernel(
    "cmsis_nn/concatenation.c.j2",
    LIBRARY,
    accepts=_concat_reason,
    slower_on=slower,  # 0.74 to 1.61 of the cycles, with DSP up to 6.93
    headers=HEADERS,
    form=concat_form,
)
