"""What runs in float in a quantized model, and why."""

from __future__ import annotations

from graphs import Builder
from mcugen.ir import DType
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
        "/a": "Abs has no integer form",
        "/z": "it moves float values",
    }
    assert {n.name for n in result.graph.nodes} >= set(result.float_nodes)


def test_a_float_model_needs_no_reasons() -> None:
    b = Builder()
    b.node("Abs", (b.input("x", (2, 5)),), UnaryAttrs(), "y")
    assert run_passes(b.graph("y")).float_nodes == {}
