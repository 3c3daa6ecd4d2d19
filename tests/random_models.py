"""Random models in the operators that the importer gives: float, or quantized with conversions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from graphs import Builder
from mcugen.ir import DType, Graph
from mcugen.ops.activations import AlphaAttrs
from mcugen.ops.batch_normalization import BatchNormalizationAttrs
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.matmul import GemmAttrs, MatMulAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.reduce import ReduceAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs


class Random:
    """Draws operators onto a list of float tensors of rank 4, perhaps quantizing results."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.b = Builder()
        self.quantized = draw(st.booleans())
        shape = (1, draw(st.sampled_from((1, 2, 3))), 5, 4)
        self.pool = [self.settle(self.b.input("x", shape))]
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def values(self, *shape: int) -> np.ndarray:
        seed = self.draw(st.integers(0, 1000))
        return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)

    def settle(self, name: str) -> str:
        """The tensor, quantized and dequantized again in a quantized model (mostly)."""
        if not self.quantized or self.draw(st.integers(0, 5)) == 0:
            return name
        dtype = self.draw(st.sampled_from((DType.INT8, DType.UINT8)))
        scale = self.draw(st.sampled_from((0.0517, 0.0517, 0.0983)))  # few ties
        zero = self.draw(st.sampled_from((0, 0, 20))) + (128 if dtype is DType.UINT8 else 0)
        integers = self.b.quantize(name, f"{name}_q", scale, zero, dtype)
        return self.b.dequantize(integers, f"{name}_d", scale, zero)

    def weight(self, name: str, *shape: int) -> str:
        """Float, or int8 behind DequantizeLinear with a scale per output channel."""
        values = self.values(*shape) * np.float32(0.5)
        if self.draw(st.booleans()):
            values[self.draw(st.integers(0, shape[0] - 1)) :] = 0
            values[:, : self.draw(st.integers(0, shape[1]))] = 0
        if not self.quantized or self.draw(st.integers(0, 5)) == 0:
            return self.b.const(name, values)
        scales = np.abs(values).reshape(shape[0], -1).max(axis=1) / np.float32(127) + 1e-6
        wide = scales.reshape(-1, *(1,) * (len(shape) - 1))
        w = self.b.const(f"{name}_q", np.rint(values / wide).clip(-127, 127), np.int8)
        return self.b.dequantize(w, name, scales.astype(np.float32), 0, axis=0)

    def bias(self, name: str, x: str, w: str, values: np.ndarray) -> str:
        """Float, or int32 in units of the sum where input and weight are dequantized."""
        scales = [self.scale_of(x), self.scale_of(w)]
        if scales[0] is None or scales[1] is None:
            return self.b.const(name, values)
        units = np.float32(scales[0]) * scales[1]
        integers = self.b.const(f"{name}_q", np.rint(values / units), np.int32)
        return self.b.dequantize(integers, name, units, 0, axis=0)

    def scale_of(self, name: str) -> np.ndarray | None:
        """The scale of the DequantizeLinear that makes the tensor."""
        made = [n for n in self.b.nodes if n.outputs == (name,) and n.op == "DequantizeLinear"]
        return self.b.tensors[made[0].inputs[1]].data if made else None

    def step(self) -> None:
        """Add one operator."""
        x = self.draw(st.sampled_from(self.pool[-3:]))
        kinds = (
            self.conv, self.unary, self.add, self.constant, self.batchnorm, self.pad,
            self.pooling, self.concat, self.cut, self.turned, self.mean, self.softmax,
        )  # fmt: skip
        self.pool.append(self.settle(self.draw(st.sampled_from(kinds))(x, self.fresh())))

    def shape(self, x: str) -> tuple[int, ...]:
        return self.b.tensors[x].shape

    def conv(self, x: str, out: str) -> str:
        channels = self.shape(x)[1]
        depthwise = self.draw(st.booleans())
        made = channels if depthwise else self.draw(st.integers(1, 9))
        w = self.weight(f"{out}_w", made, 1 if depthwise else channels, 3, 2)
        inputs = [x, w]
        if self.draw(st.booleans()):
            inputs.append(self.bias(f"{out}_b", x, w, self.values(made) * np.float32(5)))
        stride = self.draw(st.sampled_from((1, 1, 2)))
        attrs = ConvAttrs((1, stride), (1, 0, 1, 1), (1, 1), channels if depthwise else 1)
        return self.b.node("Conv", inputs, attrs, out)

    def unary(self, x: str, out: str) -> str:
        op, attrs = self.draw(
            st.sampled_from(
                (
                    ("Relu", UnaryAttrs()),
                    ("Clip", ClipAttrs(-0.5, 1.0)),
                    ("Sigmoid", UnaryAttrs()),
                    ("LeakyRelu", AlphaAttrs(0.1)),
                )
            )
        )
        return self.b.node(op, (x,), attrs, out)

    def add(self, x: str, out: str) -> str:
        same = [p for p in self.pool if self.shape(p) == self.shape(x)]
        op = self.draw(st.sampled_from(("Add", "Mul", "Sub")))
        return self.b.node(op, (x, self.draw(st.sampled_from(same))), BinaryAttrs(), out)

    def constant(self, x: str, out: str) -> str:
        channels = self.shape(x)[1]
        shape = self.draw(st.sampled_from(((), (1,), (channels, 1, 1), (1, channels, 1, 1))))
        op = self.draw(st.sampled_from(("Add", "Mul")))
        return self.b.node(
            op, (x, self.b.const(f"{out}_k", self.values(*shape))), BinaryAttrs(), out
        )

    def batchnorm(self, x: str, out: str) -> str:
        channels = self.shape(x)[1]
        rows = [self.values(channels) for _ in range(3)] + [np.abs(self.values(channels)) + 0.5]
        params = [self.b.const(f"{out}_p{k}", row) for k, row in enumerate(rows)]
        return self.b.node("BatchNormalization", (x, *params), BatchNormalizationAttrs(1e-3), out)

    def pad(self, x: str, out: str) -> str:
        value = self.draw(st.sampled_from((0.0, 0.0, 0.5)))
        return self.b.node("Pad", (x,), PadAttrs((0, 0, 1, 0, 0, 0, 0, 1), value=value), out)

    def pooling(self, x: str, out: str) -> str:
        op = self.draw(st.sampled_from(("MaxPool", "AveragePool")))
        attrs = PoolAttrs((2, 1), (1, 1), (0, 0, 1, 0), (1, 1), False, False)
        return self.b.node(op, (x,), attrs, out)

    def concat(self, x: str, out: str) -> str:
        fitting = [p for p in self.pool if self.shape(p)[2:] == self.shape(x)[2:]]
        return self.b.node("Concat", (x, self.draw(st.sampled_from(fitting))), ConcatAttrs(1), out)

    def cut(self, x: str, out: str) -> str:
        shape = self.shape(x)
        axis = self.draw(st.integers(1, 3))
        attrs = SliceAttrs.whole(shape).along(axis, 0, max(1, shape[axis] - 1))
        return self.b.node("Slice", (x,), attrs, out)

    def turned(self, x: str, out: str) -> str:
        """There, something, and back."""
        t = self.b.node("Transpose", (x,), TransposeAttrs((0, 2, 3, 1)), f"{out}_t")
        t = self.b.node("Relu", (self.settle(t),), UnaryAttrs(), f"{out}_r")
        return self.b.node("Transpose", (t,), TransposeAttrs((0, 3, 1, 2)), out)

    def mean(self, x: str, out: str) -> str:
        if self.quantized:  # means of few equal integers are ties all the time
            return self.softmax(x, out)
        return self.b.node("ReduceMean", (x,), ReduceAttrs((2,)), out)

    def softmax(self, x: str, out: str) -> str:
        axis = self.draw(st.integers(1, 3))
        return self.b.node("Softmax", (x,), SoftmaxAttrs(axis), out)

    def head(self, x: str) -> str:
        """A flattening and a matrix product."""
        inputs = int(np.prod(self.shape(x)))
        flat = self.b.node("Reshape", (x,), ReshapeAttrs((1, inputs)), "flat")
        if self.draw(st.booleans()):
            w = self.weight("w", 3, inputs)
            attrs = GemmAttrs(1.0, 1.0, False, True)
            return self.b.node("Gemm", (flat, w), attrs, "y")
        w = self.b.const("w", self.values(inputs, 3))
        return self.b.node("MatMul", (flat, w), MatMulAttrs(), "y")


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A random model of up to 8 layers."""
    random = Random(draw)
    for _ in range(draw(st.integers(1, 8))):
        random.step()
    last = random.pool[-1]
    outputs = [random.settle(random.head(last)) if draw(st.booleans()) else last]
    outputs += draw(st.lists(st.sampled_from(random.pool), max_size=1))
    return random.b.graph(*outputs)
