"""When MatMul and the fully connected layer have an integer form."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ir import DType
from mcugen.ops.qconv import (
    BYTES,
    MAX_REAL_MULTIPLIER,
    MAX_WIDE_MULTIPLIER,
    accumulator_scale,
    check_scales,
    check_symmetric,
    output_range,
    weighted_form,
)
from mcugen.ops.spec import IntegerForm, QuantSite, Reject
from mcugen.quantize.fixed_point import INT32_MAX

MAX_TERMS_INT16 = 2**17 - 1
"""Products of two int16 whose sum is below 2^47."""


@dataclass(frozen=True)
class QFullyConnectedAttrs:
    """What bounds the output of an integer product.

    Attributes:
        out_dtype: int8, uint8 or int16.
        act_min: lowest output, an integer of `out_dtype`.
        act_max: highest output.
    """

    out_dtype: DType
    act_min: int
    act_max: int


QMatMulAttrs = QFullyConnectedAttrs


def quantize_fully_connected(site: QuantSite) -> IntegerForm:
    """QFullyConnected for constant weights, per tensor or per output channel (axis 0)."""
    form = weighted_form(site)
    return IntegerForm("QFullyConnected", _attrs(site), form)


def quantize_matmul(site: QuantSite) -> IntegerForm:
    """QMatMul of two 8-bit, or int16, tensors, each quantized per tensor."""
    a, b, out = site.input(0), site.input(1), site.outputs[0]
    a_quant, b_quant = site.quant(0), site.quant(1)
    wide = a.dtype is b.dtype is out.dtype is DType.INT16
    if not wide and any(t.dtype not in BYTES for t in (a, b, out)):
        raise Reject("operands and output must be int8 or uint8, or all int16")
    if not a_quant.per_tensor or not b_quant.per_tensor:
        raise Reject("the operands must be quantized per tensor")
    if out.quant is None or not out.quant.per_tensor:
        raise Reject("the output must be quantized per tensor")
    if wide:
        check_symmetric(a_quant, b_quant, out.quant)
    most = MAX_TERMS_INT16 if wide else INT32_MAX // 255**2
    if a.shape[-1] > most:
        raise Reject(f"a sum may have at most {most} terms, got {a.shape[-1]}")
    limit = MAX_WIDE_MULTIPLIER if wide else MAX_REAL_MULTIPLIER
    check_scales(accumulator_scale(a_quant, b_quant), out.quant.scale, limit)
    return IntegerForm("QMatMul", _attrs(site), (a, b))


def _attrs(site: QuantSite) -> QFullyConnectedAttrs:
    return QFullyConnectedAttrs(site.outputs[0].dtype, *output_range(site))
