"""Conversion cases with known results: each model, its inputs, what it must give.

`O01` ... name the case; expected values were confirmed with onnx.reference and ONNX Runtime.
"""

from __future__ import annotations

from conversion_cases import arithmetic, convolution, form, quantized, shaping
from conversion_cases.case import Case

CASES: tuple[Case, ...] = (
    *convolution.CASES,
    *arithmetic.CASES,
    *shaping.CASES,
    *quantized.CASES,
    *form.CASES,
)

__all__ = ["CASES", "Case"]
