"""NumPy broadcasting, and the fewest loops over a broadcast output."""

from __future__ import annotations

from collections.abc import Sequence

from mcugen.ops.axes import strides
from mcugen.ops.spec import Reject


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape by NumPy's rules.

    Raises:
        Reject: an axis has two extents other than 1.
    """
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    result = []
    for dims in zip(*padded, strict=True):
        wide = {d for d in dims if d != 1}
        if len(wide) > 1:
            listed = " and ".join(str(list(s)) for s in shapes)
            raise Reject(f"shapes must broadcast, got {listed}")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def broadcast_strides(shape: Sequence[int], out: Sequence[int]) -> tuple[int, ...]:
    """Elements between neighbours along each output axis; 0 where the operand repeats."""
    lead = len(out) - len(shape)
    own = [0 if d == 1 else s for d, s in zip(shape, strides(shape), strict=True)]
    return (0,) * lead + tuple(own)


def collapse(
    extents: Sequence[int], operand_strides: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """(extents, strides per operand) of the fewest loops over a row-major output.

    Two neighbouring axes become one loop when every operand walks them as one.
    """
    kept: list[tuple[int, tuple[int, ...]]] = []
    for extent, *steps in zip(extents, *operand_strides, strict=True):
        if extent == 1:
            continue
        if kept:
            outer_extent, outer = kept[-1]
            if all(o == s * extent for o, s in zip(outer, steps, strict=True)):
                kept[-1] = (outer_extent * extent, tuple(steps))
                continue
        kept.append((extent, tuple(steps)))
    loops = tuple(extent for extent, _ in kept)
    return loops, tuple(tuple(s[i] for _, s in kept) for i in range(len(operand_strides)))


def index_text(steps: Sequence[int]) -> str:
    """The C index of an operand inside the loops with counters i0, i1, ..."""
    terms = [f"i{k}" if s == 1 else f"i{k} * {s}" for k, s in enumerate(steps) if s]
    return " + ".join(terms) or "0"
