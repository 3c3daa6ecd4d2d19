"""Random int8 graphs as lowering sees them: channels last, quantized, of the weighted operators.

Shapes, windows, groups and zero points are drawn by Hypothesis, so that they shrink; weights and
inputs come from a drawn seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mcugen.ir import Array, DType, Graph, Node, QuantParams, Source, Tensor
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.conv_transpose_geometry import transposed_shape
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qconv import QConvAttrs
from mcugen.ops.qconv_transpose import QConvTransposeAttrs
from mcugen.ops.qelementwise import QElementwiseAttrs
from mcugen.ops.qmatmul_rules import QFullyConnectedAttrs, QMatMulAttrs
from mcugen.ops.qpool import QPoolAttrs
from mcugen.ops.qsoftmax import QSoftmaxAttrs
from mcugen.ops.registry import specs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import Reject
from mcugen.ops.transpose import TransposeAttrs
from opcase import q, q_axis

MAX_ELEMS = 4096
"""Of one activation: the reference and the compiler stay quick."""


@dataclass
class RandomGraph:
    """A graph that grows by one node at a time from its last tensor."""

    draw: Any
    rng: np.random.Generator
    nodes: list[Node] = field(default_factory=list)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    last: str = "x"

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def pair(self, low: int, high: int) -> tuple[int, int]:
        return self.integer(low, high), self.integer(low, high)

    def pads(self, window: tuple[int, int]) -> tuple[int, int, int, int]:
        """Fewer than the window has taps, so that each window can touch the input."""
        height, width = (self.draw(st.lists(st.integers(0, k - 1), min_size=2, max_size=2))
                         for k in window)  # fmt: skip
        return (height[0], width[0], height[1], width[1])

    def activation_range(self) -> tuple[int, int]:
        low, high = sorted(self.pair(-128, 127))
        return self.draw(st.sampled_from([(-128, 127), (low, high)]))

    def quantized(self, scale: float) -> QuantParams:
        return q(scale, self.integer(-128, 127))

    @property
    def tensor(self) -> Tensor:
        return self.tensors[self.last]

    @property
    def scale(self) -> float:
        quant = self.tensor.quant
        assert quant is not None
        return float(quant.scale)

    def constant(self, name: str, data: Array, quant: QuantParams) -> str:
        self.tensors[name] = Tensor(name, data.shape, DType.of(data), quant, data, Source(name))
        return name

    def add(self, op: str, attrs: Any, inputs: tuple[str, ...], quant: QuantParams) -> bool:
        """Add the node; False when its shapes do not work or grow too large."""
        try:
            (kind,) = specs()[op].infer(attrs, tuple(self.tensors[i] for i in inputs))
        except Reject:
            return False
        if not 0 < int(np.prod(kind.shape)) <= MAX_ELEMS:
            return False
        name = f"t{len(self.nodes)}"
        self.tensors[name] = Tensor(name, kind.shape, kind.dtype, quant, None, Source(name))
        self.nodes.append(Node(op, f"/{name}", inputs, (name,), attrs, (f"/{name}",)))
        self.last = name
        return True

    def weights(self, shape: tuple[int, ...], axis: int, depth: int) -> tuple[str, str, float]:
        """(weights, bias, an output scale at which sums over `depth` terms do not saturate)."""
        count = shape[axis]
        scales = self.rng.uniform(0.002, 0.02, count)
        per_tensor = bool(self.draw(st.booleans()))
        quant = q(float(scales[0])) if per_tensor else q_axis(scales, axis)
        prefix = f"p{len(self.nodes)}"
        data = self.rng.integers(-127, 128, shape).astype(np.int8)
        w = self.constant(f"{prefix}_w", data, quant)
        bias = self.rng.integers(-2000, 2000, count).astype(np.int32)
        b = self.constant(f"{prefix}_b", bias, q(self.scale * float(scales[0])))
        return w, b, self.scale * float(scales.max()) * float(np.sqrt(depth)) * 60.0

    def graph(self) -> Graph:
        graph = Graph("random", tuple(self.nodes), self.tensors, ("x",), (self.last,))
        return graph.rebuild(graph.nodes)


def _conv(g: RandomGraph) -> bool:
    channels = g.tensor.shape[-1]
    groups = g.draw(st.sampled_from([d for d in range(1, channels + 1) if channels % d == 0]))
    window = g.pair(1, 4)
    shape = (groups * g.integer(1, 3), channels // groups, *window)
    w, b, scale = g.weights(shape, 0, int(np.prod(shape[1:])))
    attrs = QConvAttrs(
        g.pair(1, 3), g.pads(window), g.pair(1, 2), groups, DType.INT8, *g.activation_range(), True
    )
    return g.add("QConv", attrs, (g.last, w, b), g.quantized(scale))


def _conv_transpose(g: RandomGraph) -> bool:
    channels, window = g.tensor.shape[-1], g.pair(1, 4)
    w, b, scale = g.weights((channels, g.integer(1, 4), *window), 1, channels)
    attrs = QConvTransposeAttrs(
        g.pair(1, 3), g.pads(window), (1, 1), 1, (0, 0), DType.INT8, *g.activation_range(), True
    )
    try:
        transposed_shape(attrs, (g.tensor, g.tensors[w], g.tensors[b]))
    except Reject:
        return False
    return g.add("QConvTranspose", attrs, (g.last, w, b), g.quantized(scale))


def _fully_connected(g: RandomGraph) -> bool:
    inner = int(np.prod(g.tensor.shape[1:]))
    flat = ReshapeAttrs((g.tensor.shape[0], inner))
    quant = g.tensor.quant
    assert quant is not None
    w, b, scale = g.weights((g.integer(1, 12), inner), 0, inner)
    attrs = QFullyConnectedAttrs(DType.INT8, *g.activation_range())
    if not g.add("Reshape", flat, (g.last,), quant):
        return False
    return g.add("QFullyConnected", attrs, (g.last, w, b), g.quantized(scale))


def _average(g: RandomGraph) -> bool:
    window = g.pair(1, 4)
    attrs = QPoolAttrs(
        window, g.pair(1, 3), g.pads(window), (1, 1), bool(g.draw(st.booleans())), False,
        DType.INT8, *g.activation_range(), True,
    )  # fmt: skip
    quant = g.tensor.quant
    assert quant is not None
    return g.add("QAveragePool", attrs, (g.last,), quant)


def _max(g: RandomGraph) -> bool:
    window = g.pair(1, 4)
    attrs = PoolAttrs(window, g.pair(1, 3), g.pads(window), g.pair(1, 2), channels_last=True)
    quant = g.tensor.quant
    assert quant is not None
    return g.add("MaxPool", attrs, (g.last,), quant)


def _binary(g: RandomGraph) -> bool:
    op = g.draw(st.sampled_from(["QAdd", "QMul"]))
    same = [n for n, t in g.tensors.items() if t.shape == g.tensor.shape and not t.is_constant]
    other = g.draw(st.sampled_from(same))
    factor = 1.5 if op == "QAdd" else 60 * g.scale
    attrs = QElementwiseAttrs(DType.INT8, *g.activation_range())
    return g.add(op, attrs, (g.last, other), g.quantized(g.scale * factor))


def _softmax(g: RandomGraph) -> bool:
    attrs = QSoftmaxAttrs(g.tensor.rank - 1, DType.INT8)
    return g.add("QSoftmax", attrs, (g.last,), q(1 / 256, -128))


def _kept(g: RandomGraph, op: str, attrs: Any, inputs: tuple[str, ...]) -> bool:
    """A node that keeps the quantization of its input."""
    quant = g.tensor.quant
    assert quant is not None
    return g.add(op, attrs, inputs, quant)


def _pad(g: RandomGraph) -> bool:
    pads = tuple(g.draw(st.lists(st.integers(0, 2), min_size=8, max_size=8)))
    return _kept(g, "Pad", PadAttrs(pads, value=g.integer(-128, 127)), (g.last,))


def _transpose(g: RandomGraph) -> bool:
    perm = tuple(g.draw(st.permutations(range(4))))
    return _kept(g, "Transpose", TransposeAttrs(perm), (g.last,))


def _concat(g: RandomGraph) -> bool:
    axis = g.integer(0, 3)
    rest = g.tensor.shape[:axis] + g.tensor.shape[axis + 1 :]
    fitting = [
        n
        for n, t in g.tensors.items()
        if t.rank == 4 and not t.is_constant and t.shape[:axis] + t.shape[axis + 1 :] == rest
    ]
    other = g.draw(st.sampled_from(fitting))
    return _kept(g, "Concat", ConcatAttrs(axis), (g.last, other))


def _choice(g: RandomGraph) -> bool:
    same = [n for n, t in g.tensors.items() if t.shape == g.tensor.shape and not t.is_constant]
    op, other = g.draw(st.sampled_from(["Min", "Max"])), g.draw(st.sampled_from(same))
    return _kept(g, op, NoAttrs(), (g.last, other))


def _matmul(g: RandomGraph) -> bool:
    """The product of every [W, C] with its own transpose."""
    left, scale = g.last, g.scale
    if not _kept(g, "Transpose", TransposeAttrs((0, 1, 3, 2)), (left,)):
        return False
    attrs = QMatMulAttrs(DType.INT8, *g.activation_range())
    out = g.quantized(scale * scale * 60.0 * float(np.sqrt(g.tensor.shape[-2])))
    return g.add("QMatMul", attrs, (left, g.last), out)


_MOVING_OPS = (_pad, _transpose, _concat, _choice, _matmul)
_IMAGE_OPS = (_conv, _conv, _conv, _conv_transpose, _average, _max, _binary, _softmax, *_MOVING_OPS)
_FLAT_OPS = (_fully_connected, _binary, _softmax)


@st.composite
def int8_graphs(draw: Any) -> tuple[Graph, Array]:
    """A graph of 1 to 6 nodes and a value of its input."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    g = RandomGraph(draw, rng)
    shape = (g.integer(1, 2), g.integer(1, 9), g.integer(1, 9), g.integer(1, 12))
    g.tensors["x"] = Tensor("x", shape, DType.INT8, g.quantized(0.05), None, Source("x"))
    for _ in range(g.integer(1, 5)):
        g.draw(st.sampled_from(_IMAGE_OPS))(g)
    if draw(st.booleans()):
        for step in draw(st.lists(st.sampled_from(_FLAT_OPS), min_size=1, max_size=2)):
            step(g)
    if not g.nodes:
        _softmax(g)
    return g.graph(), rng.integers(-128, 128, shape).astype(np.int8)
