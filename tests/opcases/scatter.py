"""Cases of ScatterElements and ScatterND."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.scatter_elements import ScatterElementsAttrs
from mcugen.ops.scatter_nd import ScatterNDAttrs
from mcugen.ops.scattering import MEETINGS
from opcase import OpCase, random_f32, random_int

_NAN = np.nan
_INT64 = np.iinfo(np.int64)


def _ids(*values: object, dtype: DType = DType.INT64) -> Array:
    return np.array(values, dtype.np)


def _elements(id_: str, axis: int, x: Array, ids: Array, u: Array, how: str = "none") -> OpCase:
    attrs = ScatterElementsAttrs(axis, how)
    return OpCase(id_, "ScatterElements", attrs, (x, ids, u), exact_semantics="nan" not in id_)


def _nd(id_: str, x: Array, ids: Array, u: Array, how: str = "none") -> OpCase:
    attrs = ScatterNDAttrs(how)
    return OpCase(id_, "ScatterND", attrs, (x, ids, u), exact_semantics="nan" not in id_)


_TWICE = _ids([0, 2, 0], [2, 2, 1], [0, 1, 1])
_ROWS = _ids([2], [0], [2])
_SPECIAL = np.array([[1, _NAN, 3], [-0.0, 0.0, np.inf], [_NAN, -1, 2]], np.float32)

CASES = (
    *(
        _elements(f"{how}_twice", 1, random_f32(1, 3, 4), _TWICE, random_f32(2, 3, 3), how)
        for how in MEETINGS
    ),
    *(
        _elements(
            f"{how}_int8", 0, random_int(3, DType.INT8, 5, 3), _TWICE,
            random_int(4, DType.INT8, 3, 3), how,
        )
        for how in MEETINGS
    ),
    *(_elements(f"{how}_nan", 0, _SPECIAL, _TWICE, _SPECIAL.T.copy(), how) for how in MEETINGS),
    _elements("middle", 1, random_f32(5, 2, 5, 3), _ids([[[4, 0, -1]]]).reshape(1, 1, 3),
              random_f32(6, 1, 1, 3)),
    _elements("int32_ids", 0, random_f32(7, 4), _ids(3, 1, dtype=DType.INT32), random_f32(8, 2)),
    _elements("beyond", 0, random_f32(9, 4), _ids(4, -5, _INT64.max, _INT64.min),
              random_f32(10, 4)),
    _elements("bool", 0, random_int(11, DType.UINT8, 4) > 99, _ids(1, 1), np.array([True, False])),
    _elements("bool_max", 0, np.array([True, False]), _ids(1, 0), np.array([True, False]), "max"),
    _elements("int64_add", 0, _ids(_INT64.max, 1), _ids(0, 0), _ids(1, _INT64.min), "add"),
    _elements("nothing", 0, random_f32(12, 4), np.zeros(0, np.int64), np.zeros(0, np.float32)),
    _elements("empty", 1, np.zeros((2, 0), np.float32), np.zeros((2, 0), np.int64),
              np.zeros((2, 0), np.float32)),
    *(_nd(f"{how}_rows", random_f32(20, 3, 7), _ROWS, random_f32(21, 3, 7), how)
      for how in MEETINGS),
    *(_nd(f"{how}_short", random_int(22, DType.UINT16, 3, 2), _ROWS,
          random_int(23, DType.UINT16, 3, 2), how) for how in MEETINGS),
    *(_nd(f"{how}_nan_nd", _SPECIAL, _ROWS, _SPECIAL[::-1].copy(), how) for how in MEETINGS),
    _nd("points", random_f32(24, 3, 4), _ids([[0, 3], [2, -1]], [[1, 1], [0, 3]]),
        random_f32(25, 2, 2)),
    _nd("beyond_nd", random_f32(26, 3, 4), _ids([3, 9], [-4, _INT64.min]), random_f32(27, 2)),
    _nd("whole_tuple", random_int(28, DType.INT64, 5), _ids([1], [4]), _ids(7, 8)),
    _nd("no_rows", random_f32(29, 3, 4), np.zeros((0, 1), np.int64), np.zeros((0, 4), np.float32)),
    _nd("empty_rows", np.zeros((3, 0), np.float32), _ids([1]), np.zeros((1, 0), np.float32)),
)  # fmt: skip
