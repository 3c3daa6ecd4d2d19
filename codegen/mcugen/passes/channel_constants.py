"""Channels of integer tensors that hold one known number, whatever the input.

An output channel of a QConv or QFullyConnected is constant when all its weights are zero, or when
no input can bring it out of the saturation at one end of its activation range. A constant input
channel of value v adds sum(w) * (v - zero_point) to every sum - in windows that read padding only
where v is the zero point - so it moves into the bias, and more weights become zero.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType, Graph, Node, Tensor
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Site
from mcugen.passes.channel_groups import tied, weighted

_MARGIN = 1.0
"""Units of the output by which a sum must be beyond the clamp: more than any rounding moves it."""


@dataclass(frozen=True)
class Folded:
    """A layer's weight, minus its zero points, and bias after constant inputs moved into it.

    Attributes:
        weight: int32, the shape of the weight.
        bias: int64 [O].
    """

    weight: Array
    bias: Array


@dataclass(frozen=True)
class Known:
    """Per column of the last axis: whether it is constant, and its value where it is."""

    constant: Array
    value: Array


@dataclass
class Facts:
    """What is known of a graph's tensors and layers."""

    known: dict[str, Known]
    folded: dict[str, Folded]


def find(graph: Graph, arithmetic: Arithmetic) -> Facts:
    """The constant channels of all integer tensors."""
    facts = Facts({}, {})
    for node in graph.nodes:
        if node.op in ("QConv", "QFullyConnected") and weighted(graph, node):
            facts.folded[node.name] = _folded(graph, node, facts.known)
            facts.known[node.outputs[0]] = _of_layer(graph, node, facts, arithmetic)
        else:
            known = _of_tied(graph, node, facts.known, arithmetic)
            if known is not None:
                facts.known[node.outputs[0]] = known
    return facts


def _zero_point(tensor: Tensor) -> int:
    assert tensor.quant is not None
    return int(tensor.quant.zero_point)


def centred(weight: Tensor) -> Array:
    """The weight minus its zero points, int32 [O, ...]."""
    assert weight.data is not None and weight.quant is not None
    zeros = np.asarray(weight.quant.zero_point, np.int32)
    shape = (-1,) + (1,) * (weight.rank - 1) if zeros.ndim else ()
    return np.asarray(weight.data.astype(np.int32) - zeros.reshape(shape))


def _folded(graph: Graph, node: Node, known: dict[str, Known]) -> Folded:
    """The layer with the constant channels of its input in the bias."""
    x, w = graph[node.inputs[0]], graph[node.inputs[1]]
    bias = graph[node.inputs[2]].data if len(node.inputs) > 2 and node.inputs[2] else None
    total = np.zeros(w.shape[0], np.int64) if bias is None else bias.astype(np.int64)
    weight = centred(w).copy()
    facts = known.get(x.name)
    if facts is None:
        return Folded(weight, total)
    offset = np.where(facts.constant, facts.value - _zero_point(x), 0)
    padded = node.op == "QConv" and any(node.attrs.pads)
    gone = facts.constant & ((offset == 0) | (not padded))
    sums = weight.reshape(*weight.shape[:2], -1).sum(axis=2, dtype=np.int64)
    each = weighted(graph, node) == "each"
    added = sums[:, 0] * (offset * gone) if each else sums @ (offset * gone)
    if np.any(np.abs(total + added) > np.iinfo(np.int32).max):
        return Folded(weight, total)
    if each:
        weight[gone] = 0
    else:
        weight[:, gone] = 0
    return Folded(weight, total + added)


def _of_layer(graph: Graph, node: Node, facts: Facts, arithmetic: Arithmetic) -> Known:
    """Constant output channels of a QConv or QFullyConnected."""
    layer, attrs = facts.folded[node.name], node.attrs
    low, high = _reach(graph, node, layer)
    stuck_low, stuck_high = high <= attrs.act_min - _MARGIN, low >= attrs.act_max + _MARGIN
    zero = ~layer.weight.reshape(len(layer.bias), -1).any(axis=1)
    value = np.where(stuck_high, attrs.act_max, attrs.act_min).astype(np.int64)
    if np.any(zero & ~(stuck_low | stuck_high)):
        value = np.where(zero, _of_bias(graph, node, layer, arithmetic), value)
    return Known(zero | stuck_low | stuck_high, value)


def _reach(graph: Graph, node: Node, layer: Folded) -> tuple[Array, Array]:
    """(lowest, highest) output of each channel before the clamp, as real numbers.

    Unbounded where a sum could wrap around, or where the scale is so large that the fixed-point
    product could.
    """
    x, w, y = graph[node.inputs[0]], graph[node.inputs[1]], graph[node.outputs[0]]
    assert x.quant is not None and w.quant is not None and y.quant is not None
    info = np.iinfo(x.dtype.np)
    least, most = (int(v) - _zero_point(x) for v in (info.min, info.max))
    rows = layer.weight.reshape(len(layer.bias), -1).astype(np.int64)
    up, down = np.maximum(rows, 0).sum(axis=1), np.minimum(rows, 0).sum(axis=1)
    # a tap in the padding adds 0, so 0 belongs to the range of every input
    low = up * min(least, 0) + down * max(most, 0) + layer.bias
    high = up * max(most, 0) + down * min(least, 0) + layer.bias
    scale = np.float64(x.quant.scale) * w.quant.scale.astype(np.float64) / float(y.quant.scale)
    sound = (np.maximum(-low, high) <= np.iinfo(np.int32).max) & (scale < 1)
    zero = _zero_point(y)
    return np.where(sound, low * scale + zero, -np.inf), np.where(
        sound, high * scale + zero, np.inf
    )


def _of_bias(graph: Graph, node: Node, layer: Folded, arithmetic: Arithmetic) -> Array:
    """The outputs of channels without weights: the requantized bias, int64 [O]."""
    x, y = graph[node.inputs[0]], graph[node.outputs[0]]
    changed, tensors = with_weights(graph, node, layer)
    filled = np.full(x.shape, _zero_point(x), x.dtype.np)
    (result,) = _run(Site(changed, (x, *tensors), (y,), arithmetic), {x.name: filled})
    return np.asarray(result.reshape(-1, result.shape[-1])[0].astype(np.int64))


def with_weights(graph: Graph, node: Node, layer: Folded) -> tuple[Node, tuple[Tensor, Tensor]]:
    """The node reading other weights and bias, and the two tensors, named after the old ones."""
    w, x = graph[node.inputs[1]], graph[node.inputs[0]]
    assert w.quant is not None and x.quant is not None
    zeros = np.asarray(w.quant.zero_point, np.int32)
    shape = (-1,) + (1,) * (w.rank - 1) if zeros.ndim else ()
    data = (layer.weight + zeros.reshape(shape)).astype(w.dtype.np)
    old = graph[node.inputs[2]] if len(node.inputs) > 2 and node.inputs[2] else None
    scale = np.asarray(np.float32(x.quant.scale) * w.quant.scale, np.float32)
    quant = dataclasses.replace(w.quant, scale=scale, zero_point=np.zeros(scale.shape, np.int32))
    bias = Tensor(f"{w.name}__bias", layer.bias.shape, w.dtype, quant) if old is None else old
    values = layer.bias.astype(np.int32)
    made = (
        Tensor(f"{w.name}__live", w.shape, w.dtype, w.quant, data, bits=w.bits),
        dataclasses.replace(
            bias, name=f"{bias.name}__live", dtype=DType.INT32, data=values, source=None
        ),
    )
    return node.replace(inputs=(x.name, *(t.name for t in made))), made


def _of_tied(
    graph: Graph, node: Node, known: dict[str, Known], arithmetic: Arithmetic
) -> Known | None:
    """Constant channels of an operator that works channel by channel, by running it."""
    read = tied(graph, node)
    if not read or not all(name in known for name in read):
        return None
    if not all(t.dtype.is_integer for t in graph.output_tensors(node)):
        return None
    values = {name: _filled(graph[name], known[name]) for name in read}
    site = Site(node, graph.input_tensors(node), graph.output_tensors(node), arithmetic)
    (result,) = _run(site, values)
    columns = result.reshape(-1, result.shape[-1]).astype(np.int64)
    if not columns.size:
        return None
    both = np.ones(columns.shape[-1], bool)
    for name in read:
        both &= np.resize(known[name].constant, columns.shape[-1])
    return Known(both & (columns == columns[0]).all(axis=0), columns[0])


def _filled(tensor: Tensor, known: Known) -> Array:
    """A tensor with its constant channels; zero elsewhere, whose results are not looked at."""
    row = np.where(known.constant, known.value, 0).astype(tensor.dtype.np)
    return np.ascontiguousarray(np.broadcast_to(row, tensor.shape))


def _run(site: Site, values: dict[str, Array]) -> tuple[Array, ...]:
    """The node's outputs by its reference."""
    spec = specs()[site.node.op]
    assert spec.lower is not None and spec.reference is not None
    lowered = spec.lower(site)
    constants = {t.name: t.data for t in site.inputs if t is not None and t.data is not None}
    with np.errstate(all="ignore"):
        return spec.reference(lowered.params, [{**constants, **values}[i] for i in lowered.inputs])
