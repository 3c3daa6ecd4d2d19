"""Flattened channels-last tensors in front of fully connected layers.

Transpose [N, H, W, C -> C, H, W] -> Reshape [N, K] -> FullyConnected(w)
    becomes   Reshape [N, K] -> FullyConnected(w[:, columns])

also with elementwise operators between the Reshape and the FullyConnected. Refused when anybody
else reads the flattened tensor: then its columns must be in the model's order.
"""

from __future__ import annotations

from mcugen.ir import Array, Graph, Node, Tensor
from mcugen.passes.permutations import flattened_columns, is_identity
from mcugen.passes.relayout import Relayout
from mcugen.passes.roles import data_inputs, is_elementwise

_FULLY_CONNECTED = ("FullyConnected", "QFullyConnected")


class Columns:
    """Remembers, for tensors of the old graph, which old column each new column is."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._of: dict[str, Array] = {}
        self._made: dict[tuple[str, bytes], str] = {}

    def take(self, build: Relayout, node: Node) -> bool:
        """Rewrite a node that makes, passes on or absorbs an order of columns."""
        if node.op == "Reshape":
            return self._flatten(build, node)
        columns = self._of.get(node.inputs[0]) if node.inputs else None
        if columns is None:
            return False
        if node.op in _FULLY_CONNECTED:
            self._absorb(build, node, columns)
        else:
            self._pass_on(build, node, self._inputs(build, node), columns)
        return True

    def _flatten(self, build: Relayout, node: Node) -> bool:
        """A Reshape that mixes permuted axes, read by fully connected layers only."""
        view = build.view(node.inputs[0])
        out = node.outputs[0]
        if is_identity(view.perm) or not self._absorbed(out):
            return False
        shape = build.tensors[view.tensor].shape
        columns = flattened_columns(shape, view.perm, self._graph[out].shape)
        if columns is None:
            return False
        self._pass_on(build, node, (view.tensor,), columns)
        return True

    def _absorbed(self, name: str) -> bool:
        """Whether every reader is a layer with constant weights, elementwise operators apart."""
        readers = self._graph.consumers(name)
        return (
            name not in self._graph.outputs
            and bool(readers)
            and all(self._absorbs(reader, name) for reader in readers)
        )

    def _absorbs(self, node: Node, name: str) -> bool:
        if node.inputs[0] != name:
            return False
        if node.op in _FULLY_CONNECTED:
            return name not in node.inputs[1:] and self._weight(node) is not None
        others = [self._graph[i].size for i in node.inputs[1:] if i]
        return (
            is_elementwise(node)
            and data_inputs(node)[:1] == (0,)
            and all(size == 1 for size in others)
            and self._absorbed(node.outputs[0])
        )

    def _weight(self, node: Node) -> Tensor | None:
        """The constant [N, K] behind the layer's weight, perhaps behind a DequantizeLinear.

        None when it is computed, or when its columns have scales of their own.
        """
        tensor = self._graph[node.inputs[1]]
        producer = self._graph.producer(tensor.name)
        if producer is not None and producer.op == "DequantizeLinear":
            per_column = self._graph[producer.inputs[1]].size > 1 and producer.attrs.axis % 2 == 1
            tensor = self._graph[producer.inputs[0]]
            return tensor if tensor.is_constant and not per_column else None
        return tensor if tensor.is_constant else None

    def _pass_on(
        self, build: Relayout, node: Node, inputs: tuple[str, ...], columns: Array
    ) -> None:
        """Rewrite a node whose output has the columns in the new order."""
        self._of[node.outputs[0]] = columns
        build.rewrite(node, inputs, node.attrs)
        build.forget_source(node.outputs[0])

    def _inputs(self, build: Relayout, node: Node) -> tuple[str, ...]:
        held = build.view(node.inputs[0]).tensor
        return (held, *(build.logical(i, node) for i in node.inputs[1:]))

    def _absorb(self, build: Relayout, node: Node, columns: Array) -> None:
        """Reorder the weight's columns."""
        data, _, *bias = self._inputs(build, node)
        weight = self._reordered(build, node.inputs[1], columns)
        build.rewrite(node, (data, weight, *bias), node.attrs)

    def _reordered(self, build: Relayout, name: str, columns: Array) -> str:
        """The [N, K] tensor w[:, columns], through DequantizeLinear; made once."""
        key = (name, columns.tobytes())
        if key not in self._made:
            tensor, producer = self._graph[name], self._graph.producer(name)
            data = None if tensor.data is None else tensor.data[:, columns]
            changed = tensor.replace(data=data, source=None)
            self._made[key] = build.add_tensor(changed, "__columns")
            if producer is not None:
                inputs = (self._reordered(build, producer.inputs[0], columns), *producer.inputs[1:])
                build.add_node(producer.op, inputs, producer.attrs, self._made[key], producer)
        return self._made[key]
