"""DequantizeLinear(x) -> any functions of one variable -> QuantizeLinear   becomes   Lookup(x).

The 256 entries are computed with the operators' ONNX meaning, conversions included, so the table
gives exactly what the float operators would. The functions may form any graph (x * Sigmoid(x)),
with constants of one element, and may be none at all (a change of scale). Where two tables would
feed one function (Mul(x, QuantizeLinear(Sigmoid(x)))), the inner one is computed through.

Refused: x that is not 8 bits per tensor, functions of more than one tensor, operators that look at
neighbours, constants with one value per channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, Graph, Node
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.lookup import LookupAttrs
from mcugen.ops.registry import specs
from mcugen.passes.edit import Editor, evaluate, origins
from mcugen.passes.quantized import DEQUANTIZE, EIGHT_BIT, QUANTIZE, conversion_params
from mcugen.passes.roles import is_elementwise

_MAX_NODES = 64
"""Nodes that one table may swallow; longer chains are none that a model has."""


@dataclass(frozen=True)
class _Cone:
    """The nodes, in execution order, between the integer tensor `leaf` and a float tensor."""

    leaf: str
    nodes: tuple[Node, ...]


def run(graph: Graph) -> Graph:
    """The graph with tables for everything that is a function of one 8-bit tensor."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op == QUANTIZE and ed.tensor(node.outputs[0]).dtype in EIGHT_BIT:
            _replace(ed, node)
    return ed.finish()


def _replace(ed: Editor, quantizer: Node) -> None:
    params = conversion_params(ed, quantizer)
    if params is None or not params.per_tensor or ed.tensor(quantizer.inputs[0]).is_constant:
        return
    cone = _cone(ed, quantizer.inputs[0])
    if cone is None:
        return
    leaf, out = ed.tensor(cone.leaf), ed.tensor(quantizer.outputs[0])
    nodes = (*cone.nodes, quantizer)
    if len(cone.nodes) == 1 and leaf.quant == out.quant and leaf.dtype is out.dtype:
        if not ed.bypass(quantizer, cone.leaf):
            _put(ed, quantizer, "Identity", cone, IdentityAttrs())
        return
    table = _table(ed, cone.leaf, nodes)
    if table is not None and leaf.shape == out.shape:
        _put(ed, quantizer, "Lookup", cone, LookupAttrs(table))


def _put(ed: Editor, quantizer: Node, op: str, cone: _Cone, attrs: Any) -> None:
    origin = origins(*cone.nodes, quantizer)
    node = Node(op, quantizer.name, (cone.leaf,), quantizer.outputs, attrs, origin)
    ed.replace((quantizer,), (node,))


def _cone(ed: Editor, top: str) -> _Cone | None:
    """The functions that make float tensor `top` from one 8-bit tensor, None when it is not so."""
    through: set[str] = set()
    while True:
        found = _collect(ed, top, through)
        if found is None:
            return None
        leaves, nodes = found
        if len(leaves) == 1:
            leaf = ed.tensor(leaves.pop())
            known = leaf.dtype in EIGHT_BIT and leaf.quant is not None
            return _Cone(leaf.name, nodes) if known else None
        inner = [name for name in leaves if _is_private_table(ed, name, nodes)]
        if not inner:
            return None
        through.update(inner)


def _is_private_table(ed: Editor, name: str, nodes: Sequence[Node]) -> bool:
    """Whether integer tensor `name` is a function of one variable that only `nodes` read."""
    producer = ed.producer(name)
    inside = {n.name for n in nodes}
    return (
        producer is not None
        and producer.op in (QUANTIZE, "Lookup")
        and name not in ed.outputs
        and all(reader.name in inside for reader in ed.consumers(name))
    )


def _collect(ed: Editor, top: str, through: set[str]) -> tuple[set[str], tuple[Node, ...]] | None:
    """(integer tensors, nodes in execution order) that float tensor `top` is computed from.

    The nodes end at integer tensors that are not in `through`. None when one of them is no function
    of single elements.
    """
    order: dict[str, Node] = {}
    leaves: set[str] = set()
    pending: list[tuple[str, bool]] = [(top, False)]
    while pending:
        name, ready = pending.pop()
        node, tensor = ed.producer(name), ed.tensor(name)
        if ready and node is not None:
            order[node.name] = node
        elif tensor.is_constant and tensor.size == 1:
            continue
        elif tensor.dtype.is_integer and name not in through:
            leaves.add(name)
        elif node is None or not _is_function(ed, node) or len(order) > _MAX_NODES:
            return None
        elif node.name not in order:
            pending.append((name, True))
            data = node.inputs[:1] if node.op in (QUANTIZE, DEQUANTIZE) else node.inputs
            pending.extend((i, False) for i in reversed(data) if i)
    return leaves, tuple(order.values())


def _is_function(ed: Editor, node: Node) -> bool:
    """Whether each element of the result comes from the same element of the inputs alone."""
    if node.op in (QUANTIZE, DEQUANTIZE):
        params = conversion_params(ed, node)
        return params is not None and params.per_tensor
    return is_elementwise(node) and specs()[node.op].semantics is not None


def _table(ed: Editor, leaf: str, nodes: Sequence[Node]) -> Array | None:
    """The outputs for all 256 patterns of the leaf's bits, [256] of the last node's dtype."""
    tensor = ed.tensor(leaf)
    rank = max(tensor.rank, 1)
    patterns = np.arange(256, dtype=np.uint8).view(tensor.dtype.np)
    values: dict[str, Array] = {leaf: patterns.reshape(256, *(1,) * (rank - 1))}
    for node in nodes:
        arrays = [None if not i else _value(ed, i, values) for i in node.inputs]
        with np.errstate(all="ignore"):
            results = evaluate(node, arrays)
        if results is None:
            return None
        values.update(zip(node.outputs, results, strict=True))
    table = values[nodes[-1].outputs[0]]
    return table.reshape(256) if table.size == 256 else None


def _value(ed: Editor, name: str, values: dict[str, Array]) -> Array:
    found = values.get(name)
    if found is None:
        found = ed.value(name)
    assert found is not None, name
    return found
