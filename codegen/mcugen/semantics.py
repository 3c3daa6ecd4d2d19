"""Runs a Graph by the ONNX meaning of its operators: the oracle.

Independent of passes, lowering and C: each node's `OpSpec.semantics` on NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from mcugen.errors import InternalError, ModelError
from mcugen.ir import Array, Graph, Node
from mcugen.ops import registry
from mcugen.ops.spec import OpSpec


def run(
    graph: Graph,
    inputs: Mapping[str, Array],
    *,
    keep: Collection[str] | None = None,
    specs: Mapping[str, OpSpec] | None = None,
) -> dict[str, Array]:
    """The value of every tensor, constants included.

    Args:
        graph: a graph whose operators all have `semantics`.
        inputs: an array per input of the graph, of exactly its shape and dtype.
        keep: names to return beside the outputs; all others are freed after their last reader.
            None returns everything.
        specs: operator -> OpSpec; the registry's by default.

    Raises:
        ModelError: an input is missing, unknown, or of another shape or dtype.
        InternalError: an operator has no semantics, or gives another type than recorded.
    """
    known = registry.specs() if specs is None else specs
    _check_inputs(graph, inputs)
    values = {name: t.data for name, t in graph.tensors.items() if t.data is not None}
    values.update((name, np.asarray(array)) for name, array in inputs.items())
    kept = set(graph.tensors) if keep is None else {*keep, *graph.outputs}
    last = {name: i for i, node in enumerate(graph.nodes) for name in (*node.inputs, *node.outputs)}
    for index, node in enumerate(graph.nodes):
        values.update(zip(node.outputs, _evaluate(graph, node, values, known), strict=True))
        for name in {*node.inputs, *node.outputs} - kept - {""}:
            if last[name] == index:
                values.pop(name, None)
    return {name: value for name, value in values.items() if name in kept}


def _evaluate(
    graph: Graph, node: Node, values: Mapping[str, Array], specs: Mapping[str, OpSpec]
) -> tuple[Array, ...]:
    semantics = specs[node.op].semantics
    if semantics is None:
        raise InternalError(f"operator {node.op} of node '{node.name}' has no semantics")
    with np.errstate(all="ignore"):
        results = semantics(node.attrs, [values[i] if i else None for i in node.inputs])
    for tensor, result in zip(graph.output_tensors(node), results, strict=True):
        if result.shape != tensor.shape or result.dtype != tensor.dtype.np:
            raise InternalError(
                f"{node.op} '{node.name}': semantics gives {result.dtype.name}"
                f"{list(result.shape)} for {tensor.to_text()}"
            )
    return results


def _check_inputs(graph: Graph, inputs: Mapping[str, Array]) -> None:
    unknown = sorted(set(inputs) - set(graph.inputs))
    if unknown:
        raise ModelError(
            f"the model has no input '{unknown[0]}'; it has: {', '.join(graph.inputs) or 'none'}"
        )
    for name in graph.inputs:
        if name not in inputs:
            raise ModelError(f"no value is given for input '{name}'")
        wanted, array = graph.tensors[name], np.asarray(inputs[name])
        if array.shape != wanted.shape or array.dtype != wanted.dtype.np:
            raise ModelError(
                f"input '{name}' must be {wanted.dtype.value}{list(wanted.shape)}, "
                f"got {array.dtype.name}{list(array.shape)}"
            )
