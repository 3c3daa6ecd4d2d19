"""How far a model's outputs are from ONNX's: recorded ones, or ONNX Runtime's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mcugen import ort, reference, semantics
from mcugen.compiler import Compiled
from mcugen.ir import Array, Tensor
from mcugen.ops.affine import quantized
from mcugen.oracle import float_distance, onnx_value
from mcugen.samples import Sample


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
class OnnxDistance:
    """End-to-end distance to ONNX, over all samples.

    Attributes:
        outputs: per output; empty when nothing was there to compare with.
        source: "recorded", "onnxruntime" or None.
        samples: how many were compared.
    """

    outputs: dict[str, OutputDistance] = field(default_factory=dict)
    source: str | None = None
    samples: int = 0

    def add(self, compiled: Compiled, values: Mapping[str, Array], sample: Sample) -> None:
        """Count one sample's outputs, where it has outputs of ONNX.

        Args:
            compiled: the model.
            values: by tensor of the lowered graph.
            sample: with outputs by ONNX name.
        """
        graphs = (compiled.imported.graph.outputs, compiled.graph.outputs)
        for name, lowered_name in zip(*graphs, strict=True):
            tensor = compiled.graph[lowered_name]
            wanted = _as_lowered(tensor, name, sample.outputs.get(name))
            got = values[lowered_name] if tensor.data is None else tensor.data
            if wanted is not None and (got.shape, got.dtype) == (wanted.shape, wanted.dtype):
                _add_distance(self.outputs.setdefault(name, OutputDistance()), got, wanted)
        self.samples += bool(sample.outputs)


def with_onnx_outputs(
    compiled: Compiled, samples: Sequence[Sample], *, use_ort: bool = True
) -> tuple[Sequence[Sample], OnnxDistance]:
    """The samples with recorded outputs, else with ONNX Runtime's where it is installed.

    Returns:
        The samples, and an empty distance that knows where their outputs are from.
    """
    if any(s.outputs for s in samples):
        return samples, OnnxDistance(source="recorded")
    if use_ort and ort.available():
        outputs = compiled.imported.graph.outputs
        samples = ort.with_outputs(compiled.imported.path, outputs, samples)
    found = any(s.outputs for s in samples)
    return samples, OnnxDistance(source="onnxruntime" if found else None)


def distance_to_onnx(compiled: Compiled, samples: Sequence[Sample]) -> OnnxDistance:
    """The distance of the reference's outputs, which are the C's, without building any C."""
    samples, distance = with_onnx_outputs(compiled, samples)
    if distance.source is not None:
        for sample in samples:
            feeds = sample_feeds(compiled, sample)
            distance.add(compiled, reference.run(compiled.program, feeds), sample)
    return distance


def sample_feeds(compiled: Compiled, sample: Sample) -> dict[str, Array]:
    """The lowered graph's inputs; what lies behind them is computed only where it is needed."""
    graph = compiled.graph
    found = {n: onnx_value(graph[n], sample.inputs) for n in graph.inputs}
    direct = {n: v for n, v in found.items() if v is not None}
    if len(direct) == len(found):
        return direct
    return lowered_inputs(compiled, semantics.run(compiled.imported.graph, sample.inputs))


def lowered_inputs(compiled: Compiled, onnx_values: Mapping[str, Array]) -> dict[str, Array]:
    """The lowered graph's inputs (int8, channels last ...) from the ONNX graph's values."""
    feeds = {}
    for name in compiled.graph.inputs:
        value = onnx_value(compiled.graph[name], onnx_values)
        assert value is not None, name
        feeds[name] = value
    return feeds


def _as_lowered(tensor: Tensor, name: str, value: Array | None) -> Array | None:
    """An output of ONNX as the lowered graph gives it: channels last, say, or quantized.

    Where the conversion to floats was stripped from it, the tensor is that of the integers.
    """
    if value is None:
        return None
    stripped = value.dtype.kind == "f" and tensor.quant is not None and tensor.dtype.is_integer
    source = tensor.source if tensor.source and (stripped or tensor.source.name == name) else None
    perm = source.perm if source else None
    turned = value if perm is None or len(perm) != value.ndim else value.transpose(perm)
    return quantized(turned, tensor.quant, tensor.dtype) if stripped and tensor.quant else turned


def _add_distance(entry: OutputDistance, got: Array, wanted: Array) -> None:
    entry.elements += wanted.size
    if not wanted.size:
        return
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    difference = _difference(got, wanted, same)
    entry.max_abs = max(entry.max_abs, float(difference.max()))
    magnitudes = np.abs(wanted.astype(np.float64))
    top = float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))
    if top > 0:
        entry.max_relative = max(entry.max_relative, entry.max_abs / top)
    entry.differing += int(np.count_nonzero(~same))
    if wanted.dtype.kind == "f":
        entry.worst_float = max(entry.worst_float, float_distance(got, wanted))
    if wanted.dtype.kind in "iu":
        entry.max_lsb = max(entry.max_lsb or 0, int(difference.max()))
    if wanted.ndim and wanted.shape[-1] > 1:
        agree = got.argmax(axis=-1) == wanted.argmax(axis=-1)
        entry.rows += int(agree.size)
        entry.agreeing_rows += int(agree.sum())


def _difference(got: Array, wanted: Array, same: Array) -> Array:
    """|got - wanted| in float64; infinite where one is NaN or infinite alone."""
    with np.errstate(invalid="ignore"):
        difference = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))
