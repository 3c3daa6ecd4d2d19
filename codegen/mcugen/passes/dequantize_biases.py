"""DequantizeLinear(constant)   becomes   a float constant, where that takes no more flash.

For 32-bit integers (the biases of layers that stayed in float) and for single elements. Weights of
8 and 16 bits stay integers in flash.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor, evaluate
from mcugen.passes.quantized import DEQUANTIZE


def run(graph: Graph) -> Graph:
    """The graph with float biases where integers would save nothing."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op == DEQUANTIZE and node.outputs[0] not in ed.outputs:
            _fold(ed, node)
    return ed.finish()


def _fold(ed: Editor, node: Node) -> None:
    integers, out = ed.tensor(node.inputs[0]), ed.tensor(node.outputs[0])
    if integers.size != 1 and integers.dtype.itemsize < out.dtype.itemsize:
        return
    arrays = [ed.value(i) for i in node.inputs]
    if any(a is None for a in arrays):
        return
    results = evaluate(node, arrays)
    if results is not None:
        ed.redirect(out.name, ed.constant(results[0], out.name, source=out.source))
        ed.replace((node,), ())
