"""Conversions at the graph's border, left to the caller.

x -> QuantizeLinear -> integers     becomes   the integers are the graph's input
integers -> DequantizeLinear -> y   becomes   the integers are the graph's output

Names stay: input and output have the names of the float tensors they replace. Refused: an input
that anything but one kind of QuantizeLinear reads, an output that others read as float.
"""

from __future__ import annotations

from mcugen.ir import Graph
from mcugen.passes.edit import Editor
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE


def run(graph: Graph) -> Graph:
    """The graph that takes and gives integers wherever it would convert at once."""
    ed = Editor(graph)
    for name in graph.inputs:
        _strip_input(ed, name)
    for name in graph.outputs:
        _strip_output(ed, name)
    return ed.finish()


def _strip_input(ed: Editor, name: str) -> None:
    readers = ed.consumers(name)
    made = [ed.tensor(r.outputs[0]) for r in readers if r.op == QUANTIZE]
    if not made or len(made) != len(readers) or name in ed.outputs:
        return
    first = made[0]
    alike = all(t.quant == first.quant and t.dtype is first.dtype for t in made)
    if not alike or any(t.name in ed.outputs for t in made):
        return
    for reader in readers:
        ed.redirect(reader.outputs[0], name)
        ed.replace((reader,), ())
    ed.set_tensor(first.replace(name=name))


def _strip_output(ed: Editor, name: str) -> None:
    node = ed.producer(name)
    if node is None or node.op != DEQUANTIZE or ed.consumers(name):
        return
    integers = ed.tensor(node.inputs[0])
    producer = ed.producer(integers.name)
    if producer is None or integers.name in ed.outputs:
        return
    ed.set_tensor(integers.replace(name=name))
    ed.bypass(node, integers.name)
