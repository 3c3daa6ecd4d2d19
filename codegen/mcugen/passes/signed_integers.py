"""uint8 quantized tensors   become   int8, the values and zero points 128 less.

For weights and for activations between integer operators: 8-bit kernels of the vendor libraries
take int8 only. Tensors that an operator ties together by handing values on change together.
Refused, for all tensors tied to it: a graph input or output (its type is the interface; the
operator next to it converts), and one that an operator without a rule below reads or writes.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, Graph, Node, QuantParams, Source, Tensor
from mcugen.ops.lookup import LookupAttrs
from mcugen.ops.registry import specs
from mcugen.passes.edit import Editor
from mcugen.passes.quantized import DEQUANTIZE, QUANTIZE
from mcugen.passes.roles import data_inputs

_OFFSET = 128


def run(graph: Graph) -> Graph:
    """The graph with int8 instead of uint8 wherever the interface allows."""
    ed = Editor(graph)
    chosen = {n for group in _groups(graph) if _allowed(graph, group) for n in group}
    for node in ed.nodes():
        if not chosen.isdisjoint((*node.inputs, *node.outputs)):
            ed.replace((node,), (_converted(ed, node, chosen),))
    for name in chosen:
        ed.set_tensor(_signed(ed.tensor(name)))
    return ed.finish()


def _groups(graph: Graph) -> list[set[str]]:
    """The uint8 quantized tensors, those tied by operators that hand values on together."""
    group = {n: {n} for n, t in graph.tensors.items() if _is_unsigned(t)}
    for node in graph.nodes:
        if not _hands_on(node):
            continue
        tied = [node.inputs[i] for i in data_inputs(node)] + list(node.outputs)
        found = [group[n] for n in tied if n in group]
        if found:
            union = set().union(*found)
            group.update(dict.fromkeys(union, union))
    return list({id(g): g for g in group.values()}.values())


def _is_unsigned(tensor: Tensor) -> bool:
    return tensor.dtype is DType.UINT8 and tensor.quant is not None


def _hands_on(node: Node) -> bool:
    return specs()[node.op].moves_values or node.op == "Pad"


def _allowed(graph: Graph, group: set[str]) -> bool:
    if not group.isdisjoint((*graph.inputs, *graph.outputs)):
        return False
    readers = [r for n in group for r in graph.consumers(n)]
    writers = [w for n in group if (w := graph.producer(n)) is not None]
    return all(_has_rule(graph, node, group) for node in (*readers, *writers))


def _has_rule(graph: Graph, node: Node, group: set[str]) -> bool:
    if _hands_on(node):
        tied = [graph[node.inputs[i]] for i in data_inputs(node)]
        return all(_is_unsigned(t) for t in tied)
    if node.op in (QUANTIZE, DEQUANTIZE):
        zero_point = node.inputs[2] if len(node.inputs) > 2 else ""
        return not zero_point or graph[zero_point].is_constant
    return node.op == "Lookup" or hasattr(node.attrs, "out_dtype")


def _converted(ed: Editor, node: Node, chosen: set[str]) -> Node:
    """The node on the signed tensors."""
    reads = bool(node.inputs) and node.inputs[0] in chosen
    writes = node.outputs[0] in chosen
    if node.op in (QUANTIZE, DEQUANTIZE):
        return _conversion(ed, node)
    if node.op == "Lookup":
        return node.replace(attrs=LookupAttrs(_table(node.attrs.table, reads, writes)))
    if node.op == "Pad":
        return node.replace(attrs=dataclasses.replace(node.attrs, value=node.attrs.value - _OFFSET))
    if _hands_on(node) or not writes:
        return node.replace()
    return node.replace(attrs=_shifted(node.attrs))


def _shifted(attrs: Any) -> Any:
    """Attributes of an integer operator whose output is int8 now."""
    changes: dict[str, Any] = {"out_dtype": DType.INT8}
    if hasattr(attrs, "act_min"):
        changes.update(act_min=attrs.act_min - _OFFSET, act_max=attrs.act_max - _OFFSET)
    return dataclasses.replace(attrs, **changes)


def _conversion(ed: Editor, node: Node) -> Node:
    """QuantizeLinear or DequantizeLinear with the zero point 128 less."""
    x, scale, *rest = node.inputs
    old = ed.value(rest[0]) if rest and rest[0] else np.zeros(ed.tensor(scale).shape, np.uint8)
    assert old is not None
    signed = (old.astype(np.int16) - _OFFSET).astype(np.int8)
    zero_point = ed.constant(signed, f"{node.name}__zero_point")
    changes = {"dtype": DType.INT8} if node.op == QUANTIZE else {}
    return node.replace(
        inputs=(x, scale, zero_point), attrs=dataclasses.replace(node.attrs, **changes)
    )


def _table(table: Array, reads: bool, writes: bool) -> Array:
    """The table for signed input, signed output or both: 128 less is the top bit flipped."""
    indices = np.arange(256, dtype=np.uint8)
    taken = table[indices ^ 0x80] if reads else table
    return (taken.view(np.uint8) ^ 0x80).view(np.int8) if writes else taken


def _signed(tensor: Tensor) -> Tensor:
    quant, source = tensor.quant, tensor.source
    assert quant is not None
    if source is not None:
        source = Source(source.name, source.perm, source.offset - _OFFSET)
    data = tensor.data
    return tensor.replace(
        dtype=DType.INT8,
        quant=QuantParams(quant.scale, quant.zero_point - np.int32(_OFFSET), quant.axis),
        data=None if data is None else (data.view(np.uint8) ^ 0x80).view(np.int8),
        source=source,
    )
