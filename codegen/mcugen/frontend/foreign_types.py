"""Constants of element types that the IR lacks, widened where their reader allows it.

int4, uint4, int2, uint2 -> int8 or uint8 and bfloat16, float8 ... -> float32 keep every value.
DequantizeLinear and Cast mean the same on the widened constant; other readers do not. Constants
of 2 and 4 bits say so: kernels that can store weights in 4 bits.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx

from mcugen.frontend.builder import GraphBuilder
from mcugen.frontend.malformed import shown
from mcugen.frontend.structure import RawNode
from mcugen.frontend.values import checked_size, type_name
from mcugen.ir import Array, DType, Tensor

_WIDENED = {
    "int4": DType.INT8,
    "int2": DType.INT8,
    "uint4": DType.UINT8,
    "uint2": DType.UINT8,
    "bfloat16": DType.FLOAT32,
    "float8e4m3fn": DType.FLOAT32,
    "float8e4m3fnuz": DType.FLOAT32,
    "float8e5m2": DType.FLOAT32,
    "float8e5m2fnuz": DType.FLOAT32,
}

_FOUR_BITS = frozenset({"int4", "int2", "uint4", "uint2"})

_READERS = {
    "Cast": (DType.INT8, DType.UINT8, DType.FLOAT32),
    "DequantizeLinear": (DType.INT8, DType.UINT8),
    "com.microsoft::DequantizeLinear": (DType.INT8, DType.UINT8),
}
"""Operator -> widened types that it may read in place of the foreign ones."""


class ForeignConstants:
    """The constants of foreign types that one import has met."""

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self._tensors: dict[str, onnx.TensorProto] = {}
        self._widened: dict[str, str] = {}

    def add(self, name: str, tensor: onnx.TensorProto) -> None:
        """Note a constant; nodes that read it as it is cannot be imported."""
        kind = type_name(tensor.data_type)
        self._tensors[name] = tensor
        self._builder.blocked[name] = f"constant {shown(name)} is a tensor of {kind}"

    def widened(self, raw: RawNode) -> RawNode:
        """`raw`, reading widened copies of the foreign constants that it may read so."""
        allowed = _READERS.get(raw.key, ())
        inputs = [
            self._copy(name) if self._wide_dtype(name) in allowed else name for name in raw.inputs
        ]
        return dataclasses.replace(raw, inputs=tuple(inputs))

    def _wide_dtype(self, name: str) -> DType | None:
        tensor = self._tensors.get(name)
        return None if tensor is None else _WIDENED.get(type_name(tensor.data_type))

    def _copy(self, name: str) -> str:
        """The name of the widened copy, made when first wanted."""
        if name not in self._widened:
            tensor, dtype = self._tensors[name], self._wide_dtype(name)
            assert dtype is not None
            checked_size(tensor.dims, dtype.itemsize, f"tensor {shown(name)}")
            data: Array = np.asarray(onnx.numpy_helper.to_array(tensor)).astype(dtype.np)
            wide = self._builder.names.fresh(f"{name}/{dtype.value}")
            bits = 4 if type_name(tensor.data_type) in _FOUR_BITS else None
            self._widened[name] = self._builder.add(
                Tensor(wide, data.shape, dtype, data=data, bits=bits)
            )
        return self._widened[name]
