"""TensorProto -> NumPy array, checked: an array is exactly what its header says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto

from mcugen.frontend.external import ExternalFiles, is_external
from mcugen.frontend.limits import MAX_RANK, MAX_TENSOR_BYTES
from mcugen.frontend.malformed import Malformed, shown, text
from mcugen.ir import Array, DType

DTYPES: dict[int, DType] = {
    TensorProto.FLOAT: DType.FLOAT32,
    TensorProto.DOUBLE: DType.FLOAT64,
    TensorProto.FLOAT16: DType.FLOAT16,
    TensorProto.INT8: DType.INT8,
    TensorProto.UINT8: DType.UINT8,
    TensorProto.INT16: DType.INT16,
    TensorProto.UINT16: DType.UINT16,
    TensorProto.INT32: DType.INT32,
    TensorProto.UINT32: DType.UINT32,
    TensorProto.INT64: DType.INT64,
    TensorProto.UINT64: DType.UINT64,
    TensorProto.BOOL: DType.BOOL,
}

_FIELDS = {
    DType.FLOAT32: "float_data",
    DType.FLOAT64: "double_data",
    DType.INT64: "int64_data",
    DType.UINT32: "uint64_data",
    DType.UINT64: "uint64_data",
}
"""The typed field of each element type; `int32_data` for all others."""

_FIELD_TYPES: dict[str, type[np.generic]] = {
    "float_data": np.float32,
    "double_data": np.float64,
    "int32_data": np.int32,
    "int64_data": np.int64,
    "uint64_data": np.uint64,
}


class ForeignTypeError(Exception):
    """An element type that the IR does not have; `type_name` is ONNX's name in lower case."""

    def __init__(self, type_name: str) -> None:
        super().__init__(type_name)
        self.type_name = type_name


def type_name(data_type: int) -> str:
    """ONNX's name of an element type in lower case, `type 99` when it has none."""
    try:
        return str(TensorProto.DataType.Name(data_type)).lower()
    except ValueError:
        return f"type {data_type}"


def dtype_of(data_type: int) -> DType:
    """The DType of an ONNX element type.

    Raises:
        ForeignTypeError: the IR has none.
    """
    dtype = DTYPES.get(data_type)
    if dtype is None:
        raise ForeignTypeError(type_name(data_type))
    return dtype


def checked_size(dims: Sequence[int], itemsize: int, what: str) -> int:
    """Number of elements of a tensor that is allowed.

    Raises:
        Malformed: a negative dimension, too many dimensions or over 2 GiB.
    """
    if len(dims) > MAX_RANK:
        raise Malformed(f"{what} has {len(dims)} dimensions, the limit is {MAX_RANK}")
    shape = "[" + ",".join(str(d) for d in dims) + "]"
    if any(d < 0 for d in dims):
        raise Malformed(f"{what} has a negative dimension: {shape}")
    size = math.prod(dims)
    if size * itemsize > MAX_TENSOR_BYTES:
        raise Malformed(
            f"{what} is too large: {shape} needs {size * itemsize} bytes, "
            f"the limit is {MAX_TENSOR_BYTES}"
        )
    return size


def decode(tensor: onnx.TensorProto, files: ExternalFiles) -> Array:
    """The value of `tensor`, of exactly its declared shape and element type.

    Raises:
        ForeignTypeError: bfloat16, int4, string, complex ...
        Malformed: dimensions, sizes or fields disagree.
    """
    dtype = dtype_of(tensor.data_type)
    what = f"tensor {shown(text(tensor.name))}"
    dims = tuple(tensor.dims)
    size = checked_size(dims, dtype.itemsize, what)
    if is_external(tensor):
        flat = _from_bytes(files.read(tensor, size * dtype.itemsize), dtype)
    elif tensor.HasField("raw_data"):
        flat = _raw(tensor, dtype, size, what)
    else:
        flat = _typed(tensor, dtype, size, what)
    shaped: Array = flat.reshape(dims)
    return shaped


def _raw(tensor: onnx.TensorProto, dtype: DType, size: int, what: str) -> Array:
    if len(tensor.raw_data) != size * dtype.itemsize:
        raise Malformed(
            f"{what}: {list(tensor.dims)} {dtype.value} needs {size * dtype.itemsize} bytes, "
            f"raw_data has {len(tensor.raw_data)}"
        )
    return _from_bytes(tensor.raw_data, dtype)


def _from_bytes(content: bytes, dtype: DType) -> Array:
    stored: Array = np.frombuffer(content, dtype.np.newbyteorder("<"))
    if dtype is DType.BOOL:
        return np.array(np.frombuffer(content, np.uint8) != 0)
    return stored.astype(dtype.np, copy=False)


def _typed(tensor: onnx.TensorProto, dtype: DType, size: int, what: str) -> Array:
    field = _FIELDS.get(dtype, "int32_data")
    values = getattr(tensor, field)
    others = [f for f in (*_FIELD_TYPES, "string_data") if f != field and len(getattr(tensor, f))]
    if others:
        raise Malformed(f"{what}: {dtype.value} values must be in {field}, not {others[0]}")
    if len(values) != size:
        raise Malformed(
            f"{what}: {list(tensor.dims)} needs {size} values, {field} has {len(values)}"
        )
    wide: Array = np.array(values, _FIELD_TYPES[field])
    if field in ("float_data", "double_data", "int64_data"):
        return wide
    if dtype is DType.BOOL:
        return np.array(wide != 0)
    narrow = DType.UINT16 if dtype is DType.FLOAT16 else dtype
    limits = np.iinfo(narrow.np)
    if size and (int(wide.min()) < limits.min or int(wide.max()) > limits.max):
        raise Malformed(f"{what}: a value does not fit {dtype.value}")
    exact: Array = wide.astype(narrow.np).view(dtype.np)
    return exact
