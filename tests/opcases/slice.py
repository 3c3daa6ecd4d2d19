"""Cases of Slice."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.slice import SliceAttrs
from opcase import OpCase, random_f32, random_int


def _case(id_: str, x: Array, starts: tuple[int, ...], sizes: tuple[int, ...], *steps: int):
    attrs = SliceAttrs(starts, steps or (1,) * x.ndim, sizes)
    return OpCase(id_, "Slice", attrs, (x,), exact_semantics=True)


CASES = (
    _case("rows", random_f32(1, 5, 7), (1, 0), (3, 7)),
    _case("columns", random_int(2, DType.INT8, 5, 7), (0, 2), (5, 4)),
    _case("columns_long_run", random_int(3, DType.UINT8, 4, 40), (0, 3), (4, 33)),
    _case("both", random_f32(4, 5, 7), (1, 2), (2, 3)),
    _case("step2", random_f32(5, 5, 7), (0, 1), (3, 3), 2, 2),
    _case("reversed", random_int(6, DType.INT32, 6), (5,), (6,), -1),
    _case("backwards_step", random_int(7, DType.INT64, 4, 9), (3, 8), (4, 3), -1, -4),
    _case("channels_last", random_int(8, DType.INT8, 1, 3, 4, 8), (0, 1, 1, 2), (1, 2, 2, 5)),
    _case("one_element", random_f32(9, 3, 4), (2, 3), (1, 1), -5, 7),
    _case("empty", random_f32(10, 3, 4), (0, 0), (0, 4)),
    _case("of_empty", np.zeros((0, 4), np.float32), (0, 1), (0, 2)),
    _case("rank0", np.array(7, np.int8), (), ()),
    _case("special", np.array([np.nan, -0.0, np.inf, 1.0], np.float32), (1,), (3,)),
)
