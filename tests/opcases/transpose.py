"""Cases of Transpose, Reshape and Identity."""

from __future__ import annotations

import numpy as np

from mcugen.ir import DType
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.transpose import TransposeAttrs
from opcase import OpCase, random_f32, random_int

_SPECIAL = np.array([[np.nan, -0.0, np.inf], [-np.inf, 0.0, 1.0]], np.float32)


def _transpose(id_: str, x: np.ndarray, *perm: int) -> OpCase:
    return OpCase(id_, "Transpose", TransposeAttrs(perm), (x,), exact_semantics=True)


CASES = (
    _transpose("matrix", random_f32(1, 5, 7), 1, 0),
    _transpose("special_values", _SPECIAL, 1, 0),
    _transpose("identity", random_f32(2, 3, 4), 0, 1),
    _transpose("nchw_nhwc", random_int(3, DType.INT8, 2, 3, 5, 4), 0, 2, 3, 1),
    _transpose("nhwc_nchw", random_int(4, DType.UINT8, 2, 5, 4, 16), 0, 3, 1, 2),
    _transpose("inner_run", random_f32(5, 3, 4, 2, 8), 2, 0, 1, 3),
    _transpose("reversed", random_int(6, DType.INT64, 2, 3, 4, 5), 3, 2, 1, 0),
    _transpose("ones", random_f32(7, 1, 6, 1, 3), 2, 1, 0, 3),
    _transpose("six_axes", random_int(8, DType.INT16, 2, 3, 2, 2, 3, 2), 5, 0, 3, 1, 4, 2),
    _transpose("bool", random_int(9, DType.UINT8, 3, 5) > 100, 1, 0),
    _transpose("float64", random_f32(10, 3, 5).astype(np.float64), 1, 0),
    _transpose("rank0", np.array(3.5, np.float32)),
    _transpose("empty", np.zeros((2, 0, 3), np.float32), 2, 1, 0),
    OpCase("reshape", "Reshape", ReshapeAttrs((3, 1, 8)), (random_f32(11, 2, 3, 4),)),
    OpCase("reshape_scalar", "Reshape", ReshapeAttrs(()), (random_f32(12, 1, 1),)),
    OpCase("reshape_empty", "Reshape", ReshapeAttrs((0, 7)), (np.zeros((3, 0), np.int32),)),
    OpCase("identity_op", "Identity", IdentityAttrs(), (random_int(13, DType.INT8, 3, 7),)),
    OpCase("identity_op_rank0", "Identity", IdentityAttrs(), (np.array(-0.0, np.float32),)),
)
