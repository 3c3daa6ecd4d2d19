"""Working memory for the ESP32-S3: the rules give what the library's own getters gave.

Recorded from the C of the pinned version; test_esp_nn_dispatch.py asks it again where its sources
are at hand, and looks at what the kernels write.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from goldencase import golden_cases
from mcugen.ops.esp_nn import buffers
from mcugen.ops.esp_nn.buffers import ConvPath, DepthwisePath
from mcugen.ops.esp_nn.common import Pair, Size
from mcugen.ops.esp_nn.form import ConvForm


def form(image: tuple[int, int, int], outputs: int, window: tuple[int, int], stride: int, pad: int,
         each: int = 1) -> ConvForm:  # fmt: skip
    height, width, channels = image
    sizes = [(n + 2 * pad - k) // stride + 1 for n, k in zip((height, width), window, strict=True)]
    return ConvForm(
        x=Size(*image),
        filters=Size(*window, channels),
        y=Size(*sizes, outputs),
        stride=Pair(stride, stride),
        padding=Pair(pad, pad),
        channel_multiplier=each,
        input_offset=0,
        output_offset=0,
        act_min=-128,
        act_max=127,
    )


CONVOLUTIONS = [
    (form((1, 1, 3), 4, (1, 1), 1, 0), ConvPath.POINTWISE, 104),
    (form((5, 5, 8), 4, (1, 1), 1, 0), ConvPath.POINTWISE, 224),
    (form((5, 5, 9), 4, (1, 1), 1, 0), ConvPath.POINTWISE, 784),
    (form((6, 6, 9), 4, (1, 1), 2, 0), ConvPath.ROWS, 208),
    (form((9, 7, 3), 5, (3, 3), 2, 1), ConvPath.WINDOW, 308),
    (form((9, 7, 16), 5, (3, 3), 1, 1), ConvPath.ROWS, 4692),
    (form((9, 7, 16), 5, (3, 3), 2, 0), ConvPath.ROWS, 2804),
    (form((9, 7, 17), 5, (2, 3), 1, 0), ConvPath.ROWS, 1684),
]


@pytest.mark.parametrize(("shape", "path", "expected"), CONVOLUTIONS)
def test_convolutions(shape: ConvForm, path: ConvPath, expected: int) -> None:
    assert (buffers.conv_path(shape), buffers.conv(shape)) == (path, expected)


DEPTHWISE = [
    (form((9, 7, 16), 16, (3, 3), 1, 1), DepthwisePath.SAME, 1744),
    (form((50, 50, 32), 32, (3, 3), 1, 1), DepthwisePath.SAME, 5296),
    (form((31, 31, 32), 32, (3, 3), 2, 0), DepthwisePath.VALID, 33072),
    (form((9, 7, 24), 24, (3, 3), 1, 1), DepthwisePath.WIDENED, 6944),
    (form((9, 7, 8), 8, (3, 3), 1, 1), DepthwisePath.INT16_3X3, 1184),
    (form((9, 7, 8), 8, (5, 3), 1, 1), DepthwisePath.INT16, 1280),
    (form((40, 40, 16), 16, (5, 5), 1, 0), DepthwisePath.INT16, 7232),
    (form((9, 7, 5), 5, (3, 3), 1, 1), DepthwisePath.INT16_WIDENED, 1776),
    (form((9, 7, 2), 8, (3, 3), 1, 1, each=4), DepthwisePath.MULTIPLIED, 428),
    (form((9, 7, 2), 6, (3, 3), 1, 1, each=3), DepthwisePath.PLAIN, 32),
]


@pytest.mark.parametrize(("shape", "path", "expected"), DEPTHWISE)
def test_depthwise_convolutions(shape: ConvForm, path: DepthwisePath, expected: int) -> None:
    assert (buffers.depthwise_path(shape), buffers.depthwise(shape)) == (path, expected)


def test_more_than_the_getter_asks_for() -> None:
    """It asks for 4,336 bytes, three rows; the kernel copies the whole image."""
    shape = form((41, 41, 32), 32, (3, 3), 2, 0)
    assert buffers.depthwise_path(shape) is DepthwisePath.VALID
    assert buffers.depthwise(shape) == 9 * 32 + 16 + 42 * 42 * 32


def test_softmax_as_recorded(golden_dir: Path) -> None:
    cases = list(golden_cases(golden_dir, "softmax"))
    asked = [case.scratch_bytes["esp_genericopt_x86"] for case in cases]
    assert len(asked) == 50
    assert asked == [buffers.softmax(case.params["width"]) for case in cases]
