"""Cases of ArgMax, ArgMin, TopK, CumSum and CumProd."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.arg import ArgAttrs
from mcugen.ops.cumulative import CumulativeAttrs
from mcugen.ops.topk import TopKAttrs
from opcase import OpCase, random_f32, random_int

_NAN, _INF = np.nan, np.inf
_SPECIAL = np.array(
    [[1, _NAN, 3, _NAN], [_INF, _INF, 1, 2], [-_INF, -_INF, -_INF, -_INF], [0.0, -0.0, 0.0, -1]],
    np.float32,
)
_TIES = np.array([[3, 3, 1, 1, 3], [0, 0, 0, 0, 0], [-1, -2, -2, -1, -2]], np.int32)


def _arg(id_: str, x: Array, axis: int, *, keep: bool = True) -> list[OpCase]:
    return [
        OpCase(f"{op}_{id_}_{'last' if last else 'first'}", op, ArgAttrs(axis, keep, last), (x,))
        for op in ("ArgMax", "ArgMin")
        for last in (False, True)
    ]


def _topk(id_: str, x: Array, axis: int, k: int) -> list[OpCase]:
    return [
        OpCase(f"TopK_{id_}_{largest}", "TopK", TopKAttrs(axis, k, largest), (x,))
        for largest in (False, True)
    ]


def _cumulative(id_: str, x: Array, axis: int) -> list[OpCase]:
    return [
        OpCase(f"{op}_{id_}_{e:d}{r:d}", op, CumulativeAttrs(axis, e, r), (x,), rtol=2e-6)
        for op in ("CumSum", "CumProd")
        for e in (False, True)
        for r in (False, True)
    ]


CASES = (
    *_arg("rows", random_f32(1, 4, 7), 1),
    *_arg("columns", random_f32(2, 7, 4), 0),
    *_arg("middle", random_int(3, DType.INT8, 3, 5, 4), 1),
    *_arg("special", _SPECIAL, 1),
    *_arg("ties", _TIES, 1),
    *_arg("dropped", random_int(4, DType.UINT8, 3, 5), 1, keep=False),
    *_arg("int64", random_int(5, DType.INT64, 3, 5), 1),
    *_arg("bool", random_int(6, DType.UINT8, 3, 5) > 99, 0),
    *_arg("no_lines", np.zeros((0, 3), np.float32), 1),
    *_topk("rows", random_f32(10, 4, 9), 1, 3),
    *_topk("columns", random_f32(11, 9, 4), 0, 9),
    *_topk("middle", random_int(12, DType.INT8, 3, 50, 4), 1, 6),
    *_topk("special", _SPECIAL, 1, 3),
    *_topk("ties", _TIES, 1, 4),
    *_topk("one", random_int(13, DType.INT64, 3, 7), 1, 1),
    *_topk("none", random_f32(14, 3, 7), 1, 0),
    *_cumulative("rows", random_f32(20, 4, 9), 1),
    *_cumulative("columns", random_f32(21, 9, 4), 0),
    *_cumulative("middle", random_int(22, DType.INT32, 3, 5, 4), 1),
    *_cumulative("int64", random_int(23, DType.INT64, 3, 5), 1),
    *_cumulative("float64", random_f32(24, 3, 5).astype(np.float64), 1),
    *_cumulative("special", _SPECIAL, 1),
    *_cumulative("empty", np.zeros((2, 0), np.float32), 1),
    *_cumulative("no_lines", np.zeros((0, 2), np.float32), 1),
)
