"""Cases of matrix products, float and integer."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import Clamp
from mcugen.ops.matmul import FullyConnectedAttrs, MatMulAttrs
from mcugen.ops.qmatmul import MatMulIntegerAttrs
from mcugen.ops.qmatmul_rules import QFullyConnectedAttrs, QMatMulAttrs
from opcase import OpCase, q, q_axis, random_f32, random_int, spread_scale


def _matmul(
    id_: str, a: tuple[int, ...], b: tuple[int, ...], constant: tuple[int, ...] = ()
) -> OpCase:
    seed = sum(map(ord, id_))
    values = random_f32(seed, *a), random_f32(seed + 1, *b)
    return OpCase(id_, "MatMul", MatMulAttrs(), values, constant)


def _typed(dtype: DType) -> OpCase:
    values = random_int(3, dtype, 2, 3, 5), random_int(4, dtype, 5, 6)
    return OpCase(dtype.value, "MatMul", MatMulAttrs(), values, exact_semantics=True)


def _special() -> OpCase:
    a = np.array([[np.nan, 1, -0.0], [np.inf, 0, 1], [1, 1, 1], [0, -0.0, 0]], np.float32)
    b = np.array([[1, 0, -1, 0], [2, np.inf, -0.0, 1], [-0.0, 3e38, np.nan, 0]], np.float32)
    return OpCase("special", "MatMul", MatMulAttrs(), (a, b))


def _double() -> OpCase:
    values = random_f32(5, 4, 7).astype(np.float64), random_f32(6, 7, 9).astype(np.float64)
    return OpCase("float64", "MatMul", MatMulAttrs(), values, rtol=1e-12)


def _same() -> OpCase:
    return OpCase("square", "MatMul", MatMulAttrs(), (random_f32(8, 6, 6), random_f32(9, 6, 6)))


MATMUL = (
    _matmul("matrix", (5, 7), (7, 9)),
    _matmul("aligned", (4, 8), (8, 32)),
    _matmul("one_row", (1, 64), (64, 40), (1,)),
    _matmul("one_column", (7, 5), (5, 1)),
    _matmul("constant_left", (3, 4), (4, 6), (0,)),
    _matmul("vector_matrix", (3,), (3, 4)),
    _matmul("matrix_vector", (2, 3, 4), (4,)),
    _matmul("vector_vector", (3,), (3,)),
    _matmul("vector_batch", (3,), (2, 3, 5)),
    _matmul("batch", (2, 3, 4), (2, 4, 5)),
    _matmul("batch_shared_right", (2, 3, 3, 4), (4, 17)),
    _matmul("batch_shared_left", (3, 4), (2, 5, 4, 2)),
    _matmul("batch_broadcast", (3, 1, 2, 4), (1, 2, 4, 5)),
    _matmul("batch_mixed", (2, 1, 3, 2, 4), (4, 1, 4, 3)),
    _matmul("batch_ones", (1, 1, 3, 4), (1, 4, 5)),
    _matmul("attention", (2, 5, 8), (2, 8, 5)),
    _special(),
    _double(),
    _same(),
    *(_typed(d) for d in (DType.INT32, DType.UINT32, DType.INT64, DType.UINT64)),
)


def _fully(
    id_: str,
    x: tuple[int, ...],
    units: int,
    activation: Clamp | None = None,
    bias: bool = True,
    constant: tuple[int, ...] = (1, 2),
) -> OpCase:
    seed = sum(map(ord, id_))
    values = (
        random_f32(seed, *x),
        random_f32(seed + 1, units, x[-1]),
        random_f32(seed + 2, units),
    )
    attrs = FullyConnectedAttrs(activation)
    return OpCase(id_, "FullyConnected", attrs, values if bias else values[:2], constant)


FULLY_CONNECTED = (
    _fully("fc_row", (1, 20), 16),
    _fully("fc_wide", (1, 33), 70, Clamp(0.0)),
    _fully("fc_rows", (6, 12), 10),
    _fully("fc_odd", (3, 5), 7, Clamp(-1.0, 1.0)),
    _fully("fc_one", (1, 9), 1),
    _fully("fc_batch", (2, 3, 4), 8, bias=False),
    _fully("fc_vector", (11,), 5),
    _fully("fc_single_input", (4, 1), 12),
    _fully("fc_computed_bias", (2, 6), 5, constant=(1,)),
    _fully("fc_computed", (2, 6), 5, Clamp(0.0, 6.0), constant=()),
)


def _q_fully(
    id_: str,
    x: tuple[int, ...],
    units: int,
    *,
    per_channel: bool = False,
    x_dtype: DType = DType.INT8,
    w_dtype: DType = DType.INT8,
    out_dtype: DType = DType.INT8,
    zero_points: tuple[int, int, int] = (-5, 0, 3),
    bias: bool = True,
) -> OpCase:
    seed = sum(map(ord, id_))
    rng = np.random.default_rng(seed)
    values = (
        random_int(seed, x_dtype, *x),
        random_int(seed + 1, w_dtype, units, x[-1]),
        rng.integers(-3000, 3000, units).astype(np.int32),
    )
    scales = rng.uniform(0.005, 0.02, units).astype(np.float32)
    operands = (values[0], zero_points[0]), (values[1], zero_points[1])
    spread = spread_scale(0.05 * 0.0125, x[-1], *operands)
    info = np.iinfo(out_dtype.np)
    return OpCase(
        id_,
        "QFullyConnected",
        QFullyConnectedAttrs(out_dtype, int(info.min), int(info.max)),
        values if bias else values[:2],
        (1, 2),
        {
            0: q(0.05, zero_points[0]),
            1: q_axis(scales, 0) if per_channel else q(0.0125, zero_points[1]),
        },
        q(spread, zero_points[2]),
    )


def _q_matmul(
    id_: str,
    a: tuple[int, ...],
    b: tuple[int, ...],
    dtypes: tuple[DType, DType, DType] = (DType.INT8, DType.INT8, DType.INT8),
    zero_points: tuple[int, int, int] = (-5, 7, 3),
) -> OpCase:
    seed = sum(map(ord, id_))
    info = np.iinfo(dtypes[2].np)
    return OpCase(
        id_,
        "QMatMul",
        QMatMulAttrs(dtypes[2], int(info.min) + 3, int(info.max) - 9),
        (random_int(seed, dtypes[0], *a), random_int(seed + 1, dtypes[1], *b)),
        (),
        {0: q(0.05, zero_points[0]), 1: q(0.0125, zero_points[1])},
        q(0.05 * 0.0125 * np.sqrt(a[-1]) * 75.0, zero_points[2]),
    )


def _integer(
    id_: str,
    a: Array,
    b: Array,
    a_zero: Array | None = None,
    b_zero: Array | None = None,
    constant: tuple[int, ...] = (1, 3),
) -> OpCase:
    values = (a, b, a_zero, b_zero)
    kept = 4 - (b_zero is None) * (1 + (a_zero is None))
    attrs = MatMulIntegerAttrs()
    return OpCase(id_, "MatMulInteger", attrs, values[:kept], constant, exact_semantics=True)


def _s16_fully(id_: str, x: tuple[int, ...], units: int, **changes: Any) -> OpCase:
    """The same with int16 activations."""
    settings = {"x_dtype": DType.INT16, "out_dtype": DType.INT16, "zero_points": (0, 0, 0)}
    case = _q_fully(f"s16_{id_}", x, units, **{**settings, **changes})
    assert case.out_quant is not None
    return dataclasses.replace(case, out_quant=q(float(case.out_quant.scale) / 256))


U8, I8, I16 = DType.UINT8, DType.INT8, DType.INT16
INTEGER = (
    _q_fully("q_row", (1, 20), 16),
    _q_fully("q_row_odd", (1, 33), 7, per_channel=True),
    _q_fully("q_row_pair", (17,), 2, bias=False),
    _q_fully("q_row_u8", (1, 48), 10, x_dtype=U8, w_dtype=U8, zero_points=(250, 3, 9)),
    _q_fully("q_rows", (5, 33), 7),
    _q_fully("q_per_channel", (2, 16), 12, per_channel=True),
    _q_fully("q_single", (1, 64), 1, bias=False),
    _q_fully("q_batch", (2, 3, 8), 10),
    _q_fully("q_vector", (9,), 6),
    _q_fully("q_long", (1, 700), 5),
    _q_fully("q_u8", (3, 17), 6, x_dtype=U8, w_dtype=U8, out_dtype=U8, zero_points=(128, 131, 9)),
    _q_fully("q_wide_weights", (2, 40), 4, w_dtype=U8, zero_points=(0, 110, 0)),
    _s16_fully("row", (1, 20), 16),
    _s16_fully("row_odd", (1, 33), 7, per_channel=True),
    _s16_fully("rows", (5, 33), 7),
    _s16_fully("per_channel", (2, 16), 12, per_channel=True),
    _s16_fully("no_bias", (2, 64), 1, bias=False),
    _s16_fully("batch", (2, 3, 8), 10),
    _s16_fully("long", (1, 701), 5),
    _s16_fully("long_rows", (3, 2303), 3),
    _s16_fully("wide_weights", (1, 40), 4, w_dtype=U8, zero_points=(0, 110, 0)),
    _q_matmul("qm_matrix", (5, 7), (7, 9)),
    _q_matmul("qm_wide", (3, 20), (20, 32)),
    _q_matmul("qm_batch", (2, 1, 3, 4), (3, 4, 17)),
    _q_matmul("qm_vector", (6,), (2, 6, 5)),
    _q_matmul("qm_scalar", (6,), (6,)),
    *(
        dataclasses.replace(c, out_quant=q(float(c.out_quant.scale) * 256))
        for c in (
            _q_matmul("qm_s16", (5, 7), (7, 9), (I16, I16, I16), (0, 0, 0)),
            _q_matmul("qm_s16_wide", (3, 20), (20, 32), (I16, I16, I16), (0, 0, 0)),
            _q_matmul("qm_s16_batch", (2, 1, 3, 4), (3, 4, 17), (I16, I16, I16), (0, 0, 0)),
            _q_matmul("qm_s16_long", (2, 1100), (1100, 3), (I16, I16, I16), (0, 0, 0)),
            _q_matmul("qm_s16_vector", (6,), (2, 6, 5), (I16, I16, I16), (0, 0, 0)),
        )
        if c.out_quant is not None
    ),
    _q_matmul("qm_u8", (4, 9), (9, 6), (U8, I8, U8), (128, -3, 120)),
    _integer("mi_plain", random_int(1, U8, 4, 5), random_int(2, I8, 5, 9)),
    _integer(
        "mi_zeros", random_int(1, U8, 4, 5), random_int(2, U8, 5, 9), np.array(12, np.uint8),
        np.array(200, np.uint8), (1, 2, 3),
    ),
    _integer(
        "mi_computed_zeros", random_int(3, U8, 2, 3, 5), random_int(4, I8, 5, 3),
        np.array([131], np.uint8), np.array(-7, np.int8), (),
    ),
    _integer(
        "mi_rows_columns", random_int(5, I8, 4, 6), random_int(6, I8, 6, 3),
        random_int(7, I8, 4), random_int(8, I8, 3),
    ),
    _integer(
        "mi_only_b_zero", random_int(5, I8, 4, 6), random_int(6, I8, 6, 3), None,
        random_int(8, I8, 3), (),
    ),
    _integer("mi_extremes", np.full((2, 40), 0, np.uint8), np.full((40, 3), -128, np.int8),
             np.array(255, np.uint8), np.array(127, np.int8)),
)  # fmt: skip

CASES = MATMUL + FULLY_CONNECTED + INTEGER
