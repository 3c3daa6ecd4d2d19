"""Cases of DepthToSpace and SpaceToDepth."""

from __future__ import annotations

from typing import Any

from mcugen.ir import DType
from mcugen.ops.space import DepthToSpaceAttrs, SpaceToDepthAttrs
from opcase import OpCase, random_f32, random_int


def _case(id_: str, op: str, attrs: Any, *shape: int, dtype: DType = DType.FLOAT32) -> OpCase:
    x = random_f32(1, *shape) if dtype is DType.FLOAT32 else random_int(1, dtype, *shape)
    return OpCase(id_, op, attrs, (x,), exact_semantics=True)


def _depth(id_: str, mode: str, last: bool, *shape: int, b: int = 2, dtype=DType.FLOAT32):
    return _case(id_, "DepthToSpace", DepthToSpaceAttrs(b, mode, last), *shape, dtype=dtype)


def _space(id_: str, last: bool, *shape: int, b: int = 2, mode="DCR", dtype=DType.FLOAT32):
    return _case(id_, "SpaceToDepth", SpaceToDepthAttrs(b, mode, last), *shape, dtype=dtype)


CASES = (
    _depth("dcr", "DCR", False, 1, 8, 2, 3),
    _depth("crd", "CRD", False, 2, 8, 2, 3),
    _depth("dcr_last", "DCR", True, 2, 2, 3, 12),
    _depth("crd_last", "CRD", True, 1, 2, 3, 12),
    _depth("dcr_last_runs", "DCR", True, 1, 3, 2, 64, dtype=DType.INT8),
    _depth("block3", "CRD", True, 1, 2, 2, 18, b=3, dtype=DType.UINT8),
    _depth("block1", "DCR", False, 1, 3, 2, 2, b=1),
    _depth("depth_empty", "DCR", False, 0, 4, 2, 2),
    _space("first", False, 2, 3, 4, 6),
    _space("last", True, 2, 4, 6, 3),
    _space("last_block3", True, 1, 6, 3, 16, b=3, dtype=DType.INT8),
    _space("first_crd", False, 2, 3, 4, 6, mode="CRD"),
    _space("last_crd", True, 2, 4, 6, 3, mode="CRD"),
    _space("block1_space", False, 1, 2, 3, 3, b=1),
)
