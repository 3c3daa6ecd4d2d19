"""What must hold of a Graph: checked after import and after every pass.

A broken rule is a fault of mcugen, never of the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import DType, Graph, Node, Tensor
from mcugen.ops import registry
from mcugen.ops.spec import OpSpec, Reject, TensorType


def verify(graph: Graph, stage: str, *, specs: Mapping[str, OpSpec] | None = None) -> None:
    """Check every invariant of the IR.

    Names resolve; each tensor has one producer, before its readers; constants match their
    headers; `infer` of each node agrees with the recorded outputs; inputs and outputs exist.

    Args:
        graph: the graph.
        stage: the pass that made it, for the message.
        specs: operator -> OpSpec; the registry's by default.

    Raises:
        InternalError: `stage` broke a rule; the message names it and where.
    """
    known = registry.specs() if specs is None else specs
    problem = (
        _tensors_problem(graph)
        or _border_problem(graph)
        or _order_problem(graph)
        or next(filter(None, (_node_problem(graph, n, known) for n in graph.nodes)), None)
    )
    if problem:
        raise InternalError(f"graph '{graph.name}' is wrong after {stage}: {problem}")


def _tensors_problem(graph: Graph) -> str | None:
    for name, tensor in graph.tensors.items():
        problem = _tensor_problem(name, tensor)
        if problem:
            return f"tensor '{name}': {problem}"
    return None


def _tensor_problem(name: str, tensor: Tensor) -> str | None:
    if not name or tensor.name != name:
        return f"its name is '{tensor.name}'"
    if not isinstance(tensor.shape, tuple) or not all(
        type(d) is int and d >= 0 for d in tensor.shape
    ):
        return f"shape {tensor.shape!r} is no tuple of ints from 0"
    if not isinstance(tensor.dtype, DType):
        return f"dtype {tensor.dtype!r}"
    if tensor.data is not None and (
        tensor.data.shape != tensor.shape or tensor.data.dtype != tensor.dtype.np
    ):
        return f"{tensor.to_text()} holds {tensor.data.dtype.name}{list(tensor.data.shape)}"
    if tensor.bits is not None and not _fits(tensor):
        return f"{tensor.to_text()} holds more than {tensor.bits} bits"
    return _quant_problem(tensor)


def _fits(tensor: Tensor) -> bool:
    """Whether the values of a constant are no further apart than its bits allow."""
    if tensor.data is None or not tensor.dtype.is_integer or tensor.bits is None:
        return False
    wide = tensor.data.astype(np.int64)
    return wide.size == 0 or int(wide.max() - wide.min()) < 2**tensor.bits


def _quant_problem(tensor: Tensor) -> str | None:
    quant = tensor.quant
    if quant is None:
        return None
    if not tensor.dtype.is_integer:
        return f"{tensor.dtype.value} is quantized"
    if quant.scale.shape != quant.zero_point.shape:
        return "scale and zero point have different shapes"
    if not np.all(np.isfinite(quant.scale)) or not np.all(quant.scale > 0):
        return "a scale is not positive and finite"
    wanted: tuple[int, ...] = ()
    if quant.axis is not None:
        if not 0 <= quant.axis < tensor.rank:
            return f"quantization axis {quant.axis} of {tensor.rank} axes"
        wanted = (tensor.shape[quant.axis],)
    if quant.scale.shape != wanted:
        return f"scale has shape {list(quant.scale.shape)}, must be {list(wanted)}"
    return None


def _border_problem(graph: Graph) -> str | None:
    for what, names in (("input", graph.inputs), ("output", graph.outputs)):
        for name in names:
            if name not in graph.tensors:
                return f"{what} '{name}' does not exist"
    for name in graph.inputs:
        if graph.tensors[name].is_constant:
            return f"input '{name}' is constant"
    if len(set(graph.inputs)) != len(graph.inputs):
        return "an input is listed twice"
    if not graph.outputs:
        return "no outputs"
    return None


def _order_problem(graph: Graph) -> str | None:
    """Names resolve, one producer each, producers before readers."""
    ready = {*graph.inputs, *(n for n, t in graph.tensors.items() if t.is_constant)}
    names: set[str] = set()
    for node in graph.nodes:
        problem = _node_names_problem(graph, node, ready)
        if problem:
            return f"node '{node.name}' ({node.op}): {problem}"
        if not node.name or node.name in names:
            return f"two nodes are named '{node.name}'" if node.name else "a node has no name"
        names.add(node.name)
        ready.update(node.outputs)
    unmade = [n for n in (*graph.outputs, *graph.tensors) if n not in ready]
    return f"nothing produces '{unmade[0]}'" if unmade else None


def _node_names_problem(graph: Graph, node: Node, ready: Collection[str]) -> str | None:
    for name in node.inputs:
        if name and name not in graph.tensors:
            return f"reads '{name}', which does not exist"
        if name and name not in ready:
            return f"reads '{name}' before it is produced"
    for index, name in enumerate(node.outputs):
        if name not in graph.tensors:
            return f"writes '{name}', which does not exist"
        if name in ready or name in node.outputs[:index]:
            return f"writes '{name}', which has a value already"
    return None if node.outputs else "has no outputs"


def _node_problem(graph: Graph, node: Node, specs: Mapping[str, OpSpec]) -> str | None:
    where = f"node '{node.name}' ({node.op})"
    spec = specs.get(node.op)
    if spec is None:
        return f"{where}: no such operator"
    if not dataclasses.is_dataclass(node.attrs) or isinstance(node.attrs, type):
        return f"{where}: attrs are {type(node.attrs).__name__}, no dataclass"
    try:
        inferred = tuple(spec.infer(node.attrs, graph.input_tensors(node)))
    except Reject as verdict:
        return f"{where}: {verdict.reason}"
    recorded = tuple(TensorType(t.shape, t.dtype) for t in graph.output_tensors(node))
    if inferred != recorded:
        return f"{where}: outputs are {_types(recorded)}, infer says {_types(inferred)}"
    return None


def _types(types: tuple[TensorType, ...]) -> str:
    return ", ".join(f"{t.dtype.value}{list(t.shape)}" for t in types)
