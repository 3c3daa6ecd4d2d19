"""What runs in float in a quantized model, and why."""

from __future__ import annotations

import numpy as np

from graphs import Builder
from mcugen.ir import DType
from mcugen.ops.matmul import FullyConnectedAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes.pipeline import run_passes


def test_every_float_computation_has_a_reason() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 5), DType.INT8), "f", 0.1)
    b.node("Reshape", (b.node("Abs", (f,), UnaryAttrs(), "a"),), ReshapeAttrs((10,)), "z")
    s = b.quantize(b.node("LogSoftmax", (f,), SoftmaxAttrs(1), "s"), "sq", 0.2)
    t = b.dequantize(s, "t", 0.2)
    b.quantize(b.node("Sigmoid", (t,), UnaryAttrs(), "g"), "y", 1 / 256, -128)
    result = run_passes(b.graph("y", "z"))
    assert result.float_nodes == {
        "/s": "LogSoftmax has no integer form",
        "/a": "its result goes to Reshape before it is quantized",
    }
    assert {n.name for n in result.graph.nodes} >= set(result.float_nodes)


def test_a_float_model_needs_no_reasons() -> None:
    b = Builder()
    b.node("Abs", (b.input("x", (2, 5)),), UnaryAttrs(), "y")
    assert run_passes(b.graph("y")).float_nodes == {}


def test_quantized_weights_alone_are_float_by_intent() -> None:
    b = Builder()
    w = b.dequantize(b.const("w", np.ones((4, 5)), np.int8), "d", 0.1)
    f = b.node("FullyConnected", (b.input("x", (2, 5)), w), FullyConnectedAttrs(), "f")
    b.node("Abs", (f,), UnaryAttrs(), "y")
    result = run_passes(b.graph("y"))
    assert result.float_nodes == {"/f": "only its weights are quantized"}
    assert [n.op for n in result.graph.nodes] == ["DequantizeLinear", "FullyConnected", "Abs"]
