"""Integer matrix products.

QFullyConnected   y[..., n] = requant(bias[n] + sum over k of (x - x_zp) * (w[n, k] - w_zp));
                  weights and bias constant, w per tensor or per row, bias int32
QMatMul           y[..., m, n] = requant(sum over k of (a - a_zp) * (b - b_zp)), both computed
MatMulInteger     y[..., m, n] = sum over k of (a - a_zp) * (b - b_zp), int32; the zero points are
                  inputs: scalars, or of a one per row, of b one per column
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.errors import InternalError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.cmsis_nn import matmul_s16, weighted_int4
from mcugen.ops.common import dtype_constraint, no_empty_dims, optional, present
from mcugen.ops.conv_kernel import Section, sections
from mcugen.ops.esp_nn import matmul as esp_nn
from mcugen.ops.four_bits import in_four_bits
from mcugen.ops.matmul import (
    fully_connected_geometry,
    fully_connected_shape,
)
from mcugen.ops.matmul_kernel import MatMulShape, matmul_shape, product_shape
from mcugen.ops.qconv import BYTES, accumulator_scale, real_multiplier
from mcugen.ops.qconv_kernel import (
    QCONV_KERNELS,
    QConvParams,
    qconv_macs,
    qconv_reference,
    stored_weights,
)
from mcugen.ops.qfully_connected_kernel import QFULLY_CONNECTED_KERNELS
from mcugen.ops.qmatmul_rules import QFullyConnectedAttrs, QMatMulAttrs
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)
from mcugen.quantize.fixed_point import INT32_MAX
from mcugen.quantize.requant import Requant, rounding_slack


@dataclass(frozen=True)
class MatMulIntegerAttrs:
    """None."""


def _infer_fully_connected(attrs: QFullyConnectedAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(fully_connected_shape(inputs), attrs.out_dtype),)


def _infer_matmul(attrs: QMatMulAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    shape = product_shape(present(inputs, 0).shape, present(inputs, 1).shape)
    return (TensorType(shape, attrs.out_dtype),)


def _lower_fully_connected(site: Site) -> Lowered:
    """The rows of x are the pixels of a pointwise convolution.

    The real multiplier of per-tensor weights is the float32 product of the scales over the
    output's, as TFLite's fully connected kernel has it; per channel it is all in double.
    """
    x, w, bias = site.input(0), site.input(1), site.optional(2)
    out, attrs = site.outputs[0], site.attrs
    if x.quant is None or w.quant is None or out.quant is None or w.data is None:
        raise InternalError(f"{site.node.name}: QFullyConnected without quantization")
    units, inner = w.shape
    per_channel = real_multiplier(x.quant, w.quant, out.quant)
    weights = stored_weights(w.data, w.quant.zero_point)
    params = QConvParams(
        geometry=fully_connected_geometry(x.size // inner, inner, units),
        x_dtype=x.dtype,
        x_zero_point=int(x.quant.zero_point),
        weights=weights[:, :, None, None],
        bias=np.zeros(units, np.int32) if bias is None or bias.data is None else bias.data,
        requant=Requant.of(
            site.arithmetic,
            accumulator_scale(x.quant, w.quant),
            out.quant,
            out.dtype,
            (attrs.act_min, attrs.act_max),
            None if w.quant.per_tensor else per_channel,
            wide=x.dtype is DType.INT16,
        ),
        out_shape=out.shape,
        four_bits=in_four_bits(x, w, weights),
    )
    return Lowered(params, (x.name,))


@dataclass(frozen=True, eq=False)
class QMatMulParams:
    """An integer product of two computed matrices.

    Attributes:
        shape: loops and sizes.
        a_dtype: int8 or uint8; int16 with a requantization, both.
        b_dtype: likewise.
        a_zero_point: of a; None when an input gives it.
        b_zero_point: of b; None when an input gives it.
        a_rows: whether the input has one zero point per row of a.
        b_columns: whether the input has one per column of b.
        requant: sum -> output; None when the output is the sum, int32.
    """

    shape: MatMulShape
    a_dtype: DType
    b_dtype: DType
    a_zero_point: int | None
    b_zero_point: int | None
    a_rows: bool = False
    b_columns: bool = False
    requant: Requant | None = None

    @property
    def out_dtype(self) -> DType:
        """Element type of the output."""
        return DType.INT32 if self.requant is None else self.requant.dtype

    @property
    def sum_type(self) -> str:
        """C type of a sum."""
        return "int64_t" if self.requant is not None and self.requant.wide else "int32_t"

    @property
    def sections(self) -> tuple[Section, ...]:
        """Columns of b."""
        return sections(self.shape.n, 1, 16 if self.shape.n % 16 == 0 else 8)

    @property
    def b_zero_argument(self) -> str:
        """C name of the input with b's zero points."""
        return "x3" if self.a_zero_point is None else "x2"


def _macs(params: QMatMulParams) -> int:
    return params.shape.macs


def _reference(params: QMatMulParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Exact sums, so their order does not matter."""
    shape = params.shape
    left, right = shape.operands(arrays[0], arrays[1])
    zeros = list(arrays[2:])
    a_zero = zeros.pop(0) if params.a_zero_point is None else np.array(params.a_zero_point)
    b_zero = zeros.pop(0) if params.b_zero_point is None else np.array(params.b_zero_point)
    wide_a = left.astype(np.float64) - a_zero.astype(np.float64).reshape(-1, 1)
    wide_b = right.astype(np.float64) - b_zero.astype(np.float64).reshape(1, -1)
    acc = np.matmul(wide_a, wide_b).astype(np.int64)
    y = acc.astype(np.int32) if params.requant is None else params.requant.apply(acc)
    return (y.reshape(shape.out_shape),)


def _lower_matmul(site: Site) -> Lowered:
    a, b, out = site.input(0), site.input(1), site.outputs[0]
    if a.quant is None or b.quant is None or out.quant is None:
        raise InternalError(f"{site.node.name}: QMatMul without quantization")
    params = QMatMulParams(
        matmul_shape(a.shape, b.shape),
        a.dtype,
        b.dtype,
        int(a.quant.zero_point),
        int(b.quant.zero_point),
        requant=Requant.of(
            site.arithmetic,
            accumulator_scale(a.quant, b.quant),
            out.quant,
            out.dtype,
            (site.attrs.act_min, site.attrs.act_max),
            wide=a.dtype is DType.INT16,
        ),
    )
    return Lowered(params, (a.name, b.name))


def matmul_integer_from_onnx(ctx: ImportContext) -> None:
    """Zero points default to 0."""
    ctx.emit("MatMulInteger", ctx.inputs, MatMulIntegerAttrs(), ctx.outputs)


def _infer_integer(attrs: MatMulIntegerAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    a, b = present(inputs, 0), present(inputs, 1)
    shape = product_shape(a.shape, b.shape)
    for zero, allowed, what in (
        (optional(inputs, 2), a.shape[-2:-1] if a.rank == 2 else (), "A"),
        (optional(inputs, 3), b.shape[-1:] if b.rank > 1 else (), "B"),
    ):
        if zero is not None and zero.size != 1 and zero.shape != allowed:
            raise Reject(
                f"the zero point of {what} must be a scalar or {list(allowed)}, "
                f"got {list(zero.shape)}"
            )
    if a.shape[-1] * 255 * 255 > INT32_MAX:
        raise Reject(f"a sum may have at most {INT32_MAX // 255**2} terms, got {a.shape[-1]}")
    return (TensorType(shape, DType.INT32),)


def _integer_semantics(
    attrs: MatMulIntegerAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    del attrs
    a, b = arrays[0], arrays[1]
    assert a is not None
    assert b is not None
    zeros = [*arrays[2:], None, None]
    a_zero = np.zeros((), np.int64) if zeros[0] is None else zeros[0].astype(np.int64)
    b_zero = np.zeros((), np.int64) if zeros[1] is None else zeros[1].astype(np.int64)
    left = a.astype(np.int64) - (a_zero.reshape(-1, 1) if a_zero.size > 1 else a_zero.reshape(()))
    right = b.astype(np.int64) - (b_zero if b_zero.size > 1 else b_zero.reshape(()))
    return (np.asarray(np.matmul(left, right)).astype(np.int32),)


def _lower_integer(site: Site) -> Lowered:
    """Constant scalar zero points become literals."""
    a, b = site.input(0), site.input(1)
    zeros = [site.optional(2), site.optional(3)]
    values = [_literal(zero) for zero in zeros]
    params = QMatMulParams(
        matmul_shape(a.shape, b.shape),
        a.dtype,
        b.dtype,
        values[0],
        values[1],
        a_rows=zeros[0] is not None and zeros[0].size > 1,
        b_columns=zeros[1] is not None and zeros[1].size > 1,
    )
    read = [z.name for z, v in zip(zeros, values, strict=True) if z is not None and v is None]
    return Lowered(params, (a.name, b.name, *read))


def _literal(zero: Tensor | None) -> int | None:
    if zero is None:
        return 0
    return int(zero.data.reshape(())) if zero.data is not None and zero.size == 1 else None


_KERNEL = Kernel("portable/qmatmul.c.j2", headers=("mcugen_quant.h",))

SPECS = (
    OpSpec(
        name="QFullyConnected",
        rounding_slack=rounding_slack,
        infer=_infer_fully_connected,
        lower=_lower_fully_connected,
        reference=qconv_reference,
        kernels=(
            *weighted_int4.FULLY_CONNECTED_KERNELS,
            esp_nn.FULLY_CONNECTED_KERNEL,
            *QFULLY_CONNECTED_KERNELS,
            *QCONV_KERNELS,
        ),
        macs=qconv_macs,
    ),
    OpSpec(
        name="QMatMul",
        rounding_slack=rounding_slack,
        infer=_infer_matmul,
        lower=_lower_matmul,
        reference=_reference,
        kernels=(*matmul_s16.MATMUL_KERNELS, _KERNEL),
        macs=_macs,
    ),
    OpSpec(
        name="MatMulInteger",
        infer=_infer_integer,
        semantics=_integer_semantics,
        lower=_lower_integer,
        reference=_reference,
        kernels=(_KERNEL,),
        onnx={"MatMulInteger": matmul_integer_from_onnx},
        constraints=(
            dtype_constraint(0, "A", BYTES),
            dtype_constraint(1, "B", BYTES),
            no_empty_dims,
        ),
        macs=_macs,
    ),
)
