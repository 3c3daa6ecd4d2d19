"""Sigmoid and Tanh of int16 by CMSIS-NN: arm_nn_activation_s16."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ops.axes import strides
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, slower
from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.spec import Kernel


@dataclass(frozen=True)
class ActivationForm:
    """Arguments of an activation.

    Attributes:
        elems: elements of the tensor.
        left_shift: of the input, from steps of 1/4096.
        kind: the library's name of the function.
    """

    elems: int
    left_shift: int
    kind: str


def activation_form(params: ElementwiseParams) -> ActivationForm:
    """The arguments of QSigmoid or QTanh."""
    numbers = params.attrs
    kind = "ARM_TANH" if numbers.tanh else "ARM_SIGMOID"
    return ActivationForm(params.elements, numbers.left_shift, kind)


def _reason(params: ElementwiseParams) -> str | None:
    if not params.attrs.is_fixed_point:
        return (
            "needs --arithmetic tflite, zero points of 0, an output scale of 1/32768 and a power "
            "of 2 as input scale"
        )
    if any(o.steps != strides(params.extents) for o in params.operands):
        return "the input must be read in order"
    return "no dimension may be 0" if params.elements == 0 else None


ACTIVATION_KERNEL = Kernel(
    "cmsis_nn/activation.c.j2",
    LIBRARY,
    accepts=_reason,
    slower_on=slower,  # 1.06 to 1.22 of the cycles, with DSP 1.04 to 1.09
    headers=HEADERS,
    form=activation_form,
)
