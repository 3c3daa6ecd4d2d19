"""Convolution, transposed convolution, pooling, resizing."""

from __future__ import annotations

import itertools

import numpy as np

from conversion_cases.case import Case, case, counting, f32
from mcugen.ir import Array
from onnx_models import node


def plain_conv(x: Array, w: Array, stride: int, pad: int, group: int) -> Array:
    """2-D convolution by its definition, in float64."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    out_channels, in_per_group, kh, kw = w.shape
    height = (padded.shape[2] - kh) // stride + 1
    width = (padded.shape[3] - kw) // stride + 1
    y = np.zeros((x.shape[0], out_channels, height, width))
    for n, o, i, j in itertools.product(*map(range, y.shape)):
        first = o // (out_channels // group) * in_per_group
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        y[n, o, i, j] = (padded[n, first : first + in_per_group, rows, columns] * w[o]).sum()
    return y


def _depthwise_64() -> Case:
    rng = np.random.default_rng(2)
    x, w = f32(rng.standard_normal((1, 8, 7, 7))), f32(rng.standard_normal((64, 1, 3, 3)))
    made = node("Conv", ["x", "w"], ["y"], group=8, strides=[2, 2], pads=[1, 1, 1, 1])
    return case(
        "O02-depthwise-multiplier-8", made, {"x": x}, f32(plain_conv(x, w, 2, 1, 8)), {"w": w},
        rtol=1e-4,
    )  # fmt: skip


CONV = (
    case(
        "O01-conv-same-lower-even-kernel",
        node("Conv", ["x", "w"], ["y"], strides=[2, 2], auto_pad="SAME_LOWER"),
        {"x": counting(1, 1, 5, 5)},
        f32([12, 32, 33, 64, 144, 126, 93, 198, 162], 1, 1, 3, 3),
        {"w": np.ones((1, 1, 4, 4), np.float32)},
    ),
    case(
        "O02-depthwise-multiplier-3",
        node("Conv", ["x", "w"], ["y"], group=2),
        {"x": counting(1, 2, 2, 2)},
        f32(
            [0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6, 12, 15, 18, 21, 16, 20, 24, 28, 20, 25, 30, 35],
            1, 6, 2, 2,
        ),
        {"w": counting(6, 1, 1, 1)},
    ),
    _depthwise_64(),
    case(
        "O03-conv-asymmetric-pads-dilations-bias",
        node("Conv", ["x", "w", "b"], ["y"], pads=[0, 1, 2, 0], dilations=[2, 1]),
        {"x": counting(1, 1, 4, 5)},
        f32(
            [
                22.5, 36.5, 42.5, 48.5, 42.5, 66.5, 72.5, 78.5,
                21.5, 33.5, 36.5, 39.5, 31.5, 48.5, 51.5, 54.5,
            ],
            1, 1, 4, 4,
        ),
        {"w": np.ones((1, 1, 2, 3), np.float32), "b": f32([0.5])},
    ),
)  # fmt: skip

CONV_TRANSPOSE = (
    case(
        "O04-conv-transpose-output-padding",
        node(
            "ConvTranspose", ["x", "w"], ["y"],
            strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1],
        ),
        {"x": counting(1, 1, 2, 2)},
        f32([0, 1, 1, 1, 2, 6, 4, 4, 2, 5, 3, 3, 2, 5, 3, 3], 1, 1, 4, 4),
        {"w": np.ones((1, 1, 3, 3), np.float32)},
    ),
    case(
        "O05-conv-transpose-groups",
        node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], group=2),
        {"x": counting(1, 2, 2, 2)},
        f32(
            [
                0, 0, 0, 1, 0, 0, 2, 3, 0, 2, 0, 3, 4, 6, 6, 9,
                16, 20, 20, 25, 24, 28, 30, 35, 24, 30, 28, 35, 36, 42, 42, 49,
            ],
            1, 2, 4, 4,
        ),
        {"w": counting(2, 1, 2, 2)},
    ),
)  # fmt: skip

POOL = (
    *(
        case(
            f"O06-average-pool-ceil-count-include-pad-opset{opset}",
            node(
                "AveragePool", ["x"], ["y"],
                kernel_shape=[2], strides=[2], ceil_mode=1, count_include_pad=1,
            ),
            {"x": f32([1, 2, 3, 4, 5], 1, 1, 5)},
            f32([1.5, 3.5, 5.0], 1, 1, 3),
            opset=opset,
        )
        for opset in (13, 19)
    ),
    *(
        case(
            f"O07-average-pool-same-lower-opset{opset}",
            node(
                "AveragePool", ["x"], ["y"],
                kernel_shape=[5, 1], auto_pad="SAME_LOWER", count_include_pad=1,
            ),
            {"x": counting(1, 1, 6, 2)},
            f32([1.2, 1.8, 2.4, 3.2, 4, 5, 6, 7, 5.6, 6.4, 4.8, 5.4], 1, 1, 6, 2),
            opset=opset,
        )
        for opset in (11, 19)
    ),
)  # fmt: skip

RESIZE = (
    case(
        "O08-resize-nearest-round-prefer-ceil",
        node(
            "Resize", ["x", "", "", "sizes"], ["y"],
            mode="nearest", coordinate_transformation_mode="half_pixel",
            nearest_mode="round_prefer_ceil",
        ),
        {"x": counting(1, 1, 1, 20)},
        f32([1, 5, 8, 11, 15, 18], 1, 1, 1, 6),
        {"sizes": np.array([1, 1, 1, 6])},
    ),
    case(
        "O09-resize-linear-align-corners",
        node(
            "Resize", ["x", "", "", "sizes"], ["y"],
            mode="linear", coordinate_transformation_mode="align_corners",
        ),
        {"x": counting(1, 1, 1, 8)},
        f32([0, 3.5, 7], 1, 1, 1, 3),
        {"sizes": np.array([1, 1, 1, 3])},
    ),
)  # fmt: skip

CASES = (*CONV, *CONV_TRANSPOSE, *POOL, *RESIZE)
