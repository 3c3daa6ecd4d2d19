"""Transposes of images at the graph's border, left to the caller.

x [N, C, H, W] -> ... -> Transpose -> [N, H, W, C]   becomes   x [N, H, W, C] -> ...
[N, H, W, C] -> Transpose -> y [N, C, H, W]          becomes   y [N, H, W, C]

The caller hands over and gets images channels last. `Tensor.source` says how the tensor relates to
the model's. What lies between the input and the Transpose changes its order too (a QuantizeLinear,
the mean and deviation of the colours). Refused: an input with which more bytes would have to be
transposed than without, an output that others read.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes import identities, layout
from mcugen.passes.edit import Editor
from mcugen.passes.permutations import channels_last, inverse, keeps_memory, permuted
from mcugen.passes.relayout import reordered


def run(graph: Graph) -> Graph:
    """The graph whose images are channels last at its border too."""
    for name in graph.inputs:
        if graph[name].rank >= 3 and name not in graph.outputs:
            given = layout.run(graph, {name: channels_last(graph[name].rank)})
            graph = min(graph, identities.run(given), key=_rearranged)
    ed = Editor(graph)
    for name in graph.outputs:
        _strip_output(ed, name)
    return ed.finish()


def _rearranged(graph: Graph) -> tuple[int, int]:
    """(bytes that Transposes move, Transposes and Reshapes)."""
    nodes = [node for node in graph.nodes if node.op in ("Transpose", "Reshape")]
    moved = [graph[n.outputs[0]].nbytes for n in nodes if n.op == "Transpose"]
    return sum(moved), len(nodes)


def _strip_output(ed: Editor, name: str) -> None:
    tensor, node = ed.tensor(name), ed.producer(name)
    if node is None or tensor.rank < 3 or ed.consumers(name):
        return
    perm = channels_last(tensor.rank)
    held = node.inputs[0]
    if ed.producer(held) is None or held in ed.outputs:
        return
    if _moves(ed, node, inverse(perm), tensor.shape):
        ed.set_tensor(reordered(tensor, perm))
        ed.bypass(node, held)


def _moves(ed: Editor, node: Node, perm: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether the node is that Transpose, or the Reshape that stands for it."""
    if node.op == "Transpose":
        return bool(node.attrs.perm == perm)
    before = ed.tensor(node.inputs[0]).shape
    if node.op != "Reshape" or len(before) != len(perm) or not keeps_memory(before, perm):
        return False
    return bool(permuted(before, perm) == wanted == node.attrs.shape)
