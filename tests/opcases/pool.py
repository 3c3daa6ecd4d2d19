"""Cases of MaxPool, AveragePool and QAveragePool."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import Clamp
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qpool import QPoolAttrs
from opcase import OpCase, q, random_f32, random_int


def attrs2d(
    kernel: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] | None = None,
    **more: Any,
) -> PoolAttrs:
    """Channels-last attributes with the usual defaults."""
    ones = (1,) * len(kernel)
    return PoolAttrs(
        kernel, strides or ones, pads or (0, 0) * len(kernel), dilations or ones,
        channels_last=True, **more,
    )  # fmt: skip


WINDOWS: tuple[tuple[str, tuple[int, ...], PoolAttrs], ...] = (
    ("2x2", (1, 6, 8, 16), attrs2d((2, 2), (2, 2))),
    ("3x3_same", (1, 7, 5, 9), attrs2d((3, 3), pads=(1, 1, 1, 1))),
    ("uneven", (2, 9, 11, 3), attrs2d((2, 5), (3, 2), (1, 2, 0, 4))),
    ("dilated", (1, 9, 11, 8), attrs2d((2, 3), (1, 2), (1, 0, 1, 1), (3, 2))),
    ("ceil", (1, 5, 6, 4), attrs2d((2, 3), (2, 2), ceil_mode=True)),
    ("ceil_padded", (1, 7, 6, 17), attrs2d((3, 3), (2, 2), (1, 0, 1, 1), ceil_mode=True)),
    ("global", (2, 5, 7, 24), attrs2d((5, 7))),
    ("one_channel", (1, 6, 6, 1), attrs2d((3, 2), (2, 1))),
    ("1d", (2, 13, 5), attrs2d((4,), (3,), (1, 2))),
    ("1d_ceil", (1, 5, 1), attrs2d((2,), (2,), ceil_mode=True)),
    ("tall", (1, 12, 1, 8), attrs2d((4, 1), (2, 1), (1, 0, 2, 0))),
    ("identity", (1, 3, 3, 2), attrs2d((1, 1))),
)
AVERAGES = (
    *WINDOWS,
    ("counted", (1, 7, 5, 9), attrs2d((3, 3), pads=(1, 1, 1, 1), count_include_pad=True)),
    ("counted_ceil", (1, 6, 7, 4),
     attrs2d((3, 3), (2, 2), (1, 1, 0, 1), ceil_mode=True, count_include_pad=True)),
    ("counted_1d_ceil", (1, 5, 2), attrs2d((2,), (2,), ceil_mode=True, count_include_pad=True)),
    ("counted_dilated", (1, 6, 9, 3),
     attrs2d((2, 3), (1, 2), (1, 2, 2, 3), (2, 2), ceil_mode=True, count_include_pad=True)),
)  # fmt: skip


def _float(op: str, id_: str, x: Array, attrs: PoolAttrs) -> OpCase:
    return OpCase(f"{op}_{id_}", op, attrs, (x,), exact_semantics=op == "MaxPool")


def _special() -> Array:
    x = random_f32(5, 1, 4, 4, 3)
    x[0, 0, 0] = (np.nan, -np.inf, -0.0)
    x[0, 1, 1] = (np.nan, np.inf, 0.0)
    x[0, :2, :2, 2] = -0.0
    x[0, 2:, 2:, 1] = -np.inf
    return x


FLOAT = (
    *(_float("MaxPool", i, random_f32(sum(map(ord, i)), *s), a) for i, s, a in WINDOWS),
    *(_float("AveragePool", i, random_f32(sum(map(ord, i)), *s), a) for i, s, a in AVERAGES),
    _float("MaxPool", "special", _special(), attrs2d((2, 2), (2, 2))),
    _float("AveragePool", "special", _special(), attrs2d((2, 2), (1, 2))),
    _float("MaxPool", "clamped", random_f32(3, 1, 6, 6, 8),
           attrs2d((2, 2), activation=Clamp(-0.5, 1.0))),
    _float("AveragePool", "clamped", random_f32(3, 1, 6, 6, 8),
           attrs2d((2, 2), activation=Clamp(0.0))),
)  # fmt: skip


def _maximum(dtype: DType, id_: str, shape: tuple[int, ...], attrs: PoolAttrs) -> OpCase:
    x = random_int(7, dtype, *shape)
    return OpCase(f"MaxPool_{dtype.value}_{id_}", "MaxPool", attrs, (x,), exact_semantics=True)


I8, U8, I16 = DType.INT8, DType.UINT8, DType.INT16
INTEGER_MAX = (
    *(_maximum(d, i, s, a) for d in (I8, U8, I16) for i, s, a in WINDOWS[:5]),
    _maximum(I8, "clamped", (1, 5, 5, 8), attrs2d((2, 2), activation=Clamp(-3.5, 100.0))),
    _maximum(I16, "clamped", (2, 5, 5, 7), attrs2d((2, 2), activation=Clamp(-900.5, 20000.0))),
    _maximum(U8, "clamped", (1, 5, 5, 8), attrs2d((2, 2), activation=Clamp(130.0))),
)


def _average(
    id_: str,
    shape: tuple[int, ...],
    attrs: PoolAttrs,
    quants: tuple[tuple[float, int], tuple[float, int]] = ((0.05, -7), (0.05, -7)),
    dtypes: tuple[DType, DType] = (DType.INT8, DType.INT8),
    act: tuple[int, int] | None = None,
) -> OpCase:
    info = np.iinfo(dtypes[1].np)
    low, high = act or (int(info.min), int(info.max))
    q_attrs = QPoolAttrs(
        attrs.kernel, attrs.strides, attrs.pads, attrs.dilations, attrs.ceil_mode,
        attrs.count_include_pad, dtypes[1], low, high, True,
    )  # fmt: skip
    x = random_int(sum(map(ord, id_)), dtypes[0], *shape)
    quant = {0: q(*quants[0])}
    return OpCase(f"q_{id_}", "QAveragePool", q_attrs, (x,), (), quant, q(*quants[1]))


SAME16 = ((5e-4, 0), (5e-4, 0))
OTHER = ((0.05, 3), (0.03, -20))
INTEGER_AVERAGE = (
    *(_average(i, s, a) for i, s, a in AVERAGES),
    _average("extreme", (1, 40, 50, 8), attrs2d((40, 50)), ((0.1, 127), (0.1, 127))),
    *(_average(f"s16_{i}", s, a, SAME16, (I16, I16)) for i, s, a in AVERAGES),
    _average("s16_extreme", (1, 200, 300, 2), attrs2d((200, 300)), SAME16, (I16, I16)),
    _average("s16_act", (1, 6, 6, 7), attrs2d((2, 2), (2, 2)), SAME16, (I16, I16), (-900, 9000)),
    _average("s16_scale", (1, 6, 6, 8), attrs2d((2, 3), (2, 2)), ((5e-4, 0), (3e-4, 0)),
             (I16, I16)),
    _average("act", (1, 6, 6, 8), attrs2d((2, 2), (2, 2)), act=(-10, 20)),
    _average("u8", (1, 6, 6, 8), attrs2d((3, 2), (2, 2)), ((0.1, 128), (0.1, 128)),
             (DType.UINT8, DType.UINT8)),
    _average("u8_counted", AVERAGES[12][1], AVERAGES[12][2], ((0.1, 200), (0.1, 200)),
             (DType.UINT8, DType.UINT8)),
    _average("other_scale", (1, 6, 6, 8), attrs2d((2, 3), (2, 2)), OTHER),
    _average("other_global", (1, 5, 5, 17), attrs2d((5, 5)), OTHER),
    _average("other_counted", (1, 5, 5, 17),
             attrs2d((3, 3), pads=(1, 1, 1, 1), count_include_pad=True), OTHER),
    _average("other_type", (1, 6, 6, 8), attrs2d((2, 2), (2, 2)), ((0.1, 128), (0.1, 0)),
             (DType.UINT8, DType.INT8), (0, 100)),
)  # fmt: skip

CASES = FLOAT + INTEGER_MAX + INTEGER_AVERAGE
