"""Float operators between conversions become integer ones."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.common import Clamp
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.matmul import FullyConnectedAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import attach_quantization, integer
from mcugen.passes.edit import Editor
from opcase import q, q_axis


def _integer(graph: Graph) -> Graph:
    before = attach_quantization.run(graph)
    after = integer.run(before)
    assert_same(before, after, lsb=1)
    return after


def _why(graph: Graph, op: str) -> str | None:
    graph = attach_quantization.run(graph)
    assert integer.run(graph) is graph
    return integer.why_float(Editor(graph), next(n for n in graph.nodes if n.op == op))


def _int8(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-127, 128, shape).astype(np.int8)


def _conv(b: Builder, *, attrs: ConvAttrs | None = None, bias: str = "int32") -> str:
    x = b.dequantize(b.input("x", (1, 3, 5, 4), DType.INT8), "xf", 0.1, 3)
    scales = np.array([0.01, 0.02], np.float32)
    w = b.dequantize(b.const("w", _int8(1, 2, 3, 3, 3), np.int8), "wf", scales)
    inputs = [x, w]
    if bias == "int32":
        c = b.const("c", [100, -200], np.int32)
        inputs.append(b.dequantize(c, "cf", np.float32(0.1) * scales))
    elif bias == "float":
        inputs.append(b.const("c", [0.5, -1.5]))
    attrs = attrs or ConvAttrs((1, 1), (1, 1, 1, 1), (1, 1))
    return b.node("Conv", inputs, attrs, "f")


@pytest.mark.parametrize("bias", ["int32", "float", "none"])
def test_conv_with_relu_and_clip(bias: str) -> None:
    b = Builder()
    f = b.node("Relu", (_conv(b, bias=bias),), UnaryAttrs(), "r")
    f = b.node("Clip", (f,), ClipAttrs(-1.0, 6.0), "k")
    b.quantize(f, "y", 0.1, -20)
    after = _integer(b.graph("y"))
    assert ops(after) == ["QConv"]
    node = after.nodes[0]
    assert (node.attrs.act_min, node.attrs.act_max) == (-20, 40)
    assert node.origin == ("/f", "/r", "/k", "/y")
    assert after["w"].quant == q_axis(np.array([0.01, 0.02]), 0)
    assert all(not t.dtype.is_float for t in after.tensors.values())
    if bias == "int32":
        assert node.inputs == ("x", "w", "c")
    elif bias == "float":
        assert after[node.inputs[2]].dtype is DType.INT32


def test_an_activation_of_the_node_itself_counts() -> None:
    b = Builder()
    attrs = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), activation=Clamp(0.0, 1.0))
    b.quantize(_conv(b, attrs=attrs), "y", 0.1)
    after = _integer(b.graph("y"))
    assert (after.nodes[0].attrs.act_min, after.nodes[0].attrs.act_max) == (0, 10)


def test_add_of_two_scales() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 3), DType.INT8), "f", 0.1)
    g = b.dequantize(b.input("z", (2, 3), DType.INT8), "g", 0.05, 10)
    b.quantize(b.node("Add", (f, g), BinaryAttrs(), "s"), "y", 0.1, -5)
    after = _integer(b.graph("y"))
    assert ops(after) == ["QAdd"]
    assert after["y"].quant == q(0.1, -5)


def test_fully_connected_and_softmax() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 5), DType.INT8), "f", 0.1)
    w = b.dequantize(b.const("w", _int8(1, 4, 5), np.int8), "wf", 0.02)
    f = b.node("FullyConnected", (f, w), FullyConnectedAttrs(), "m")
    f = b.dequantize(b.quantize(f, "mq", 0.2), "n", 0.2)
    b.quantize(b.node("Softmax", (f,), SoftmaxAttrs(1), "s"), "y", 1 / 256, -128)
    assert ops(_integer(b.graph("y"))) == ["QFullyConnected", "QSoftmax"]


def test_a_result_read_as_float_stays() -> None:
    b = Builder()
    f = _conv(b)
    b.quantize(f, "y", 0.1)
    b.node("Relu", (f,), UnaryAttrs(), "z")
    assert "by several nodes" in str(_why(b.graph("y", "z"), "Conv"))


def test_a_result_that_is_not_quantized_stays() -> None:
    b = Builder()
    b.node("Sigmoid", (_conv(b),), UnaryAttrs(), "y")
    assert _why(b.graph("y"), "Conv") == "its result goes to Sigmoid before it is quantized"


def test_a_float_input_stays() -> None:
    b = Builder()
    x = b.input("x", (2, 5))
    w = b.dequantize(b.const("w", _int8(1, 4, 5), np.int8), "wf", 0.02)
    b.quantize(b.node("FullyConnected", (x, w), FullyConnectedAttrs(), "m"), "y", 0.2)
    assert _why(b.graph("y"), "FullyConnected") == "its input is not quantized"


def test_an_operator_without_integer_form_stays() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 5), DType.INT8), "f", 0.1)
    b.quantize(b.node("LogSoftmax", (f,), SoftmaxAttrs(1), "m"), "y", 0.2)
    assert _why(b.graph("y"), "LogSoftmax") == "LogSoftmax has no integer form"


def test_what_the_operator_rejects_stays() -> None:
    b = Builder()
    f = b.dequantize(b.input("x", (2, 5), DType.INT16), "f", 0.1)
    b.quantize(b.node("Softmax", (f,), SoftmaxAttrs(1), "m"), "y", 0.2)
    assert "must be int8 or uint8" in str(_why(b.graph("y"), "Softmax"))
