"""DequantizeLinear(constant) -> Move   becomes   DequantizeLinear(Move(constant)).

Afterwards weights are directly behind their DequantizeLinear, whatever Transpose, Reshape or Slice
an exporter put between; constant folding then moves the integers for good.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor, repeat
from mcugen.passes.move_conversions import moves_values, sink_dequantize
from mcugen.passes.quantized import constant_behind, dequantizer
from mcugen.passes.roles import data_inputs


def run(graph: Graph) -> Graph:
    """The graph with constants moved as integers, before they are dequantized."""
    ed = Editor(graph)
    repeat(ed, _sink)
    return ed.finish()


def _sink(ed: Editor, node: Node) -> bool:
    if node.op == "Pad" or not moves_values(node):
        return False
    names = [node.inputs[i] for i in data_inputs(node)]
    dequantized = all(
        dequantizer(ed, n) is not None and constant_behind(ed, n) is not None for n in names
    )
    grows = sum(ed.tensor(o).size for o in node.outputs) > sum(ed.tensor(n).size for n in names)
    return dequantized and not grows and sink_dequantize(ed, node)
