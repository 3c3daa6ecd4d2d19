"""Result types of nodes that cannot be imported, so that the nodes after them are checked too."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx import helper

from mcugen.frontend.malformed import Malformed
from mcugen.frontend.structure import RawNode
from mcugen.frontend.values import DTYPES, ForeignTypeError, checked_size, dtype_of
from mcugen.ir import Tensor
from mcugen.ops.spec import TensorType

_ONNX_TYPES = {dtype: code for code, dtype in DTYPES.items()}

_LIKE_FIRST_INPUT = frozenset(
    {
        "GroupNormalization",
        "InstanceNormalization",
        "LRN",
        "LpNormalization",
        "MeanVarianceNormalization",
        "ReverseSequence",
    }
)
"""Operators whose first output has the type of the first input."""


def recovered_types(
    raw: RawNode,
    tensors: Mapping[str, Tensor],
    declared: Mapping[str, onnx.TypeProto],
) -> dict[str, TensorType]:
    """Output name -> type, for the outputs whose type follows without an importer.

    ONNX's own shape inference is left alone on purpose: it ends the process on some malformed
    nodes (an assertion in C++), and the file is not to be trusted.
    """
    types = {o: static_type(declared[o]) for o in raw.outputs if o in declared}
    source = tensors.get(raw.inputs[0]) if raw.inputs else None
    if raw.key in _LIKE_FIRST_INPUT and source is not None and raw.outputs:
        types[raw.outputs[0]] = TensorType(source.shape, source.dtype)
    return {name: kind for name, kind in types.items() if kind is not None}


def static_type(proto: onnx.TypeProto) -> TensorType | None:
    """The type, None unless it is a tensor of a known element type and static, sane shape."""
    if not proto.HasField("tensor_type") or not proto.tensor_type.HasField("shape"):
        return None
    dims = proto.tensor_type.shape.dim
    if not all(d.HasField("dim_value") for d in dims):
        return None
    shape = tuple(d.dim_value for d in dims)
    try:
        dtype = dtype_of(proto.tensor_type.elem_type)
        checked_size(shape, dtype.itemsize, "")
    except (ForeignTypeError, Malformed):
        return None
    return TensorType(shape, dtype)


def node_proto(raw: RawNode) -> onnx.NodeProto:
    """The node as a protobuf, names resolved."""
    node = onnx.NodeProto(
        op_type=raw.op_type, domain=raw.domain, input=raw.inputs, output=raw.outputs
    )
    for name, attribute in raw.attributes.items():
        copy = node.attribute.add()
        copy.CopyFrom(attribute)
        copy.name = name
    return node


def tensor_type_proto(tensor: Tensor) -> onnx.TypeProto:
    """ONNX's description of a tensor's type."""
    return helper.make_tensor_type_proto(_ONNX_TYPES[tensor.dtype], tensor.shape)
