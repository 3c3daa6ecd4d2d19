"""Reading QuantizeLinear and DequantizeLinear nodes: numbers, and the integers behind floats."""

from __future__ import annotations

import numpy as np

from mcugen.ir import DType, Node, QuantParams, Tensor
from mcugen.passes.edit import Editor

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
EIGHT_BIT = (DType.INT8, DType.UINT8)


def conversion_params(ed: Editor, node: Node) -> QuantParams | None:
    """The quantization that a QuantizeLinear or DequantizeLinear node converts by.

    None when scale or zero point are computed, not float32, not positive and finite, or given per
    block.
    """
    scale = ed.value(node.inputs[1])
    if scale is None or scale.dtype != np.float32 or scale.ndim > 1:
        return None
    if not bool(np.all(np.isfinite(scale) & (scale > 0))):
        return None
    zero_point = np.zeros(scale.shape, np.int32)
    if len(node.inputs) > 2 and node.inputs[2]:
        given = ed.value(node.inputs[2])
        if given is None or given.size not in (1, scale.size):
            return None
        zero_point = np.broadcast_to(given.astype(np.int32).reshape(-1), (scale.size,))
    if scale.size == 1:
        return QuantParams(scale.reshape(()), zero_point.reshape(()))
    axis = node.attrs.axis % ed.tensor(node.inputs[0]).rank
    return QuantParams(scale, zero_point, axis)


def dequantizer(ed: Editor, name: str) -> Node | None:
    """The DequantizeLinear that makes float tensor `name`."""
    producer = ed.producer(name) if name else None
    return producer if producer is not None and producer.op == DEQUANTIZE else None


def integers_behind(ed: Editor, name: str) -> Tensor | None:
    """The integer tensor, with its quantization, that float tensor `name` is dequantized from."""
    node = dequantizer(ed, name)
    if node is None:
        return None
    tensor = ed.tensor(node.inputs[0])
    params = conversion_params(ed, node)
    return tensor if params is not None and tensor.quant == params else None


def constant_behind(ed: Editor, name: str) -> Tensor | None:
    """The constant that tensor `name` is, or is dequantized from."""
    node = dequantizer(ed, name)
    tensor = ed.tensor(name if node is None else node.inputs[0])
    return tensor if tensor.is_constant else None
