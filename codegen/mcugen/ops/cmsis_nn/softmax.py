"""Softmax of int8 by CMSIS-NN: arm_softmax_s8, its output of scale 1/256 and zero point -128."""

from __future__ import annotations

from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, slower
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.softmax import softmax_form, softmax_reason

SOFTMAX_KERNEL = Kernel(
    "cmsis_nn/softmax.c.j2",
    LIBRARY,
    accepts=softmax_reason,
    slower_on=slower,
    headers=HEADERS,
    form=softmax_form,
)
