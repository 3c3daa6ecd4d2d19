"""Softmax of int8 by CMSIS-NN, its output with the lowest zero point.

arm_softmax_s8: int8 of scale 1/256; arm_softmax_s8_s16: int16 of scale 1/65536.
"""

from __future__ import annotations

from typing import Any

from mcugen.ir import DType
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, slower
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.softmax import softmax_form, softmax_reason, softmax_s16_reason


def _reason(params: Any) -> str | None:
    wide = params.out_dtype is DType.INT16
    return softmax_s16_reason(params) if wide else softmax_reason(params)


SOFTMAX_KERNEL = Kernel(
    "cmsis_nn/softmax.c.j2",
    LIBRARY,
    accepts=_reason,
    slower_on=slower,  # 4 to 16 times the cycles: it computes every exponential twice
    headers=HEADERS,
    form=softmax_form,
)
