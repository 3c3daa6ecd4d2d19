"""Why nodes of a quantized model run in float: what the report lists."""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor
from mcugen.passes.integer import why_float
from mcugen.passes.move_conversions import moves_values
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE, constant_behind, dequantizer


def float_nodes(graph: Graph) -> dict[str, str]:
    """Node name -> reason, for every float computation of a graph that quantizes anything.

    Conversions and what only moves values are no computations. A model without quantization needs
    no reasons. One that quantizes weights alone is float by intent: only the operators that read
    such weights are listed.
    """
    ed = Editor(graph)
    computing = [n for n in graph.nodes if _computes_floats(graph, n)]
    if any(t.quant is not None and not t.is_constant for t in graph.tensors.values()):
        return {n.name: why_float(ed, n) or "its surroundings are float" for n in computing}
    return {
        n.name: "only its weights are quantized"
        for n in computing
        if any(_is_dequantized_weight(ed, name) for name in n.inputs if name)
    }


def _computes_floats(graph: Graph, node: Node) -> bool:
    if node.op in (QUANTIZE, DEQUANTIZE) or moves_values(node):
        return False
    return any(graph[o].dtype.is_float for o in node.outputs)


def _is_dequantized_weight(ed: Editor, name: str) -> bool:
    return dequantizer(ed, name) is not None and constant_behind(ed, name) is not None
