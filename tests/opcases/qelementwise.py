"""Cases of QAdd, QMul and QPRelu."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.qelementwise import QElementwiseAttrs
from mcugen.ops.qprelu import QPReluAttrs
from mcugen.quantize.requant import dtype_range
from opcase import OpCase, q, random_int


def case(
    id_: str,
    op: str,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    types: tuple[DType, DType, DType],
    quants: tuple[tuple[float, int], ...],
    bounds: tuple[int, int] | None = None,
    **more: Any,
) -> OpCase:
    """Random integers of whole ranges; `quants`: (scale, zero point) of a, b and the output."""
    subtract = bool(more.pop("subtract", False))
    attrs = QElementwiseAttrs(types[2], *(bounds or dtype_range(types[2])), subtract)
    inputs = tuple(
        random_int(i, t, *s) for i, (t, s) in enumerate(zip(types, shapes, strict=False))
    )
    a, b, y = (q(*pair) for pair in quants)
    return OpCase(f"{op}-{id_}", op, attrs, inputs, quant={0: a, 1: b}, out_quant=y, **more)


_I8 = (DType.INT8,) * 3
_U8 = (DType.UINT8,) * 3
_I16 = (DType.INT16,) * 3
_MIXED = (DType.INT8, DType.UINT8, DType.UINT8)
_FLAT = ((300,), (300,))
_USUAL = ((0.05, 3), (0.03, -7), (0.06, 11))
_UNSIGNED = ((0.05, 128), (0.03, 0), (0.06, 255))

_OUT16 = {"QAdd": (6e-4, 0), "QMul": (4e-3, 0)}
"""Output scales that most results fit."""

_BOTH = tuple(
    one
    for op in ("QAdd", "QMul")
    for one in (
        case("int8", op, _FLAT, _I8, _USUAL),
        case("uint8", op, _FLAT, _U8, _UNSIGNED),
        case("mixed", op, _FLAT, _MIXED, ((0.05, -128), (0.03, 128), (0.06, 0))),
        case("clamped", op, _FLAT, _I8, _USUAL, (11, 90)),
        case("int16", op, _FLAT, _I16, ((5e-4, 0), (3e-4, 0), _OUT16[op])),
        case("int16-odd", op, ((3, 7), (3, 7)), _I16, ((5e-4, 0), (3e-4, 0), _OUT16[op])),
        case("int16-clamped", op, _FLAT, _I16, ((5e-4, 0), (3e-4, 0), _OUT16[op]), (-70, 20000)),
        case("int16-unlike", op, _FLAT, _I16, ((1e-3, 0), (1e-7, 0), (1.1e-3, 0))),
        case("int16-fine", op, _FLAT, _I16, ((5e-4, 0), (3e-4, 0), (1e-6, 0))),
        case("int16-channels", op, ((2, 3, 4, 5), (5,)), _I16, ((5e-4, 0), (3e-4, 0), _OUT16[op])),
        case("fine-output", op, _FLAT, _I8, ((0.05, 3), (0.03, -7), (0.0002, 11))),
        case("coarse-output", op, _FLAT, _I8, ((0.05, 3), (0.03, -7), (9.5, 0))),
        case("unlike-scales", op, _FLAT, _I8, ((4.0, 0), (0.001, 0), (4.0, 0))),
        case("channels", op, ((2, 3, 4, 5), (5,)), _I8, _USUAL, constant=(1,)),
        case("scalar", op, ((2, 3, 4), ()), _I8, _USUAL),
        case("scalar-first", op, ((1,), (2, 3)), _I8, _USUAL),
        case("outer", op, ((4, 1), (1, 5)), _I8, _USUAL),
        case("both-ways", op, ((2, 1, 4), (1, 3, 1)), _I8, _USUAL),
        case("rank-0", op, ((), ()), _I8, _USUAL),
    )
)


def _prelu(
    id_: str,
    shape: tuple[int, ...],
    slope: Array,
    dtype: DType = DType.INT8,
    bounds: tuple[int, int] | None = None,
) -> OpCase:
    x = random_int(1, dtype, *shape)
    zero = 0 if dtype is DType.INT8 else 120
    attrs = QPReluAttrs(dtype, *(bounds or dtype_range(dtype)))
    quant = {0: q(0.05, zero - 3)}
    name, out = f"QPRelu-{id_}", q(0.031, zero + 9)
    return OpCase(name, "QPRelu", attrs, (x, slope), (1,), quant=quant, out_quant=out)


_SLOPES = np.array([0.25, -0.5, 0.0, 3.0, 1e-12], np.float32)
_PRELUS = (
    _prelu("channels-last", (2, 30, 5), _SLOPES),
    _prelu("channels-first", (2, 5, 30), _SLOPES.reshape(5, 1)),
    _prelu("scalar", (300,), np.array([0.1], np.float32)),
    _prelu("rank-0", (300,), np.array(-0.1, np.float32)),
    _prelu("uint8", (2, 30, 5), _SLOPES, DType.UINT8),
    _prelu("clamped", (2, 30, 5), _SLOPES, bounds=(-20, 80)),
)

CASES = (
    *_BOTH,
    *_PRELUS,
    case("subtract", "QAdd", _FLAT, _I8, _USUAL, subtract=True),
    case("subtract-uint8", "QAdd", ((3, 4), (4,)), _U8, _UNSIGNED, subtract=True),
)
