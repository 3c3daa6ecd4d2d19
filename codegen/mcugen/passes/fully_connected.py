"""Matrix products with constant weights become FullyConnected.

MatMul(x [..., K], w [K, N])   becomes   FullyConnected(x, transpose(w))
Gemm(a, w, c)                  becomes   FullyConnected(a or its transpose, alpha * w as [N, K],
                                                        beta * c as [N])
Gemm(a, b, c) otherwise        becomes   Transpose, MatMul or FullyConnected, Mul, Add

Weights behind DequantizeLinear stay integers: the integers are transposed. alpha and beta are
multiplied in float64 and rounded once. Refused: types other than float32, weights of another rank
than 2, an x of rank 1, and alpha of dequantized weights (their scale must stay the model's).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mcugen.ir import DType, Graph, Node
from mcugen.ops.matmul import FullyConnectedAttrs, MatMulAttrs
from mcugen.passes import expressions as ex
from mcugen.passes.edit import Editor
from mcugen.passes.quantized import constant_behind, conversion_params, dequantizer


def run(graph: Graph) -> Graph:
    """The graph with FullyConnected where weights are constant, and without float Gemm."""
    ed = Editor(graph)
    made: dict[tuple[str, bool, float], str] = {}
    for node in ed.nodes():
        if ed.tensor(node.outputs[0]).dtype is not DType.FLOAT32:
            continue
        if node.op == "MatMul":
            _matmul(ed, node, made)
        elif node.op == "Gemm":
            _gemm(ed, node, made)
    return ed.finish()


_Made = dict[tuple[str, bool, float], str]
"""(tensor, whether it was transposed, factor) -> the weight [N, K] made of it."""


def _matmul(ed: Editor, node: Node, made: _Made) -> None:
    x, w = node.inputs
    if ed.tensor(x).is_constant or ed.tensor(x).rank < 2:
        return
    weight = _weight(ed, w, flip=True, alpha=1.0, near=node, made=made)
    if weight is not None:
        changed = node.replace(op="FullyConnected", inputs=(x, weight), attrs=FullyConnectedAttrs())
        ed.replace((node,), (changed,))


def _gemm(ed: Editor, node: Node, made: _Made) -> None:
    attrs = node.attrs
    a, b, *rest = node.inputs
    c = rest[0] if rest else ""
    if attrs.trans_a:
        a = ex.transposed(ed, a, (1, 0), node)
    weight = _weight(ed, b, flip=not attrs.trans_b, alpha=attrs.alpha, near=node, made=made)
    if weight is not None and not ed.tensor(a).is_constant:
        units = ed.tensor(weight).shape[0]
        bias = _bias(ed, c, units, attrs.beta, node) if c else ""
        inputs = (a, weight, bias) if bias else (a, weight)
        c = "" if bias or attrs.beta == 0.0 else c
        if not c:
            changed = node.replace(op="FullyConnected", inputs=inputs, attrs=FullyConnectedAttrs())
            ed.replace((node,), (changed,))
            return
        result = ed.emit("FullyConnected", inputs, FullyConnectedAttrs(), near=node)
    else:
        if attrs.trans_b:
            b = ex.transposed(ed, b, (1, 0), node)
        product = ed.emit("MatMul", (a, b), MatMulAttrs(), near=node)
        result = ex.scaled(ed, product, attrs.alpha, node)
    if c and attrs.beta != 0.0:
        result = ex.binary(ed, "Add", result, ex.scaled(ed, c, attrs.beta, node), node)
    ed.bypass(node, result)


def _weight(
    ed: Editor, name: str, *, flip: bool, alpha: float, near: Node, made: _Made
) -> str | None:
    """The constant [K, N] (or [N, K] when not `flip`) times alpha, as [N, K]; None if computed."""
    constant = constant_behind(ed, name)
    if constant is None or constant.data is None or constant.rank != 2:
        return None
    key = (name, flip, alpha)
    if key not in made:
        node = dequantizer(ed, name)
        if node is None:
            values = constant.data.astype(np.float64) * alpha
            values = values.T if flip else values
            same = not flip and alpha == 1.0
            made[key] = name if same else ed.constant(values.astype(np.float32), f"{name}__weight")
        elif alpha != 1.0 or conversion_params(ed, node) is None:
            return None
        else:
            made[key] = _flipped(ed, node, near) if flip else name
    return made[key]


def _flipped(ed: Editor, node: Node, near: Node) -> str:
    """The transposed integers of a DequantizeLinear, dequantized."""
    integers = ed.tensor(node.inputs[0])
    quant, attrs = integers.quant, node.attrs
    if quant is not None and quant.axis is not None:
        quant = dataclasses.replace(quant, axis=1 - quant.axis)
        attrs = dataclasses.replace(attrs, axis=quant.axis)
    assert integers.data is not None
    flipped = ed.constant(
        integers.data.T, f"{integers.name}__weight", quant=quant, bits=integers.bits
    )
    out = f"{node.outputs[0]}__weight"
    return ed.emit(node.op, (flipped, *node.inputs[1:]), attrs, near=near, hint=out, beside=True)


def _bias(ed: Editor, name: str, units: int, beta: float, near: Node) -> str:
    """The constant times beta as a bias [units]; "" when it is none."""
    tensor = ed.tensor(name)
    per_unit = tensor.size == units and (tensor.rank == 0 or tensor.shape[-1] == units)
    if tensor.data is not None and (per_unit or tensor.size == 1):
        values = np.broadcast_to(tensor.data.astype(np.float64).reshape(-1) * beta, (units,))
        return ed.constant(values.astype(np.float32), f"{name}__bias")
    if constant_behind(ed, name) is None or beta != 1.0 or not per_unit:
        return ""
    return ex.reshaped(ed, name, (units,), near)
