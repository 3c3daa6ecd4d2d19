"""Cases of Pad."""

from __future__ import annotations

import math

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.pad import PadAttrs
from opcase import OpCase, random_f32, random_int


def _case(id_: str, x: Array, *pads: int, mode: str = "constant", value: float = 0) -> OpCase:
    return OpCase(id_, "Pad", PadAttrs(pads, mode, value), (x,), exact_semantics=True)


CASES = (
    _case("vector", random_f32(1, 5), 2, 3),
    _case("all_axes", random_f32(2, 2, 3, 2), 1, 2, 3, 2, 0, 1, value=1.5),
    _case("nhwc", random_int(3, DType.INT8, 1, 4, 3, 5), 0, 1, 1, 0, 0, 2, 0, 0, value=-128),
    _case("front_only", random_int(4, DType.UINT8, 3, 4), 1, 0, 0, 0, value=255),
    _case("nothing", random_f32(5, 3, 4), 0, 0, 0, 0),
    _case("nan", random_f32(6, 2, 2), 0, 1, 0, 0, value=math.nan),
    _case("minus_inf", random_f32(7, 2, 2), 1, 0, 0, 0, value=-math.inf),
    _case("minus_zero", random_f32(8, 2, 2), 1, 0, 0, 0, value=-0.0),
    _case("int32_min", random_int(9, DType.INT32, 3), 1, 1, value=-(2**31)),
    _case("int64_min", random_int(10, DType.INT64, 3), 1, 1, value=-(2**63)),
    _case("uint64_max", random_int(11, DType.UINT64, 3), 1, 1, value=2**64 - 1),
    _case("uint32_max", random_int(12, DType.UINT32, 3), 1, 1, value=2**32 - 1),
    _case("float64", random_f32(13, 3).astype(np.float64), 1, 1, value=0.1),
    _case("bool", random_int(14, DType.UINT8, 3) > 99, 1, 1, value=True),
    _case("of_empty", np.zeros((0, 2), np.float32), 1, 1, 1, 0, value=4.0),
    _case("rank0", np.array(3.0, np.float32)),
    _case("reflect", random_f32(15, 3, 4), 2, 1, 0, 3, mode="reflect"),
    _case("reflect_first_axis", random_f32(16, 3, 4), 1, 0, 0, 0, mode="reflect"),
    _case("reflect_long", random_int(17, DType.INT8, 3), 7, 8, mode="reflect"),
    _case("reflect_of_one", random_int(18, DType.INT8, 1, 2), 2, 1, 1, 0, mode="reflect"),
    _case("edge", random_f32(19, 3, 4, 2), 2, 1, 0, 1, 3, 0, mode="edge"),
    _case("edge_nhwc", random_int(20, DType.INT8, 1, 4, 4, 6), *[0, 1, 2, 0] * 2, mode="edge"),
    _case("wrap", random_f32(21, 3, 4), 2, 1, 4, 9, mode="wrap"),
    _case("edge_nothing", random_f32(22, 3, 4), 0, 0, 0, 0, mode="edge"),
    _case("wide_table", random_int(23, DType.INT8, 300), 2, 3, mode="edge"),
)
