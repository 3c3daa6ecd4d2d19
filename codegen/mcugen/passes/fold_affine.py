"""Scales and shifts per output channel, folded into the weights before them.

Conv(x, w, b) -> BatchNormalization(g, s, m, v)   becomes   Conv(x, w * a, (b - m) * a + s)
                                                            with a = g / sqrt(v + epsilon)
Conv -> Mul, Div by a constant                    becomes   Conv(x, w * a, b * a)
Conv -> Add, Sub of a constant                    becomes   Conv(x, w, b + s)

also for ConvTranspose and FullyConnected. Computed in float64, rounded to float32 once; a missing
bias is created. Refused: a result of the first operator that others read too, or that has an
activation; constants with another value than one per channel; dequantized weights times a factor
that is not positive (their scales take the others).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, Graph, Node, QuantParams, Tensor
from mcugen.passes import expressions as ex
from mcugen.passes.edit import Editor, evaluate, origins, repeat
from mcugen.passes.quantized import constant_behind, conversion_params, dequantizer

_WEIGHTED = ("Conv", "ConvTranspose", "FullyConnected")


@dataclass(frozen=True)
class _Affine:
    """y[c] = x[c] * scale[c] + shift[c], float64, [C]; `scale` None where it is 1."""

    scale: Array | None
    shift: Array


def run(graph: Graph) -> Graph:
    """The graph with constants per channel in the weights and biases before them."""
    ed = Editor(graph)
    repeat(ed, _fold)
    return ed.finish()


def _fold(ed: Editor, node: Node) -> bool:
    """Fold the node's only reader into it."""
    if node.op not in _WEIGHTED:
        return False
    reader = ed.sole_consumer(node.outputs[0])
    if reader is None or node.attrs.activation is not None:
        return False
    if ed.tensor(reader.outputs[0]).shape != ed.tensor(node.outputs[0]).shape:
        return False
    if _dequantized_bias(ed, node, reader):
        return True
    affine = _affine(ed, node, reader)
    return affine is not None and _absorb(ed, node, reader, affine)


def _absorb(ed: Editor, node: Node, reader: Node, affine: _Affine) -> bool:
    x, w, *rest = node.inputs
    bias = _bias(ed, rest[0] if rest else "", len(affine.shift))
    if bias is None:
        return False
    if affine.scale is not None:
        scaled = _scaled_weight(ed, node, affine.scale)
        if scaled is None:
            return False
        w, bias = scaled, bias * affine.scale
    shifted = (bias + affine.shift).astype(np.float32)
    b = ed.constant(shifted, f"{reader.outputs[0]}__bias")
    changed = node.replace(inputs=(x, w, b), outputs=reader.outputs, origin=origins(node, reader))
    ed.replace((node, reader), (changed,))
    return True


def _bias(ed: Editor, name: str, channels: int) -> Array | None:
    """The bias in float64 [C], zeros when absent, None when it is computed."""
    if not name:
        return np.zeros(channels, np.float64)
    value, node = ed.value(name), dequantizer(ed, name)
    if value is None and node is not None and constant_behind(ed, name) is not None:
        results = evaluate(node, [ed.value(i) for i in node.inputs])
        value = None if results is None else results[0]
    return None if value is None else value.astype(np.float64)


def _scaled_weight(ed: Editor, node: Node, scale: Array) -> str | None:
    """The weight times one factor per output channel; the scales of a dequantized one."""
    name = node.inputs[1]
    weight, converter = ed.value(name), dequantizer(ed, name)
    if weight is not None:
        return ed.constant(_scaled(node, weight, scale), f"{name}__folded")
    integers = constant_behind(ed, name)
    if converter is None or integers is None or node.op == "ConvTranspose":
        return None
    quant = conversion_params(ed, converter)
    if quant is None or quant.axis not in (None, 0) or not bool(np.all(scale > 0)):
        return None
    scales = (quant.scale.astype(np.float64) * scale).astype(np.float32)
    if not bool(np.all(np.isfinite(scales) & (scales > 0))):
        return None
    return _rescaled(ed, converter, integers, scales, quant.zero_point)


def _rescaled(
    ed: Editor, converter: Node, integers: Tensor, scales: Array, zero_point: Array
) -> str:
    """DequantizeLinear of the same integers with other scales, [C] along axis 0."""
    zeros = np.broadcast_to(zero_point, scales.shape)
    assert integers.data is not None
    params = (
        ed.constant(integers.data, f"{integers.name}__folded", quant=QuantParams(scales, zeros, 0)),
        ed.constant(scales, f"{converter.outputs[0]}__scale"),
        ed.constant(zeros.astype(integers.dtype.np), f"{converter.outputs[0]}__zero_point"),
    )
    attrs = dataclasses.replace(converter.attrs, axis=0)
    return ed.emit(converter.op, params, attrs, near=converter, beside=True)


def _scaled(node: Node, weight: Array, scale: Array) -> Array:
    """The weight with every output channel multiplied, rounded to float32."""
    wide = weight.astype(np.float64)
    if node.op != "ConvTranspose":
        return (wide * scale.reshape(-1, *(1,) * (weight.ndim - 1))).astype(np.float32)
    groups = node.attrs.groups
    grouped = wide.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    factors = scale.reshape(groups, 1, -1, *(1,) * (weight.ndim - 2))
    return (grouped * factors).reshape(weight.shape).astype(np.float32)


def _affine(ed: Editor, node: Node, reader: Node) -> _Affine | None:
    """What `reader` does to each channel of the node's output, None when it is something else."""
    if getattr(reader.attrs, "activation", None) is not None:
        return None
    channels = _channels(ed, node)
    if reader.op == "BatchNormalization":
        matrix = node.op != "FullyConnected" or ed.tensor(node.outputs[0]).rank == 2
        first = reader.inputs[0] == node.outputs[0]
        return batch_normalization(ed, reader) if first and matrix else None
    if reader.op not in ("Add", "Sub", "Mul", "Div"):
        return None
    left, right = reader.inputs
    swapped = right == node.outputs[0]
    if left == right or (swapped and reader.op == "Div"):
        return None
    constant = ed.value(left if swapped else right)
    values = None if constant is None else _per_channel(ed, node, constant, channels)
    if values is None:
        return None
    return _arithmetic(reader.op, values, swapped)


def _arithmetic(op: str, values: Array, swapped: bool) -> _Affine | None:
    nothing = np.zeros_like(values)
    if op == "Add":
        return _Affine(None, values)
    if op == "Sub":
        return _Affine(-np.ones_like(values), values) if swapped else _Affine(None, -values)
    if op == "Div" and np.any(values == 0):
        return None
    return _Affine(values if op == "Mul" else 1.0 / values, nothing)


def batch_normalization(ed: Editor, node: Node) -> _Affine | None:
    """Scale and shift of a BatchNormalization whose parameters are constant."""
    params = [ed.value(name) for name in node.inputs[1:5]]
    if any(p is None for p in params):
        return None
    scale, shift, mean, variance = (np.asarray(p, np.float64) for p in params)
    factor = scale / np.sqrt(variance + node.attrs.epsilon)
    return _Affine(factor, shift - mean * factor)


def _channels(ed: Editor, node: Node) -> int:
    axis = -1 if node.op == "FullyConnected" else 1
    return ed.tensor(node.outputs[0]).shape[axis]


def _per_channel(ed: Editor, node: Node, constant: Array, channels: int) -> Array | None:
    """A broadcast constant as float64 [C]; None when it varies along another axis."""
    shape = channel_shape(ed, node)
    wide = constant.reshape((1,) * (len(shape) - constant.ndim) + constant.shape)
    if wide.size == 1:
        return np.full(channels, wide.reshape(-1)[0], np.float64)
    return wide.reshape(-1).astype(np.float64) if wide.shape == shape else None


def channel_shape(ed: Editor, node: Node) -> tuple[int, ...]:
    """The shape that a constant per output channel of the node broadcasts from."""
    rank, channels = ed.tensor(node.outputs[0]).rank, _channels(ed, node)
    axis = rank - 1 if node.op == "FullyConnected" else 1
    return tuple(channels if k == axis else 1 for k in range(rank))


def _dequantized_bias(ed: Editor, node: Node, reader: Node) -> bool:
    """Make an Add of dequantized constants the bias of a node without one."""
    if (
        reader.op != "Add"
        or len(set(reader.inputs)) != 2
        or (len(node.inputs) > 2 and node.inputs[2])
    ):
        return False
    if getattr(reader.attrs, "activation", None) is not None:
        return False
    other = next(i for i in reader.inputs if i != node.outputs[0])
    constant = constant_behind(ed, other)
    if constant is None or ed.value(other) is not None:
        return False
    if not _is_bias(constant, channel_shape(ed, node)):
        return False
    bias = ex.reshaped(ed, other, (constant.size,), reader)
    changed = node.replace(
        inputs=(*node.inputs[:2], bias), outputs=reader.outputs, origin=origins(node, reader)
    )
    ed.replace((node, reader), (changed,))
    return True


def _is_bias(tensor: Tensor, shape: tuple[int, ...]) -> bool:
    wide = (1,) * (len(shape) - tensor.rank) + tensor.shape
    return wide == shape
