"""Runs a Program in NumPy: the definition of truth that the C must equal byte for byte."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array
from mcugen.ops.registry import specs
from mcugen.program import Program, Step


def run(program: Program, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Every activation's value, graph inputs included.

    Args:
        program: the lowered model.
        inputs: graph input name -> array of its shape and dtype.

    Raises:
        InternalError: a reference returned another shape or dtype than the graph says.
    """
    values: dict[str, Array] = {name: np.asarray(inputs[name]) for name in program.graph.inputs}
    for step in program.steps:
        values.update(run_step(program, step, values))
    return values


def run_step(program: Program, step: Step, values: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of one step, given the activations it reads."""
    graph = program.graph
    reference = specs()[step.node.op].reference
    if reference is None:
        raise InternalError(f"{step.node.op} has no reference")
    arrays = []
    for name in step.inputs:
        data = graph[name].data
        arrays.append(values[name] if data is None else data)
    with np.errstate(all="ignore"):
        results = reference(step.params, arrays)
    outputs: dict[str, Array] = {}
    for name, result in zip(step.outputs, results, strict=True):
        tensor = graph[name]
        if result.shape != tensor.shape or result.dtype != tensor.dtype.np:
            raise InternalError(
                f"{step.node.op} '{step.node.name}': reference gave {result.dtype}"
                f"{list(result.shape)} for {tensor.to_text()}"
            )
        outputs[name] = np.ascontiguousarray(result).reshape(tensor.shape)
    return outputs
