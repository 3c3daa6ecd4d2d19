"""When MatMul and the fully connected layer have an integer form."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.ir import DType
from mcugen.ops.qconv import (
    BYTES,
    accumulator_scale,
    check_scales,
    output_range,
    weighted_form,
)
from mcugen.ops.spec import IntegerForm, QuantSite, Reject
from mcugen.quantize.fixed_point import INT32_MAX


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
    """QMatMul of two 8-bit tensors, each quantized per tensor."""
    a, b, out = site.input(0), site.input(1), site.outputs[0]
    a_quant, b_quant = site.quant(0), site.quant(1)
    if a.dtype not in BYTES or b.dtype not in BYTES or out.dtype not in BYTES:
        raise Reject("operands and output must be int8 or uint8")
    if not a_quant.per_tensor or not b_quant.per_tensor:
        raise Reject("the operands must be quantized per tensor")
    if out.quant is None or not out.quant.per_tensor:
        raise Reject("the output must be quantized per tensor")
    if a.shape[-1] * 255 * 255 > INT32_MAX:
        raise Reject(f"a sum may have at most {INT32_MAX // 255**2} terms, got {a.shape[-1]}")
    check_scales(accumulator_scale(a_quant, b_quant), out.quant.scale)
    return IntegerForm("QMatMul", _attrs(site), (a, b))


def _attrs(site: QuantSite) -> QFullyConnectedAttrs:
    return QFullyConnectedAttrs(site.outputs[0].dtype, *output_range(site))
