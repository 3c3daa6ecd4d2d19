"""Cases of the reductions and of QMean."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType, QuantParams
from mcugen.ops.qmean import QMeanAttrs
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.reductions import REDUCTIONS
from opcase import OpCase, q, random_f32, random_int

_NAN, _INF = np.nan, np.inf
_SPECIAL = np.array(
    [
        [1, _NAN, 2, -1, 0, 3],
        [_INF, 1, -_INF, 2, 0, 3],
        [-_INF, -_INF, -_INF, -_INF, -_INF, -_INF],
        [_INF, 1, 2, 3, 4, 5],
        [0.0, -0.0, 0.0, -0.0, -0.0, 0.0],
        [1e10, 1e10, -1e10, 1, 2, 3],
        [_NAN, _NAN, _NAN, _NAN, _NAN, _NAN],
    ],
    np.float32,
)
_SHAPES: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] = (
    ("all", (3, 4, 5), (0, 1, 2)),
    ("last", (3, 7), (1,)),
    ("first", (7, 5), (0,)),
    ("spatial_last", (2, 5, 3, 8), (1, 2)),
    ("spatial_first", (2, 8, 5, 3), (2, 3)),
    ("middle", (3, 4, 5), (1,)),
    ("ends", (3, 4, 5), (0, 2)),
    ("narrow_row", (6, 2), (0,)),
    ("ones", (1, 5, 1), (0, 2)),
    ("none", (2, 3), ()),
    ("alternating", (2, 3, 2, 3, 4), (0, 2, 4)),
)


def _float_cases(name: str) -> list[OpCase]:
    cases = [
        OpCase(f"{name}_{what}", name, ReduceAttrs(axes), (_values(name, *shape),), rtol=2e-6)
        for what, shape, axes in _SHAPES
    ]
    special = _SPECIAL
    cases.append(OpCase(f"{name}_special", name, ReduceAttrs((1,)), (special,)))
    cases.append(OpCase(f"{name}_special_rows", name, ReduceAttrs((0,)), (special.T.copy(),)))
    dropped = ReduceAttrs((0, 2), keepdims=False)
    cases.append(OpCase(f"{name}_dropped", name, dropped, (_values(name, 2, 3, 4),)))
    nothing = np.zeros((2, 0, 5), np.float32)
    cases.append(OpCase(f"{name}_of_nothing", name, ReduceAttrs((1,)), (nothing,)))
    cases.append(OpCase(f"{name}_no_results", name, ReduceAttrs((2,)), (nothing,)))
    cases.append(OpCase(f"{name}_rank0", name, ReduceAttrs(()), (np.float32(2.5)[...],)))
    return cases


def _values(name: str, *shape: int) -> Array:
    x = random_f32(len(shape), *shape)
    return np.abs(x) if "Log" in name else x


def _other_cases(name: str, dtypes: tuple[DType, ...]) -> list[OpCase]:
    cases = []
    for dtype in dtypes:
        if dtype is DType.FLOAT32:
            continue
        if dtype is DType.FLOAT64:
            x: Array = random_f32(3, 3, 4, 5).astype(np.float64)
        elif dtype is DType.BOOL:
            x = random_int(3, DType.UINT8, 3, 4, 5) > 200
        else:
            x = random_int(3, dtype, 3, 4, 5)
        for axis in (1, 2):
            attrs = ReduceAttrs((axis,))
            cases.append(OpCase(f"{name}_{dtype.value}_{axis}", name, attrs, (x,), rtol=1e-12))
    lowest = np.full((2, 3), -(2**31), np.int32)
    if DType.INT32 in dtypes:
        cases.append(OpCase(f"{name}_int32_min", name, ReduceAttrs((1,)), (lowest,)))
    return cases


def _mean(
    id_: str, x: Array, axes: tuple[int, ...], quant: QuantParams, out: QuantParams, **attrs: int
) -> OpCase:
    dtype = DType.UINT8 if out.zero_point > 0 else DType.INT8
    info = np.iinfo(dtype.np)
    low, high = attrs.get("low", int(info.min)), attrs.get("high", int(info.max))
    return OpCase(
        id_, "QMean", QMeanAttrs(axes, dtype, low, high), (x,), quant={0: quant}, out_quant=out
    )


_I8 = DType.INT8
_HALVES = np.array([[[1, -1], [2, -2]], [[1, 3], [0, 1]]], np.int8)

CASES = (
    *(c for row in REDUCTIONS for c in _float_cases(row.name)),
    *(c for row in REDUCTIONS for c in _other_cases(row.name, row.dtypes)),
    _mean("spatial", random_int(1, _I8, 2, 5, 4, 6), (1, 2), q(0.05, 3), q(0.02, -10)),
    _mean("channels", random_int(2, _I8, 2, 5, 4, 6), (3,), q(0.05, 3), q(0.05, -10), low=-20),
    _mean("uint8", random_int(3, DType.UINT8, 3, 50), (1,), q(0.05, 128), q(0.001, 100)),
    _mean("mean_all", random_int(4, _I8, 3, 50), (0, 1), q(0.05, -128), q(0.05, -128)),
    _mean("int16", random_int(5, DType.INT16, 2, 9, 7, 5), (1, 2), q(5e-4), q(2e-5)),
    _mean("int16_ends", np.full((40, 1000, 1), -(2**15), np.int16), (0, 1), q(5e-4), q(5e-4)),
    _mean("ties", _HALVES, (1,), q(1.0, 0), q(1.0, 0)),
    _mean("mean_none", random_int(5, _I8, 3, 5), (), q(0.05, 1), q(0.1, 0)),
)
