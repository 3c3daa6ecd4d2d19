"""Softmax of int8 into scale 1/256 and zero point -128: numbers of vendors' kernels, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcugen.ops.vendor.limits import int8_reason

MAX_ROW = 511
"""The sum of a longer row may have fewer than 4 leading zeros: the last shift, by 35 less those,
would then be by more bits than the type has."""

MAX_SHIFT = 30
"""The kernel makes the power of two as an int32."""


@dataclass(frozen=True)
class SoftmaxForm:
    """Arguments of a Softmax.

    Attributes:
        rows: how many.
        size: elements of a row.
        multiplier: difference to the maximum -> Q5.26, before the shift.
        shift: to the left.
        lowest: differences below give the lowest output.
    """

    rows: int
    size: int
    multiplier: int
    shift: int
    lowest: int


def softmax_form(params: Any) -> SoftmaxForm:
    """The arguments; params are QSoftmaxParams."""
    return SoftmaxForm(params.lines.outer, params.lines.count, *params.scaling)


def softmax_reason(params: Any) -> str | None:
    """Why a vendor's fixed-point Softmax cannot be called for QSoftmax."""
    if not params.is_fixed_point:
        return "needs --arithmetic tflite, an output scale of 1/256 and zero point of -128"
    reason = int8_reason([params.in_dtype, params.out_dtype])
    if reason is not None:
        return reason
    form = softmax_form(params)
    if params.lines.inner != 1:
        return "the axis must be the last one"
    if form.rows < 1 or form.size < 1:
        return "no dimension may be 0"
    if form.size > MAX_ROW:
        return f"a row may have at most {MAX_ROW} elements, got {form.size}"
    if form.shift > MAX_SHIFT:
        return f"the input's shift may be at most {MAX_SHIFT}, got {form.shift}"
    return None
