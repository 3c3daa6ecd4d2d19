"""y = Op(x), nobody reads y  ->  nothing.

Node names and graph inputs stay: an input that nothing reads is still part of the interface.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node


def run(graph: Graph) -> Graph:
    """The graph without nodes and tensors that no graph output depends on."""
    needed = set(graph.outputs)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs):
            kept.append(node)
            needed.update(i for i in node.inputs if i)
    if len(kept) == len(graph.nodes):
        return graph
    return graph.rebuild(reversed(kept))
