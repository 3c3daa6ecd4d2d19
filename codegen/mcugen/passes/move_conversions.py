"""Conversions moved past operators that only move values, so that these run on integers.

DequantizeLinear(x) -> Move             becomes   Move(x) -> DequantizeLinear
Move(f) -> QuantizeLinear               becomes   QuantizeLinear(f) -> Move
Move(f) -> Relu, Clip -> QuantizeLinear becomes   Relu, Clip(f) -> QuantizeLinear -> Move

Moving values commutes with what is done to each of them, so every number stays the same. Refused:
per-axis quantization (but on constants, where Transpose takes the axis along), inputs of different
quantizations for the first form, a float result that others read too for the second, and an
operator with an activation of its own.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from mcugen.ir import Graph, Node, QuantParams, Tensor
from mcugen.ops.registry import specs
from mcugen.ops.spec import QuantSite, Reject
from mcugen.passes.clamps import clamp_of
from mcugen.passes.edit import Editor, origins, repeat
from mcugen.passes.quantized import (
    QUANTIZE,
    conversion_params,
    dequantizer,
    integers_behind,
)
from mcugen.passes.roles import data_inputs


def run(graph: Graph) -> Graph:
    """The graph with operators that move values on the integer side of conversions."""
    ed = Editor(graph)
    repeat(ed, _move)
    return ed.finish()


def moves_values(node: Node) -> bool:
    """Whether the node runs on integers as it runs on floats."""
    plain = getattr(node.attrs, "activation", None) is None
    return plain and (specs()[node.op].moves_values or node.op == "Pad")


def _move(ed: Editor, node: Node) -> bool:
    if not moves_values(node) or not all(ed.tensor(o).dtype.is_float for o in node.outputs):
        return False
    quantizer = _sole_quantizer(ed, node)
    grows = sum(ed.tensor(o).size for o in node.outputs) > sum(
        ed.tensor(node.inputs[i]).size for i in data_inputs(node)
    )
    if quantizer is not None and grows and _raise_quantize(ed, node, quantizer):
        return True
    if node.op != "Pad" and sink_dequantize(ed, node):
        return True
    if quantizer is None:
        return _raise_clamp(ed, node)
    return _raise_quantize(ed, node, quantizer)


def sink_dequantize(ed: Editor, node: Node) -> bool:
    """Let the node read the integers; DequantizeLinear converts its results."""
    data = data_inputs(node)
    behind = [integers_behind(ed, node.inputs[i]) for i in data]
    first = behind[0] if behind else None
    if first is None or first.quant is None:
        return False
    if any(t is None or t.quant != first.quant or t.dtype is not first.dtype for t in behind):
        return False
    quant = _carried(node, first)
    if quant is None:
        return False
    reader = dequantizer(ed, node.inputs[data[0]])
    assert reader is not None
    names = {i: t.name for i, t in zip(data, behind, strict=True) if t is not None}
    inputs = tuple(names.get(i, name) for i, name in enumerate(node.inputs))
    made = [
        ed.add_tensor(ed.tensor(o).replace(name=f"{o}__integers", dtype=first.dtype, quant=quant))
        for o in node.outputs
    ]
    moved = node.replace(inputs=inputs, outputs=tuple(made))
    attrs = (
        reader.attrs if quant.axis is None else dataclasses.replace(reader.attrs, axis=quant.axis)
    )
    converters = [
        Node(
            reader.op, ed.fresh(f"{out}.dequantize"), (made[k], *reader.inputs[1:]), (out,),
            attrs, origins(reader),
        )
        for k, out in enumerate(node.outputs)
    ]  # fmt: skip
    ed.replace((node,), (moved, *converters))
    return True


def _carried(node: Node, tensor: Tensor) -> QuantParams | None:
    """The quantization of the node's result; None when it has none."""
    quant = tensor.quant
    if quant is None or quant.axis is None:
        return quant
    if node.op != "Transpose" or not tensor.is_constant:
        return None
    return dataclasses.replace(quant, axis=node.attrs.perm.index(quant.axis))


def _sole_quantizer(ed: Editor, node: Node) -> Node | None:
    """The QuantizeLinear that alone reads the node's only output."""
    reader = ed.sole_consumer(node.outputs[0]) if len(node.outputs) == 1 else None
    if reader is None or reader.op != QUANTIZE or reader.inputs[0] != node.outputs[0]:
        return None
    params = conversion_params(ed, reader)
    return reader if params is not None and params.per_tensor else None


def _raise_quantize(ed: Editor, node: Node, quantizer: Node) -> bool:
    """Quantize the node's inputs instead of its result."""
    data = data_inputs(node)
    if not all(_worth_quantizing(ed, node.inputs[i]) for i in data):
        return False
    out = ed.tensor(quantizer.outputs[0])
    attrs = _integer_attrs(ed, node, out)
    if attrs is None:
        return False
    names: dict[str, str] = {}
    for name in dict.fromkeys(node.inputs[i] for i in data):
        names[name] = ed.emit(
            QUANTIZE, (name, *quantizer.inputs[1:]), quantizer.attrs, near=quantizer,
            hint=f"{name}__integers", quant=out.quant, source=ed.tensor(name).source, beside=True,
        )  # fmt: skip
    inputs = tuple(names[i] if k in data else i for k, i in enumerate(node.inputs))
    moved = node.replace(
        inputs=inputs, outputs=quantizer.outputs, attrs=attrs, origin=origins(node, quantizer)
    )
    ed.replace((node, quantizer), (moved,))
    return True


def _raise_clamp(ed: Editor, node: Node) -> bool:
    """Clamp the node's only input instead of its result, next to the operator that made it."""
    data = data_inputs(node)
    clamp = ed.sole_consumer(node.outputs[0]) if len(node.outputs) == 1 else None
    if clamp is None or clamp_of(ed, clamp) is None or _sole_quantizer(ed, clamp) is None:
        return False
    if node.op == "Pad" or len(data) != 1 or ed.sole_consumer(node.inputs[data[0]]) is None:
        return False
    clamped = ed.emit(clamp.op, (node.inputs[data[0]],), clamp.attrs, near=clamp)
    inputs = tuple(clamped if k == data[0] else i for k, i in enumerate(node.inputs))
    moved = node.replace(inputs=inputs, outputs=clamp.outputs, origin=origins(node, clamp))
    ed.replace((node, clamp), (moved,))
    return True


def _worth_quantizing(ed: Editor, name: str) -> bool:
    """Whether quantizing this input does not repeat work for others that read it as float."""
    tensor = ed.tensor(name)
    return (
        tensor.is_constant
        or dequantizer(ed, name) is not None
        or ed.sole_consumer(name) is not None
    )


def _integer_attrs(ed: Editor, node: Node, out: Tensor) -> Any | None:
    """The node's attributes on integers quantized like `out`: a Pad's value becomes one."""
    if node.op != "Pad":
        return node.attrs
    rule = specs()[node.op].quantize
    source = ed.tensor(node.inputs[0]).replace(dtype=out.dtype, quant=out.quant)
    if rule is None:
        return None
    try:
        form = rule(QuantSite(node, (source,), (out,), (-math.inf, math.inf)))
    except Reject:
        return None
    return form.attrs
