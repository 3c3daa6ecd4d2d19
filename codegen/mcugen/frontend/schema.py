"""Checks a node against the operator's ONNX schema, so that importers meet valid nodes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import onnx.defs
from onnx.defs import OpSchema

from mcugen.frontend.attributes import kind_name
from mcugen.frontend.malformed import shown
from mcugen.frontend.structure import RawNode
from mcugen.ir import DType, Tensor
from mcugen.ops.spec import InvalidNode

_TYPE_NAMES = {DType.FLOAT32: "tensor(float)", DType.FLOAT64: "tensor(double)"}

_REQUIRED_INPUTS = {
    "com.microsoft::BiasGelu": 2,
    "com.microsoft::QGemm": 6,
    "com.microsoft::QLinearAdd": 7,
    "com.microsoft::QLinearAveragePool": 5,
    "com.microsoft::QLinearConcat": 5,
    "com.microsoft::QLinearGlobalAveragePool": 5,
    "com.microsoft::QLinearMul": 7,
}
"""ONNX has no schemas for com.microsoft: the least number of inputs, 1 where nothing is said.
From ONNX Runtime's docs/ContribOperators.md; a zero point may be absent (empty) in between."""


@dataclass(frozen=True)
class Formal:
    """One parameter of an operator; `types` are ONNX type texts such as `tensor(float)`."""

    name: str
    type_name: str
    types: frozenset[str]
    optional: bool
    variadic: bool
    homogeneous: bool


@dataclass(frozen=True)
class Schema:
    """What an operator accepts in one version.

    Attributes:
        attributes: name -> (AttributeProto type, required).
        input_range, output_range: smallest and largest number.
    """

    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: Mapping[str, tuple[int, bool]]
    input_range: tuple[int, int]
    output_range: tuple[int, int]
    deprecated: bool

    def output_optional(self, index: int) -> bool:
        """Whether output `index` may be left out."""
        return index < len(self.outputs) and self.outputs[index].optional


@cache
def schema_of(op_type: str, opset: int, domain: str) -> Schema | None:
    """The schema; None when ONNX has no such operator in that version."""
    try:
        found = onnx.defs.get_schema(op_type, opset, domain)
    except onnx.defs.SchemaError:
        return None
    return Schema(
        tuple(_formal(p) for p in found.inputs),
        tuple(_formal(p) for p in found.outputs),
        {str(n): (_kind(a), bool(a.required)) for n, a in found.attributes.items()},
        (found.min_input, found.max_input),
        (found.min_output, found.max_output),
        found.deprecated,
    )


def _kind(attribute: OpSchema.Attribute) -> int:
    """The AttributeProto type; onnx's stubs do not know that `AttrType` is an Enum."""
    kind: Any = attribute.type
    return int(kind.value)


def _formal(parameter: OpSchema.FormalParameter) -> Formal:
    return Formal(
        parameter.name,
        parameter.type_str,
        frozenset(parameter.types),
        parameter.option == OpSchema.FormalParameterOption.Optional,
        parameter.option == OpSchema.FormalParameterOption.Variadic,
        parameter.is_homogeneous,
    )


def check_node(raw: RawNode, schema: Schema, inputs: Sequence[Tensor | None]) -> None:
    """Raise InvalidNode for the first rule of the schema that the node breaks.

    Args:
        raw: the node.
        schema: its operator's schema at the node's opset.
        inputs: the tensors, None where absent.
    """
    if schema.deprecated:
        raise InvalidNode(f"it was removed from ONNX, opset {raw.opset} does not have it")
    _check_count("inputs", len(inputs), schema.input_range)
    _check_count("outputs", len(raw.outputs), schema.output_range)
    _check_attributes(raw, schema)
    bound: dict[str, tuple[str, DType]] = {}
    for index, tensor in enumerate(inputs):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        if tensor is None:
            if not formal.optional and (formal.homogeneous or not formal.variadic):
                raise InvalidNode(f"required input {shown(formal.name)} is missing")
        else:
            _check_dtype(formal, tensor, bound)


def check_without_schema(raw: RawNode) -> None:
    """Raise InvalidNode when a node of an operator without schema has too few inputs."""
    required = _REQUIRED_INPUTS.get(raw.key, 1)
    if len(raw.inputs) < required or not raw.inputs[0]:
        raise InvalidNode(f"it must have at least {required} inputs, got {len(raw.inputs)}")


def _check_count(what: str, count: int, allowed: tuple[int, int]) -> None:
    low, high = allowed
    if not low <= count <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise InvalidNode(f"it must have {wanted} {what}, got {count}")


def _check_attributes(raw: RawNode, schema: Schema) -> None:
    for name, attribute in raw.attributes.items():
        if name not in schema.attributes:
            raise InvalidNode(f"it has no attribute {shown(name)} in opset {raw.opset}")
        wanted, _ = schema.attributes[name]
        if attribute.type != wanted:
            raise InvalidNode(
                f"attribute {shown(name)} must be {kind_name(wanted)}, "
                f"got {kind_name(attribute.type)}"
            )
    for name, (_, required) in schema.attributes.items():
        if required and name not in raw.attributes:
            raise InvalidNode(f"required attribute {shown(name)} is missing")


def _check_dtype(formal: Formal, tensor: Tensor, bound: dict[str, tuple[str, DType]]) -> None:
    type_name = _TYPE_NAMES.get(tensor.dtype, f"tensor({tensor.dtype.value})")
    if type_name not in formal.types:
        allowed = ", ".join(sorted(t[7:-1] for t in formal.types if t.startswith("tensor(")))
        raise InvalidNode(
            f"input {shown(formal.name)} cannot be {tensor.dtype.value}, it must be {allowed}"
        )
    if not formal.homogeneous:
        return
    first, dtype = bound.setdefault(formal.type_name, (tensor.name, tensor.dtype))
    if dtype is not tensor.dtype:
        raise InvalidNode(
            f"inputs {shown(first)} ({dtype.value}) and {shown(tensor.name)} "
            f"({tensor.dtype.value}) must have the same type"
        )
