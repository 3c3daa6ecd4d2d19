"""Cases of ConvInteger."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.conv_integer import ConvIntegerAttrs
from opcase import OpCase, random_int

U8, I8 = DType.UINT8, DType.INT8
SAME = ConvIntegerAttrs((1, 1), (1, 1, 1, 1), (1, 1), 1, True)


def _case(
    id_: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attrs: ConvIntegerAttrs = SAME,
    dtypes: tuple[DType, DType] = (U8, I8),
    zeros: tuple[Array | None, Array | None] = (None, None),
    constant: tuple[int, ...] = (1, 2, 3),
) -> OpCase:
    seed = sum(map(ord, id_))
    values = (random_int(seed, dtypes[0], *x), random_int(seed + 1, dtypes[1], *w), *zeros)
    while values[-1] is None:
        values = values[:-1]
    return OpCase(id_, "ConvInteger", attrs, values, constant, exact_semantics=True)


def _u8(value: int) -> Array:
    return np.array(value, np.uint8)


DEPTHWISE = ConvIntegerAttrs((2, 1), (1, 1, 1, 1), (1, 1), 6, True)
POINTWISE = ConvIntegerAttrs((1, 1), (0, 0, 0, 0), (1, 1), 1, True)
GROUPED = ConvIntegerAttrs((1, 2), (1, 0, 0, 1), (1, 1), 2, True)
ONE_D = ConvIntegerAttrs((2,), (1, 1), (1,), 1, True)
IMAGE = (1, 7, 5, 6)
CASES = (
    _case("no_zeros", (1, 5, 6, 3), (4, 3, 3, 3)),
    _case("constant_zeros", (1, 5, 6, 3), (4, 3, 3, 3), dtypes=(U8, U8), zeros=(_u8(128), _u8(7))),
    _case("computed_zero", (2, 5, 6, 3), (4, 3, 3, 3), zeros=(_u8(99), None), constant=(1,)),
    _case("pointwise", (1, 4, 4, 8), (5, 8, 1, 1), POINTWISE,
          zeros=(_u8(3).reshape(1), random_int(5, I8, 5)), constant=(1, 3)),
    _case("depthwise", IMAGE, (6, 1, 3, 3), DEPTHWISE, zeros=(_u8(200), None), constant=(1,)),
    _case("depthwise_constant", IMAGE, (6, 1, 3, 3), DEPTHWISE, zeros=(_u8(200), None)),
    _case("grouped", IMAGE, (4, 3, 2, 2), GROUPED,
          dtypes=(I8, I8), zeros=(np.array(-9, np.int8), None), constant=(1,)),
    _case("1d", (1, 9, 4), (3, 4, 3), ONE_D),
)  # fmt: skip
