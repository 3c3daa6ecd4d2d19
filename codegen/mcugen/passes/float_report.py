"""Why nodes of a quantized model run in float: what the report lists."""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.passes.edit import Editor
from mcugen.passes.integer import why_float
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE


def float_nodes(graph: Graph) -> dict[str, str]:
    """Node name -> reason, for every float computation of a graph that quantizes anything.

    Conversions are not computations. A model without QuantizeLinear and DequantizeLinear is a
    float model: nothing needs a reason.
    """
    if not any(
        node.op in (QUANTIZE, DEQUANTIZE) or _is_quantized(graph, node) for node in graph.nodes
    ):
        return {}
    ed = Editor(graph)
    return {
        node.name: why_float(ed, node) or "its surroundings are float"
        for node in graph.nodes
        if node.op not in (QUANTIZE, DEQUANTIZE) and _is_float(graph, node)
    }


def _is_quantized(graph: Graph, node: Node) -> bool:
    return any(graph[o].quant is not None for o in node.outputs)


def _is_float(graph: Graph, node: Node) -> bool:
    return any(graph[o].dtype.is_float for o in node.outputs)
