"""Cases of Gather, GatherElements and GatherND."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.gather import GatherAttrs, GatherNDAttrs
from mcugen.ops.gather_elements import GatherElementsAttrs
from opcase import OpCase, random_f32, random_int


def _ids(*values: object, dtype: DType = DType.INT64) -> Array:
    return np.array(values, dtype.np)


def _gather(id_: str, axis: int, x: Array, indices: Array, constant: tuple[int, ...] = ()):
    return OpCase(id_, "Gather", GatherAttrs(axis), (x, indices), constant, exact_semantics=True)


def _elements(id_: str, axis: int, x: Array, indices: Array) -> OpCase:
    return OpCase(
        id_, "GatherElements", GatherElementsAttrs(axis), (x, indices), exact_semantics=True
    )


def _nd(id_: str, batch_dims: int, x: Array, indices: Array) -> OpCase:
    return OpCase(id_, "GatherND", GatherNDAttrs(batch_dims), (x, indices), exact_semantics=True)


_INT64 = np.iinfo(np.int64)

CASES = (
    _gather("rows", 0, random_f32(1, 5, 7), _ids(0, 3, -1, 3)),
    _gather("columns", 1, random_f32(2, 5, 7), _ids([6, 0], [-7, 2])),
    _gather("int32_indices", 1, random_f32(3, 2, 5, 3), _ids(4, 1, dtype=DType.INT32)),
    _gather("scalar_index", 1, random_f32(4, 2, 3), np.array(-1, np.int64)),
    _gather("beyond", 0, random_f32(5, 4, 2), _ids(4, -5, _INT64.max, _INT64.min, 10**12)),
    _gather("flash_table", 0, random_f32(6, 9, 16), _ids(8, 0, 1), constant=(0,)),
    _gather("constant_indices", 1, random_int(7, DType.INT8, 3, 5, 4), _ids(4, 0, -2), (1,)),
    _gather("constant_single", 0, random_f32(8, 4, 5), _ids(2), (1,)),
    _gather("constant_wide", 0, random_int(9, DType.INT8, 300), _ids([299, 0], [5, -1]), (1,)),
    _gather("no_indices", 0, random_f32(10, 4, 5), np.zeros((0,), np.int64)),
    _gather("bool", 0, random_int(11, DType.UINT8, 5) > 99, _ids(1, 4, 0)),
    _gather("empty_rows", 0, np.zeros((3, 0), np.float32), _ids(1, 2)),
    _elements("axis0", 0, random_f32(20, 3, 3), _ids([1, 2, 0], [2, 0, -3])),
    _elements("axis1", 1, random_f32(21, 2, 2), _ids([0, 0], [1, -2])),
    _elements("smaller", 1, random_int(22, DType.INT8, 3, 4, 5), _ids([[0], [3]], [[1], [2]])),
    _elements("beyond_elements", 0, random_f32(23, 3), _ids(3, -4, _INT64.min)),
    _elements("empty", 0, random_f32(24, 3), np.zeros((0,), np.int64)),
    _nd("points", 0, random_f32(30, 2, 3), _ids([0, 2], [1, -1])),
    _nd("rows_nd", 0, random_int(31, DType.INT16, 3, 4, 9), _ids([[2, 0]], [[0, 3]])),
    _nd("batch", 1, random_f32(32, 2, 3, 4), _ids([2], [-1])),
    _nd("batch_points", 1, random_f32(33, 2, 3, 4), _ids([[0, 3], [1, 1]], [[2, 2], [9, -9]])),
    _nd("batch2", 2, random_f32(34, 2, 2, 5), _ids([[4], [0]], [[1], [2]])),
)
