"""Transposes of images at the graph's border, left to the caller.

x [N, C, H, W] -> ... -> Transpose -> [N, H, W, C]   becomes   x [N, H, W, C] -> ...
[N, H, W, C] -> Transpose -> y [N, C, H, W]          becomes   y [N, H, W, C]

The caller hands over and gets images channels last. `Tensor.source` says how the tensor relates to
the model's. What lies between the border and the Transpose changes its order too (a QuantizeLinear,
the mean and deviation of the colours, a DequantizeLinear). Refused: an input or output with which
no fewer bytes would have to be transposed.
"""

from __future__ import annotations

from mcugen.ir import Graph
from mcugen.passes import identities, layout
from mcugen.passes.permutations import channels_last


def run(graph: Graph) -> Graph:
    """The graph whose images are channels last at its border too."""
    for name in graph.inputs:
        if graph[name].rank >= 3 and name not in graph.outputs:
            graph = _better(graph, layout.run(graph, {name: channels_last(graph[name].rank)}))
    images = [n for n in dict.fromkeys(graph.outputs) if _may_turn(graph, n)]
    together = _turned(graph, images)
    for name in images:
        graph = _turned(graph, [name])
    return min(graph, together, key=_rearranged)


def _may_turn(graph: Graph, output: str) -> bool:
    return graph[output].rank >= 3 and graph.producer(output) is not None


def _turned(graph: Graph, outputs: list[str]) -> Graph:
    """With these outputs channels last where that is better; one Transpose may serve several."""
    perms = {name: channels_last(graph[name].rank) for name in outputs}
    return _better(graph, layout.run(graph, outputs=perms)) if outputs else graph


def _better(graph: Graph, turned: Graph) -> Graph:
    return min(graph, identities.run(turned), key=_rearranged)


def _rearranged(graph: Graph) -> tuple[int, int]:
    """(bytes that Transposes move, Transposes and Reshapes)."""
    nodes = [node for node in graph.nodes if node.op in ("Transpose", "Reshape")]
    moved = [graph[n.outputs[0]].nbytes for n in nodes if n.op == "Transpose"]
    return sum(moved), len(nodes)
