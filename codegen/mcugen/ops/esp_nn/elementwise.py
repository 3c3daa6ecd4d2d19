"""Addition and multiplication of int8 tensors by ESP-NN; it does not broadcast."""

from __future__ import annotations

import numpy as np

from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.esp_nn.common import ALIGN_BYTES, HEADERS, LIBRARY, rounding_reason
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.elementwise import add_reason, binary_form, mul_reason
from mcugen.ops.vendor.limits import magnitude

VECTOR_ELEMS = 8
"""Elements that a multiplication computes at once; what is left over it rounds wrongly."""


def _shift_reason(params: ElementwiseParams) -> str | None:
    """Left shifts are skipped by the addition, and not promised by the multiplication."""
    numbers = params.attrs
    largest = max(f.shift for f in (*numbers.inputs, numbers.output))
    return None if largest <= 0 else f"shifts must be to the right, got {largest} to the left"


def _add_reason(params: ElementwiseParams) -> str | None:
    return add_reason(params) or _shift_reason(params)


def _mul_reason(params: ElementwiseParams) -> str | None:
    reason = mul_reason(params) or _shift_reason(params)
    if reason is not None:
        return reason
    if params.elements % VECTOR_ELEMS:
        return (
            f"behind the last whole {VECTOR_ELEMS} elements ties are rounded up, got "
            f"{params.elements} elements"
        )
    numbers = params.attrs
    a, b, _ = numbers.zero_points
    bound = np.array([magnitude(a) * magnitude(b)])
    factor = numbers.output
    return rounding_reason(bound, np.array([factor.multiplier]), np.array([factor.shift]))


ADD_KERNEL = Kernel(
    "esp_nn/add.c.j2",
    LIBRARY,
    accepts=_add_reason,
    headers=HEADERS,
    form=binary_form,
    align_bytes=ALIGN_BYTES,
)
MUL_KERNEL = Kernel(
    "esp_nn/mul.c.j2",
    LIBRARY,
    accepts=_mul_reason,
    headers=HEADERS,
    form=binary_form,
    align_bytes=ALIGN_BYTES,
)
