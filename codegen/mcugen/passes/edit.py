"""A working copy of a graph inside one pass: edits in any order, a valid order at the end."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from mcugen.errors import InternalError
from mcugen.ir import Array, DType, Graph, Node, QuantParams, Source, Tensor
from mcugen.ops.registry import specs


class Editor:
    """Nodes and tensors of one graph while a pass changes them.

    Nodes stay frozen: `replace` takes some out and puts others in. Between two edits every tensor
    has at most one writer. Nodes whose results nobody reads go at once, so reader counts never
    include dead code.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes: dict[str, Node] = {n.name: n for n in graph.nodes}
        self._rank: dict[str, float] = {n.name: float(i) for i, n in enumerate(graph.nodes)}
        self._tensors: dict[str, Tensor] = dict(graph.tensors)
        self._writer: dict[str, str] = {o: n.name for n in graph.nodes for o in n.outputs}
        self._readers: dict[str, dict[str, None]] = {}
        for node in graph.nodes:
            self._note_readers(node)
        self.inputs = graph.inputs
        self.outputs = graph.outputs
        self._changed = False

    def nodes(self) -> Iterator[Node]:
        """Each node once, as it is when its turn comes; nodes added meanwhile are not visited."""
        for name in list(self._nodes):
            node = self._nodes.get(name)
            if node is not None:
                yield node

    def alive(self, node: Node) -> bool:
        """Whether `node` is still in the graph, unchanged."""
        return self._nodes.get(node.name) is node

    def tensor(self, name: str) -> Tensor:
        """The tensor of this name."""
        return self._tensors[name]

    def node_inputs(self, node: Node) -> tuple[Tensor | None, ...]:
        """The node's inputs in order, None where an optional input is absent."""
        return tuple(self._tensors[i] if i else None for i in node.inputs)

    def value(self, name: str) -> Array | None:
        """The value of a constant; None for an activation and for the absent input ""."""
        return self._tensors[name].data if name else None

    def producer(self, name: str) -> Node | None:
        """The node that writes the tensor; None for inputs and constants."""
        writer = self._writer.get(name)
        return None if writer is None else self._nodes[writer]

    def consumers(self, name: str) -> list[Node]:
        """The nodes that read the tensor, each once."""
        return [self._nodes[reader] for reader in self._readers.get(name, ())]

    def sole_consumer(self, name: str) -> Node | None:
        """The only reader of the tensor, None when it has others or is a graph output."""
        readers = self._readers.get(name, {})
        if len(readers) != 1 or name in self.outputs:
            return None
        return self._nodes[next(iter(readers))]

    def fresh(self, base: str) -> str:
        """`base`, or `base__2`, ...: no name of a tensor or node."""
        name, count = base, 2
        while name in self._tensors or name in self._nodes:
            name, count = f"{base}__{count}", count + 1
        return name

    def add_tensor(self, tensor: Tensor) -> str:
        """Add a tensor under a fresh name made from its own; returns the name."""
        name = self.fresh(tensor.name)
        self._tensors[name] = tensor if name == tensor.name else tensor.replace(name=name)
        return name

    def constant(
        self,
        array: Array,
        hint: str,
        *,
        quant: QuantParams | None = None,
        source: Source | None = None,
        bits: int | None = None,
    ) -> str:
        """Add a constant tensor; returns its name."""
        return self.add_tensor(
            Tensor(hint, array.shape, DType.of(array), quant, array, source, bits)
        )

    def set_tensor(self, tensor: Tensor) -> None:
        """Replace the description of an existing tensor."""
        if tensor.name not in self._tensors:
            raise InternalError(f"no tensor '{tensor.name}' to replace")
        self._tensors[tensor.name] = tensor
        self._changed = True

    def set_interface(
        self, inputs: tuple[str, ...] | None = None, outputs: tuple[str, ...] | None = None
    ) -> None:
        """Replace the lists of graph inputs and outputs."""
        self.inputs = self.inputs if inputs is None else inputs
        self.outputs = self.outputs if outputs is None else outputs
        self._changed = True

    def emit(
        self,
        op: str,
        inputs: Sequence[str],
        attrs: Any,
        *,
        near: Node,
        hint: str = "",
        quant: QuantParams | None = None,
        source: Source | None = None,
        beside: bool = False,
    ) -> str:
        """Add a one-output node with an inferred new tensor; returns the tensor's name.

        `near` gives the place in the order, the origin, and the name when `hint` is empty;
        `beside` says that another node stands for it.
        """
        hint = hint or f"{near.outputs[0]}__{op.lower()}"
        tensors = tuple(self._tensors[i] if i else None for i in inputs)
        (kind,) = specs()[op].infer(attrs, tensors)
        out = self.add_tensor(Tensor(hint, kind.shape, kind.dtype, quant, source=source))
        name = made_name(near, op, self._nodes)
        node = Node(op, name, tuple(inputs), (out,), attrs, near.origin, beside)
        self.replace((), (node,), near=near)
        return out

    def replace(self, old: Iterable[Node], new: Iterable[Node], near: Node | None = None) -> None:
        """Take `old` out and put `new` in, at the place of `near` or of the last of `old`.

        Without either the place is the front. Producers that nobody needs any more go too.
        """
        old, new = tuple(old), tuple(new)
        anchor = near if near is not None or not old else old[-1]
        rank = self._rank[anchor.name] if anchor is not None else -1.0
        for node in old:
            self._forget(node)
        for node in new:
            if node.name in self._nodes or any(o in self._writer for o in node.outputs):
                raise InternalError(f"node '{node.name}' is in the graph already")
            self._nodes[node.name] = node
            self._rank[node.name] = rank
            self._writer.update((o, node.name) for o in node.outputs)
            self._note_readers(node)
        for node in old:
            for name in node.inputs:
                self._prune(name)
        self._changed = True

    def bypass(self, node: Node, value: str) -> bool:
        """Drop the one-output `node`, whose output equals tensor `value`.

        A graph output keeps its name, and an ONNX tensor that `value` is not: then the producer of
        `value` writes the output instead. Returns False, changing nothing, where a graph output
        cannot be (`value` is an input, a constant or another graph output) and where both are
        quantized in different ways.
        """
        (out,) = node.outputs
        kept, gone = self._tensors[out], self._tensors[value]
        if kept.quant and gone.quant and kept.quant != gone.quant:
            return False
        quant = kept.quant or gone.quant
        producer = self.producer(value)
        renames = producer is not None and value not in self.outputs
        own_name = gone.source is not None and gone.source.name == value
        if renames and (out in self.outputs or (kept.source and not own_name)):
            assert producer is not None
            self._tensors[out] = kept.replace(quant=quant)
            renamed = tuple(out if o == value else o for o in producer.outputs)
            self._forget(node)
            self._swap(producer, producer.replace(outputs=renamed))
            self.redirect(value, out)
        elif out in self.outputs:
            return False
        else:
            self._tensors[value] = gone.replace(quant=quant)
            self.redirect(out, value)
            self._forget(node)
        for name in node.inputs:
            self._prune(name)
        self._changed = True
        return True

    def redirect(self, old: str, new: str) -> None:
        """Make every node that reads tensor `old` read `new`."""
        for reader in self.consumers(old):
            inputs = tuple(new if i == old else i for i in reader.inputs)
            self._swap(reader, reader.replace(inputs=inputs))

    def finish(self) -> Graph:
        """The edited graph in a valid order; the same object when nothing changed."""
        if not self._changed:
            return self._graph
        return self._graph.rebuild(
            self._sorted(), self._tensors, inputs=self.inputs, outputs=self.outputs
        )

    def _note_readers(self, node: Node) -> None:
        for name in node.inputs:
            if name:
                self._readers.setdefault(name, {})[node.name] = None

    def _forget(self, node: Node) -> None:
        if not self.alive(node):
            raise InternalError(f"node '{node.name}' is not in the graph any more")
        del self._nodes[node.name]
        for name in node.outputs:
            del self._writer[name]
        for name in node.inputs:
            self._readers.get(name, {}).pop(node.name, None)

    def _swap(self, old: Node, new: Node) -> None:
        """Put `new` in the place of `old`, which has the same name."""
        for name in old.outputs:
            del self._writer[name]
        for name in old.inputs:
            self._readers.get(name, {}).pop(old.name, None)
        self._nodes[new.name] = new
        self._writer.update((o, new.name) for o in new.outputs)
        self._note_readers(new)
        self._changed = True

    def _prune(self, name: str) -> None:
        """Remove the producer of `name` when none of its outputs is read, and so on upwards."""
        pending = [name]
        while pending:
            node = self.producer(pending.pop())
            if node is None:
                continue
            if any(self._readers.get(o) or o in self.outputs for o in node.outputs):
                continue
            self._forget(node)
            pending.extend(i for i in node.inputs if i)

    def _sorted(self) -> list[Node]:
        """A topological order that keeps the ranks where the edges allow."""
        age = {name: index for index, name in enumerate(self._nodes)}
        waiting: dict[str, int] = {}
        ready: list[tuple[float, int, str]] = []
        for node in self._nodes.values():
            producers = {self._writer[i] for i in node.inputs if i in self._writer}
            waiting[node.name] = len(producers)
            if not producers:
                heapq.heappush(ready, (self._rank[node.name], age[node.name], node.name))
        order: list[Node] = []
        while ready:
            node = self._nodes[heapq.heappop(ready)[2]]
            order.append(node)
            for reader in dict.fromkeys(r for o in node.outputs for r in self._readers.get(o, ())):
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    heapq.heappush(ready, (self._rank[reader], age[reader], reader))
        if len(order) != len(self._nodes):
            raise InternalError("a pass made a cycle")
        return order


def repeat(ed: Editor, step: Callable[[Editor, Node], bool]) -> None:
    """Apply `step` to every node, again and again until it changes none."""
    changed = True
    while changed:
        changed = False
        for node in ed.nodes():
            changed |= step(ed, node)


def made_name(near: Node, what: str, taken: Container[str]) -> str:
    """`CONV (what)`, or `CONV (what 2)` and so on: the ONNX node that a new node serves, and how.

    Args:
        near: the node whose origin the new one has.
        what: operator or purpose.
        taken: names of nodes.
    """
    base, count = (near.origin or (near.name,))[0], 2
    name = f"{base} ({what})"
    while name in taken:
        name, count = f"{base} ({what} {count})", count + 1
    return name


def origins(*nodes: Node) -> tuple[str, ...]:
    """The ONNX nodes behind several nodes, each once, in order."""
    return tuple(dict.fromkeys(name for node in nodes for name in node.origin))


def evaluate(node: Node, arrays: Sequence[Array | None]) -> tuple[Array, ...] | None:
    """The node's outputs for constant inputs by its ONNX meaning; None where that is unknown."""
    semantics = specs()[node.op].semantics
    return None if semantics is None else semantics(node.attrs, arrays)
