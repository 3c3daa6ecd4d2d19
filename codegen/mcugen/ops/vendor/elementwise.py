"""Element by element on two int8 tensors of one shape: numbers of vendors' kernels, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ops.axes import strides
from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.vendor.limits import int8_reason, magnitude, overflow_reason

LEFT_SHIFT = 20
"""Headroom bits of an addition; with less than 16 CMSIS-NN's DSP kernel is wrong."""


@dataclass(frozen=True)
class BinaryForm:
    """Arguments of an addition or multiplication.

    Attributes:
        numbers: the node's fixed-point numbers.
        elems: elements of each tensor.
        left_shift: headroom bits of an addition.
    """

    numbers: Any
    elems: int
    left_shift: int = LEFT_SHIFT


def binary_form(params: ElementwiseParams) -> BinaryForm:
    """The arguments of QAdd or QMul."""
    return BinaryForm(params.attrs, params.elements)


def shape_reason(params: ElementwiseParams) -> str | None:
    """Two int8 operands that are read in order, and an int8 output."""
    reason = int8_reason([*(o.dtype for o in params.operands), params.dtype])
    if reason is not None:
        return reason
    order = strides(params.extents)
    if len(params.operands) != 2 or any(o.steps != order for o in params.operands):
        return "operands must have one shape: the library does not broadcast"
    return "no dimension may be 0" if params.elements == 0 else None


def _numbers_reason(params: ElementwiseParams) -> str | None:
    numbers = params.attrs
    if not numbers.is_fixed_point:
        return "computes --arithmetic tflite alone, got onnx"
    return None


def add_reason(params: ElementwiseParams) -> str | None:
    """Why a vendor's addition cannot be called for QAdd."""
    reason = _numbers_reason(params) or shape_reason(params)
    if reason is not None:
        return reason
    numbers = params.attrs
    if numbers.subtract:
        return "the library has no subtraction"
    if numbers.output.shift > 0:
        return f"the output's shift must be to the right, got {numbers.output.shift} to the left"
    bound = 0
    for zero, factor in zip(numbers.zero_points, numbers.inputs, strict=False):
        value = np.array([magnitude(zero) << LEFT_SHIFT])
        multiplier, shift = np.array([factor.multiplier]), np.array([factor.shift])
        reason = overflow_reason(value, multiplier, shift, 0)
        if reason is not None:
            return reason
        bound += 1 + int(value[0] * factor.multiplier * 2.0 ** (factor.shift - 31))
    return _output_reason(params, bound)


def mul_reason(params: ElementwiseParams) -> str | None:
    """Why a vendor's multiplication cannot be called for QMul."""
    reason = _numbers_reason(params) or shape_reason(params)
    if reason is not None:
        return reason
    a, b, _ = params.attrs.zero_points
    return _output_reason(params, magnitude(a) * magnitude(b))


def _output_reason(params: ElementwiseParams, bound: int) -> str | None:
    numbers = params.attrs
    factor = numbers.output
    return overflow_reason(
        np.array([bound]),
        np.array([factor.multiplier]),
        np.array([factor.shift]),
        numbers.zero_points[2],
    )
