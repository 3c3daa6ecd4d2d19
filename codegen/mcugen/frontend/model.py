"""The ModelProto taken apart: inputs, initializers, flat nodes, outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import onnx

from mcugen.frontend.functions import Expander
from mcugen.frontend.malformed import Malformed, shown, text
from mcugen.frontend.names import Names
from mcugen.frontend.structure import RawNode, Scope, opset_versions

OLDEST_IR = 3


@dataclass(frozen=True, eq=False)
class Model:
    """What a file says, checked for form only.

    Attributes:
        inputs: the real inputs: those that are not initializers too.
        initializers: name -> constant.
        nodes: functions inlined, in the order of the file.
        outputs: as declared.
        declared: value -> type, where the file gives one.
        opsets: domain -> version.
        names, expander: what makes names, and inlines further bodies.
    """

    inputs: tuple[onnx.ValueInfoProto, ...]
    initializers: Mapping[str, onnx.TensorProto]
    nodes: tuple[RawNode, ...]
    outputs: tuple[onnx.ValueInfoProto, ...]
    declared: Mapping[str, onnx.TypeProto]
    opsets: Mapping[str, int]
    names: Names
    expander: Expander


def read_model(model: onnx.ModelProto) -> Model:
    """Take a model apart.

    Raises:
        Malformed: IR version, duplicate names, no outputs, sparse initializers ...
    """
    _check_ir(model.ir_version)
    graph = model.graph
    initializers = {text(i.name): i for i in graph.initializer}
    _check_unique("initializer", (i.name for i in graph.initializer))
    _check_unique("input", (i.name for i in graph.input))
    if graph.sparse_initializer:
        raise Malformed("sparse initializers are not supported", "store the weights densely")
    if not graph.output:
        raise Malformed("the graph has no outputs")
    written = [text(o) for node in graph.node for o in node.output]
    outputs = [text(o.name) for o in graph.output]
    inputs = [text(i.name) for i in graph.input]
    names = Names(n for n in (*written, *outputs, *inputs, *initializers) if n)
    expander = Expander(model.functions, names)
    opsets = opset_versions(model.opset_import)
    return Model(
        tuple(i for i in graph.input if i.name not in initializers),
        initializers,
        tuple(expander.expand(graph.node, Scope(opsets))),
        tuple(graph.output),
        {text(v.name): v.type for v in (*graph.value_info, *graph.output)},
        opsets,
        names,
        expander,
    )


def _check_ir(version: int) -> None:
    newest = max(onnx.IR_VERSION, OLDEST_IR)
    if version < OLDEST_IR:
        raise Malformed(
            f"IR version {version} is not supported, {OLDEST_IR} to {newest} are",
            "export the model again with a current exporter",
        )
    if version > newest:
        raise Malformed(
            f"IR version {version} is not supported, {OLDEST_IR} to {newest} are",
            f"install a newer onnx (this one is {onnx.__version__})",
        )


def _check_unique(what: str, names: Iterable[str]) -> None:
    for name, count in Counter(text(n) for n in names).items():
        if not name:
            raise Malformed(f"an {what} has no name")
        if count > 1:
            raise Malformed(f"{what} {shown(name)} is given {count} times")
