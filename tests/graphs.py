"""Small graphs for tests: built node by node, run node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, Graph, Node, QuantParams, Source, Tensor
from mcugen.ops.quantize_linear import DequantizeLinearAttrs, QuantizeLinearAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Site
from mcugen.passes import layout
from mcugen.verify import verify


class Builder:
    """Adds tensors and nodes; every method returns the name of the tensor it made."""

    def __init__(self, name: str = "g") -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.tensors: dict[str, Tensor] = {}
        self.inputs: list[str] = []

    def input(self, name: str, shape: Sequence[int], dtype: DType = DType.FLOAT32) -> str:
        self.tensors[name] = Tensor(name, tuple(shape), dtype, source=Source(name))
        self.inputs.append(name)
        return name

    def const(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        array = np.asarray(value, dtype)
        self.tensors[name] = Tensor(name, array.shape, DType.of(array), data=array)
        return name

    def node(self, op: str, inputs: Sequence[str], attrs: Any, out: str) -> str:
        tensors = [self.tensors[i] if i else None for i in inputs]
        (kind,) = specs()[op].infer(attrs, tensors)
        self.tensors[out] = Tensor(out, kind.shape, kind.dtype, source=Source(out))
        self.nodes.append(Node(op, f"/{out}", tuple(inputs), (out,), attrs, (f"/{out}",)))
        return out

    def quantize(
        self, x: str, out: str, scale: float, zero_point: int = 0, dtype: DType = DType.INT8
    ) -> str:
        """QuantizeLinear, per tensor."""
        params = self._params(out, scale, zero_point, dtype)
        return self.node("QuantizeLinear", (x, *params), QuantizeLinearAttrs(dtype), out)

    def dequantize(self, x: str, out: str, scale: Any, zero_point: Any = 0, axis: int = 0) -> str:
        """DequantizeLinear, per tensor or per axis."""
        params = self._params(out, scale, zero_point, self.tensors[x].dtype)
        return self.node("DequantizeLinear", (x, *params), DequantizeLinearAttrs(axis), out)

    def _params(self, out: str, scale: Any, zero_point: Any, dtype: DType) -> tuple[str, str]:
        zeros = np.broadcast_to(zero_point, np.shape(scale))
        return self.const(f"{out}_s", scale), self.const(f"{out}_z", zeros, dtype.np)

    def with_quant(self, name: str, quant: QuantParams) -> str:
        self.tensors[name] = self.tensors[name].replace(quant=quant)
        return name

    def graph(self, *outputs: str) -> Graph:
        graph = Graph(self.name, tuple(self.nodes), self.tensors, tuple(self.inputs), outputs)
        graph = graph.rebuild(graph.nodes)
        verify(graph, "the test")
        return graph


def body(graph: Graph) -> list[str]:
    """One line per node, without types."""
    return [node.to_text() for node in graph.nodes]


def ops(graph: Graph) -> list[str]:
    """The operators in order."""
    return [node.op for node in graph.nodes]


def random_inputs(graph: Graph, seed: int = 0) -> dict[str, Array]:
    """Seeded values for every input."""
    rng = np.random.default_rng(seed)
    return {name: random_array(rng, graph[name]) for name in graph.inputs}


def random_array(rng: np.random.Generator, tensor: Tensor) -> Array:
    if tensor.dtype.is_float:
        return (rng.standard_normal(tensor.shape) * 2).astype(tensor.dtype.np)
    if tensor.dtype is DType.BOOL:
        return rng.integers(0, 2, tensor.shape).astype(bool)
    info = np.iinfo(tensor.dtype.np)
    return rng.integers(info.min, info.max, tensor.shape, tensor.dtype.np, endpoint=True)


def run(
    graph: Graph, inputs: Mapping[str, Array], arithmetic: Arithmetic = Arithmetic.ONNX
) -> dict[str, Array]:
    """Every tensor's value: ONNX semantics where an operator has them, else its reference."""
    values = {n: t.data for n, t in graph.tensors.items() if t.data is not None}
    values.update(inputs)
    for node in graph.nodes:
        results = _evaluate(graph, node, values, arithmetic)
        for name, result in zip(node.outputs, results, strict=True):
            tensor = graph[name]
            assert (result.shape, result.dtype) == (tensor.shape, tensor.dtype.np), node
            values[name] = result
    return values


def _evaluate(
    graph: Graph, node: Node, values: Mapping[str, Array], arithmetic: Arithmetic
) -> tuple[Array, ...]:
    spec = specs()[node.op]
    with np.errstate(all="ignore"):
        if spec.semantics is not None:
            return spec.semantics(node.attrs, [values[i] if i else None for i in node.inputs])
        assert spec.lower is not None and spec.reference is not None
        site = Site(node, graph.input_tensors(node), graph.output_tensors(node), arithmetic)
        lowered = spec.lower(site)
        return spec.reference(lowered.params, [values[i] for i in lowered.inputs])


def outputs(graph: Graph, seed: int = 0, arithmetic: Arithmetic = Arithmetic.ONNX) -> list[Array]:
    """The outputs for seeded inputs."""
    values = run(graph, random_inputs(graph, seed), arithmetic)
    return [values[name] for name in graph.outputs]


def _runnable(graph: Graph) -> Graph:
    """Integer convolutions have only a reference, and that is for channels last."""
    lowered = any(specs()[node.op].semantics is None for node in graph.nodes)
    return layout.run(graph) if lowered else graph


def assert_same(before: Graph, after: Graph, *, exact: bool = True, lsb: int = 0) -> None:
    """Both graphs give the same outputs for seeded inputs of the first one's interface.

    Args:
        before: the graph.
        after: the same after a pass.
        exact: bit for bit; otherwise floats within 1e-5 of their largest.
        lsb: by how much integers may differ.
    """
    verify(after, "the pass under test")
    before, after = _runnable(before), _runnable(after)
    for seed in range(3):
        inputs = random_inputs(before, seed)
        old, new = run(before, inputs), run(after, inputs)
        for a, b in zip(before.outputs, after.outputs, strict=True):
            x, y = old[a], new[b]
            assert x.shape == y.shape and x.dtype == y.dtype
            if x.dtype.kind != "f":
                assert np.abs(x.astype(np.int64) - y.astype(np.int64)).max(initial=0) <= lsb
            elif exact:
                assert np.array_equal(x, y, equal_nan=True)
                assert np.array_equal(np.signbit(x), np.signbit(y))
            else:
                bound = 1e-5 * max(1.0, float(np.abs(x).max(initial=0)))
                assert np.allclose(x, y, rtol=1e-5, atol=bound)
