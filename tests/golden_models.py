"""Three small models with fixed weights, whose whole C is recorded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from mcugen.ir import Array
from onnx_models import INT8, model, node, value


def pattern(*shape: int, step: int = 7) -> Array:
    """Eighths from -0.75 to 0.75 in an order that repeats after 13 elements."""
    count = int(np.prod(shape))
    return ((np.arange(count) * step % 13 - 6) / 8).astype(np.float32).reshape(shape)


def sine_f32() -> onnx.ModelProto:
    """One number through three dense layers."""
    nodes = [
        node("Gemm", ["x", "w1", "b1"], ["h1"], name="dense_1", transB=1),
        node("Relu", ["h1"], ["r1"], name="relu_1"),
        node("Gemm", ["r1", "w2", "b2"], ["h2"], name="dense_2", transB=1),
        node("Relu", ["h2"], ["r2"], name="relu_2"),
        node("MatMul", ["r2", "w3"], ["h3"], name="dense_3"),
        node("Add", ["h3", "b3"], ["y"], name="bias_3"),
    ]
    constants = {
        "w1": pattern(8, 1), "b1": pattern(8, step=5),
        "w2": pattern(8, 8), "b2": pattern(8, step=3),
        "w3": pattern(8, 1, step=2), "b3": pattern(1),
    }  # fmt: skip
    return model(nodes, [value("x", [1, 1])], [value("y", [1, 1])], constants)


def _whole(array: Array, dtype: type[np.generic], factor: int) -> Array:
    return (array * 8 * factor).astype(dtype)


def sine_int8() -> onnx.ModelProto:
    """The same in integers, as a quantizer writes it; int8 at both ends."""
    scales = (0.05, 0.02, 0.01, 0.1, 0.03)
    nodes = []
    constants: dict[str, Array] = {"z": np.array(0, np.int8), "z32": np.array(0, np.int32)}
    before = "x"
    for layer, (rows, columns) in enumerate(((1, 8), (8, 8), (8, 1)), 1):
        weights = _whole(pattern(rows, columns, step=layer + 4), np.int8, 20)
        bias = _whole(pattern(columns, step=layer + 1), np.int32, 100)
        x_scale, w_scale = np.float32(scales[layer - 1]), np.float32(0.02)
        last = layer == 3
        out, zero = (f"y{layer}", "z") if last else (f"h{layer}", "zr")
        constants |= {
            f"w{layer}": weights, f"b{layer}": bias, f"ws{layer}": np.asarray(w_scale),
            f"xs{layer}": np.asarray(x_scale), f"bs{layer}": np.asarray(x_scale * w_scale),
        }  # fmt: skip
        in_zero = "z" if layer == 1 else "zr"
        nodes += [
            node("DequantizeLinear", [before, f"xs{layer}", in_zero], [f"fx{layer}"]),
            node("DequantizeLinear", [f"w{layer}", f"ws{layer}", "z"], [f"fw{layer}"]),
            node("DequantizeLinear", [f"b{layer}", f"bs{layer}", "z32"], [f"fb{layer}"]),
            node(
                "Gemm", [f"fx{layer}", f"fw{layer}", f"fb{layer}"], [f"g{layer}"],
                name=f"dense_{layer}",
            ),
        ]  # fmt: skip
        result = f"g{layer}"
        if not last:
            nodes.append(node("Relu", [result], [f"r{layer}"], name=f"relu_{layer}"))
            result = f"r{layer}"
        constants[f"xs{layer + 1}"] = np.asarray(np.float32(scales[layer]))
        nodes.append(node("QuantizeLinear", [result, f"xs{layer + 1}", zero], [out]))
        before = out
    constants["zr"] = np.array(-128, np.int8)
    return model(nodes, [value("x", [1, 1], INT8)], [value("y3", [1, 1], INT8)], constants)


def conv_net() -> onnx.ModelProto:
    """An image through convolution, depthwise convolution, pooling and a dense layer."""
    nodes = [
        node("Conv", ["x", "wc", "bc"], ["c"], name="conv", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", ["c"], ["r"], name="relu"),
        node("Conv", ["r", "wd"], ["d"], name="depthwise", pads=[1, 1, 1, 1], group=4),
        node("Add", ["r", "d"], ["a"], name="skip"),
        node("MaxPool", ["a"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["p"], ["f"], name="flatten"),
        node("Gemm", ["f", "wg", "bg"], ["l"], name="dense", transB=1),
        node("Softmax", ["l"], ["y"], name="softmax", axis=1),
    ]
    constants = {
        "wc": pattern(4, 1, 3, 3), "bc": pattern(4, step=5), "wd": pattern(4, 1, 3, 3, step=3),
        "wg": pattern(3, 16, step=5), "bg": pattern(3),
    }  # fmt: skip
    return model(nodes, [value("x", [1, 1, 8, 8])], [value("y", [1, 3])], constants)


MODELS: Mapping[str, onnx.ModelProto] = {
    "sine_f32": sine_f32(),
    "sine_int8": sine_int8(),
    "conv_net": conv_net(),
}
