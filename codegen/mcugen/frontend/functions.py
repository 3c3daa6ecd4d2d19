"""Inlines model-local functions and the branches of If: bodies become flat nodes.

Each inlined value gets a name of its own, made from the calling node's name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

from mcugen.frontend.limits import MAX_DEPTH, MAX_NODES
from mcugen.frontend.malformed import Malformed, shown, text
from mcugen.frontend.names import Names
from mcugen.frontend.structure import (
    FunctionKey,
    RawNode,
    Scope,
    domain_of,
    opset_versions,
    raw_node,
)

_IDENTITY_OPSET = 13


class Expander:
    """Turns NodeProtos into RawNodes, calls of model-local functions replaced by their bodies.

    Args:
        functions: the model's functions.
        names: makes the names of inner values.
    """

    def __init__(self, functions: Iterable[FunctionProto], names: Names) -> None:
        self._functions: dict[FunctionKey, FunctionProto] = {}
        self._names = names
        self._count = 0
        for function in functions:
            key = _key(function.domain, function.name, function.overload)
            if key in self._functions:
                raise Malformed(f"function {shown(key[1])} is defined twice")
            self._functions[key] = function

    def expand(self, protos: Iterable[NodeProto], scope: Scope) -> list[RawNode]:
        """The flat nodes of one body.

        Raises:
            Malformed: functions call themselves, or nest or multiply beyond the limits.
        """
        if scope.depth > MAX_DEPTH:
            raise Malformed(f"functions and branches are nested more than {MAX_DEPTH} deep")
        nodes: list[RawNode] = []
        for proto in protos:
            self._count += 1
            if self._count > MAX_NODES:
                raise Malformed(f"more than {MAX_NODES} nodes, functions inlined")
            key = _key(proto.domain, proto.op_type, proto.overload)
            function = self._functions.get(key)
            raw = raw_node(proto, scope)
            nodes += [raw] if function is None else self._call(function, key, raw)
        return nodes

    def inline(
        self, function: FunctionProto, call: RawNode, opsets: Mapping[str, int]
    ) -> list[RawNode]:
        """The body of `function` in place of `call`.

        Raises:
            Malformed: more arguments than parameters, or the body is not in SSA form.
        """
        names = dict(_bound(function.input, call.inputs, call))
        outputs = _bound(function.output, call.outputs, call)
        passed = [o for o in outputs if o in names and outputs[o]]
        names.update((o, actual) for o, actual in outputs.items() if actual and o not in names)
        defined = [text(o) for node in function.node for o in node.output]
        if set(defined) & {text(i) for i in function.input}:
            raise Malformed(f"function {shown(text(function.name))} redefines its input")
        self._name(names, (n for n in defined if not outputs.get(n)), call.label)
        scope = Scope(
            opsets=opsets,
            prefix=call.label,
            names=names,
            closed=True,
            attributes=_defaults(function) | dict(call.attributes),
            calls=call.scope.calls,
            depth=call.scope.depth + 1,
        )
        copies = [identity_node(names[o], outputs[o], scope) for o in passed]
        return self.expand(function.node, scope) + copies

    def branch(self, graph: GraphProto, node: RawNode, which: str) -> tuple[list[RawNode], Scope]:
        """The nodes of a subgraph of `node` under fresh names, and the scope of those names."""
        prefix = f"{node.label}/{which}"
        names = dict(node.scope.names)
        defined = [text(i.name) for i in graph.initializer]
        if len(set(defined)) < len(defined):
            raise Malformed(f"{shown(prefix)} gives an initializer twice")
        defined += [text(o) for proto in graph.node for o in proto.output]
        self._name(names, defined, prefix)
        scope = dataclasses.replace(
            node.scope, prefix=prefix, names=names, depth=node.scope.depth + 1
        )
        return self.expand(graph.node, scope), scope

    def _call(self, function: FunctionProto, key: FunctionKey, call: RawNode) -> list[RawNode]:
        if key in call.scope.calls:
            raise Malformed(f"function {shown(key[1])} calls itself")
        if any(a.type == AttributeProto.GRAPH for a in call.attributes.values()):
            raise Malformed(f"function {shown(key[1])} has a graph for an attribute")
        scope = dataclasses.replace(call.scope, calls=(*call.scope.calls, key))
        opsets = {**call.scope.opsets, **opset_versions(function.opset_import)}
        return self.inline(function, dataclasses.replace(call, scope=scope), opsets)

    def _name(self, names: dict[str, str], defined: Iterable[str], prefix: str) -> None:
        for name in filter(None, defined):
            names[name] = self._names.fresh(f"{prefix}/{name}")


def _key(domain: str, name: str, overload: str) -> FunctionKey:
    return domain_of(text(domain)), text(name), text(overload)


def _bound(formal: Iterable[str], actual: tuple[str, ...], call: RawNode) -> dict[str, str]:
    """Parameter -> argument, "" where the call gives none."""
    parameters = [text(p) for p in formal]
    if len(actual) > len(parameters):
        raise Malformed(
            f"{call.key} {shown(call.label)} has {len(actual)} inputs or outputs, "
            f"its function has {len(parameters)}"
        )
    missing = [""] * (len(parameters) - len(actual))
    return dict(zip(parameters, (*actual, *missing), strict=True))


def _defaults(function: FunctionProto) -> dict[str, AttributeProto]:
    return {text(a.name): a for a in function.attribute_proto}


def identity_node(source: str, target: str, scope: Scope) -> RawNode:
    """A node that gives `source`, a name of the flat list, the second name `target`."""
    proto = onnx.NodeProto(op_type="Identity", input=[source], output=[target])
    plain = Scope({"": _IDENTITY_OPSET}, calls=scope.calls, depth=scope.depth)
    return raw_node(proto, plain)
