"""Loop nests of reductions, in float and on integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mcugen.ir import Array
from mcugen.ops.axes import strides
from mcugen.ops.copying import Loop, block

MIN_ROW_ELEMS = 4
"""Shorter innermost kept axes are not worth accumulating side by side."""


@dataclass(frozen=True)
class Nest:
    """The loops of a reduction.

    Attributes:
        kept: over the results; x_stride and y_stride in elements.
        reduced: over the elements of one result, in row-major order.
        row: extent of the innermost kept axis when it is accumulated side by side, else 0; it is
            then not in `kept`.
        count: elements of one result.
    """

    kept: tuple[Loop, ...]
    reduced: tuple[Loop, ...]
    row: int
    count: int

    @property
    def outer(self) -> tuple[Loop, ...]:
        """All loops, the kept ones first."""
        return self.kept + self.reduced

    @staticmethod
    def of(shape: Sequence[int], axes: Sequence[int], *, rows: bool) -> Nest:
        """The nest over a tensor of this shape; `rows` allows a row."""
        out_shape = [1 if a in axes else d for a, d in enumerate(shape)]
        count = math.prod(shape[a] for a in axes)
        if math.prod(out_shape) == 0:
            return Nest((Loop(0, 1, 1),), (), 0, count)
        if count == 0:
            return Nest((Loop(math.prod(out_shape), 0, 1),), (Loop(0, 1, 0),), 0, count)
        y_strides = [0 if a in axes else s for a, s in enumerate(strides(out_shape))]
        steps = zip(shape, strides(shape), y_strides, strict=True)
        (whole,) = block([Loop(*step) for step in steps])
        kept = [loop for loop in whole.loops if loop.y_stride]
        reduced = tuple(loop for loop in whole.loops if not loop.y_stride)
        row = 0
        if rows and reduced and kept and kept[-1] == whole.loops[-1]:
            row = kept[-1].extent if kept[-1].extent >= MIN_ROW_ELEMS else 0
        return Nest(tuple(kept[:-1] if row else kept), reduced, row, count)


def by_result(x: Array, axes: Sequence[int]) -> Array:
    """`x` as [results, elements of one result], both in row-major order."""
    kept = [a for a in range(x.ndim) if a not in axes]
    results = math.prod(x.shape[a] for a in kept)
    return x.transpose([*kept, *axes]).reshape(results, math.prod(x.shape[a] for a in axes))
