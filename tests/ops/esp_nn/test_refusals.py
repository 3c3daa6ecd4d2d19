"""What ESP-NN must not be given goes to portable C, and the reason is told.

Every row but the "taken" ones breaks one precondition of the code for the ESP32-S3 at the pinned
version: it would compute something else, write outside of its tensors, or be plain C.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from casebuild import case_graph
from mcugen.ir import DType, Graph, Node, Tensor
from mcugen.lower import choose_kernel, lower
from mcugen.ops.common import Clamp
from mcugen.ops.esp_nn import buffers
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qelementwise import QElementwiseAttrs
from mcugen.ops.qmean import QMeanAttrs
from mcugen.ops.registry import specs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.spec import Arithmetic
from mcugen.quantize.fixed_point import Rounding
from opcase import OpCase, q, q_axis
from vendor_cases import (
    UINT8,
    average,
    binary,
    check_taken_or_refused,
    conv,
    fully,
    ints,
    maximum,
    softmax,
    step_of,
)

LIBRARIES = ("esp_nn", "portable")


def depthwise(x: tuple[int, ...], window: tuple[int, int] = (3, 3), each: int = 1,
              **changes: Any) -> OpCase:  # fmt: skip
    channels = x[-1]
    return conv(x, (channels * each, 1, *window), groups=channels, **changes)


def mean(shape: tuple[int, ...], axes: tuple[int, ...] = (1, 2), act: tuple[int, int] = (-128, 127),
         dtype: DType = DType.INT8) -> OpCase:  # fmt: skip
    attrs = QMeanAttrs(axes, DType.INT8, *act)
    x = ints(*shape, dtype=dtype)
    return OpCase("case", "QMean", attrs, (x,), quant={0: q(0.05, 3)}, out_quant=q(0.04))


def clamped_maximum(channels: int, low: float) -> OpCase:
    attrs = PoolAttrs((2, 2), (1, 1), (0, 0, 0, 0), (1, 1), activation=Clamp(low, 100),
                      channels_last=True)  # fmt: skip
    return OpCase("case", "MaxPool", attrs, (ints(1, 4, 4, channels),))


def one_row(case: OpCase) -> OpCase:
    x = case.inputs[0]
    assert x is not None
    return dataclasses.replace(case, inputs=(x[:1], *case.inputs[1:]))


CASES: dict[str, tuple[OpCase, str | None]] = {
    "conv taken": (conv((1, 5, 5, 3), (4, 3, 3, 3), pads=(1, 1, 1, 1)), None),
    "conv with rows of vectors taken": (
        conv((1, 5, 5, 16), (4, 16, 3, 3), pads=(1, 1, 1, 1)),
        None,
    ),
    "conv pointwise taken": (conv((1, 5, 5, 9), (4, 9, 1, 1)), None),
    "conv of a batch": (conv((2, 5, 5, 3), (4, 3, 3, 3)), "one image at a time, got a batch of 2"),
    "conv pointwise of a batch taken": (conv((2, 5, 5, 3), (4, 3, 1, 1)), None),
    "conv dilated": (
        conv((1, 7, 7, 3), (4, 3, 3, 3), dilations=(2, 1)),
        "dilations are ignored, got 2x1",
    ),
    "conv grouped": (conv((1, 5, 5, 4), (6, 2, 3, 3), groups=2), "in plain C, got 2 groups"),
    "conv grouped pointwise": (
        conv((1, 5, 5, 4), (6, 2, 1, 1), groups=2),
        "in plain C, got 2 groups",
    ),
    "conv uint8": (conv((1, 5, 5, 3), (4, 3, 3, 3), dtype=UINT8), "must be int8, got uint8"),
    "conv weights with a zero point": (
        conv((1, 2, 2, 2), (2, 2, 1, 1), weights=ints(2, 2, 1, 1, dtype=UINT8), w_quant=q(0.1, 3)),
        "weights must fit int8",
    ),
    "conv bias at the edge": (
        conv((1, 2, 2, 2), (2, 2, 1, 1), bias=np.array([2**31 - 1, 0], np.int32)),
        "sums must fit 32 bits with their bias",
    ),
    "conv bias near the edge and a long shift": (
        conv(
            (1, 2, 2, 2),
            (2, 2, 1, 1),
            bias=np.array([2**31 - 2**20, 0], np.int32),
            y_quant=q(33900.0),
        ),
        "sums must fit 32 bits before the right shift",
    ),
    "conv wide": (conv((1, 2, 32768, 1), (1, 1, 2, 2)), "dimensions must be at most 32767"),
    "conv with a window beside the image": (
        conv((1, 5, 5, 3), (4, 3, 2, 2), pads=(2, 0, 0, 0)),
        "every window must touch the image",
    ),
    "conv pointwise with padding behind": (
        conv((1, 5, 5, 3), (4, 3, 1, 1), pads=(0, 0, 0, 1)),
        "every window must touch the image",
    ),
    "conv padded more behind": (
        conv((1, 6, 6, 16), (4, 16, 3, 3), strides=(2, 2), pads=(0, 1, 1, 1)),
        "padding behind may be at most that in front, got 1x0 behind 0x1",
    ),
    "conv padded behind alone taken": (
        conv((1, 6, 6, 16), (4, 16, 3, 3), strides=(2, 2), pads=(0, 0, 1, 1)),
        None,
    ),
    "conv with short rows padded more behind taken": (
        conv((1, 6, 6, 3), (4, 3, 3, 3), strides=(2, 2), pads=(0, 1, 1, 1)),
        None,
    ),
    "conv with short rows of a small image": (
        conv((1, 2, 4, 3), (4, 3, 3, 3), strides=(2, 2), pads=(0, 0, 2, 0)),
        "images smaller than the window need stride 1, got 2",
    ),
    "conv with short rows of a small image and stride 1 taken": (
        conv((1, 2, 4, 3), (4, 3, 3, 3), pads=(0, 0, 2, 0)),
        None,
    ),
    "conv of one pixel taken": (conv((1, 4, 2, 3), (5, 3, 4, 2)), None),
    "conv of one pixel with odd rows taken": (conv((1, 3, 3, 3), (5, 3, 3, 3)), None),
    "depthwise taken": (depthwise((1, 5, 5, 16), pads=(1, 1, 1, 1)), None),
    "depthwise without padding taken": (depthwise((1, 6, 6, 32), strides=(2, 2)), None),
    "depthwise padded behind alone taken": (
        depthwise((1, 6, 6, 16), strides=(2, 2), pads=(0, 0, 1, 1)),
        None,
    ),
    "depthwise of 24 channels taken": (depthwise((1, 5, 5, 24), pads=(0, 1, 2, 2)), None),
    "depthwise of 8 channels taken": (depthwise((1, 5, 5, 8), pads=(0, 1, 2, 2)), None),
    "depthwise of 5 channels taken": (depthwise((1, 5, 5, 5), pads=(0, 1, 2, 2)), None),
    "depthwise with 4 outputs each taken": (depthwise((1, 5, 5, 2), each=4), None),
    "depthwise of a batch": (depthwise((3, 5, 5, 16)), "got a batch of 3"),
    "depthwise dilated": (depthwise((1, 7, 7, 16), dilations=(1, 2)), "are ignored, got 1x2"),
    "depthwise of 3 channels": (depthwise((1, 5, 5, 3)), "in plain C, unless there are 4 channels"),
    "depthwise with 2 outputs each": (depthwise((1, 5, 5, 8), each=2), "in plain C, unless"),
    "depthwise padded more behind": (
        depthwise((1, 5, 5, 16), pads=(1, 1, 1, 2)),
        "padding behind may be at most that in front, got 1x2 behind 1x1",
    ),
    "depthwise of so many channels that the stack matters": (
        depthwise((1, 4, 4, 344)),
        "an array of 4224 bytes on the stack",
    ),
    "depthwise of a large image with padding above": (
        depthwise((1, 40, 40, 16), (5, 5), pads=(1, 0, 0, 0)),
        "padded above and below with 0 instead of the zero point",
    ),
    "depthwise of a large image with padding below": (
        depthwise((1, 40, 40, 16), (5, 5), pads=(0, 0, 1, 0)),
        "padded above and below with 0 instead of the zero point",
    ),
    "depthwise of a large image with padding beside taken": (
        depthwise((1, 40, 40, 16), (5, 5), pads=(0, 1, 0, 1)),
        None,
    ),
    "depthwise of a large image with zero point 0 taken": (
        depthwise((1, 40, 40, 16), (5, 5), pads=(1, 0, 0, 0), x_quant=q(0.05)),
        None,
    ),
    "depthwise of a small image with padding above taken": (
        depthwise((1, 20, 20, 16), (5, 5), pads=(1, 0, 0, 0)),
        None,
    ),
    "fully connected taken": (fully(3, 16), None),
    "fully connected per channel taken": (
        fully(2, 16, w_quant=q_axis(np.array([0.1, 0.2]), 0)),
        None,
    ),
    "fully connected of one row taken": (one_row(fully(3, 24)), None),
    "fully connected rows that lie unaligned": (fully(3, 24), "a multiple of 16 elements"),
    "fully connected short rows": (fully(3, 8), "rows must have 16 elements and more"),
    "fully connected odd rows": (fully(3, 20), "a multiple of 8, got 20"),
    "fully connected with a zero point": (
        fully(3, 16, weights=ints(3, 16, dtype=UINT8), w_quant=q(0.1, 100)),
        "weights must fit int8",
    ),
    "fully connected with very many outputs": (fully(1025, 16), "4100 bytes on the stack"),
    "average taken": (average((1, 5, 5, 8), pads=(1, 1, 0, 0)), None),
    "average of a batch": (average((2, 5, 5, 8)), "got a batch of 2"),
    "average dilated": (average((1, 5, 5, 8), dilations=(2, 1)), "are ignored, got 2x1"),
    "average counting the padding": (
        average((1, 5, 5, 8), pads=(1, 1, 0, 0), count_include_pad=True),
        "padding must not count",
    ),
    "average of another scale": (average((1, 5, 5, 8), q(0.06, 3)), "must be quantized alike"),
    "average beside the image": (
        average((1, 3, 3, 8), kernel=(1, 1), pads=(1, 0, 0, 0)),
        "every window must touch the image",
    ),
    "average of 3 channels taken": (average((1, 16, 16, 3), kernel=(16, 16)), None),
    "average of 3 channels and 18x18": (
        average((1, 18, 18, 3), kernel=(18, 18)),
        "windows of more than 256 elements overflow",
    ),
    "average of 4 channels and 18x18 taken": (average((1, 18, 18, 4), kernel=(18, 18)), None),
    "average of very many channels": (average((1, 2, 2, 2049)), "4098 bytes on the stack"),
    "max taken": (maximum((1, 5, 5, 8), pads=(1, 1, 0, 0)), None),
    "max of 4 channels taken": (maximum((1, 5, 5, 4)), None),
    "max of 3 channels": (maximum((1, 5, 5, 3)), "nothing is computed unless"),
    "max of 8 channels with a lower clamp taken": (clamped_maximum(8, -100), None),
    "max of 4 channels with a lower clamp": (clamped_maximum(4, -100), "the lower clamp is lost"),
    "max of 4 channels without a lower clamp taken": (clamped_maximum(4, -128), None),
    "max of a batch": (maximum((2, 5, 5, 8)), "got a batch of 2"),
    "max dilated": (maximum((1, 5, 5, 8), dilations=(1, 2)), "are ignored, got 1x2"),
    "max uint8": (maximum((1, 5, 5, 8), UINT8), "must be int8, got uint8"),
    "max beside the image": (
        maximum((1, 3, 3, 8), kernel=(1, 1), pads=(0, 1, 0, 0)),
        "every window must touch the image",
    ),
    "mean taken": (mean((1, 3, 4, 5)), None),
    "mean of one axis taken": (mean((3, 5), (0,)), None),
    "mean of a batch": (mean((2, 3, 4, 5)), "got a batch of 2"),
    "mean of axes apart": (mean((3, 4, 5), (0, 2)), "the axes must be neighbours, got [0, 2]"),
    "mean with a clamp": (mean((1, 3, 4, 5), act=(0, 127)), "does not clamp"),
    "mean uint8": (mean((1, 3, 4, 5), dtype=UINT8), "must be int8, got uint8"),
    "add taken": (binary("QAdd", ints(2, 3), ints(2, 3)), None),
    "add broadcast": (binary("QAdd", ints(2, 3), ints(3)), "does not broadcast"),
    "subtract": (binary("QAdd", ints(2, 3), ints(2, 3), subtract=True), "has no subtraction"),
    "add into a tiny scale": (
        binary("QAdd", ints(2, 3), ints(2, 3), q(1e-8)),
        "shift must be to the right",
    ),
    "mul taken": (binary("QMul", ints(2, 8), ints(2, 8)), None),
    "mul of odd tensors": (binary("QMul", ints(2, 9), ints(2, 9)), "ties are rounded up, got 18"),
    "mul broadcast": (binary("QMul", ints(2, 8), ints(8)), "does not broadcast"),
    "mul into a small scale": (
        binary("QMul", ints(2, 8), ints(2, 8), q(2e-4)),
        "shifts must be to the right, got 3 to the left",
    ),
    "softmax taken": (softmax(3, 31), None),
    "softmax of one long row taken": (softmax(1, 100), None),
    "softmax of long aligned rows taken": (softmax(3, 48), None),
    "softmax of long unaligned rows": (softmax(3, 33), "a multiple of 16 to lie aligned, got 33"),
    "softmax of rows too long": (softmax(1, 512), "at most 511 elements, got 512"),
    "softmax of another axis": (softmax(3, 4, axis=0), "the axis must be the last one"),
    "softmax into another scale": (softmax(3, 4, out=q(1 / 128)), "an output scale of 1/256"),
}


@pytest.mark.parametrize("name", CASES)
def test_taken_or_refused(name: str) -> None:
    check_taken_or_refused(name, *CASES[name], "esp_nn")


@pytest.mark.parametrize(
    "name", ["conv taken", "add taken", "average taken", "softmax taken", "mean taken"]
)
def test_the_other_arithmetic_is_refused(name: str) -> None:
    step = step_of(CASES[name][0], "esp_nn", Arithmetic.ONNX)
    assert step.kernel is not None and step.kernel.library == "portable"
    assert "--arithmetic tflite" in dict(step.refused)["esp_nn"]


def test_another_rounding_is_refused() -> None:
    params = step_of(CASES["conv taken"][0], "esp_nn").params
    once = dataclasses.replace(params.requant, rounding=Rounding.SINGLE)
    changed = dataclasses.replace(params, requant=once)
    kernel, refused = choose_kernel(specs()["QConv"], changed, LIBRARIES)
    assert kernel.library == "portable"
    assert dict(refused) == {"esp_nn": "two roundings are planned, got one"}


def test_an_addition_has_20_bits_of_headroom() -> None:
    step = step_of(CASES["add taken"][0], "esp_nn")
    assert step.kernel is not None
    assert step.kernel.form(step.params).left_shift == 20


def test_the_channels_of_filters_are_given() -> None:
    """Without, the library takes groups of channels for granted."""
    for name in ("conv taken", "depthwise taken"):
        step = step_of(CASES[name][0], "esp_nn")
        assert step.kernel is not None
        form = step.kernel.form(step.params)
        assert form.filters.channels == form.x.channels > 0


def test_a_bias_is_always_passed() -> None:
    case = CASES["conv taken"][0]
    step = step_of(dataclasses.replace(case, inputs=(*case.inputs[:2], None)), "esp_nn")
    bias = next(c.array for c in step.constants if c.name == "bias")
    assert step.kernel is not None and step.kernel.library == "esp_nn"
    assert bias.dtype == np.int32 and not bias.any() and bias.shape == (4,)


def halves(channels: int) -> Graph:
    """Both halves of one tensor, added: the second is a view that begins in the middle."""
    quant = q(0.05, 3)
    shapes = {"x": (2, channels), "a": (1, channels), "b": (1, channels), "y": (1, channels)}
    tensors = {n: Tensor(n, s, DType.INT8, quant) for n, s in shapes.items()}
    nodes = (
        *(
            Node("Slice", name, ("x",), (name,), SliceAttrs((row, 0), (1, 1), (1, channels)))
            for row, name in enumerate("ab")
        ),
        Node("QAdd", "add", ("a", "b"), ("y",), QElementwiseAttrs(DType.INT8, -128, 127)),
    )
    return Graph("halves", nodes, tensors, ("x",), ("y",))


def test_a_view_must_lie_aligned() -> None:
    for channels, reason in ((16, None), (8, "multiples of 16 bytes, got 8 in a view")):
        (step,) = lower(halves(channels), libraries=LIBRARIES).calls
        assert step.kernel is not None
        assert step.kernel.library == ("esp_nn" if reason is None else "portable")
        assert reason is None or reason in dict(step.refused)["esp_nn"]


def test_a_buffer_of_the_caller_may_lie_anywhere() -> None:
    graph = case_graph(CASES["conv taken"][0])
    (step,) = lower(graph, libraries=LIBRARIES, io_caller=True).calls
    assert step.kernel is not None and step.kernel.library == "portable"
    assert dict(step.refused)["esp_nn"].endswith("16 bytes, got a caller's buffer")
    (step,) = lower(graph, libraries=LIBRARIES, io_caller=False).calls
    assert step.kernel is not None and step.kernel.library == "esp_nn"


def test_a_convolution_of_one_pixel_is_a_fully_connected_layer() -> None:
    for name, template in (
        ("conv of one pixel taken", "esp_nn/fully_connected.c.j2"),
        ("conv of one pixel with odd rows taken", "esp_nn/conv.c.j2"),
        ("conv taken", "esp_nn/conv.c.j2"),
    ):
        step = step_of(CASES[name][0], "esp_nn")
        assert step.kernel is not None and step.kernel.template == template
        assert (step.scratch_bytes == 0) == ("fully_connected" in template)


def test_a_large_image_without_padding_is_copied_as_a_whole() -> None:
    """The library's getter asks for three rows of it."""
    small, large = (
        step_of(depthwise((1, side, side, 32), strides=(2, 2)), "esp_nn") for side in (31, 41)
    )
    for step, side in ((small, 31), (large, 41)):
        assert step.scratch_bytes == 9 * 32 + 16 + (side + 1) ** 2 * 32
    assert small.scratch_bytes - 9 * 32 - 16 <= buffers.WHOLE_IMAGE_BYTES
    assert large.scratch_bytes - 9 * 32 - 16 > buffers.WHOLE_IMAGE_BYTES
