"""Tables that meet other integer operators.

Lookup(t) -> Lookup(u)                      becomes   Lookup(u[t])
Lookup that changes no reachable value      becomes   nothing, or a mere change of meaning
integer op -> Lookup that is a clamp        becomes   the op with a narrower activation range

Refused: a first result that others read too, a clamp between different quantizations.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mcugen.ir import Array, Graph, Node, Tensor
from mcugen.ops.lookup import LookupAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.passes.edit import Editor, origins, repeat


def run(graph: Graph) -> Graph:
    """The graph with as few tables as possible."""
    ed = Editor(graph)
    repeat(ed, _step)
    return ed.finish()


def _step(ed: Editor, node: Node) -> bool:
    if node.op != "Lookup":
        return False
    before = ed.producer(node.inputs[0])
    if before is not None and ed.sole_consumer(node.inputs[0]) is not None:
        if before.op == "Lookup":
            return _compose(ed, before, node)
        if _same_meaning(ed, node) and _clamp(ed, before, node):
            return True
    return _drop(ed, node)


def _compose(ed: Editor, before: Node, node: Node) -> bool:
    table = node.attrs.table[before.attrs.table.view(np.uint8)]
    changed = node.replace(
        inputs=before.inputs, attrs=LookupAttrs(table), origin=origins(before, node)
    )
    ed.replace((before, node), (changed,))
    return True


def _same_meaning(ed: Editor, node: Node) -> bool:
    """Whether input and output are quantized alike."""
    x, y = ed.tensor(node.inputs[0]), ed.tensor(node.outputs[0])
    return x.dtype is y.dtype and x.quant is not None and x.quant == y.quant


def _clamp(ed: Editor, before: Node, node: Node) -> bool:
    """Narrow the activation range of the operator before a table that only clamps."""
    if not hasattr(before.attrs, "act_min"):
        return False
    low, high = before.attrs.act_min, before.attrs.act_max
    reached = np.arange(low, high + 1)
    result = _looked_up(node, reached, ed.tensor(node.inputs[0]))
    if not np.array_equal(result, np.clip(reached, result[0], result[-1])):
        return False
    attrs = dataclasses.replace(before.attrs, act_min=int(result[0]), act_max=int(result[-1]))
    changed = before.replace(outputs=node.outputs, attrs=attrs, origin=origins(before, node))
    ed.replace((before, node), (changed,))
    return True


def _drop(ed: Editor, node: Node) -> bool:
    """Remove a table that gives every integer back."""
    x, y = ed.tensor(node.inputs[0]), ed.tensor(node.outputs[0])
    info = np.iinfo(x.dtype.np)
    every = np.arange(info.min, info.max + 1)
    if x.dtype is not y.dtype or not np.array_equal(_looked_up(node, every, x), every):
        return False
    if x.quant == y.quant and ed.bypass(node, node.inputs[0]):
        return True
    changed = node.replace(op="Reshape", attrs=ReshapeAttrs(x.shape))
    ed.replace((node,), (changed,))
    return True


def _looked_up(node: Node, integers: Array, x: Tensor) -> Array:
    """The table's entries for integers in the range of x's type, as int64."""
    table: Array = node.attrs.table
    return table[integers.astype(x.dtype.np).view(np.uint8)].astype(np.int64)
