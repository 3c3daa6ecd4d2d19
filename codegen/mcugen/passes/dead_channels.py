"""Channels that are constant or that nobody uses, removed from integer layers.

QConv -> ... -> QConv with zero weights for channel c       becomes   both without channel c
QConv with a constant channel c -> ... -> QConv(w, b)       becomes   both without channel c,
                                                                      b + sum(w[:, c]) * (c - zero)

Exact: the sums are integers. Between the layers may be whatever works channel by channel; all
tensors tied by that keep the same channels, a multiple of four where there were as many. Refused:
channels of graph inputs and outputs, of float tensors, and those that any other operator reads.

Runs after the layout pass: channels are the last axis. Which of them are constant may depend on
the arithmetic.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mcugen.ir import Array, Graph, Node, QuantParams, Tensor
from mcugen.ops.spec import Arithmetic
from mcugen.passes import channel_constants
from mcugen.passes.channel_constants import Facts
from mcugen.passes.channel_groups import Groups, tied, weighted
from mcugen.passes.edit import Editor


def run(graph: Graph, arithmetic: Arithmetic = Arithmetic.TFLITE) -> Graph:
    """The graph without channels that make no difference."""
    if not any(node.op == "QConv" or node.op == "QFullyConnected" for node in graph.nodes):
        return graph
    facts = channel_constants.find(graph, arithmetic)
    groups = Groups(graph)
    _mark(graph, groups, facts)
    ed = Editor(graph)
    for node in graph.nodes:
        _shrink(ed, graph, node, groups, facts)
    for name in groups.root:
        if _loses(graph, groups, name):
            ed.set_tensor(_shrunk(graph[name], groups.kept(name)))
    return ed.finish()


def _mark(graph: Graph, groups: Groups, facts: Facts) -> None:
    """Find the channels that are needed: those that reach an output."""
    for name in (*graph.inputs, *graph.outputs):
        groups.need(name)
    for node in graph.nodes:
        if not _removes(graph, node, facts):
            for name in (*node.inputs, *node.outputs):
                groups.need(name)
    layers = [n for n in graph.nodes if n.name in facts.folded and weighted(graph, n) == "mixed"]
    while any(_need_inputs(groups, n, facts) for n in reversed(layers)) or groups.round_up():
        pass


def _removes(graph: Graph, node: Node, facts: Facts) -> bool:
    """Whether channels can be taken out of what the node reads and writes."""
    integers = all(t.dtype.is_integer for t in graph.output_tensors(node))
    return integers and (node.name in facts.folded or bool(tied(graph, node)))


def _need_inputs(groups: Groups, node: Node, facts: Facts) -> bool:
    """Need the input channels that have a weight in a needed row; returns whether that is news."""
    rows = facts.folded[node.name].weight[groups.columns(node.outputs[0])]
    used = np.asarray(rows.any(axis=tuple(k for k in range(rows.ndim) if k != 1)))
    return groups.need(node.inputs[0], used)


def _loses(graph: Graph, groups: Groups, name: str) -> bool:
    return name in groups.root and len(groups.kept(name)) < graph[name].shape[-1]


def _shrunk(tensor: Tensor, kept: Array) -> Tensor:
    """The tensor with some columns of its last axis."""
    source = tensor.source
    if source is not None:
        before = range(tensor.shape[-1]) if source.kept is None else source.kept
        source = dataclasses.replace(source, kept=tuple(before[k] for k in kept))
    data = None if tensor.data is None else tensor.data[..., kept]
    return tensor.replace(shape=(*tensor.shape[:-1], len(kept)), data=data, source=source)


def _shrink(ed: Editor, graph: Graph, node: Node, groups: Groups, facts: Facts) -> None:
    """Take the removed channels out of a node's constants and attributes."""
    touched = [n for n in (*node.inputs, *node.outputs) if _loses(graph, groups, n)]
    if not touched:
        return
    if node.name in facts.folded:
        changed = _shrunk_layer(ed, graph, node, groups, facts)
    else:
        kept = groups.kept(node.outputs[0])
        width = graph[node.outputs[0]].shape[-1]
        inputs = tuple(_shrunk_operand(ed, graph, i, kept, width) for i in node.inputs)
        changed = node.replace(inputs=inputs, attrs=_shrunk_attrs(node, len(kept)))
    ed.replace((node,), (changed,))


def _shrunk_operand(ed: Editor, graph: Graph, name: str, kept: Array, width: int) -> str:
    """A constant operand with one value per channel loses some; others stay."""
    tensor = graph[name] if name else None
    if tensor is None or not tensor.is_constant or not tensor.rank or tensor.shape[-1] != width:
        return name
    live = _shrunk(tensor, kept).replace(name=f"{name}__live")
    return name if width == 1 else ed.add_tensor(live)


def _shrunk_attrs(node: Node, width: int) -> object:
    attrs = node.attrs
    if node.op == "Reshape":
        return dataclasses.replace(attrs, shape=(*attrs.shape[:-1], width))
    if node.op == "Slice":
        return dataclasses.replace(attrs, sizes=(*attrs.sizes[:-1], width))
    result: object = attrs
    return result


def _shrunk_layer(ed: Editor, graph: Graph, node: Node, groups: Groups, facts: Facts) -> Node:
    """A layer with fewer rows, and fewer columns when it mixes channels."""
    layer = facts.folded[node.name]
    changed, (weight, bias) = channel_constants.with_weights(graph, node, layer)
    rows = groups.kept(node.outputs[0])
    weight, bias = _with_rows(weight, rows), _with_rows(bias, rows)
    attrs = node.attrs
    if weighted(graph, node) == "each":
        attrs = dataclasses.replace(attrs, groups=len(rows))
    else:
        columns = groups.kept(node.inputs[0])
        assert weight.data is not None
        data = weight.data[:, columns]
        weight = weight.replace(shape=data.shape, data=data)
    names = (ed.add_tensor(weight), ed.add_tensor(bias))
    return changed.replace(inputs=(node.inputs[0], *names), attrs=attrs)


def _with_rows(tensor: Tensor, rows: Array) -> Tensor:
    """The constant with some indices of its first axis, and their scales."""
    assert tensor.data is not None and tensor.quant is not None
    quant = tensor.quant
    if quant.axis == 0:
        quant = QuantParams(quant.scale[rows], quant.zero_point[rows], 0)
    data = tensor.data[rows]
    return tensor.replace(shape=data.shape, data=data, quant=quant, source=None)
