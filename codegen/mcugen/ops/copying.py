"""Data movement as loop nests: what Transpose, Slice, Concat, Pad, Resize (nearest) ... become.

Every output element is written once, from one input element or from a fill value:
y[y_offset + sum i_k * y_stride_k] = x[x_offset + sum t_k(i_k) * x_stride_k], where t_k is the
loop counter itself or a table in flash. Offsets and strides are in elements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.axes import strides
from mcugen.ops.spec import Constant, Kernel, Lowered, Site

MEMCPY_BYTES = 16
"""Shorter contiguous runs are copied by a loop: a call would cost more on small cores."""


@dataclass(frozen=True)
class Loop:
    """One loop of a nest; `table` names the array that the counter indexes, "" for none."""

    extent: int
    x_stride: int
    y_stride: int
    table: str = ""


@dataclass(frozen=True)
class Block:
    """One loop nest, outermost loop first.

    Attributes:
        source: C name of the array read; "" when the block is filled with `CopyParams.fill`.
        target: C name of the array written.
        loops: the nest, without loops of extent 1.
        x_offset: first element read.
        y_offset: first element written.
    """

    source: str
    target: str
    loops: tuple[Loop, ...]
    x_offset: int = 0
    y_offset: int = 0

    @property
    def contiguous_elems(self) -> int:
        """Elements of the innermost contiguous run, 1 when there is none."""
        last = self.loops[-1] if self.loops else None
        if last is None or last.table or (last.x_stride, last.y_stride) != (1, 1):
            return 1
        return last.extent

    @property
    def whole_range(self) -> int | None:
        """Element offset in the source when target and source are equal ranges, else None."""
        elems = math.prod(loop.extent for loop in self.loops)
        if self.source and elems == self.contiguous_elems and self.y_offset == 0:
            return self.x_offset
        return None


@dataclass(frozen=True, eq=False)
class CopyParams:
    """What the copy kernel does.

    Attributes:
        dtype: element type of all inputs and outputs.
        blocks: disjoint, together covering every output element.
        sources: C names of the inputs.
        targets: C name and shape of each output.
        fill: value of blocks without a source.
        tables: index tables, int32 or narrower, in flash.
    """

    dtype: DType
    blocks: tuple[Block, ...]
    sources: tuple[str, ...]
    targets: tuple[tuple[str, tuple[int, ...]], ...]
    fill: int | float = 0
    tables: tuple[Constant, ...] = ()

    @property
    def unused(self) -> tuple[str, ...]:
        """C arguments that no block mentions."""
        used = {b.source for b in self.blocks} | {b.target for b in self.blocks}
        used |= {loop.table for b in self.blocks for loop in b.loops}
        names = (*self.sources, *(t for t, _ in self.targets), *(t.name for t in self.tables))
        return tuple(n for n in names if n not in used)

    def uses_memcpy(self, block: Block) -> bool:
        """Whether the innermost run is long enough for memcpy."""
        run_bytes = block.contiguous_elems * self.dtype.itemsize
        return bool(block.source) and run_bytes >= MEMCPY_BYTES


def argument_names(letter: str, count: int) -> tuple[str, ...]:
    """C argument names: `x` for a single one, else `x0`, `x1`, ..."""
    return (letter,) if count == 1 else tuple(f"{letter}{i}" for i in range(count))


def index_table(name: str, values: Sequence[int]) -> Constant:
    """A table of non-negative indices in the narrowest unsigned type."""
    top = max(values, default=0)
    dtype = np.uint8 if top < 2**8 else np.uint16 if top < 2**16 else np.int32
    return Constant(name, np.array(values, dtype))


def block(
    loops: Sequence[Loop],
    *,
    source: str = "x",
    target: str = "y",
    x_offset: int = 0,
    y_offset: int = 0,
) -> tuple[Block, ...]:
    """The block with loops merged where possible; empty when an extent is 0.

    Two neighbouring loops merge when the outer one continues the inner one on both sides.
    Tables are not merged, nor is a table loop of extent 1 dropped.
    """
    merged: list[Loop] = []
    for loop in loops:
        if loop.extent == 0:
            return ()
        if loop.extent == 1 and not loop.table:
            continue
        outer = merged[-1] if merged else None
        if (
            outer is not None
            and not (outer.table or loop.table)
            and outer.x_stride == loop.x_stride * loop.extent
            and outer.y_stride == loop.y_stride * loop.extent
        ):
            merged[-1] = Loop(outer.extent * loop.extent, loop.x_stride, loop.y_stride)
        else:
            merged.append(loop)
    return (Block(source, target, tuple(merged), x_offset, y_offset),)


def strided_block(
    shape: Sequence[int], x_strides: Sequence[int], y_strides: Sequence[int], **where: int | str
) -> tuple[Block, ...]:
    """The block over `shape` without tables; `where` as for `block`."""
    loops = [Loop(*row) for row in zip(shape, x_strides, y_strides, strict=True)]
    return block(loops, **where)  # type: ignore[arg-type]


def fill_block(shape: Sequence[int], y_strides: Sequence[int], y_offset: int) -> tuple[Block, ...]:
    """The block over `shape` that writes the fill value."""
    return strided_block(shape, y_strides, y_strides, source="", y_offset=y_offset)


def frame_blocks(
    shape: Sequence[int], begins: Sequence[int], ends: Sequence[int]
) -> tuple[list[Block], int]:
    """The fill blocks around a box inside an output, and the box's first element.

    Args:
        shape: the box's dimensions.
        begins: per axis, output positions in front of it.
        ends: per axis, output positions behind it.
    """
    out_shape = [b + d + e for b, d, e in zip(begins, shape, ends, strict=True)]
    y_strides = strides(out_shape)
    blocks: list[Block] = []
    offset = 0
    for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        behind = offset + (begin + shape[axis]) * y_strides[axis]
        for extent, start in ((begin, offset), (end, behind)):
            slab = (*shape[:axis], extent, *out_shape[axis + 1 :])
            blocks += fill_block(slab, y_strides, start)
        offset += begin * y_strides[axis]
    return blocks, offset


def rearranged(
    site: Site, shape: Sequence[int], x_strides: Sequence[int], x_offset: int = 0
) -> Lowered:
    """One input read by `x_strides` over `shape`, the output written in order.

    Args:
        site: the node.
        shape: output dimensions, or a finer split of them.
        x_strides: per dimension, elements between neighbours in the input.
        x_offset: element read first.
    """
    blocks = strided_block(shape, x_strides, strides(shape), x_offset=x_offset)
    return lowered_copy(site, blocks)


def lowered_copy(
    site: Site,
    blocks: Sequence[Block],
    *,
    inputs: Sequence[Tensor] | None = None,
    fill: int | float = 0,
    tables: Sequence[Constant] = (),
) -> Lowered:
    """CopyParams for the node; `inputs` defaults to input 0 alone."""
    read = [site.input(0)] if inputs is None else list(inputs)
    targets = argument_names("y", len(site.outputs))
    params = CopyParams(
        dtype=site.outputs[0].dtype,
        blocks=tuple(blocks),
        sources=argument_names("x", len(read)),
        targets=tuple((n, t.shape) for n, t in zip(targets, site.outputs, strict=True)),
        fill=fill,
        tables=tuple(tables),
    )
    return Lowered(params, tuple(t.name for t in read))


def contiguous_offset(lowered: Lowered) -> tuple[int, ...] | None:
    """For `OpSpec.output_offsets`: where the one output lies whole in the one input."""
    params: CopyParams = lowered.params
    if len(params.blocks) != 1 or len(params.sources) != 1:
        return None
    offset = params.blocks[0].whole_range
    return None if offset is None else (offset,)


def copy_reference(params: CopyParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The blocks, one assignment each."""
    sources = {n: a.reshape(-1) for n, a in zip(params.sources, arrays, strict=True)}
    tables = {t.name: t.array for t in params.tables}
    results = {n: np.zeros(math.prod(s), params.dtype.np) for n, s in params.targets}
    for item in params.blocks:
        x_index, y_index = _indices(item, tables)
        flat = results[item.target]
        flat[y_index] = sources[item.source][x_index] if item.source else params.fill
    return tuple(results[n].reshape(s) for n, s in params.targets)


def _indices(item: Block, tables: Mapping[str, Array]) -> tuple[Array, Array]:
    """(elements read, elements written) over the nest, in loop order."""
    x_index = np.array(item.x_offset, np.int64)
    y_index = np.array(item.y_offset, np.int64)
    for loop in item.loops:
        counter = np.arange(loop.extent, dtype=np.int64)
        read = tables[loop.table].astype(np.int64) if loop.table else counter
        x_index = x_index[..., None] + read * loop.x_stride
        y_index = y_index[..., None] + counter * loop.y_stride
    return x_index, y_index


def copy_constants(params: CopyParams) -> tuple[Constant, ...]:
    """The index tables."""
    return params.tables


COPY = Kernel("portable/copy.c.j2", constants=copy_constants)
"""The kernel of every op that lowers to CopyParams."""
