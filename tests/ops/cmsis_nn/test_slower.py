"""`--kernels auto` takes CMSIS-NN on the cores and for the numbers that it was faster with."""

from __future__ import annotations

import numpy as np
import pytest

from casebuild import case_graph
from mcugen.lower import lower
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.spec import Core
from mcugen.ops.transpose import TransposeAttrs
from opcase import OpCase, q, q_axis
from opcases.four_bits import narrowed
from vendor_cases import (
    average,
    binary,
    conv,
    curve,
    fully,
    ints,
    matmul,
    maximum,
    plain,
    softmax,
    transposed,
)

PER_CHANNEL = q_axis(np.full(32, 0.01, np.float32), 0)
P, D = Core.PLAIN, Core.DSP

CASES: dict[str, tuple[OpCase, tuple[Core, ...]]] = {
    "pointwise": (conv((1, 6, 6, 8), (16, 8, 1, 1)), ()),
    "window of long rows": (conv((1, 6, 6, 16), (64, 16, 3, 3)), (P,)),
    "window of short rows": (conv((1, 9, 9, 2), (24, 2, 3, 3)), (D,)),
    "window of one channel into many": (conv((1, 9, 9, 1), (64, 1, 5, 4)), ()),
    "window of few channels": (conv((1, 9, 9, 3), (16, 3, 3, 3)), (P, D)),
    "window into few channels": (conv((1, 9, 9, 1), (16, 1, 3, 3)), (P, D)),
    "window of 4 bits": (narrowed(conv((1, 6, 6, 16), (64, 16, 3, 3))), (P, D)),
    "fully connected of 4 bits": (narrowed(fully(8, 100)), (P, D)),
    "groups": (conv((1, 9, 9, 16), (16, 4, 3, 3), groups=4), (P,)),
    "one pixel": (conv((1, 1, 1, 64), (32, 64, 1, 1), w_quant=PER_CHANNEL), ()),
    "one pixel of few elements": (conv((1, 1, 1, 32), (32, 32, 1, 1), w_quant=PER_CHANNEL), (D,)),
    "fully connected": (fully(3, 64), (P,)),
    "fully connected of short rows": (fully(3, 63), (P, D)),
    "depthwise": (conv((1, 5, 5, 4), (4, 1, 3, 3), groups=4), (P,)),
    "depthwise of one pixel": (conv((1, 3, 3, 4), (4, 1, 3, 3), groups=4), (P, D)),
    "depthwise with a multiplier": (conv((1, 5, 5, 4), (8, 1, 3, 3), groups=4), (P, D)),
    "depthwise of two images": (conv((2, 5, 5, 4), (4, 1, 3, 3), groups=4), (P, D)),
    "depthwise dilated": (conv((1, 7, 7, 4), (4, 1, 3, 3), groups=4, dilations=(2, 1)), (P, D)),
    "transposed by rows": (transposed((1, 3, 4, 16), (16, 2, 3, 3), strides=(2, 2)), ()),
    "transposed in reverse": (transposed((1, 3, 4, 17), (17, 2, 3, 3), strides=(2, 2)), (P,)),
    "average": (average((1, 5, 5, 3)), (P,)),
    "max": (maximum((1, 5, 5, 3)), (P, D)),
    "add": (binary("QAdd", ints(2, 3), ints(2, 3)), (P, D)),
    "mul": (binary("QMul", ints(2, 3), ints(2, 3)), (P, D)),
    "min": (plain("Min", NoAttrs(), ints(2, 3), ints(2, 3)), (P, D)),
    "softmax": (softmax(3, 10), (P, D)),
    "softmax to int16": (softmax(3, 10, out=q(1 / 65536, -32768)), (P, D)),
    "sigmoid of int16": (curve("QSigmoid"), (P, D)),
    "matmul": (matmul(ints(2, 3, 4), ints(2, 4, 5)), (P,)),
    "transposition": (plain("Transpose", TransposeAttrs((1, 0)), ints(3, 8)), (D,)),
    "transposition of few columns": (
        plain("Transpose", TransposeAttrs((1, 0)), ints(8, 3)),
        (P, D),
    ),
    "transposition of rows": (
        plain("Transpose", TransposeAttrs((1, 0, 2)), ints(3, 4, 16)),
        (P, D),
    ),
    "pad": (plain("Pad", PadAttrs((0, 1, 0, 1)), ints(3, 4)), (P, D)),
    "concat": (plain("Concat", ConcatAttrs(1), ints(2, 3, 4), ints(2, 1, 4)), (P, D)),
}
"""Case -> the cores that portable C is faster on."""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("core", [Core.PLAIN, Core.DSP, Core.MVE])
def test_what_is_slower_is_left_out(name: str, core: Core) -> None:
    case, slower = CASES[name]
    libraries = ("cmsis_nn", "portable")
    graph = case_graph(case)
    (step,) = lower(graph, libraries=libraries, core=core, fastest=True).calls
    assert step.kernel is not None
    assert step.kernel.library == ("portable" if core in slower else "cmsis_nn")
    told = dict(step.refused).get("cmsis_nn", "")
    assert ("portable C is faster" in told) == (core in slower)
    (step,) = lower(graph, libraries=libraries, core=core).calls
    assert step.kernel is not None and step.kernel.library == "cmsis_nn"
