"""Cases of Expand and Tile."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.expand import ExpandAttrs, TileAttrs
from opcase import OpCase, random_f32, random_int


def _expand(id_: str, x: Array, *shape: int) -> OpCase:
    return OpCase(id_, "Expand", ExpandAttrs(shape), (x,), exact_semantics=True)


def _tile(id_: str, x: Array, *repeats: int) -> OpCase:
    return OpCase(id_, "Tile", TileAttrs(repeats), (x,), exact_semantics=True)


CASES = (
    _expand("rows", random_f32(1, 1, 8), 3, 8),
    _expand("columns", random_f32(2, 5, 1), 5, 4),
    _expand("new_axes", random_int(3, DType.INT8, 3, 1, 2), 2, 3, 4, 2),
    _expand("scalar", np.array(-0.0, np.float32), 2, 3),
    _expand("same", random_int(4, DType.INT64, 3, 4), 3, 4),
    _expand("to_empty", random_f32(5, 1, 3), 0, 3),
    _expand("rank0", random_f32(6)),
    _tile("vector", random_f32(10, 3), 4),
    _tile("matrix", random_int(11, DType.INT8, 2, 3), 2, 2),
    _tile("inner_only", random_f32(12, 2, 3, 5), 1, 1, 3),
    _tile("outer_only", random_f32(13, 2, 3, 5), 3, 1, 1),
    _tile("once", random_f32(14, 2, 3), 1, 1),
    _tile("zero_times", random_f32(15, 2, 3), 2, 0),
    _tile("rank0_tile", np.array(5, np.int32)),
)
