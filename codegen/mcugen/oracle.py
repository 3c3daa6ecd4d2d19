"""Does the lowered program mean what the ONNX graph means? Node by node, on the graph's values.

The C equals the reference by construction of both from one Program; this is the check that the
Program itself is right, against the unoptimised graph run with ONNX semantics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mcugen import reference
from mcugen.errors import InternalError
from mcugen.ir import Array, DType, Graph, Node, Source, Tensor
from mcugen.ops.quantize_linear import quantized
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.program import Program, Step

FLOAT_RELATIVE = 1e-4
FLOAT_OF_MAX = 1e-5
SHARE = {Arithmetic.ONNX: 1e-5, Arithmetic.TFLITE: 5e-3}
"""Share of a node's integers that may differ from ONNX, by 1 at most. One element always may:
a share of a small tensor is no number of elements."""
_TIE_WIDTH = 1e-4
"""LSB: what float32 arithmetic blurs of an exact tie."""


@dataclass
class NodeDistance:
    """How far one node's output is from the ONNX graph's, over all samples."""

    node: str
    tensor: str
    is_float: bool
    elements: int = 0
    differing: int = 0
    ties: int = 0
    worst: float = 0.0
    blurred: int = 0

    def within(self, arithmetic: Arithmetic) -> bool:
        """Whether the node keeps its bound.

        Floats: `worst` is |d| / (1e-4 |y| + 1e-5 max|y|) and must be at most 1. Integers: 1 LSB,
        and no more than the share. For `tflite` the share does not count elements so near a
        rounding tie that its definition rounds them the other way: exact ties (away from zero,
        ONNX to even), and those within the op's `rounding_slack`, where rounding twice shows.
        For `onnx` it does not count those beside a tie, where the order of float32 sums and the
        rounding of a float bias to int32 decide; exact ties do count.
        """
        if self.is_float:
            return self.worst <= 1.0
        allowed = max(1, math.floor(SHARE[arithmetic] * self.elements))
        excused = self.ties if arithmetic is Arithmetic.TFLITE else self.blurred
        return self.worst <= 1.0 and self.differing - excused <= allowed


def onnx_value(tensor: Tensor, values: Mapping[str, Array]) -> Array | None:
    """The tensor's value by the ONNX graph; None when no ONNX tensor corresponds to it."""
    source = tensor.source
    if source is None or source.name not in values:
        return None
    value = _placed(values[source.name], source)
    if value.dtype.kind == "f" and tensor.quant is not None:
        value = quantized(value, tensor.quant, tensor.dtype)
    elif source.offset:
        value = (value.astype(np.int64) + source.offset).astype(tensor.dtype.np)
    if value.shape != tensor.shape or value.dtype != tensor.dtype.np:
        raise InternalError(
            f"{tensor.to_text()} claims to be ONNX tensor '{source.name}', "
            f"{value.dtype}{list(value.shape)}"
        )
    return np.ascontiguousarray(value).reshape(value.shape)


def _placed(value: Array, source: Source) -> Array:
    """The ONNX tensor's axes and channels as the lowered tensor has them."""
    turned = value if source.perm is None else value.transpose(source.perm)
    return turned if source.kept is None else turned[..., list(source.kept)]


def measure(
    program: Program,
    onnx_graph: Graph,
    onnx_values: Mapping[str, Array],
    found: dict[str, NodeDistance],
) -> None:
    """Add one sample's distances, node by node, to `found` (keyed by tensor).

    Args:
        program: the lowered model.
        onnx_graph: the imported graph.
        onnx_values: every tensor of the imported graph, run with ONNX semantics.
        found: grows; reuse it over samples.
    """
    graph = program.graph
    values: dict[str, Array] = {}
    for name in graph.inputs:
        value = onnx_value(graph[name], onnx_values)
        if value is None:
            raise InternalError(f"input {name} has no ONNX counterpart")
        values[name] = value
    for step in program.steps:
        for name, got in reference.run_step(program, step, values).items():
            wanted = onnx_value(graph[name], onnx_values)
            values[name] = got if wanted is None else wanted
            if wanted is not None:
                entry = found.setdefault(name, _empty(step, graph[name]))
                real = _unrounded(graph[name], onnx_graph, onnx_values)
                slack = specs()[step.node.op].rounding_slack(step.params)
                blur = _bias_blur(graph, step, graph[name], onnx_graph)
                compare(entry, got, wanted, real, slack, blur)


def _empty(step: Step, tensor: Tensor) -> NodeDistance:
    return NodeDistance(step.node.name, tensor.name, tensor.dtype.is_float)


def compare(
    entry: NodeDistance,
    got: Array,
    wanted: Array,
    unrounded: Array | None,
    slack: Array | float = 0.0,
    blur: Array | float = 0.0,
) -> None:
    """Add one sample of one tensor.

    Args:
        entry: grows.
        got: of the lowered node.
        wanted: of the ONNX graph.
        unrounded: what gave `wanted` when it was rounded, where that is known.
        slack: of the node's op, in units of the last place.
        blur: what rounding the node's constants may move, in the same units.
    """
    entry.elements += wanted.size
    if not wanted.size:
        return
    if entry.is_float:
        entry.worst = max(entry.worst, float_distance(got, wanted))
        entry.differing += int(np.count_nonzero(got != wanted))
        return
    distance = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    differs = distance > 0
    entry.worst = max(entry.worst, float(distance.max()))
    entry.differing += int(differs.sum())
    if unrounded is not None:
        from_tie = np.abs(unrounded - np.floor(unrounded) - 0.5)
        near = differs & (from_tie <= _TIE_WIDTH + blur)
        entry.ties += int((differs & (from_tie <= slack + _TIE_WIDTH + blur)).sum())
        entry.blurred += int((near & ((from_tie > 0) | (np.asarray(blur) > 0))).sum())


def _bias_blur(graph: Graph, step: Step, out: Tensor, onnx_graph: Graph) -> Array | float:
    """LSB of the output that rounding a float bias to int32 may move, per channel or for all.

    Half a unit of the sum; nothing when the bias is the ONNX graph's own int32 tensor.
    """
    constants = (graph[n] for n in step.node.inputs if n and graph[n].is_constant)
    made = [t for t in constants if t.dtype is DType.INT32 and t.name not in onnx_graph.tensors]
    if out.quant is None or not made or made[0].quant is None:
        return 0.0
    return np.asarray(0.5 * np.float64(made[0].quant.scale) / np.float64(out.quant.scale))


def float_distance(got: Array, wanted: Array) -> float:
    """Largest |d| / (1e-4 |y| + 1e-5 max|y|); infinite where one is NaN or infinite alone."""
    got64, wanted64 = got.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(wanted64)
    same = (got64 == wanted64) | (np.isnan(got64) & np.isnan(wanted64))
    if bool(np.any(~same & ~(finite & np.isfinite(got64)))):
        return math.inf
    if not bool(np.any(~same)):
        return 0.0
    top = float(np.max(np.abs(wanted64[finite])))
    allowed = FLOAT_RELATIVE * np.abs(wanted64) + FLOAT_OF_MAX * top
    beyond = ~same
    with np.errstate(divide="ignore"):  # all of `wanted` is 0: nothing else is near it
        return float(np.max(np.abs(got64 - wanted64)[beyond] / allowed[beyond]))


def _unrounded(tensor: Tensor, onnx_graph: Graph, onnx_values: Mapping[str, Array]) -> Array | None:
    """What was rounded to give this, in units of the last place; None when that is not known.

    It is the ONNX tensor itself where that is float, and these are integers in its place.
    """
    source = tensor.source
    if source is None or tensor.quant is None or not tensor.quant.per_tensor:
        return None
    real = onnx_values.get(source.name)
    if real is None or real.dtype.kind != "f":
        producer = onnx_graph.producer(source.name)
        if producer is None or producer.op != "QuantizeLinear":
            return None
        real = onnx_values.get(_first_rounding(onnx_graph, producer).inputs[0])
    if real is None:
        return None
    return _placed(real, source).astype(np.float64) / float(tensor.quant.scale)


def _first_rounding(graph: Graph, quantize: Node) -> Node:
    """The QuantizeLinear that rounded what `quantize` writes.

    Another one when only a clamp lies between the two and both have one scale: `quantize` then
    finds integers already, and they show no tie.
    """
    before = graph.producer(quantize.inputs[0])
    while before is not None and before.op in ("Relu", "Clip"):
        before = graph.producer(before.inputs[0])
    if before is None or before.op != "DequantizeLinear":
        return quantize
    first = graph.producer(before.inputs[0])
    if first is None or first.op != "QuantizeLinear":
        return quantize
    scales = [graph[n.inputs[1]].data for n in (first, before, quantize)]
    known = [s for s in scales if s is not None]
    same = len(known) == len(scales) and all(np.array_equal(s, known[0]) for s in known)
    return _first_rounding(graph, first) if same else quantize
