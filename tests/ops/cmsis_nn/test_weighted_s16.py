"""Layers with weights on int16 activations: what CMSIS-NN is given, and what it is not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from casebuild import case_graph
from mcugen.ir import DType
from mcugen.lower import lower
from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import Dims
from mcugen.ops.spec import Arithmetic, Core
from opcase import OpCase, q, q_axis
from vendor_cases import UINT8, check_taken_or_refused, conv, fully, ints, step_of


def wide(case: OpCase, scale: float = 1.0) -> OpCase:
    """The case with int16 activations."""
    x, *rest = case.inputs
    assert x is not None
    attrs = dataclasses.replace(
        case.attrs, out_dtype=DType.INT16, act_min=-(2**15), act_max=2**15 - 1
    )
    return dataclasses.replace(
        case,
        attrs=attrs,
        inputs=(ints(*x.shape, dtype=DType.INT16), *rest),
        quant={**case.quant, 0: q(0.05)},
        out_quant=q(scale),
    )


def conv16(x: tuple[int, ...], w: tuple[int, ...], scale: float = 1.0, **changes: Any) -> OpCase:
    return wide(conv(x, w, **changes), scale)


def fully16(units: int, inner: int, **changes: Any) -> OpCase:
    return wide(fully(units, inner, **changes))


FUNCTIONS = {
    "conv": (conv16((1, 5, 5, 3), (4, 3, 3, 3), pads=(1, 1, 1, 1)), "arm_convolve_wrapper_s16"),
    "dilated": (conv16((1, 7, 7, 3), (4, 3, 3, 3), dilations=(2, 3)), "arm_convolve_wrapper_s16"),
    "one pixel": (conv16((1, 3, 3, 3), (4, 3, 3, 3)), "arm_convolve_wrapper_s16"),
    "long rows, an even number": (
        conv16((1, 3, 3, 58), (4, 58, 3, 3), weights=np.ones((4, 58, 3, 3), np.int8)),
        "arm_convolve_wrapper_s16",
    ),
    "depthwise": (
        conv16((2, 5, 5, 4), (4, 1, 3, 3), groups=4, pads=(1, 1, 1, 1)),
        "arm_depthwise_conv_wrapper_s16",
    ),
    "depthwise with a multiplier": (
        conv16((2, 5, 5, 3), (6, 1, 2, 3), groups=3),
        "arm_depthwise_conv_wrapper_s16",
    ),
    "fully connected": (fully16(3, 7), "arm_fully_connected_s16"),
    "fully connected per channel": (
        fully16(3, 7, w_quant=q_axis(np.array([0.1, 0.2, 0.3]), 0)),
        "arm_convolve_wrapper_s16",
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_which_function(name: str) -> None:
    case, function = FUNCTIONS[name]
    step = step_of(case, "cmsis_nn")
    assert step.kernel is not None and step.kernel.library == "cmsis_nn"
    assert step.kernel.form(step.params).function == function
    bias = next(c.array for c in step.constants if c.name == "bias")
    assert bias.dtype == np.int64


REFUSED = {
    "grouped": (conv16((1, 5, 5, 4), (6, 2, 3, 3), groups=2), "groups must be 1, got 2"),
    "weights with a zero point": (
        conv16((1, 2, 2, 2), (2, 2, 1, 1), weights=ints(2, 2, 1, 1, dtype=UINT8), w_quant=q(1, 3)),
        "weights must fit int8",
    ),
    "bias at the edge": (
        conv16((1, 2, 2, 2), (2, 2, 1, 1), bias=np.array([2**31 - 1, 0], np.int32)),
        "sums must fit 32 bits with their bias",
    ),
    "long sums": (
        conv16((1, 1, 1, 600), (2, 600, 1, 1), weights=np.full((2, 600, 1, 1), -128, np.int8)),
        "sums must fit 32 bits with their bias",
    ),
    "multiplier of 250": (
        conv16((1, 2, 2, 2), (2, 2, 1, 1), 2e-6),
        "multipliers must be below 128, got a shift of 8",
    ),
    "results of 31 bits": (
        conv16((1, 2, 2, 3), (2, 3, 1, 1), 4e-6, weights=np.full((2, 3, 1, 1), 127, np.int8)),
        "results must fit 31 bits",
    ),
    "long rows, an odd number": (
        conv16((1, 3, 3, 58), (3, 58, 3, 3), weights=np.ones((3, 58, 3, 3), np.int8)),
        "3 rows of 522 weights: the last one would be read beyond its end",
    ),
    "depthwise channels by 4": (
        conv16((1, 5, 5, 6), (6, 1, 3, 3), groups=6),
        "channels must be a multiple of 4, got 6",
    ),
    "depthwise above the image": (
        conv16((1, 3, 3, 4), (4, 1, 2, 2), groups=4, pads=(3, 0, 0, 0)),
        "every window must touch the input",
    ),
    "depthwise below the image": (
        conv16((1, 3, 3, 4), (4, 1, 2, 2), groups=4, pads=(0, 0, 4, 0)),
        "every window must touch the input",
    ),
    "depthwise wide": (
        conv16((1, 1, 32768, 4), (4, 1, 1, 2), groups=4),
        "dimensions must be at most 32767",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    check_taken_or_refused(name, *REFUSED[name], "cmsis_nn")


def test_the_other_arithmetic_is_refused() -> None:
    step = step_of(FUNCTIONS["conv"][0], "cmsis_nn", Arithmetic.ONNX)
    assert step.kernel is not None and step.kernel.library == "portable"
    assert "--arithmetic tflite" in dict(step.refused)["cmsis_nn"]


def test_working_memory() -> None:
    """Not recorded: by hand from the library's rules."""
    x, filters = Dims(1, 5, 5, 3), Dims(4, 3, 3, 3)
    sizes = [buffers.convolve_s16(x, filters, c) for c in (Core.PLAIN, Core.DSP, Core.MVE)]
    assert sizes == [2 * 27 * 2, 2 * 27 * 2, 4 * 32 * 2]
    sizes = [buffers.depthwise_s16(x, filters, c) for c in (Core.PLAIN, Core.DSP, Core.MVE)]
    assert sizes == [0, 27 * 2, 4 * 27 * 2 + 8]


def test_a_depthwise_kernel_without_working_memory() -> None:
    """Dilated, or with a multiplier, no column is gathered."""
    dilated = conv16((1, 7, 7, 4), (4, 1, 3, 3), groups=4, dilations=(2, 1))
    for case, needed in ((dilated, 0), (FUNCTIONS["depthwise"][0], 4 * 9 * 2)):
        step = step_of(case, "cmsis_nn")
        assert step.kernel is not None
        assert step.kernel.scratch(step.params, Core.DSP) == needed


def one_row(case: OpCase) -> OpCase:
    """The fully connected layer with the first row of its input."""
    x, *rest = case.inputs
    assert x is not None
    return dataclasses.replace(case, inputs=(x[:1], *rest))


P, D = Core.PLAIN, Core.DSP
SLOWER = {
    "pointwise": (conv16((1, 4, 4, 16), (4, 16, 1, 1)), ()),
    "pointwise of few channels": (conv16((1, 4, 4, 15), (4, 15, 1, 1)), (P, D)),
    "window": (conv16((1, 5, 5, 16), (4, 16, 3, 3)), (P,)),
    "window of few channels": (conv16((1, 5, 5, 3), (4, 3, 3, 3)), (P, D)),
    "one pixel": (conv16((1, 1, 1, 32), (4, 32, 1, 1)), (P, D)),
    "depthwise": (conv16((1, 5, 5, 4), (4, 1, 3, 3), groups=4), (P,)),
    "depthwise of one pixel": (conv16((1, 3, 3, 4), (4, 1, 3, 3), groups=4), (P, D)),
    "depthwise dilated": (conv16((1, 7, 7, 4), (4, 1, 3, 3), groups=4, dilations=(2, 1)), (P, D)),
    "fully connected": (one_row(fully16(3, 64)), (P, D)),
    "rows, as pixels of a convolution": (fully16(3, 64), ()),
}


@pytest.mark.parametrize("name", SLOWER)
@pytest.mark.parametrize("core", [Core.PLAIN, Core.DSP, Core.MVE])
def test_what_is_slower_is_left_out(name: str, core: Core) -> None:
    case, slower = SLOWER[name]
    libraries = ("cmsis_nn", "portable")
    (step,) = lower(case_graph(case), libraries=libraries, core=core, fastest=True).calls
    assert step.kernel is not None
    assert step.kernel.library == ("portable" if core in slower else "cmsis_nn")
    assert ("portable C is faster" in dict(step.refused).get("cmsis_nn", "")) == (core in slower)
