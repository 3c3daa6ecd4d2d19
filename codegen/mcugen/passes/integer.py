"""DequantizeLinear* -> op -> (Relu, Clip)* -> QuantizeLinear   becomes   the op's integer form.

What the integer form is, and whether there is one, says `OpSpec.quantize`. Constants stay the
integers they are; a float bias becomes int32. Refused, and left in float: a result that somebody
reads as float too, an input that is not quantized, and whatever the operator itself rejects.
`why_float` names the reason.
"""

from __future__ import annotations

import dataclasses

from mcugen.ir import Graph, Node, Tensor
from mcugen.ops.common import NO_CLAMP, Clamp
from mcugen.ops.registry import specs
from mcugen.ops.spec import IntegerForm, QuantSite, Reject
from mcugen.passes.clamps import clamp_of
from mcugen.passes.edit import Editor, origins
from mcugen.passes.quantized import QUANTIZE, integers_behind


def run(graph: Graph) -> Graph:
    """The graph with integer operators wherever one stands for float work between conversions."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op != QUANTIZE and specs()[node.op].quantize is not None:
            _replace(ed, node)
    return ed.finish()


@dataclasses.dataclass(frozen=True)
class _Tail:
    """What follows a float node: activations as one clamp, then QuantizeLinear."""

    clamp: Clamp
    nodes: tuple[Node, ...]


def why_float(ed: Editor, node: Node) -> str | None:
    """Why a float node has no integer form; None when it has one."""
    try:
        _form(ed, node)
    except Reject as reject:
        return reject.reason
    return None


def _replace(ed: Editor, node: Node) -> None:
    try:
        form, tail = _form(ed, node)
    except Reject:
        return
    inputs = tuple("" if t is None else _added(ed, t) for t in form.inputs)
    made = Node(
        form.op,
        node.name,
        inputs,
        tail.nodes[-1].outputs,
        form.attrs,
        origins(node, *tail.nodes),
    )
    ed.replace((node, *tail.nodes), (made,))


def _form(ed: Editor, node: Node) -> tuple[IntegerForm, _Tail]:
    """The integer form with the nodes that it swallows; raises Reject with the reason."""
    inputs = tuple(_input(ed, name) for name in node.inputs)
    if not any(t is not None and t.dtype.is_integer and not t.is_constant for t in inputs):
        raise Reject("its input is not quantized")
    tail = _tail(ed, node)
    rule = specs()[node.op].quantize
    if rule is None:
        raise Reject(f"{node.op} has no integer form")
    bare, clamp = _without_activation(node)
    clamp = clamp.then(tail.clamp.low, tail.clamp.high)
    outputs = (ed.tensor(tail.nodes[-1].outputs[0]),)
    return rule(QuantSite(bare, inputs, outputs, (clamp.low, clamp.high))), tail


def _tail(ed: Editor, node: Node) -> _Tail:
    """Follow the node's only output to its QuantizeLinear."""
    if len(node.outputs) != 1:
        raise Reject("it has several results")
    name, clamp, nodes = node.outputs[0], NO_CLAMP, []
    while True:
        reader = ed.sole_consumer(name)
        if reader is None:
            raise Reject("its result is read as float by several nodes or is an output")
        nodes.append(reader)
        if reader.op == QUANTIZE:
            break
        then = clamp_of(ed, reader)
        if then is None:
            raise Reject(f"its result goes to {reader.op} before it is quantized")
        name, clamp = reader.outputs[0], clamp.then(then.low, then.high)
    if ed.tensor(nodes[-1].outputs[0]).quant is None:
        raise Reject("scale or zero point of its result is not constant")
    return _Tail(clamp, tuple(nodes))


def _without_activation(node: Node) -> tuple[Node, Clamp]:
    """The node and, taken out of it, its activation."""
    activation = getattr(node.attrs, "activation", None)
    if activation is None:
        return node, NO_CLAMP
    return node.replace(attrs=dataclasses.replace(node.attrs, activation=None)), activation


def _input(ed: Editor, name: str) -> Tensor | None:
    """The integers behind an input, or the float tensor where there are none."""
    if not name:
        return None
    return integers_behind(ed, name) or ed.tensor(name)


def _added(ed: Editor, tensor: Tensor) -> str:
    """The tensor's name in the graph; a constant that is new there is added."""
    try:
        known = ed.tensor(tensor.name)
    except KeyError:
        return ed.add_tensor(tensor)
    same = known is tensor or (
        known.data is tensor.data and known.quant == tensor.quant and known.shape == tensor.shape
    )
    return tensor.name if same else ed.add_tensor(tensor)
