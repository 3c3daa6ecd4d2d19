"""Cases of Trilu, OneHot and BitCast."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.bitcast import BitCastAttrs
from mcugen.ops.one_hot import OneHotAttrs
from mcugen.ops.trilu import TriluAttrs
from opcase import OpCase, random_f32, random_int

_INT64 = np.iinfo(np.int64)
_SPECIAL = np.array([[np.nan, -0.0, np.inf], [1e-42, -np.inf, 2]], np.float32)


def _trilu(id_: str, x: Array, *diagonals: int) -> list[OpCase]:
    return [
        OpCase(f"{id_}_{'up' if u else 'low'}_{k}", "Trilu", TriluAttrs(u, k), (x,), (),
               exact_semantics=True)
        for u in (True, False)
        for k in diagonals
    ]  # fmt: skip


def _hot(id_: str, axis: int, depth: int, indices: Array, values: Array, *constant: int) -> OpCase:
    attrs = OneHotAttrs(axis, depth)
    return OpCase(id_, "OneHot", attrs, (indices, values), constant, exact_semantics=True)


def _cast(id_: str, x: Array, to: DType) -> OpCase:
    return OpCase(id_, "BitCast", BitCastAttrs(to), (x,), exact_semantics=True)


_INDICES = np.array([[0, 2, -1], [-3, 3, -4]], np.int64)
_OFF_ON = np.array([-1.5, 2], np.float32)

CASES = (
    *_trilu("wide", random_f32(1, 4, 5), 0, 1, -1, 5, -4, 9, -9, _INT64.max, _INT64.min),
    *_trilu("tall", random_int(2, DType.INT8, 2, 5, 3), 0, 2, -3),
    *_trilu("special", _SPECIAL, 0),
    *_trilu("bool", random_int(3, DType.UINT8, 3, 3) > 99, 0),
    *_trilu("int64", random_int(4, DType.INT64, 3, 3), 0),
    *_trilu("no_columns", np.zeros((2, 3, 0), np.float32), 0),
    *_trilu("no_rows", np.zeros((2, 0, 3), np.float32), 0),
    _hot("last", 2, 3, _INDICES, _OFF_ON),
    _hot("first", 0, 3, _INDICES, _OFF_ON, 1),
    _hot("between", 1, 3, _INDICES.astype(np.int32), np.array([0, 127], np.int8), 1),
    _hot("scalar", 0, 4, np.array(3, np.int64), _OFF_ON),
    _hot("extremes", 1, 2, np.array([_INT64.min, _INT64.max]), np.array([False, True]), 1),
    _hot("no_depth", 1, 0, np.array([0, 1]), _OFF_ON),
    _hot("no_indices", 1, 3, np.zeros(0, np.int64), _OFF_ON),
    _cast("float_bits", _SPECIAL, DType.INT32),
    _cast("bits_float", random_int(5, DType.UINT32, 3, 2), DType.FLOAT32),
    _cast("double_bits", random_f32(6, 3).astype(np.float64), DType.UINT64),
    _cast("signed", random_int(7, DType.UINT16, 7), DType.INT16),
    _cast("bool_bits", np.array([True, False]), DType.UINT8),
    _cast("no_bits", np.zeros((0, 2), np.float32), DType.INT32),
    _cast("one_bits", np.array(1.5, np.float32), DType.INT32),
)
