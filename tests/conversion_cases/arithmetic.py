"""Matrix products, activations, normalisation, elementwise corner values."""

from __future__ import annotations

import numpy as np

from conversion_cases.case import Case, case, counting, f32
from conversion_cases.convolution import plain_conv
from mcugen.ir import Array
from onnx_models import node

NAN = np.nan


def _gemm(name: str, c: Array, expected: Array) -> Case:
    made = node("Gemm", ["a", "b", "c"], ["y"], alpha=0.5, beta=2.0, transA=1, transB=1)
    return case(
        f"O10-gemm-c-{name}", made, {"a": counting(2, 3)}, expected, {"b": counting(4, 2), "c": c}
    )


_PRODUCT = 0.5 * counting(2, 3).T @ counting(4, 2).T

GEMM = (
    _gemm(
        "row",
        f32([1, 2, 3, 4]),
        f32([[3.5, 8.5, 13.5, 18.5], [4, 11, 18, 25], [4.5, 13.5, 22.5, 31.5]]),
    ),
    _gemm(
        "column",
        f32([[1], [2], [3]]),
        f32([[3.5, 6.5, 9.5, 12.5], [6, 11, 16, 21], [8.5, 15.5, 22.5, 29.5]]),
    ),
    _gemm(
        "scalar",
        f32(10),
        f32([[21.5, 24.5, 27.5, 30.5], [22, 27, 32, 37], [22.5, 29.5, 36.5, 43.5]]),
    ),
    case(
        "O10-gemm-one-row",
        node("Gemm", ["a", "b", "c"], ["y"], transB=1),
        {"a": f32([[1, 2]])},
        f32([[12, 28, 44, 60]]),
        {"b": counting(4, 2), "c": f32([10, 20, 30, 40])},
    ),
)

MATMUL = (
    case(
        "O11-matmul-vector-matrix",
        node("MatMul", ["a", "b"], ["y"]),
        {"a": counting(3)},
        f32([20, 23, 26, 29]),
        {"b": counting(3, 4)},
    ),
    case(
        "O11-matmul-batch-vector",
        node("MatMul", ["a", "b"], ["y"]),
        {"a": counting(2, 3, 4)},
        f32([[14, 38, 62], [86, 110, 134]]),
        {"b": counting(4)},
    ),
    case(
        "O11-matmul-vectors",
        node("MatMul", ["a", "b"], ["y"]),
        {"a": counting(3), "b": counting(3)},
        f32(5),
    ),
)

SOFTMAX = tuple(
    case(
        f"O12-softmax-default-axis-opset{opset}",
        node("Softmax", ["x"], ["y"]),
        {"x": np.zeros((2, 3, 4), np.float32)},
        np.full((2, 3, 4), 1 / count, np.float32),
        opset=opset,
    )
    for opset, count in ((11, 12), (12, 12), (13, 4))
)


def _normalised_conv(second_reader: bool) -> Case:
    rng = np.random.default_rng(13)
    x, w = f32(rng.standard_normal((1, 2, 4, 4))), f32(rng.standard_normal((3, 2, 2, 2)))
    scale, bias, mean = f32([1, -2, 0.5]), f32([0.1, 0.2, 0.3]), f32([1, 0, -1])
    variance = f32([1e-3, 2e-3, 0])
    conv = plain_conv(x, w, 1, 0, 1)
    gain = (scale / np.sqrt(variance.astype(np.float64) + 0.1)).reshape(-1, 1, 1)
    normal = (conv - mean.reshape(-1, 1, 1)) * gain + bias.reshape(-1, 1, 1)
    nodes = [
        node("Conv", ["x", "w"], ["c"]),
        node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"], epsilon=0.1),
    ]
    expected = {"y": f32(normal)}
    if second_reader:
        nodes.append(node("Relu", ["c"], ["z"]))
        expected["z"] = f32(np.maximum(conv, 0))
    return case(
        "O13-conv-batchnorm-" + ("shared" if second_reader else "folds"),
        nodes,
        {"x": x},
        expected,
        {"w": w, "s": scale, "b": bias, "m": mean, "v": variance},
        rtol=1e-4,
    )


ACTIVATIONS = (
    _normalised_conv(False),
    _normalised_conv(True),
    case(
        "O14-prelu-per-channel",
        node("PRelu", ["x", "s"], ["y"]),
        {"x": f32([-1, -2, -3, -4], 1, 2, 1, 2)},
        f32([-0.5, -1, -6, -8], 1, 2, 1, 2),
        {"s": f32([0.5, 2], 2, 1, 1)},
    ),
    case(
        "O14-prelu-scalar",
        node("PRelu", ["x", "s"], ["y"]),
        {"x": f32([-1, 2, -3, 0], 1, 2, 1, 2)},
        f32([-0.5, 2, -1.5, 0], 1, 2, 1, 2),
        {"s": f32(0.5)},
    ),
)

NUMERIC = (
    case("O37-relu-nan", node("Relu", ["x"], ["y"]), {"x": f32([NAN, -1, 2])}, f32([NAN, 0, 2])),
    case(
        "O37-max-nan",
        node("Max", ["a", "b"], ["y"]),
        {"a": f32([NAN, 1]), "b": f32([1, NAN])},
        f32([NAN, NAN]),
    ),
    case(
        "O38-integer-div-truncates",
        node("Div", ["a", "b"], ["y"]),
        {"a": np.int32([8, -8, 7, -7]), "b": np.int32([-3, 3, -2, 2])},
        np.int32([-2, -2, -3, -3]),
    ),
    case(
        "O39-uint8-mul-wraps",
        node("Mul", ["a", "b"], ["y"]),
        {"a": np.uint8([22, 255]), "b": np.uint8([21, 255])},
        np.uint8([206, 1]),
        opset=14,
    ),
)

CASES = (*GEMM, *MATMUL, *SOFTMAX, *ACTIVATIONS, *NUMERIC)
