"""uint8 inside becomes int8."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph, Source
from mcugen.ops.cast import CastAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import (
    attach_quantization,
    integer,
    lookup_tables,
    move_conversions,
    signed_integers,
)
from opcase import q

CONV = ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))
U8 = DType.UINT8


def _integers(graph: Graph) -> Graph:
    for run in (attach_quantization.run, move_conversions.run, lookup_tables.run, integer.run):
        graph = run(graph)
    return graph


def _conv(b: Builder, x: str, out: str) -> str:
    w = np.random.default_rng(1).integers(0, 256, (2, b.tensors[x].shape[1], 3, 3))
    wf = b.dequantize(b.const(f"{out}_w", w, np.uint8), f"{out}_wf", 0.01, 130)
    return b.quantize(b.node("Conv", (x, wf), CONV, f"{out}_f"), out, 0.2, 100, U8)


def test_a_float_model_with_unsigned_inside() -> None:
    b = Builder()
    x = b.dequantize(b.quantize(b.input("x", (1, 3, 5, 4)), "xq", 0.05, 128, U8), "xf", 0.05, 128)
    c = b.dequantize(_conv(b, x, "c"), "cf", 0.2, 100)
    p = b.node("Pad", (c,), PadAttrs((0, 0, 1, 0, 0, 0, 0, 0), value=1.0), "p")
    p = b.dequantize(b.quantize(p, "pq", 0.2, 100, U8), "pf", 0.2, 100)
    s = b.quantize(b.node("Sigmoid", (p,), UnaryAttrs(), "s"), "sq", 1 / 256, 0, U8)
    s = b.node("Reshape", (b.dequantize(s, "sf", 1 / 256),), ReshapeAttrs((1, 48)), "r")
    m = b.quantize(b.node("Softmax", (s,), SoftmaxAttrs(1), "m"), "mq", 1 / 256, 0, U8)
    b.dequantize(m, "y", 1 / 256, 0)
    before = _integers(b.graph("y"))
    after = signed_integers.run(before)
    assert ops(after) == ops(before)
    assert "QSoftmax" in ops(after)
    assert [t.name for t in after.tensors.values() if t.dtype is U8 and t.quant] == []
    assert after["c"].quant == q(0.2, -28)
    assert after["xq"].source == Source("xq", None, -128)
    assert after["c_w"].data.dtype == np.int8
    assert_same(before, after)


def test_inputs_and_outputs_keep_their_type() -> None:
    b = Builder()
    x = b.node("Reshape", (b.input("x", (1, 3, 20), U8),), ReshapeAttrs((1, 3, 5, 4)), "r")
    c = b.dequantize(_conv(b, b.dequantize(x, "xf", 0.05, 128), "c"), "cf", 0.2, 100)
    _conv(b, c, "y")
    before = _integers(b.graph("y"))
    after = signed_integers.run(before)
    kinds = [after[n].dtype for n in ("x", "r", "c", "y", "y_w")]
    assert kinds == [U8, U8, DType.INT8, U8, DType.INT8]
    assert [n.attrs.out_dtype for n in after.nodes if n.op == "QConv"] == [DType.INT8, U8]
    assert_same(before, after)


def test_raw_integers_and_signed_ones_stay() -> None:
    b = Builder()
    b.node("Reshape", (b.input("x", (2, 3), U8),), ReshapeAttrs((6,)), "r")
    b.node("Not", (b.node("Cast", ("r",), CastAttrs(DType.BOOL), "k"),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert signed_integers.run(graph) is graph
