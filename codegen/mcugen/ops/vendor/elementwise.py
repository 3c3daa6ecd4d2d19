"""Element by element on two tensors of one shape: numbers of vendors' kernels, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import DType
from mcugen.ops.axes import strides
from mcugen.ops.elementwise import ElementwiseParams
from mcugen.ops.vendor.limits import activations_reason, magnitude, overflow_reason


@dataclass(frozen=True)
class BinaryForm:
    """Arguments of an addition or multiplication.

    Attributes:
        numbers: the node's fixed-point numbers.
        elems: elements of each tensor.
        suffix: of the function's name: s8 or s16.
    """

    numbers: Any
    elems: int
    suffix: str

    @property
    def left_shift(self) -> int:
        """Headroom bits of an addition."""
        return int(self.numbers.left_shift)


def binary_form(params: ElementwiseParams) -> BinaryForm:
    """The arguments of QAdd or QMul."""
    suffix = "s16" if params.dtype is DType.INT16 else "s8"
    return BinaryForm(params.attrs, params.elements, suffix)


def shape_reason(params: ElementwiseParams, dtype: DType = DType.INT8) -> str | None:
    """Two operands of `dtype` that are read in order, and such an output."""
    reason = activations_reason([*(o.dtype for o in params.operands), params.dtype], dtype)
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


def add_reason(params: ElementwiseParams, dtype: DType = DType.INT8) -> str | None:
    """Why a vendor's addition cannot be called for QAdd."""
    reason = _numbers_reason(params) or shape_reason(params, dtype)
    if reason is not None:
        return reason
    numbers = params.attrs
    if numbers.subtract:
        return "the library has no subtraction"
    if numbers.output.shift > 0:
        return f"the output's shift must be to the right, got {numbers.output.shift} to the left"
    bound = 0
    for zero, factor in zip(numbers.zero_points, numbers.inputs, strict=False):
        value = np.array([magnitude(zero, dtype) << numbers.left_shift])
        multiplier, shift = np.array([factor.multiplier]), np.array([factor.shift])
        reason = overflow_reason(value, multiplier, shift, 0)
        if reason is not None:
            return reason
        bound += 1 + int(value[0] * factor.multiplier * 2.0 ** (factor.shift - 31))
    return _output_reason(params, bound)


def mul_reason(params: ElementwiseParams, dtype: DType = DType.INT8) -> str | None:
    """Why a vendor's multiplication cannot be called for QMul."""
    reason = _numbers_reason(params) or shape_reason(params, dtype)
    if reason is not None:
        return reason
    a, b, _ = params.attrs.zero_points
    return _output_reason(params, magnitude(a, dtype) * magnitude(b, dtype))


def _output_reason(params: ElementwiseParams, bound: int) -> str | None:
    numbers = params.attrs
    factor = numbers.output
    return overflow_reason(
        np.array([bound]),
        np.array([factor.multiplier]),
        np.array([factor.shift]),
        numbers.zero_points[2],
    )
