"""Which tensors are mere ranges of others: reshapes, contiguous slices and concatenations.

A view costs no copy and no memory. A tensor takes part in at most one relation: it is a range of
one other tensor, whose buffer it shares.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mcugen.ir import Graph, Node
from mcugen.ops.registry import specs
from mcugen.ops.spec import Site
from mcugen.program import Place


@dataclass
class _Relations:
    """child tensor -> (parent tensor, byte offset), grown node by node."""

    graph: Graph
    parents: dict[str, tuple[str, int]] = field(default_factory=dict)

    def root(self, tensor: str) -> Place:
        offset = 0
        while tensor in self.parents:
            tensor, step = self.parents[tensor]
            offset += step
        return Place(tensor, offset)

    def pinned(self, tensor: str) -> bool:
        """Whether the tensor's address is part of the interface."""
        return tensor in self.graph.inputs or tensor in self.graph.outputs


def find_views(graph: Graph) -> tuple[dict[str, Place], frozenset[str]]:
    """Places of all activations, and the names of the nodes that became views.

    Raises nothing: a node whose storage does not allow a view is simply not one.
    """
    relations = _Relations(graph)
    views = {node.name for node in graph.nodes if _try_outputs(relations, node)}
    views |= {
        node.name for node in graph.nodes if node.name not in views and _try_inputs(relations, node)
    }
    places = {n: relations.root(n) for n, t in graph.tensors.items() if not t.is_constant}
    return places, frozenset(views)


def _site(graph: Graph, node: Node) -> Site:
    return Site(node, graph.input_tensors(node), graph.output_tensors(node))


def _try_outputs(relations: _Relations, node: Node) -> bool:
    """Make every output a range of input 0 (Reshape, Slice and Split of the outermost axis)."""
    graph = relations.graph
    rule = specs()[node.op].output_offsets
    if rule is None or graph[node.inputs[0]].is_constant:
        return False
    offsets = rule(_site(graph, node))
    if offsets is None:
        return False
    if any(o in graph.outputs for o in node.outputs):
        return _try_whole_output(relations, node)
    itemsize = graph[node.inputs[0]].dtype.itemsize
    for output, offset in zip(node.outputs, offsets, strict=True):
        relations.parents[output] = (node.inputs[0], offset * itemsize)
    return True


def _try_whole_output(relations: _Relations, node: Node) -> bool:
    """Let the producer of a reshaped graph output write straight into that output's buffer."""
    source, output = node.inputs[0], node.outputs[0]
    graph, root = relations.graph, relations.root(source)
    whole = root.offset_bytes == 0 and graph[root.buffer].nbytes == graph[output].nbytes
    if len(node.outputs) != 1 or not whole or relations.pinned(root.buffer):
        return False
    relations.parents[root.buffer] = (output, 0)
    return True


def _try_inputs(relations: _Relations, node: Node) -> bool:
    """Make every input a range of output 0 (Concat of the outermost axis).

    An input qualifies when it owns its buffer (is the range of nothing yet), is not part of the
    interface, and stands once in the node's inputs.
    """
    graph = relations.graph
    rule = specs()[node.op].input_offsets
    if rule is None:
        return False
    offsets = rule(_site(graph, node))
    if offsets is None or len(set(node.inputs)) != len(node.inputs):
        return False
    roots = [relations.root(name) for name in node.inputs]
    if len({r.buffer for r in roots}) != len(roots):
        return False
    for name, root in zip(node.inputs, roots, strict=True):
        tensor = graph[name]
        whole = root.offset_bytes == 0 and graph[root.buffer].nbytes == tensor.nbytes
        if tensor.is_constant or not whole or relations.pinned(root.buffer):
            return False
    itemsize = graph[node.outputs[0]].dtype.itemsize
    for root, offset in zip(roots, offsets, strict=True):
        relations.parents[root.buffer] = (node.outputs[0], offset * itemsize)
    return True
