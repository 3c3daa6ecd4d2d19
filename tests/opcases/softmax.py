"""Cases of Softmax, LogSoftmax, Hardmax and QSoftmax."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType, QuantParams
from mcugen.ops.qsoftmax import QSoftmaxAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from opcase import OpCase, q, random_f32, random_int

_NAN, _INF = np.nan, np.inf
_SPECIAL = np.array(
    [
        [_NAN, 1, 2, 3],
        [1, 2, _NAN, 3],
        [_INF, 1, 2, 3],
        [-_INF, 1, 2, 3],
        [-_INF, -_INF, -_INF, -_INF],
        [3e38, -3e38, 0, -0.0],
        [88, 87, -120, 0],
    ],
    np.float32,
)
_TIES = np.array([[1, 3, 3, 0], [0, 0, 0, 0], [-0.0, 0.0, -1, 0.0]], np.float32)

_FLOATS: tuple[tuple[str, int, Array], ...] = (
    ("rows", 1, random_f32(1, 3, 10, scale=4.0)),
    ("columns", 0, random_f32(2, 10, 3)),
    ("middle", 1, random_f32(3, 2, 5, 4)),
    ("single", 1, random_f32(4, 3, 1)),
    ("long", 2, random_f32(5, 1, 2, 300)),
    ("special", 1, _SPECIAL),
    ("ties", 1, _TIES),
    ("empty_line", 1, np.zeros((3, 0), np.float32)),
    ("no_lines", 1, np.zeros((0, 3), np.float32)),
    ("channels", 3, random_f32(6, 1, 2, 3, 7)),
)


def _float_cases(op: str) -> tuple[OpCase, ...]:
    return tuple(
        OpCase(f"{op.lower()}_{name}", op, SoftmaxAttrs(axis), (x,), rtol=2e-6)
        for name, axis, x in _FLOATS
    )


def _q(id_: str, x: Array, scale: float, out: QuantParams, dtype: DType, axis: int = 1) -> OpCase:
    return OpCase(
        id_, "QSoftmax", QSoftmaxAttrs(axis, dtype), (x,), quant={0: q(scale, 3)}, out_quant=out
    )


_OUT8, _OUTU8, _OUT16 = q(1 / 256, -128), q(1 / 256, 0), q(1 / 65536, -32768)
_I8, _U8, _I16 = DType.INT8, DType.UINT8, DType.INT16

CASES = (
    *_float_cases("Softmax"),
    *_float_cases("LogSoftmax"),
    *_float_cases("Hardmax"),
    _q("int8", random_int(10, _I8, 4, 10), 0.05, _OUT8, _I8),
    _q("uint8", random_int(11, _U8, 4, 12), 0.1, _OUTU8, _U8),
    _q("int8_to_uint8", random_int(12, _I8, 4, 12), 0.1, _OUTU8, _U8),
    _q("coarse", random_int(13, _I8, 4, 100), 2.0, _OUT8, _I8),
    _q("fine", random_int(14, _I8, 4, 100), 0.001, _OUT8, _I8),
    _q("very_coarse", random_int(15, _I8, 4, 5), 100.0, _OUT8, _I8),
    _q("tiny_scale", random_int(16, _I8, 2, 5), 1e-9, _OUT8, _I8),
    _q("axis0", random_int(17, _I8, 9, 3), 0.05, _OUT8, _I8, axis=0),
    _q("middle_axis", random_int(18, _U8, 2, 5, 3), 0.05, _OUT8, _I8),
    _q("equal", np.full((1, 600), -128, np.int8), 0.05, _OUT8, _I8),
    _q("extremes", np.array([[127, -128, -128], [-128, 127, 127]], np.int8), 0.03, _OUT8, _I8),
    _q("one", random_int(19, _I8, 5, 1), 0.05, _OUT8, _I8),
    _q("other_scale", random_int(20, _I8, 5, 6), 0.05, q(1 / 255, -128), _I8),
    _q("other_zero_point", random_int(21, _U8, 5, 6), 0.05, q(1 / 256, 10), _U8),
    _q("wide_range", random_int(22, _U8, 5, 6), 0.05, q(0.25, 128), _U8),
    _q("int8_to_int16", random_int(23, _I8, 4, 10), 0.05, _OUT16, _I16),
    _q("uint8_to_int16", random_int(24, _U8, 4, 12), 0.3, _OUT16, _I16),
    _q("long_to_int16", random_int(25, _I8, 2, 4095), 0.001, _OUT16, _I16),
    _q("certain_to_int16", np.array([[127, -128], [-128, -128]], np.int8), 0.9, _OUT16, _I16),
    _q("axis0_to_int16", random_int(26, _I8, 9, 3), 0.05, _OUT16, _I16, axis=0),
    _q("other_scale_to_int16", random_int(27, _I8, 5, 6), 0.05, q(1 / 32767, 0), _I16),
    _q("q_empty", np.zeros((0, 4), np.int8), 0.05, _OUT8, _I8),
)
