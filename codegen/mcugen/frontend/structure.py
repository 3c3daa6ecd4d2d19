"""ONNX nodes with their names, versions and attribute references resolved.

Nothing here knows shapes, types or what an operator means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import onnx
import onnx.defs
from onnx import AttributeProto, GraphProto, NodeProto

from mcugen.frontend.malformed import Malformed, shown, text

OLDEST_OPSET = 7

FunctionKey = tuple[str, str, str]
"""(domain, name, overload)"""


@dataclass(frozen=True, eq=False)
class Scope:
    """How the names and attributes of nodes written in one body resolve.

    Attributes:
        opsets: domain -> version.
        prefix: put before the names of nodes and inner values; "" for the model itself.
        names: name as written -> name in the flat list.
        closed: names that `names` lacks belong to this body alone: function bodies see nothing
            of the caller; branches of If do.
        attributes: the enclosing function call's attributes, for references to them.
        calls: the functions being inlined, outermost first.
        depth: nesting of calls and branches.
    """

    opsets: Mapping[str, int]
    prefix: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    attributes: Mapping[str, AttributeProto] = field(default_factory=dict)
    calls: tuple[FunctionKey, ...] = ()
    depth: int = 0

    def resolve(self, name: str) -> str:
        """The name in the flat list of what this body calls `name`."""
        if not name:
            return ""
        return self.names.get(name, self.scoped(name) if self.closed else name)

    def scoped(self, name: str) -> str:
        """`name` with the body's prefix."""
        return f"{self.prefix}/{name}" if self.prefix and name else name


@dataclass(frozen=True, eq=False)
class RawNode:
    """One ONNX node, its names resolved; `captured` are outer values that its subgraphs read."""

    op_type: str
    domain: str
    opset: int
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeProto]
    captured: tuple[str, ...]
    scope: Scope

    @property
    def key(self) -> str:
        """`Conv`, or `com.microsoft::QGemm` outside the default domain."""
        return f"{self.domain}::{self.op_type}" if self.domain else self.op_type

    @property
    def label(self) -> str:
        """The name, or the first output of a node without one."""
        return self.name or next((o for o in self.outputs if o), "")


def domain_of(written: str) -> str:
    """The domain with the default one as ''."""
    return "" if written == "ai.onnx" else written


def opset_versions(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Domain -> version.

    Raises:
        Malformed: one domain with two versions.
    """
    versions: dict[str, int] = {}
    for entry in imports:
        domain = domain_of(text(entry.domain))
        if versions.setdefault(domain, entry.version) != entry.version:
            raise Malformed(f"operator set {shown(domain)} is imported in two versions")
    return versions


def raw_node(proto: NodeProto, scope: Scope) -> RawNode:
    """`proto` with its names and attribute references resolved in `scope`.

    Raises:
        Malformed: the opset is not supported, or an attribute is given twice.
    """
    domain = domain_of(text(proto.domain))
    op_type = text(proto.op_type)
    if not domain:
        _check_opset(scope.opsets.get(""))
    attributes: dict[str, AttributeProto] = {}
    for attribute in proto.attribute:
        name = text(attribute.name)
        if name in attributes:
            raise Malformed(f"node {shown(op_type)} has attribute {shown(name)} twice")
        if not attribute.ref_attr_name:
            attributes[name] = attribute
        elif attribute.ref_attr_name in scope.attributes:
            attributes[name] = scope.attributes[attribute.ref_attr_name]
    inner = [free_names(g) for a in attributes.values() for g in subgraphs(a)]
    captured = dict.fromkeys(scope.resolve(n) for names in inner for n in names)
    return RawNode(
        op_type,
        domain,
        scope.opsets.get(domain, 1),
        scope.scoped(text(proto.name)),
        tuple(scope.resolve(text(i)) for i in proto.input),
        tuple(scope.resolve(text(o)) for o in proto.output),
        attributes,
        tuple(captured),
        scope,
    )


def _check_opset(version: int | None) -> None:
    newest = onnx.defs.onnx_opset_version()
    if version is None:
        raise Malformed("no version of the default operator set is imported")
    if version < OLDEST_OPSET:
        raise Malformed(
            f"opset {version} is not supported, {OLDEST_OPSET} to {newest} are",
            "convert it with onnx.version_converter.convert_version(model, 13)",
        )
    if version > newest:
        raise Malformed(
            f"opset {version} is not supported, {OLDEST_OPSET} to {newest} are",
            f"install a newer onnx (this one is {onnx.__version__}), or export an older opset",
        )


def subgraphs(attribute: AttributeProto) -> tuple[GraphProto, ...]:
    """The graphs that an attribute holds."""
    single = (attribute.g,) if attribute.HasField("g") else ()
    return (*single, *attribute.graphs)


def free_names(graph: GraphProto) -> list[str]:
    """Names that a subgraph reads and does not define, in order of first use."""
    defined = {text(v.name) for v in (*graph.input, *graph.initializer)}
    defined.update(text(o) for node in graph.node for o in node.output)
    used: dict[str, None] = {}
    for node in graph.node:
        used.update(dict.fromkeys(text(i) for i in node.input))
        for attribute in node.attribute:
            for inner in subgraphs(attribute):
                used.update(dict.fromkeys(free_names(inner)))
    used.update(dict.fromkeys(text(o.name) for o in graph.output))
    return [name for name in used if name and name not in defined]
