"""`mcugen check`: the C against the reference, and the program against the ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcugen import ort, reference, semantics
from mcugen.compiler import Compiled
from mcugen.host import HostModel, build_library, calls_in_order, same_bits
from mcugen.ir import Array
from mcugen.oracle import NodeDistance, float_distance, measure, onnx_value
from mcugen.samples import Sample
from mcugen.vendor import libraries_used, read_vendor


@dataclass
class OutputDistance:
    """End-to-end distance of one output to ONNX, over all samples.

    Attributes:
        max_abs: largest absolute difference.
        max_lsb: the same for integers, None for floats.
        max_relative: max_abs over the largest magnitude.
        worst_float: |d| / (1e-4 |y| + 1e-5 max|y|), floats only.
        differing_share: share of elements that are not equal.
        argmax_agreement: share of rows whose argmax agrees; None with one class only.
    """

    max_abs: float = 0.0
    max_lsb: int | None = None
    max_relative: float = 0.0
    worst_float: float = 0.0
    differing: int = 0
    elements: int = 0
    rows: int = 0
    agreeing_rows: int = 0

    @property
    def differing_share(self) -> float:
        """Share of elements that differ."""
        return self.differing / self.elements if self.elements else 0.0

    @property
    def argmax_agreement(self) -> float | None:
        """Share of rows with the same argmax."""
        return self.agreeing_rows / self.rows if self.rows else None


@dataclass
class CheckResult:
    """What `check` found; `ok` is its verdict.

    Attributes:
        tensors_compared: tensors compared byte for byte, over all samples.
        mismatching: tensor names whose bytes differ, in order of execution.
        first_mismatch: text naming node, tensor, index, got and expected.
        fused: ONNX tensors that exist in no lowered tensor.
        distances: per lowered tensor, against the ONNX graph.
        beyond: those out of their bound.
        onnx: per output; empty when nothing was there to compare with.
        onnx_source: "recorded", "onnxruntime" or None.
    """

    samples: int = 0
    tensors_compared: int = 0
    mismatching: list[str] = field(default_factory=list)
    first_mismatch: str | None = None
    fused: list[str] = field(default_factory=list)
    distances: dict[str, NodeDistance] = field(default_factory=dict)
    beyond: list[NodeDistance] = field(default_factory=list)
    onnx: dict[str, OutputDistance] = field(default_factory=dict)
    onnx_source: str | None = None

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
    result = CheckResult(fused=_fused(compiled))
    source = "recorded" if any(s.outputs for s in samples) else "onnxruntime"
    if source == "onnxruntime" and use_ort and ort.available():
        outputs = compiled.imported.graph.outputs
        samples = ort.with_outputs(compiled.imported.path, outputs, samples)
    for number, sample in enumerate(samples):
        onnx_values = semantics.run(compiled.imported.graph, sample.inputs)
        feeds = lowered_inputs(compiled, onnx_values)
        expected = reference.run(compiled.program, feeds)
        _compare_bytes(compiled, host, feeds, expected, number, result)
        measure(compiled.program, compiled.imported.graph, onnx_values, result.distances)
        _compare_outputs(compiled, expected, sample, result, source)
        result.samples += 1
    arithmetic = compiled.options.arithmetic
    result.beyond = [d for d in result.distances.values() if not d.within(arithmetic)]
    return result


def lowered_inputs(compiled: Compiled, onnx_values: Mapping[str, Array]) -> dict[str, Array]:
    """The lowered graph's inputs (int8, channels last ...) from the ONNX graph's values."""
    feeds = {}
    for name in compiled.graph.inputs:
        value = onnx_value(compiled.graph[name], onnx_values)
        assert value is not None, name
        feeds[name] = value
    return feeds


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
    steps = calls_in_order(compiled.program, compiled.plan.order)
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


def _compare_outputs(
    compiled: Compiled,
    values: Mapping[str, Array],
    sample: Sample,
    result: CheckResult,
    source: str,
) -> None:
    for name, lowered_name in zip(
        compiled.imported.graph.outputs, compiled.graph.outputs, strict=True
    ):
        if name not in sample.outputs:
            continue
        result.onnx_source = source
        got, wanted = values[lowered_name], sample.outputs[name]
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            continue
        _add_distance(result.onnx.setdefault(name, OutputDistance()), got, wanted)


def _add_distance(entry: OutputDistance, got: Array, wanted: Array) -> None:
    entry.elements += wanted.size
    if not wanted.size:
        return
    difference = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    entry.max_abs = max(entry.max_abs, float(np.nanmax(difference, initial=0.0)))
    top = float(np.max(np.abs(wanted.astype(np.float64))))
    if top > 0:
        entry.max_relative = max(entry.max_relative, entry.max_abs / top)
    entry.differing += int(np.count_nonzero(got != wanted))
    if wanted.dtype.kind == "f":
        entry.worst_float = max(entry.worst_float, float_distance(got, wanted))
    if wanted.dtype.kind in "iu":
        entry.max_lsb = max(entry.max_lsb or 0, int(difference.max()))
    if wanted.ndim and wanted.shape[-1] > 1:
        agree = got.argmax(axis=-1) == wanted.argmax(axis=-1)
        entry.rows += int(agree.size)
        entry.agreeing_rows += int(agree.sum())
