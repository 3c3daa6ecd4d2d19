"""Cases of ReverseSequence."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.reverse_sequence import ReverseSequenceAttrs
from opcase import OpCase, random_f32, random_int


def _case(id_: str, time_first: bool, x: Array, lengths: object, constant=()) -> OpCase:
    inputs = (x, np.array(lengths, np.int64))
    attrs = ReverseSequenceAttrs(time_first)
    return OpCase(id_, "ReverseSequence", attrs, inputs, constant, exact_semantics=True)


_INT64 = np.iinfo(np.int64)

CASES = (
    _case("time_first", True, random_f32(1, 5, 3), [5, 0, 2]),
    _case("batch_first", False, random_f32(2, 3, 5), [1, 4, 5]),
    _case("rows", True, random_f32(3, 4, 2, 3, 3), [3, 4], (1,)),
    _case("rows_batch", False, random_int(4, DType.INT8, 2, 4, 5), [2, 3]),
    _case("int64", False, random_int(5, DType.INT64, 2, 4, 3), [4, 2]),
    _case("bool", True, random_int(6, DType.UINT8, 4, 3) > 99, [2, 3, 4]),
    _case("outside", False, random_f32(7, 4, 3, 2), [_INT64.max, _INT64.min, -1, 4]),
    _case("special", True, np.float32([[np.nan, -0.0], [np.inf, 1], [-np.inf, 2]]), [3, 2]),
    _case("no_steps", True, np.zeros((0, 2), np.float32), [0, 0]),
    _case("no_sequences", False, np.zeros((0, 2, 3), np.float32), np.zeros(0)),
    _case("no_elements", False, np.zeros((2, 3, 0), np.float32), [1, 2]),
)
