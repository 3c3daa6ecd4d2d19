"""Element types by their numbers in ONNX (TensorProto.DataType), which attributes hold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mcugen.ir import DType
from mcugen.ops.spec import Reject

ONNX_DTYPES: Mapping[int, DType] = MappingProxyType(
    {
        1: DType.FLOAT32,
        2: DType.UINT8,
        3: DType.INT8,
        4: DType.UINT16,
        5: DType.INT16,
        6: DType.INT32,
        7: DType.INT64,
        9: DType.BOOL,
        10: DType.FLOAT16,
        11: DType.FLOAT64,
        12: DType.UINT32,
        13: DType.UINT64,
    }
)

OTHER_NAMES: Mapping[int, str] = MappingProxyType(
    {
        8: "string",
        14: "complex64",
        15: "complex128",
        16: "bfloat16",
        17: "float8e4m3fn",
        18: "float8e4m3fnuz",
        19: "float8e5m2",
        20: "float8e5m2fnuz",
        21: "uint4",
        22: "int4",
        23: "float4e2m1",
        24: "float8e8m0",
    }
)
"""Types that there is no DType for."""


def dtype_of_code(code: int, what: str) -> DType:
    """The element type with ONNX's number `code`.

    Raises:
        Reject: it is not one of DType's.
    """
    if code not in ONNX_DTYPES:
        found = OTHER_NAMES.get(code, f"type {code}")
        raise Reject(f"{what} must be an integer, float or bool type, got {found}")
    return ONNX_DTYPES[code]
