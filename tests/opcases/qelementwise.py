"""Cases of QAdd and QMul."""

from __future__ import annotations

from typing import Any

from mcugen.ir import DType
from mcugen.ops.qelementwise import QElementwiseAttrs
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
_MIXED = (DType.INT8, DType.UINT8, DType.UINT8)
_FLAT = ((300,), (300,))
_USUAL = ((0.05, 3), (0.03, -7), (0.06, 11))
_UNSIGNED = ((0.05, 128), (0.03, 0), (0.06, 255))

_BOTH = tuple(
    one
    for op in ("QAdd", "QMul")
    for one in (
        case("int8", op, _FLAT, _I8, _USUAL),
        case("uint8", op, _FLAT, _U8, _UNSIGNED),
        case("mixed", op, _FLAT, _MIXED, ((0.05, -128), (0.03, 128), (0.06, 0))),
        case("clamped", op, _FLAT, _I8, _USUAL, (11, 90)),
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

CASES = (
    *_BOTH,
    case("subtract", "QAdd", _FLAT, _I8, _USUAL, subtract=True),
    case("subtract-uint8", "QAdd", ((3, 4), (4,)), _U8, _UNSIGNED, subtract=True),
)
