"""y = Op(constants)  ->  y is a constant, computed by the operator's ONNX meaning.

DequantizeLinear is never folded: the integers stay in flash, not a float copy of them.
QuantizeLinear of a constant is: an exporter that keeps float weights beside their quantization
gives integer weights. Refused too: results of more than `_MAX_ELEMS` elements that are larger
than what they are made from (Expand, Tile), which would trade a loop for flash.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.registry import specs
from mcugen.passes.edit import Editor, evaluate
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE, conversion_params
from mcugen.passes.roles import data_inputs

_MAX_ELEMS = 1 << 16


def run(graph: Graph) -> Graph:
    """The graph with every node of constant inputs evaluated."""
    ed = Editor(graph)
    for node in ed.nodes():
        if _foldable(ed, node):
            _fold(ed, node)
    return ed.finish()


def _foldable(ed: Editor, node: Node) -> bool:
    """Whether all inputs are constants and the results are worth having in flash."""
    if node.op == DEQUANTIZE or not any(node.inputs):
        return False
    if any(t is not None and not t.is_constant for t in ed.node_inputs(node)):
        return False
    if node.op == "Identity" and node.outputs[0] in ed.outputs:
        return False
    made_from = sum(t.size for t in ed.node_inputs(node) if t is not None)
    made = sum(ed.tensor(o).size for o in node.outputs)
    return made <= max(made_from, _MAX_ELEMS)


def _fold(ed: Editor, node: Node) -> None:
    """Replace the results; a graph output becomes an Identity of its value."""
    results = evaluate(node, [ed.value(i) for i in node.inputs])
    if results is None:
        return
    copies = []
    for name, result in zip(node.outputs, results, strict=True):
        tensor = ed.tensor(name)
        quant = conversion_params(ed, node) if node.op == QUANTIZE else tensor.quant
        new = ed.constant(result, name, quant=quant, source=tensor.source, bits=_bits(ed, node))
        ed.redirect(name, new)
        if name in ed.outputs:
            copy = Node("Identity", ed.fresh(f"{name}.copy"), (new,), (name,), IdentityAttrs())
            copies.append(copy.replace(origin=node.origin))
    ed.replace((node,), copies)


def _bits(ed: Editor, node: Node) -> int | None:
    """Bits of an element of the results: those of the values that are moved."""
    if not specs()[node.op].moves_values:
        return None
    found = {ed.tensor(node.inputs[i]).bits for i in data_inputs(node)}
    return found.pop() if len(found) == 1 else None
