"""Pad(x, value) -> window operator   becomes   the operator with larger pads.

Conv, QConv:     value is 0, or the zero point of the integers
AveragePool:     value is 0 and padding is counted, or nothing was padded by the pool itself
MaxPool:         value is not above any real element (-inf, the smallest integer, or 0 after an
                 activation) and every window holds a real element

Refused: other modes than constant, padded batches or channels, and where a bound of the above does
not hold.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from mcugen.ir import Graph, Node, Tensor
from mcugen.passes.clamps import clamp_of
from mcugen.passes.edit import Editor, origins


def run(graph: Graph) -> Graph:
    """The graph with constant padding inside the operators that pad anyway."""
    ed = Editor(graph)
    for node in ed.nodes():
        if node.op in _RULES:
            _fuse(ed, node)
    return ed.finish()


def _fuse(ed: Editor, node: Node) -> None:
    pad = ed.producer(node.inputs[0])
    if pad is None or pad.op != "Pad" or pad.attrs.mode != "constant":
        return
    spatial = _spatial_pads(node, pad)
    attrs = None if spatial is None else _RULES[node.op](ed, node, pad, spatial)
    if attrs is None:
        return
    changed = node.replace(
        inputs=(pad.inputs[0], *node.inputs[1:]), attrs=attrs, origin=origins(pad, node)
    )
    ed.replace((node,), (changed,))


def _spatial_pads(node: Node, pad: Node) -> tuple[int, ...] | None:
    """The Pad's begins, then ends, of the spatial axes; None when it pads other axes."""
    rank = len(pad.attrs.pads) // 2
    axes = range(1, rank - 1) if node.attrs.channels_last else range(2, rank)
    others = set(range(rank)) - set(axes)
    if any(pad.attrs.pads[k] or pad.attrs.pads[k + rank] for k in others):
        return None
    return tuple(pad.attrs.pads[k + side] for side in (0, rank) for k in axes)


def _summed(node: Node, spatial: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(node.attrs.pads, spatial, strict=True))


def _with_pads(node: Node, spatial: tuple[int, ...], **changes: Any) -> Any:
    """The node's attributes with more pads."""
    return dataclasses.replace(node.attrs, pads=_summed(node, spatial), **changes)


def _conv(ed: Editor, node: Node, pad: Node, spatial: tuple[int, ...]) -> Any | None:
    """Padding contributes nothing: zeros are as good, but times an infinite weight."""
    weight = ed.value(node.inputs[1])
    if weight is not None and weight.dtype.kind == "f" and not np.isfinite(weight).all():
        return None
    return _with_pads(node, spatial) if pad.attrs.value == 0 else None


def _qconv(ed: Editor, node: Node, pad: Node, spatial: tuple[int, ...]) -> Any | None:
    quant = ed.tensor(pad.inputs[0]).quant
    if quant is None or not quant.per_tensor or pad.attrs.value != int(quant.zero_point):
        return None
    return _with_pads(node, spatial)


def _average(ed: Editor, node: Node, pad: Node, spatial: tuple[int, ...]) -> Any | None:
    """Padded elements were real ones for the pool: from now on it must count them."""
    del ed
    counted = node.attrs.count_include_pad or not any(node.attrs.pads)
    if pad.attrs.value != 0 or not counted or node.attrs.ceil_mode:
        return None
    return _with_pads(node, spatial, count_include_pad=True)


def _maximum(ed: Editor, node: Node, pad: Node, spatial: tuple[int, ...]) -> Any | None:
    """The pool ignores padding: a value not above any real one never wins."""
    source = ed.tensor(pad.inputs[0])
    if pad.attrs.value > _lower_bound(ed, source) or node.attrs.ceil_mode:
        return None
    pads = _summed(node, spatial)
    count = len(pads) // 2
    shape = source.shape[1:-1] if node.attrs.channels_last else source.shape[2:]
    outs = ed.tensor(node.outputs[0]).shape
    spatial_out = outs[1:-1] if node.attrs.channels_last else outs[2:]
    for k in range(count):
        starts = np.arange(spatial_out[k]) * node.attrs.strides[k] - pads[k]
        taps = starts[:, None] + np.arange(node.attrs.kernel[k]) * node.attrs.dilations[k]
        if not ((taps >= 0) & (taps < shape[k])).any(axis=1).all():
            return None
    return _with_pads(node, spatial)


def _lower_bound(ed: Editor, tensor: Tensor) -> float:
    """A number that no element is below."""
    if tensor.dtype.is_integer:
        return float(np.iinfo(tensor.dtype.np).min)
    producer = ed.producer(tensor.name)
    clamp = None if producer is None else clamp_of(ed, producer)
    clamp = clamp or getattr(getattr(producer, "attrs", None), "activation", None)
    return -math.inf if clamp is None else float(clamp.low)


_RULES = {"Conv": _conv, "QConv": _qconv, "AveragePool": _average, "MaxPool": _maximum}
"""Operator -> (editor, node, its Pad, spatial pads) -> new attributes, None when refused."""
