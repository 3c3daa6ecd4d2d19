"""Result types of nodes that cannot be imported, so that the nodes after them are checked too."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
import onnx.shape_inference
from onnx import helper

from mcugen.frontend.malformed import Malformed
from mcugen.frontend.structure import RawNode, subgraphs
from mcugen.frontend.values import DTYPES, ForeignTypeError, checked_size, dtype_of
from mcugen.ir import Tensor
from mcugen.ops.spec import TensorType

_ONNX_TYPES = {dtype: code for code, dtype in DTYPES.items()}

_KNOWN_VALUES = 64
"""Constants up to this many elements are shown to ONNX's inference: shapes, axes, repeats."""


def inferred_types(
    raw: RawNode,
    tensors: Mapping[str, Tensor],
    declared: Mapping[str, onnx.TypeProto],
) -> dict[str, TensorType]:
    """Output name -> type, for the outputs whose full type ONNX infers or the file declares."""
    written = {o: static_type(declared[o]) for o in raw.outputs if o in declared}
    inferred: dict[str, TensorType | None] = {}
    if all(i in tensors for i in raw.inputs if i):
        inferred = {name: static_type(proto) for name, proto in _inferred(raw, tensors).items()}
    known = {name: inferred.get(name) or written.get(name) for name in raw.outputs}
    return {name: kind for name, kind in known.items() if kind is not None}


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


def _inferred(raw: RawNode, tensors: Mapping[str, Tensor]) -> dict[str, onnx.TypeProto]:
    """What ONNX infers for a model of this one node."""
    if any(subgraphs(a) for a in raw.attributes.values()):
        return {}
    graph = onnx.GraphProto(name="node")
    graph.node.append(node_proto(raw))
    for name in dict.fromkeys(filter(None, raw.inputs)):
        tensor = tensors[name]
        if tensor.data is not None and tensor.size <= _KNOWN_VALUES:
            graph.initializer.append(onnx.numpy_helper.from_array(tensor.data, name))
        else:
            graph.input.add(name=name, type=tensor_type_proto(tensor))
    graph.output.extend(onnx.ValueInfoProto(name=o) for o in raw.outputs if o)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(raw.domain, raw.opset)])
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
        return {}
    return {v.name: v.type for v in (*model.graph.value_info, *model.graph.output)}
