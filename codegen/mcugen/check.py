"""`mcugen check`: the C against the reference, and the program against the ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcugen import reference, semantics
from mcugen.compiler import Compiled
from mcugen.distance import OnnxDistance, lowered_inputs, with_onnx_outputs
from mcugen.host import HostModel, build_library, same_bits
from mcugen.ir import Array
from mcugen.oracle import NodeDistance, measure
from mcugen.samples import Sample
from mcugen.vendor import libraries_used, read_vendor


@dataclass
class CheckResult:
    """What `check` found; `ok` is its verdict.

    Attributes:
        notices: what the import assumed about the model.
        tensors_compared: tensors compared byte for byte, over all samples.
        mismatching: tensor names whose bytes differ, in order of execution.
        first_mismatch: text naming node, tensor, index, got and expected.
        fused: ONNX tensors that exist in no lowered tensor.
        distances: per lowered tensor, against the ONNX graph.
        beyond: those out of their bound.
        onnx: the end-to-end distance.
    """

    notices: tuple[str, ...] = ()
    samples: int = 0
    tensors_compared: int = 0
    mismatching: list[str] = field(default_factory=list)
    first_mismatch: str | None = None
    fused: list[str] = field(default_factory=list)
    distances: dict[str, NodeDistance] = field(default_factory=dict)
    beyond: list[NodeDistance] = field(default_factory=list)
    onnx: OnnxDistance = field(default_factory=OnnxDistance)

    @property
    def bit_exact(self) -> bool:
        """Whether every compared byte was equal (and something was compared)."""
        return not self.mismatching and self.tensors_compared > 0

    @property
    def semantics_ok(self) -> bool:
        """Whether every node keeps its bound to the ONNX graph."""
        return not self.beyond

    @property
    def ok(self) -> bool:
        """The verdict."""
        return self.bit_exact and self.semantics_ok


def host_model(
    compiled: Compiled, flags: Sequence[str] = ("-O2",), *, vendor_dir: Path | None = None
) -> HostModel:
    """The compiled model's C, built on this machine and opened.

    Args:
        compiled: the model.
        flags: for compiling.
        vendor_dir: the sources of the kernel library that it calls, instead of our stand-ins.

    Raises:
        UsageError: the folder does not hold the pinned version.
        ForeignBuildError: the sources do not compile on this machine.
    """
    prefix = compiled.model.prefix
    vendor = None if vendor_dir is None else read_vendor(libraries_used(compiled), vendor_dir)
    library = build_library(
        compiled.files, [prefix], flags=flags, libraries=compiled.model.libraries, vendor=vendor
    )
    return HostModel(library, prefix, compiled.graph)


def check(
    compiled: Compiled,
    samples: Sequence[Sample],
    *,
    host: HostModel | None = None,
    use_ort: bool = True,
) -> CheckResult:
    """Run all samples through C, reference and ONNX semantics.

    Args:
        compiled: the model.
        samples: inputs in terms of the ONNX graph; outputs where recorded.
        host: a built model to use instead of building one.
        use_ort: ask ONNX Runtime, where installed, for outputs that are not recorded.

    Raises:
        InternalError: a kernel library asks for more working memory than was planned.
    """
    host = host or host_model(compiled)
    host.require_planned_scratch()
    samples, distance = with_onnx_outputs(compiled, samples, use_ort=use_ort)
    result = CheckResult(compiled.imported.notices, fused=_fused(compiled), onnx=distance)
    for number, sample in enumerate(samples):
        onnx_values = semantics.run(compiled.imported.graph, sample.inputs)
        feeds = lowered_inputs(compiled, onnx_values)
        expected = reference.run(compiled.program, feeds)
        _compare_bytes(compiled, host, feeds, expected, number, result)
        measure(compiled.program, compiled.imported.graph, onnx_values, result.distances)
        distance.add(compiled, expected, sample)
        result.samples += 1
    arithmetic = compiled.options.arithmetic
    result.beyond = [d for d in result.distances.values() if not d.within(arithmetic)]
    return result


def _fused(compiled: Compiled) -> list[str]:
    kept = {t.source.name for t in compiled.graph.tensors.values() if t.source}
    onnx_graph = compiled.imported.graph
    return [o for n in onnx_graph.nodes for o in n.outputs if o not in kept]


def _compare_bytes(
    compiled: Compiled,
    host: HostModel,
    feeds: Mapping[str, Array],
    expected: Mapping[str, Array],
    number: int,
    result: CheckResult,
) -> None:
    steps = compiled.program.in_order(compiled.plan.order)
    outputs, traced = host.trace(feeds, steps, compiled.graph)
    named = [(s.node.name, t) for s in steps for t in s.outputs]
    named += [("output", n) for n in outputs]
    for position, (node, tensor) in enumerate(named):
        got = outputs[tensor] if position >= len(named) - len(outputs) else traced[tensor]
        wrong = ~same_bits(got, expected[tensor])
        result.tensors_compared += 1
        if not wrong.any():
            continue
        if tensor not in result.mismatching:
            result.mismatching.append(tensor)
        if result.first_mismatch is None:
            where = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
            result.first_mismatch = (
                f"sample {number}, node '{node}', tensor '{tensor}'{list(where)}: "
                f"got {got[where]!r}, expected {expected[tensor][where]!r}"
            )
