"""ONNX's own definitions of operators in terms of simpler ones.

An operator without an importer is taken apart by the function body that its ONNX schema gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
import onnx.defs

from mcugen.frontend.structure import RawNode
from mcugen.frontend.unsupported import node_proto, tensor_type_proto
from mcugen.ir import Tensor


def definition_of(raw: RawNode, tensors: Mapping[str, Tensor]) -> onnx.FunctionProto | None:
    """The function that defines `raw`, attribute defaults filled in; None when there is none.

    Args:
        raw: a node that `check_node` accepts.
        tensors: its inputs by name; some definitions depend on their types.
    """
    try:
        schema: Any = onnx.defs.get_schema(raw.op_type, raw.opset, raw.domain)
        content = _body(schema, raw, tensors)
    except (onnx.defs.SchemaError, RuntimeError, ValueError, TypeError):
        return None
    if not isinstance(content, bytes) or not content:
        return None
    function = onnx.FunctionProto()
    function.ParseFromString(content)
    present = {a.name for a in function.attribute_proto}
    for name, attribute in schema.attributes.items():
        if name not in present and attribute.default_value.name:
            function.attribute_proto.append(attribute.default_value)
    return function


def has_definition(raw: RawNode) -> bool:
    """Whether ONNX may define the operator by others, whatever its inputs."""
    try:
        schema: Any = onnx.defs.get_schema(raw.op_type, raw.opset, raw.domain)
    except onnx.defs.SchemaError:
        return False
    versions = (
        *schema.function_opset_versions,
        *schema.context_dependent_function_opset_versions,
    )
    return any(v <= raw.opset for v in versions)


def _body(schema: Any, raw: RawNode, tensors: Mapping[str, Tensor]) -> object:
    """The serialized function of the newest version that the node's opset knows.

    `schema` is an `onnx.defs.OpSchema`, whose stubs lack these methods.
    """
    plain = [v for v in schema.function_opset_versions if v <= raw.opset]
    if plain:
        return schema.get_function_with_opset_version(max(plain))
    by_types = [v for v in schema.context_dependent_function_opset_versions if v <= raw.opset]
    if not by_types:
        return b""
    types = [tensor_type_proto(tensors[n]) if n else onnx.TypeProto() for n in raw.inputs]
    return schema.get_context_dependent_function_with_opset_version(
        max(by_types), node_proto(raw).SerializeToString(), [t.SerializeToString() for t in types]
    )
