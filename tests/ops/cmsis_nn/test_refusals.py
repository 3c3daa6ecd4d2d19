"""What CMSIS-NN must not be given goes to portable C, and the reason is told.

Every row but the "taken" ones breaks one precondition of the pinned version: it would compute
something else, write outside of its tensors, or have no such function.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mcugen.ir import DType
from mcugen.kernels import CMSIS_NN
from mcugen.lower import choose_kernel
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, Core
from mcugen.ops.transpose import TransposeAttrs
from mcugen.quantize.fixed_point import Rounding
from opcase import OpCase, q, q_axis, random_int
from opcases.conv import PAD1
from opcases.four_bits import narrowed
from vendor_cases import (
    UINT8,
    average,
    binary,
    check_taken_or_refused,
    conv,
    curve,
    fully,
    ints,
    matmul,
    maximum,
    plain,
    softmax,
    step_of,
    transposed,
)

FAR = np.array([[-100, -100], [100, 100]], np.int8)
"""With zero points 100 and -100: weights 400 apart."""

CASES: dict[str, tuple[OpCase, str | None]] = {
    "conv taken": (conv((1, 5, 5, 3), (4, 3, 3, 3), pads=(1, 1, 1, 1)), None),
    "conv dilated taken": (conv((1, 7, 7, 3), (4, 3, 3, 3), dilations=(2, 3)), None),
    "conv grouped taken": (conv((1, 5, 5, 4), (6, 2, 3, 3), groups=2), None),
    "conv uint8": (conv((1, 5, 5, 3), (4, 3, 3, 3), dtype=UINT8), "must be int8, got uint8"),
    "conv weights with a zero point": (
        conv((1, 2, 2, 2), (2, 2, 1, 1), weights=ints(2, 2, 1, 1, dtype=UINT8), w_quant=q(0.1, 3)),
        "weights must fit int8",
    ),
    "conv bias at the edge": (
        conv((1, 2, 2, 2), (2, 2, 1, 1), bias=np.array([2**31 - 1, 0], np.int32)),
        "sums must fit 32 bits with their bias",
    ),
    "conv left shift": (
        conv((1, 2, 2, 2), (2, 2, 1, 1), y_quant=q(1e-10)),
        "sums must fit 32 bits after the left shift",
    ),
    "conv wide": (conv((1, 2, 32768, 1), (1, 1, 2, 2)), "dimensions must be at most 32767"),
    "conv pointwise and wide taken": (conv((1, 2, 40000, 1), (1, 1, 1, 1)), None),
    "depthwise taken": (conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4, pads=(1, 1, 1, 1)), None),
    "depthwise with a multiplier taken": (conv((2, 5, 5, 4), (8, 1, 2, 3), groups=4), None),
    "depthwise uint8": (
        conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4, dtype=UINT8),
        "must be int8, got uint8",
    ),
    "depthwise 3x3 with 2 columns behind": (
        conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4, pads=(1, 1, 1, 2)),
        "3x3 windows may reach 1 column beyond the image, got 2",
    ),
    "depthwise 3x3 with 2 rows behind taken": (
        conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4, pads=(1, 1, 2, 1)),
        None,
    ),
    "conv of 4 bits taken": (narrowed(conv((1, 5, 5, 3), (4, 3, 3, 3), pads=PAD1)), None),
    "conv of 4 bits grouped": (
        narrowed(conv((1, 5, 5, 4), (6, 2, 3, 3), groups=2)),
        "groups must be 1 with weights of 4 bits, got 2",
    ),
    "conv of 4 bits uint8": (
        narrowed(conv((1, 5, 5, 3), (4, 3, 3, 3), dtype=UINT8)),
        "must be int8, got uint8",
    ),
    "conv of 4 bits and long rows": (
        narrowed(conv((1, 2, 2, 9000), (1, 9000, 2, 2))),
        "dimensions must be at most 32767, got 36000",
    ),
    "depthwise of 4 bits and 5 channels taken": (
        narrowed(conv((1, 5, 5, 5), (5, 1, 3, 3), groups=5)),
        None,
    ),
    "depthwise of 4 bits and 5 channels, a batch": (
        narrowed(conv((2, 5, 5, 5), (5, 1, 3, 3), groups=5)),
        "an odd number of channels with weights of 4 bits must be one image",
    ),
    "depthwise of 4 bits and 5 channels, dilated": (
        narrowed(conv((1, 5, 5, 5), (5, 1, 3, 3), groups=5, dilations=(1, 2))),
        "an odd number of channels with weights of 4 bits must be one image",
    ),
    "depthwise of 4 bits and 5 channels with a multiplier": (
        narrowed(conv((1, 5, 5, 5), (10, 1, 3, 3), groups=5)),
        "got 1 images, dilation 1x1, 5 channels to 10",
    ),
    "depthwise of 4 bits and 6 channels, a batch taken": (
        narrowed(conv((2, 5, 5, 6), (6, 1, 3, 3), groups=6)),
        None,
    ),
    "depthwise of 4 bits uint8": (
        narrowed(conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4, dtype=UINT8)),
        "must be int8, got uint8",
    ),
    "fully connected of 4 bits taken": (narrowed(fully(3, 5)), None),
    "fully connected of 4 bits per channel taken": (
        narrowed(fully(3, 5, w_quant=q_axis(np.full(3, 0.01), 0))),
        None,
    ),
    "fully connected of 4 bits and long rows": (
        narrowed(fully(2, 40000)),
        "dimensions must be at most 32767, got 40000",
    ),
    "transposed taken": (transposed((2, 3, 4, 5), (5, 2, 3, 3), strides=(2, 2)), None),
    "transposed grouped": (transposed((1, 3, 3, 4), (4, 2, 2, 2), groups=2), "groups must be 1"),
    "transposed dilated": (
        transposed((1, 3, 3, 4), (4, 2, 2, 2), dilations=(1, 2)),
        "dilations must be 1, got 1x2",
    ),
    "transposed narrow kernel": (
        transposed((1, 3, 3, 4), (4, 2, 3, 1), strides=(1, 2)),
        "its buffer is too small",
    ),
    "transposed with rows cut off behind": (
        transposed((2, 3, 3, 4), (4, 2, 2, 2), strides=(2, 2), pads=(0, 0, 1, 0)),
        "it would write 6 rows of an output of 5",
    ),
    "transposed with pads above the input": (
        transposed((1, 1, 3, 4), (4, 2, 5, 3), pads=(2, 0, 0, 0)),
        "pads must be at most 1 rows here, got 2",
    ),
    "transposed with pads as large as the kernel": (
        transposed((1, 7, 5, 20), (20, 2, 3, 3), pads=(3, 1, 0, 0)),
        "pads must be smaller than the kernel",
    ),
    "transposed with output padding": (
        transposed((1, 3, 3, 4), (4, 2, 2, 2), strides=(2, 2), output_padding=(1, 1)),
        "it would write 6x6 of an output of 7x7",
    ),
    "transposed with output padding and many channels taken": (
        transposed((1, 3, 3, 20), (20, 2, 2, 2), strides=(2, 2), output_padding=(1, 1)),
        None,
    ),
    "fully connected taken": (fully(3, 7), None),
    "fully connected per channel taken": (
        fully(3, 7, w_quant=q_axis(np.array([0.1, 0.2, 0.3]), 0)),
        None,
    ),
    "fully connected with a zero point taken": (
        fully(3, 7, weights=ints(3, 7, dtype=UINT8), w_quant=q(0.1, 100)),
        None,
    ),
    "fully connected with zero points apart": (
        fully(2, 2, weights=FAR, w_quant=q_axis(np.full(2, 0.1), 0, np.array([100, -100]))),
        "weights must have one zero point",
    ),
    "fully connected per channel with a zero point": (
        fully(
            2,
            3,
            weights=ints(2, 3, dtype=UINT8),
            w_quant=q_axis(np.array([0.1, 0.2]), 0, np.array([3, 3])),
        ),
        "must be quantized per tensor",
    ),
    "matmul taken": (matmul(ints(2, 3, 4), ints(2, 4, 5)), None),
    "matmul uint8": (matmul(ints(3, 4, dtype=UINT8), ints(4, 5)), "must be int8, got uint8"),
    "matmul with rows too long to transpose": (
        matmul(ints(1, 1), ints(1, 9363)),
        "transposed rows must have at most 9362",
    ),
    "average taken": (average((2, 5, 5, 3), pads=(1, 1, 0, 0)), None),
    "average dilated": (average((1, 5, 5, 3), dilations=(2, 1)), "dilations must be 1, got 2x1"),
    "average counting the padding": (
        average((1, 5, 5, 3), pads=(1, 1, 0, 0), count_include_pad=True),
        "padding must not count",
    ),
    "average counting padding that is not there taken": (
        average((1, 5, 5, 3), count_include_pad=True),
        None,
    ),
    "average of another scale": (average((1, 5, 5, 3), q(0.06, 3)), "must be quantized alike"),
    "average beside the image": (
        average((1, 3, 3, 1), kernel=(1, 1), pads=(1, 0, 0, 0)),
        "every window must touch the input",
    ),
    "max taken": (maximum((1, 5, 5, 3), pads=(1, 1, 0, 0)), None),
    "max dilated": (maximum((1, 5, 5, 3), dilations=(1, 2)), "dilations must be 1, got 1x2"),
    "max uint8": (maximum((1, 5, 5, 3), UINT8), "must be int8, got uint8"),
    "max beside the image": (
        maximum((1, 3, 3, 1), kernel=(1, 1), pads=(0, 1, 0, 0)),
        "every window must touch the input",
    ),
    "add taken": (binary("QAdd", ints(2, 3), ints(2, 3)), None),
    "add broadcast": (binary("QAdd", ints(2, 3), ints(3)), "does not broadcast"),
    "add a scalar": (binary("QAdd", ints(2, 3), ints(1)), "does not broadcast"),
    "subtract": (binary("QAdd", ints(2, 3), ints(2, 3), subtract=True), "has no subtraction"),
    "add into a tiny scale": (
        binary("QAdd", ints(2, 3), ints(2, 3), q(1e-8)),
        "shift must be to the right",
    ),
    "add uint8": (
        binary("QAdd", ints(2, 3, dtype=UINT8), ints(2, 3)),
        "must be int8, got uint8",
    ),
    "mul taken": (binary("QMul", ints(2, 3), ints(2, 3)), None),
    "mul broadcast": (binary("QMul", ints(2, 3), ints(2, 1)), "does not broadcast"),
    "mul into a tiny scale": (
        binary("QMul", ints(2, 3), ints(2, 3), q(1e-9)),
        "sums must fit 32 bits after the left shift",
    ),
    "softmax taken": (softmax(3, 511), None),
    "softmax of long rows": (softmax(3, 512), "at most 511 elements, got 512"),
    "softmax of another axis": (softmax(3, 4, axis=0), "the axis must be the last one"),
    "softmax into another scale": (softmax(3, 4, out=q(1 / 128)), "an output scale of 1/256"),
    "softmax of a large scale": (softmax(3, 4, scale=30.0), "shift may be at most 30, got 31"),
    "softmax uint8": (softmax(3, 4, dtype=UINT8), "must be int8, got uint8"),
    "softmax to int16 taken": (softmax(3, 512, out=q(1 / 65536, -32768)), None),
    "softmax to int16 of another axis": (
        softmax(3, 4, axis=0, out=q(1 / 65536, -32768)),
        "the axis must be the last one",
    ),
    "softmax to int16 of another scale": (
        softmax(3, 4, out=q(1 / 32768, -32768)),
        "an output scale of 1/65536",
    ),
    "softmax to int16 of uint8": (
        softmax(3, 4, dtype=UINT8, out=q(1 / 65536, -32768)),
        "must be int8, got uint8",
    ),
    "sigmoid taken": (curve("QSigmoid"), None),
    "tanh taken": (curve("QTanh"), None),
    "tanh of another scale": (curve("QTanh", 0.0003), "a power of 2 as input scale"),
    "minimum taken": (plain("Min", NoAttrs(), ints(2, 3), ints(2, 3)), None),
    "maximum broadcast": (plain("Max", NoAttrs(), ints(2, 3), ints(3)), "does not broadcast"),
    "pad taken": (plain("Pad", PadAttrs((0, 1, 2, 0, 3, 4), value=-5), ints(2, 3, 4)), None),
    "pad by reflection": (
        plain("Pad", PadAttrs((0, 1, 0, 1), "reflect"), ints(3, 4)),
        "must pad up to 4 axes with a constant",
    ),
    "pad five axes": (
        plain("Pad", PadAttrs((1,) * 10), ints(2, 2, 2, 2, 2)),
        "must pad up to 4 axes with a constant",
    ),
    "transpose taken": (plain("Transpose", TransposeAttrs((2, 0, 3, 1)), ints(2, 3, 4, 5)), None),
    "transpose five axes": (
        plain("Transpose", TransposeAttrs((4, 3, 2, 1, 0)), ints(2, 2, 2, 2, 2)),
        "must move 2 to 4 axes",
    ),
    "concat taken": (plain("Concat", ConcatAttrs(1), ints(2, 3, 4), ints(2, 1, 4)), None),
    "concat of int16": (
        plain("Concat", ConcatAttrs(1), *(random_int(1, DType.INT16, 2, 3),) * 2),
        "must be int8, got int16",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_taken_or_refused(name: str) -> None:
    check_taken_or_refused(name, *CASES[name], "cmsis_nn")


@pytest.mark.parametrize("name", ["conv taken", "add taken", "average taken", "softmax taken"])
def test_the_other_arithmetic_is_refused(name: str) -> None:
    step = step_of(CASES[name][0], "cmsis_nn", Arithmetic.ONNX)
    assert step.kernel is not None and step.kernel.library == "portable"
    assert "--arithmetic tflite" in dict(step.refused)["cmsis_nn"]


def test_another_rounding_is_refused() -> None:
    params = step_of(CASES["conv taken"][0], "cmsis_nn").params
    once = dataclasses.replace(params.requant, rounding=Rounding.SINGLE)
    libraries = ("cmsis_nn", "portable")
    kernel, refused = choose_kernel(
        specs()["QConv"], dataclasses.replace(params, requant=once), libraries
    )
    assert kernel.library == "portable"
    assert dict(refused) == {"cmsis_nn": "two roundings are planned, got one"}


ROWS = [
    ("unit stride, equal pads", (1, 1), (0, 1, 0, 1), "arm_convolve_wrapper_s8"),
    ("one more pad behind", (1, 1), (0, 1, 0, 2), "arm_convolve_wrapper_s8"),
    ("pads in front alone", (1, 1), (0, 2, 0, 0), "arm_convolve_s8"),
    ("stride 2", (1, 2), (0, 1, 0, 1), "arm_convolve_s8"),
]


@pytest.mark.parametrize(("name", "strides", "pads", "function"), ROWS, ids=[r[0] for r in ROWS])
def test_one_row(name: str, strides: tuple[int, int], pads: tuple[int, ...], function: str) -> None:
    """The wrapper's MVE kernel for one row is wrong for strides and uneven pads."""
    del name
    step = step_of(conv((1, 1, 9, 4), (2, 4, 1, 3), strides=strides, pads=pads), "cmsis_nn")
    assert step.kernel is not None
    assert step.kernel.form(step.params).function == function


ONE_PIXEL = [
    ("pointwise", conv((1, 1, 1, 8), (5, 8, 1, 1)), "arm_fully_connected_per_channel_s8"),
    ("whole window", conv((1, 3, 2, 8), (5, 8, 3, 2)), "arm_fully_connected_per_channel_s8"),
    ("whole window of two images", conv((2, 3, 2, 4), (5, 4, 3, 2)), "arm_fully_connected"),
    ("padded", conv((1, 2, 2, 8), (5, 8, 3, 2), pads=(0, 0, 1, 0)), "arm_convolve_wrapper_s8"),
    ("groups", conv((1, 3, 2, 8), (6, 4, 3, 2), groups=2), "arm_convolve_wrapper_s8"),
    ("depthwise", conv((1, 3, 2, 8), (8, 1, 3, 2), groups=8), "arm_depthwise_conv_wrapper_s8"),
]


@pytest.mark.parametrize(("name", "case", "function"), ONE_PIXEL, ids=[r[0] for r in ONE_PIXEL])
def test_one_pixel(name: str, case: OpCase, function: str) -> None:
    """A window as large as the image is a matrix by a vector."""
    del name
    per_channel = dataclasses.replace(case, quant={**case.quant, 1: q_axis(
        np.full(case.inputs[1].shape[0], 0.01, np.float32), 0)})  # fmt: skip
    step = step_of(per_channel, "cmsis_nn")
    assert step.kernel is not None
    assert step.kernel.form(step.params).function.startswith(function)


def test_a_bias_is_always_passed() -> None:
    case = CASES["conv taken"][0]
    bare = dataclasses.replace(case, inputs=(*case.inputs[:2], None))
    step = step_of(bare, "cmsis_nn")
    bias = next(c.array for c in step.constants if c.name == "bias")
    assert step.kernel is not None and step.kernel.library == "cmsis_nn"
    assert bias.dtype == np.int32 and not bias.any() and bias.shape == (4,)


def test_an_addition_has_20_bits_of_headroom() -> None:
    """With less than 16 the DSP kernel is wrong."""
    step = step_of(CASES["add taken"][0], "cmsis_nn")
    assert step.kernel is not None
    assert step.kernel.form(step.params).left_shift == 20


@pytest.mark.parametrize("core", [Core.PLAIN, Core.DSP, Core.MVE])
def test_a_product_of_matrices_has_a_buffer_where_nothing_is_in_it(core: Core) -> None:
    """Without one the library reports an error and computes nothing."""
    step = step_of(CASES["matmul taken"][0], "cmsis_nn")
    assert step.kernel is not None
    form = step.kernel.form(step.params)
    assert step.kernel.scratch(step.params, core) >= form.turned_bytes + 16 > form.turned_bytes


def test_clamps_are_never_left_to_the_library() -> None:
    """Its relu6 clamps the integers themselves to 0..6; act_min and act_max are the kernels'."""
    assert not any("relu" in name for name in CMSIS_NN.functions)
    case = conv((1, 5, 5, 3), (4, 3, 3, 3))
    clamped = dataclasses.replace(
        case, attrs=dataclasses.replace(case.attrs, act_min=4, act_max=34)
    )
    step = step_of(clamped, "cmsis_nn")
    assert step.kernel is not None and step.kernel.library == "cmsis_nn"
    form = step.kernel.form(step.params)
    assert (form.act_min, form.act_max) == (4, 34)


def test_depthwise_of_4_bits_is_not_taken_where_its_code_is_wrong() -> None:
    case = narrowed(conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4))
    for core, library in ((Core.DSP, "cmsis_nn"), (Core.MVE, "portable")):
        step = step_of(case, "cmsis_nn", core=core)
        assert step.kernel is not None and step.kernel.library == library
        assert (library == "cmsis_nn") is (step.refused == ())
    assert step.refused == (("cmsis_nn", "its code for mve cores is wrong"),)


def test_an_image_of_one_row_of_4_bits_goes_past_the_wrapper() -> None:
    row = narrowed(conv((1, 1, 9, 4), (3, 4, 1, 3), pads=(0, 1, 0, 0)))
    image = narrowed(conv((1, 2, 9, 4), (3, 4, 1, 3)))
    for case, function in ((row, "arm_convolve_s4"), (image, "arm_convolve_wrapper_s4")):
        step = step_of(case, "cmsis_nn")
        assert step.kernel is not None
        assert step.kernel.form(step.params).function == function
