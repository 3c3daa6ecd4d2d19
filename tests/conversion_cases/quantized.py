"""QLinear operators and QDQ graphs."""

from __future__ import annotations

import numpy as np

from conversion_cases.case import case, f32
from mcugen.ir import Array
from onnx_models import node

I8, U8 = np.int8, np.uint8


def _scales(**values: float) -> dict[str, Array]:
    return {name: f32(number) for name, number in values.items()}


OPERATORS = (
    case(
        "O24-qlinear-conv-beyond-16-bits",
        node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"]),
        {"x": U8([210, 198, 234]).reshape(1, 3, 1, 1)},
        U8([97]).reshape(1, 1, 1, 1),
        {
            "w": I8([-81, -80, 127]).reshape(1, 3, 1, 1),
            "xz": np.array(0, U8),
            "wz": np.array(0, I8),
            "yz": np.array(128, U8),
            **_scales(xs=0.01, ws=0.01, ys=0.01),
        },
    ),
    case(
        "O25-qlinear-conv-padding-is-the-zero-point",
        node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"], pads=[1] * 4),
        {"x": np.full((1, 1, 2, 2), 138, U8)},
        np.full((1, 1, 2, 2), 40, U8),
        {
            "w": np.ones((1, 1, 3, 3), U8),
            "xz": np.array(128, U8),
            "wz": np.array(0, U8),
            "yz": np.array(0, U8),
            **_scales(xs=1, ws=1, ys=1),
        },
    ),
    case(
        "O26-quantize-ties-to-even",
        node("QuantizeLinear", ["x", "s", "z"], ["y"]),
        {"x": f32([0.25, 0.75, 1.25, 1.75, -0.25, -0.75])},
        I8([0, 2, 2, 4, 0, -2]),
        {"z": np.array(0, I8), **_scales(s=0.5)},
    ),
    case(
        "O27-qlinear-matmul-saturates",
        node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"]),
        {"a": np.full((2, 2, 8), 255, U8)},
        np.full((2, 2, 3), 255, U8),
        {
            "b": np.full((2, 8, 3), 255, U8),
            **{name: np.array(0, U8) for name in ("az", "bz", "yz")},
            **_scales(**{"as": 0.1, "bs": 0.1, "ys": 1}),
        },
    ),
)  # fmt: skip

GRAPHS = (
    case(
        "O28-qdq-concat-of-two-scales",
        [
            node("DequantizeLinear", ["a", "as", "az"], ["fa"]),
            node("DequantizeLinear", ["b", "bs", "bz"], ["fb"]),
            node("Concat", ["fa", "fb"], ["f"], axis=0),
            node("QuantizeLinear", ["f", "ys", "yz"], ["y"]),
        ],
        {"a": I8([-128, -124, -1, 0, 1, 127]), "b": I8([-128, -2, 8, 10, 12, 14, 126])},
        I8([-128, -128, -6, -5, -4, 122, -74, -11, -6, -5, -4, -3, 53]),
        {
            "az": np.array(0, I8),
            "bz": np.array(10, I8),
            "yz": np.array(-5, I8),
            **_scales(**{"as": 0.1, "bs": 0.05, "ys": 0.1}),
        },
        lsb=1,
    ),
    case(
        "O29-qdq-add-at-ties",
        [
            node("DequantizeLinear", ["a", "as", "z"], ["fa"]),
            node("DequantizeLinear", ["b", "as", "z"], ["fb"]),
            node("Add", ["fa", "fb"], ["f"]),
            node("QuantizeLinear", ["f", "ys", "z"], ["y"]),
        ],
        {"a": I8([1, 2, -1, -2, 4, 127, -128]), "b": I8([0, 1, 0, -1, 1, 127, -128])},
        I8([0, 2, 0, -2, 2, 127, -128]),
        {"z": np.array(0, I8), **_scales(**{"as": 0.5, "ys": 1})},
        lsb=1,
    ),
)

CASES = (*OPERATORS, *GRAPHS)
