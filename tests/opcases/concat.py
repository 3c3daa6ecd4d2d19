"""Cases of Concat."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.concat import ConcatAttrs
from opcase import OpCase, random_f32, random_int

_TWIN = random_f32(20, 2, 3)


def _case(id_: str, axis: int, *inputs: Array, constant: tuple[int, ...] = ()) -> OpCase:
    return OpCase(id_, "Concat", ConcatAttrs(axis), inputs, constant, exact_semantics=True)


CASES = (
    _case("outer", 0, random_f32(1, 2, 3), random_f32(2, 1, 3), random_f32(3, 4, 3)),
    _case("inner", 1, random_f32(4, 3, 2), random_f32(5, 3, 5)),
    _case(
        "channels_last",
        3,
        random_int(6, DType.INT8, 1, 4, 3, 17),
        random_int(7, DType.INT8, 1, 4, 3, 8),
        random_int(8, DType.INT8, 1, 4, 3, 1),
    ),
    _case("middle", 1, random_int(9, DType.INT64, 2, 1, 3), random_int(10, DType.INT64, 2, 2, 3)),
    _case("single", 0, random_f32(11, 5)),
    _case("with_empty", 0, np.zeros((0, 3), np.float32), random_f32(12, 2, 3)),
    _case("all_empty", 1, np.zeros((0, 3), np.int8), np.zeros((0, 2), np.int8)),
    _case("with_constant", 1, random_f32(13, 2, 3), random_f32(14, 2, 4), constant=(1,)),
    _case("same_twice", 1, _TWIN, _TWIN),
)
