"""Softmax of int8: numbers of vendors' kernels, refusals.

The output is int8 of scale 1/256 or int16 of scale 1/65536, of the lowest zero point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcugen.ir import DType
from mcugen.ops.vendor.limits import first_reason, int8_reason

MAX_ROW = 511
"""The sum of a longer row may have fewer than 4 leading zeros: the last shift to int8, by 35 less
those, would then be by more bits than the type has. To int16 it is by 27 less those."""

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
        wide: whether the output is int16.
    """

    rows: int
    size: int
    multiplier: int
    shift: int
    lowest: int
    wide: bool


def softmax_form(params: Any) -> SoftmaxForm:
    """The arguments; params are QSoftmaxParams."""
    multiplier, shift, lowest = params.scaling
    wide = params.out_dtype is DType.INT16
    return SoftmaxForm(params.lines.outer, params.lines.count, multiplier, shift, lowest, wide)


def softmax_reason(params: Any) -> str | None:
    """Why a vendor's fixed-point Softmax cannot be called for QSoftmax."""
    if not params.is_fixed_point:
        return "needs --arithmetic tflite, an output scale of 1/256 and zero point of -128"
    reason = int8_reason([params.in_dtype, params.out_dtype])
    return first_reason(reason, _rows_reason(params), _length_reason(params))


def softmax_s16_reason(params: Any) -> str | None:
    """Why a vendor's fixed-point Softmax from int8 to int16 cannot be called for QSoftmax."""
    if not params.is_fixed_point:
        return "needs --arithmetic tflite, an output scale of 1/65536 and zero point of -32768"
    return first_reason(int8_reason([params.in_dtype]), _rows_reason(params))


def _rows_reason(params: Any) -> str | None:
    form = softmax_form(params)
    if params.lines.inner != 1:
        return "the axis must be the last one"
    if form.rows < 1 or form.size < 1:
        return "no dimension may be 0"
    if form.shift > MAX_SHIFT:
        return f"the input's shift may be at most {MAX_SHIFT}, got {form.shift}"
    return None


def _length_reason(params: Any) -> str | None:
    size = softmax_form(params).size
    return None if size <= MAX_ROW else f"a row may have at most {MAX_ROW} elements, got {size}"
