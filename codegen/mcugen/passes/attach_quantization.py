"""DequantizeLinear(x, s, z), QuantizeLinear(..., s, z) -> x  =>  x carries (s, z).

Operators that only move values hand the quantization on, in both directions. An integer tensor
that two DequantizeLinear nodes read by different numbers gets a Reshape to its own shape for the
second one: the same bytes with another meaning.
"""

from __future__ import annotations

from mcugen.ir import Graph, Node
from mcugen.ops.registry import specs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.passes.edit import Editor, repeat
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE, conversion_params
from mcugen.passes.roles import data_inputs


def run(graph: Graph) -> Graph:
    """The graph with `quant` on every integer tensor whose meaning a node states."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op == QUANTIZE:
            _attach_output(ed, node)
    for node in ed.nodes():
        if node.op == DEQUANTIZE:
            _attach_input(ed, node)
    repeat(ed, _hand_on)
    return ed.finish()


def _attach_output(ed: Editor, node: Node) -> None:
    params = conversion_params(ed, node)
    tensor = ed.tensor(node.outputs[0])
    if params is not None and tensor.quant != params:
        ed.set_tensor(tensor.replace(quant=params))


def _attach_input(ed: Editor, node: Node) -> None:
    params = conversion_params(ed, node)
    tensor = ed.tensor(node.inputs[0])
    if params is None or tensor.quant == params:
        return
    if tensor.quant is None:
        ed.set_tensor(tensor.replace(quant=params))
    elif tensor.data is not None:
        copy = ed.constant(
            tensor.data, tensor.name, quant=params, source=tensor.source, bits=tensor.bits
        )
        ed.replace((node,), (node.replace(inputs=(copy, *node.inputs[1:])),))
    else:
        copy = ed.emit(
            "Reshape",
            (tensor.name,),
            ReshapeAttrs(tensor.shape),
            near=node,
            hint=f"{tensor.name}__for_{node.outputs[0]}",
            quant=params,
            source=tensor.source,
        )
        ed.replace((node,), (node.replace(inputs=(copy, *node.inputs[1:])),))


def _hand_on(ed: Editor, node: Node) -> bool:
    """Give both ends of an operator on integers the one quantization that is known."""
    if not specs()[node.op].moves_values or len(node.outputs) != 1:
        return False
    ends = [ed.tensor(node.inputs[i]) for i in data_inputs(node)]
    ends.append(ed.tensor(node.outputs[0]))
    known = {t.quant for t in ends if t.quant is not None and t.quant.per_tensor}
    unknown = [t for t in ends if t.quant is None]
    if len(known) != 1 or not unknown or not all(t.dtype.is_integer for t in ends):
        return False
    for tensor in {t.name: t for t in unknown}.values():
        ed.set_tensor(tensor.replace(quant=next(iter(known))))
    return True
