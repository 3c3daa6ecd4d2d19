"""Element by element by CMSIS-NN; it does not broadcast.

Add and mul of int8 or int16, minimum and maximum of int8.
"""

from __future__ import annotations

from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, Dims, activations, slower
from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.elementwise import add_reason, binary_form, mul_reason, shape_reason


def choice_dims(params: ElementwiseParams) -> Dims:
    """All elements as one row."""
    return Dims(c=params.elements)


def _add_reason(params: ElementwiseParams) -> str | None:
    return add_reason(params, activations(params.dtype))


def _mul_reason(params: ElementwiseParams) -> str | None:
    return mul_reason(params, activations(params.dtype))


ADD_KERNEL = Kernel(
    "cmsis_nn/add.c.j2",
    LIBRARY,
    accepts=_add_reason,
    slower_on=slower,  # 1.55 to 1.61 of the cycles, with DSP 1.78 to 2.26; int16 2.72 and 2.24
    headers=HEADERS,
    form=binary_form,
)
MUL_KERNEL = Kernel(
    "cmsis_nn/mul.c.j2",
    LIBRARY,
    accepts=_mul_reason,
    slower_on=slower,  # 1.21 of the cycles, with DSP 1.56; int16 1.38 and 1.20
    headers=HEADERS,
    form=binary_form,
)
MINIMUM_KERNEL = Kernel(
    "cmsis_nn/minimum.c.j2",
    LIBRARY,
    accepts=shape_reason,
    slower_on=slower,  # 1.00 of the cycles: nothing is won
    headers=HEADERS,
    form=choice_dims,
)
MAXIMUM_KERNEL = Kernel(
    "cmsis_nn/maximum.c.j2",
    LIBRARY,
    accepts=shape_reason,
    slower_on=slower,
    headers=HEADERS,
    form=choice_dims,
)
