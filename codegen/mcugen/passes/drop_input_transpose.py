"""Transposes of images at the graph's border, left to the caller.

x [N, C, H, W] -> Transpose -> [N, H, W, C]   becomes   x [N, H, W, C]
[N, H, W, C] -> Transpose -> y [N, C, H, W]   becomes   y [N, H, W, C]

The caller hands over and gets images channels last. `Tensor.source` says how the tensor relates to
the model's. Refused: an input that others read in the model's order, an output that others read.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor
from mcugen.passes.permutations import channels_last, inverse, keeps_memory, permuted
from mcugen.passes.relayout import reordered


def run(graph: Graph) -> Graph:
    """The graph whose images are channels last at its border too."""
    ed = Editor(graph)
    for name in graph.inputs:
        _strip_input(ed, name)
    for name in graph.outputs:
        _strip_output(ed, name)
    return ed.finish()


def _strip_input(ed: Editor, name: str) -> None:
    tensor = ed.tensor(name)
    readers = ed.consumers(name)
    if tensor.rank < 3 or name in ed.outputs or not readers:
        return
    perm = channels_last(tensor.rank)
    wanted = permuted(tensor.shape, perm)
    if not all(_moves(ed, reader, perm, wanted) for reader in readers):
        return
    if any(reader.outputs[0] in ed.outputs for reader in readers):
        return
    ed.set_tensor(reordered(tensor, perm))
    for reader in readers:
        ed.redirect(reader.outputs[0], name)
        ed.replace((reader,), ())


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
