"""The graph that the layout pass builds: old tensors as permuted views of new ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from mcugen.ir import Graph, Node, Source, Tensor
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.passes.edit import made_name
from mcugen.passes.permutations import (
    Perm,
    compose,
    identity,
    inverse,
    is_identity,
    keeps_memory,
    permuted,
)


@dataclass(frozen=True)
class View:
    """A tensor of the old graph: it equals transpose(new tensor, perm)."""

    tensor: str
    perm: Perm


class Relayout:
    """Builds the new graph node by node, in the old graph's order.

    A Transpose costs nothing until somebody needs the tensor in an order that no view gives.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Mapping[str, Perm] | None = None,
        outputs: Mapping[str, Perm] | None = None,
    ) -> None:
        """Begin with the inputs as they are, but those of `inputs` transposed by the caller.

        Those of `outputs` the caller takes transposed.
        """
        self.graph = graph
        self._taken = outputs or {}
        self.nodes: list[Node] = []
        self.tensors: dict[str, Tensor] = {}
        self._views: dict[str, View] = {}
        self._turned = bool(inputs or outputs)
        self._node_names = {node.name for node in graph.nodes}
        self._made: dict[tuple[str, Perm], str] = {}
        self._wide: dict[tuple[str, int], str] = {}
        for name, tensor in graph.tensors.items():
            if tensor.is_constant or name in graph.inputs:
                self.tensors[name] = tensor
                self._views[name] = View(name, identity(tensor.rank))
        for name, perm in (inputs or {}).items():
            self.tensors[name] = reordered(graph[name], perm)
            self._views[name] = View(name, inverse(perm))

    def view(self, name: str) -> View:
        """How the new graph holds tensor `name` of the old one."""
        return self._views[name]

    def set_view(self, name: str, view: View) -> None:
        """Say that old tensor `name` is this view."""
        self._views[name] = view

    def taken(self, name: str) -> Perm:
        """The order in which the caller takes a graph output; for others the old graph's."""
        return self._taken.get(name, identity(self.graph[name].rank))

    def cost(self, tensor: str, perm: Perm) -> int:
        """Bytes to be moved for transpose(new tensor, perm): none when they are there already."""
        held = self.tensors[tensor]
        free = held.is_constant or (tensor, perm) in self._made or keeps_memory(held.shape, perm)
        return 0 if free else held.nbytes

    def logical(self, name: str, near: Node) -> str:
        """The new tensor that equals old tensor `name`, made when there is none yet."""
        return self.ordered(name, identity(self.graph[name].rank), near) if name else ""

    def ordered(self, name: str, perm: Perm, near: Node) -> str:
        """The new tensor that equals transpose(old tensor `name`, perm)."""
        view, like = self._views[name], reordered(self.graph[name], perm)
        tail = self._tail(name, perm)
        return self._made_as(view.tensor, compose(view.perm, perm), like, tail, near)

    def _tail(self, name: str, perm: Perm) -> str:
        """What names transpose(old tensor `name`, perm): its own name is kept for one order."""
        if name in self._taken:
            return "" if perm == self._taken[name] else f"__{digits(perm)}"
        return suffix(perm)

    def widened(self, name: str, perm: Perm, near: Node) -> str:
        """As `ordered`, after axes of size 1 in front have brought the rank to that of `perm`."""
        held = self.logical(name, near)
        wide = with_leading_ones(self.graph[name], len(perm))
        base = self._wide.get((held, wide.rank))
        if base is None:
            base = self._wide[held, wide.rank] = self.add_tensor(wide, f"__r{wide.rank}")
            if wide.data is None:
                self.add_node("Reshape", (held,), ReshapeAttrs(wide.shape), base, near)
        return self._made_as(base, perm, reordered(wide, perm), suffix(perm), near)

    def _made_as(self, tensor: str, perm: Perm, like: Tensor, tail: str, near: Node) -> str:
        """transpose(tensor, perm): a constant, a Reshape when no byte moves, or a Transpose."""
        if is_identity(perm):
            return tensor
        if (tensor, perm) not in self._made:
            source = self.tensors[tensor]
            data = None if source.data is None else source.data.transpose(perm)
            out = self._made[tensor, perm] = self.add_tensor(like.replace(data=data), tail)
            if data is None and keeps_memory(source.shape, perm):
                self.add_node("Reshape", (tensor,), ReshapeAttrs(like.shape), out, near)
            elif data is None:
                self.add_node("Transpose", (tensor,), TransposeAttrs(perm), out, near)
        return self._made[tensor, perm]

    def add_tensor(self, tensor: Tensor, tail: str = "") -> str:
        """Add a tensor under its name and `tail`; returns the name, which no other tensor has."""
        base = name = tensor.name + tail
        count = 2
        while name in self.tensors or (name in self.graph.tensors and name != tensor.name):
            name, count = f"{base}__{count}", count + 1
        self.tensors[name] = tensor.replace(name=name)
        return name

    def add_node(self, op: str, inputs: Sequence[str], attrs: Any, out: str, near: Node) -> None:
        """Add a node that serves `near`."""
        name = made_name(near, "layout", self._node_names)
        self._node_names.add(name)
        self.nodes.append(Node(op, name, tuple(inputs), (out,), attrs, near.origin, made=True))

    def keep(self, node: Node) -> None:
        """Take a node over as it is, on tensors in the old order."""
        self.rewrite(node, tuple(self.logical(i, node) for i in node.inputs), node.attrs)

    def rewrite(
        self, node: Node, inputs: tuple[str, ...], attrs: Any, perm: Perm | None = None
    ) -> None:
        """Take a node over so that it gives transpose(old output, perm) for every output."""
        outputs = []
        for name in node.outputs:
            tensor = self.graph[name]
            order = identity(tensor.rank) if perm is None else perm
            tail = self._tail(name, order) if name in self.graph.outputs else ""
            new = self.add_tensor(reordered(tensor, order), tail)
            self._views[name] = View(new, inverse(order))
            outputs.append(new)
        same = inputs == node.inputs and tuple(outputs) == node.outputs and attrs is node.attrs
        changed = node.replace(inputs=inputs, outputs=tuple(outputs), attrs=attrs)
        self.nodes.append(node if same else changed)

    def forget_source(self, name: str) -> None:
        """Say that what stands for old tensor `name` has no ONNX tensor's values any more."""
        held = self._views[name].tensor
        self.tensors[held] = self.tensors[held].replace(source=None)

    def finish(self) -> Graph:
        """The new graph: outputs under their names, in the order in which they are taken."""
        for name in dict.fromkeys(self.graph.outputs):
            self._give_output(name)
        before = self.graph.nodes
        same = len(self.nodes) == len(before) and all(map(is_, self.nodes, before))
        if same and not self._turned:
            return self.graph
        return self.graph.rebuild(self.nodes, self.tensors)

    def _give_output(self, name: str) -> None:
        producer = self.graph.producer(name)
        if producer is None:
            return
        perm = self.taken(name)
        held = self.ordered(name, perm, producer)
        if held != name:
            self.tensors[name] = reordered(self.graph[name], perm)
            self.add_node("Identity", (held,), IdentityAttrs(), name, producer)


def reordered(tensor: Tensor, perm: Perm) -> Tensor:
    """The description of transpose(tensor, perm), without its value."""
    if is_identity(perm):
        return tensor.replace(data=None)
    source = tensor.source
    if source is not None:
        before = source.perm if source.perm is not None else identity(tensor.rank)
        source = Source(source.name, compose(before, perm), source.offset)
    quant = tensor.quant
    if quant is not None and quant.axis is not None:
        quant = dataclasses.replace(quant, axis=perm.index(quant.axis))
    return Tensor(tensor.name, permuted(tensor.shape, perm), tensor.dtype, quant, source=source)


def suffix(perm: Perm) -> str:
    """What distinguishes the name of a transposed tensor: nothing for the identity."""
    return "" if is_identity(perm) else f"__{digits(perm)}"


def digits(perm: Perm) -> str:
    """The axes in a row."""
    return "".join(map(str, perm))


def with_leading_ones(tensor: Tensor, rank: int) -> Tensor:
    """The tensor with axes of size 1 in front, up to `rank`."""
    added = rank - tensor.rank
    shape = (1,) * added + tensor.shape
    quant = tensor.quant
    if quant is not None and quant.axis is not None:
        quant = dataclasses.replace(quant, axis=quant.axis + added)
    data = None if tensor.data is None else tensor.data.reshape(shape)
    return Tensor(tensor.name, shape, tensor.dtype, quant, data, bits=tensor.bits)
