"""Element by element on int8 by CMSIS-NN: add, mul, minimum, maximum; it does not broadcast."""

from __future__ import annotations

from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, Dims, slower
from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.elementwise import add_reason, binary_form, mul_reason, shape_reason


def choice_dims(params: ElementwiseParams) -> Dims:
    """All elements as one row."""
    return Dims(c=params.elements)


ADD_KERNEL = Kernel(
    "cmsis_nn/add.c.j2",
    LIBRARY,
    accepts=add_reason,
    slower_on=slower,  # 1.55 to 1.61 of the cycles, with DSP 1.78 to 2.26
    headers=HEADERS,
    form=binary_form,
)
MUL_KERNEL = Kernel(
    "cmsis_nn/mul.c.j2",
    LIBRARY,
    accepts=mul_reason,
    slower_on=slower,  # 1.21 of the cycles, with DSP 1.56
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
