"""Matrix products: MatMul, Gemm and the fully connected layer.

MatMul           y[..., m, n] = sum over k of a[..., m, k] * b[..., k, n], batches broadcast;
                 an operand of rank 1 is a row or a column whose axis is not in the result
Gemm             y[m, n] = alpha * sum of a'[m, k] * b'[k, n] + beta * c[m, n]
FullyConnected   y[..., n] = clamp(bias[n] + sum over k of x[..., k] * w[n, k])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import (
    Clamp,
    clamped,
    dtype_constraint,
    no_empty_dims,
    optional,
    present,
)
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.conv_kernel import CONV_KERNELS, ConvParams, conv_macs, conv_reference
from mcugen.ops.matmul_kernel import (
    MATMUL_KERNEL,
    MATMUL_TYPES,
    matmul_macs,
    matmul_params,
    matmul_reference,
    product_shape,
)
from mcugen.ops.qlinear_weighted import qgemm, qlinear_matmul
from mcugen.ops.qmatmul_rules import quantize_fully_connected, quantize_matmul
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType
from mcugen.ops.window import Axis


@dataclass(frozen=True)
class MatMulAttrs:
    """None."""


@dataclass(frozen=True)
class GemmAttrs:
    """Factors of product and addend; whether the operands are transposed."""

    alpha: float = 1.0
    beta: float = 1.0
    trans_a: bool = False
    trans_b: bool = False


@dataclass(frozen=True)
class FullyConnectedAttrs:
    """`activation`: clamp of the result."""

    activation: Clamp | None = None


def matmul_from_onnx(ctx: ImportContext) -> None:
    """No attributes."""
    ctx.emit("MatMul", ctx.inputs, MatMulAttrs(), ctx.outputs)


def gemm_from_onnx(ctx: ImportContext) -> None:
    """C is optional from opset 11 on."""
    ctx.emit("Gemm", ctx.inputs, _gemm_attrs(ctx), ctx.outputs)


def _gemm_attrs(ctx: ImportContext) -> GemmAttrs:
    return GemmAttrs(
        alpha=float(ctx.attr("alpha", 1.0)),
        beta=float(ctx.attr("beta", 1.0)),
        trans_a=bool(ctx.attr("transA", 0)),
        trans_b=bool(ctx.attr("transB", 0)),
    )


def _infer_matmul(attrs: MatMulAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    a, b = present(inputs, 0), present(inputs, 1)
    if a.dtype is not b.dtype:
        raise Reject(
            f"the operands must have one element type, got {a.dtype.value} and {b.dtype.value}"
        )
    return (TensorType(product_shape(a.shape, b.shape), a.dtype),)


def _infer_gemm(attrs: GemmAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    a, b, c = present(inputs, 0), present(inputs, 1), optional(inputs, 2)
    if a.rank != 2 or b.rank != 2:
        raise Reject(f"A and B must be matrices, got {list(a.shape)} and {list(b.shape)}")
    rows, inner = reversed(a.shape) if attrs.trans_a else a.shape
    depth, columns = reversed(b.shape) if attrs.trans_b else b.shape
    if inner != depth:
        raise Reject(f"A and B must agree in K, got {inner} and {depth}")
    if c is not None and _broadcast_or_none(c.shape, (rows, columns)) != (rows, columns):
        raise Reject(f"C must broadcast to [{rows}, {columns}], got {list(c.shape)}")
    return (TensorType((rows, columns), a.dtype),)


def _broadcast_or_none(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(first, second)
    except ValueError:
        return None


def _infer_fully_connected(attrs: FullyConnectedAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    return (TensorType(fully_connected_shape(inputs), present(inputs, 0).dtype),)


def fully_connected_shape(inputs: Inputs) -> tuple[int, ...]:
    """[..., N] from x [..., K], w [N, K] and bias [N].

    Raises:
        Reject: they do not fit together.
    """
    x, w, bias = present(inputs, 0), present(inputs, 1), optional(inputs, 2)
    if w.rank != 2 or x.rank < 1 or x.shape[-1] != w.shape[1]:
        raise Reject(f"input {list(x.shape)} and weights {list(w.shape)} do not fit together")
    if bias is not None and bias.shape != (w.shape[0],):
        raise Reject(f"bias must have shape [{w.shape[0]}], got {list(bias.shape)}")
    return (*x.shape[:-1], w.shape[0])


def _wide(array: Array | None) -> Array:
    """Floats in float64; integers keep their type and wrap."""
    assert array is not None
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _matmul_semantics(attrs: MatMulAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    del attrs
    a, b = arrays[0], arrays[1]
    assert a is not None
    return (np.asarray(np.matmul(_wide(a), _wide(b))).astype(a.dtype),)


def _gemm_semantics(attrs: GemmAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    a, b = arrays[0], arrays[1]
    assert a is not None
    assert b is not None
    left = _wide(a.T if attrs.trans_a else a)
    right = _wide(b.T if attrs.trans_b else b)
    total = attrs.alpha * np.matmul(left, right)
    if len(arrays) > 2 and arrays[2] is not None:
        total = total + attrs.beta * _wide(arrays[2])
    return (total.astype(a.dtype),)


def _fully_connected_semantics(
    attrs: FullyConnectedAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    x, w = arrays[0], arrays[1]
    assert x is not None
    assert w is not None
    total = np.matmul(_wide(x), _wide(w).T)
    if len(arrays) > 2 and arrays[2] is not None:
        total = total + _wide(arrays[2])
    return (clamped(total.astype(x.dtype), attrs.activation),)


def _lower_matmul(site: Site) -> Lowered:
    a, b = site.input(0), site.input(1)
    return Lowered(matmul_params(a.shape, b.shape, a.dtype), (a.name, b.name))


def fully_connected_geometry(rows: int, inner: int, units: int) -> ConvGeometry:
    """A pointwise convolution over one row of pixels."""
    return ConvGeometry(1, Axis(1, 1), Axis(rows, rows), inner, units)


def _lower_fully_connected(site: Site) -> Lowered:
    """The rows of x are the pixels of a pointwise convolution."""
    x, w, bias = site.input(0), site.input(1), site.optional(2)
    units, inner = w.shape
    data = None if bias is not None and bias.data is None else w.data
    zeros = np.zeros(units, np.float32)
    params = ConvParams(
        geometry=fully_connected_geometry(x.size // inner, inner, units),
        weights=None if data is None else data[:, :, None, None],
        bias=zeros if bias is None else None if data is None else bias.data,
        activation=site.attrs.activation,
        out_shape=site.outputs[0].shape,
    )
    read = site.node.inputs if data is None else site.node.inputs[:1]
    return Lowered(params, tuple(name for name in read if name))


FLOAT_ONLY = tuple(
    dtype_constraint(i, what, (DType.FLOAT32,)) for i, what in enumerate(("A", "B", "C"))
)

SPECS = (
    OpSpec(
        name="MatMul",
        infer=_infer_matmul,
        semantics=_matmul_semantics,
        lower=_lower_matmul,
        reference=matmul_reference,
        kernels=(MATMUL_KERNEL,),
        onnx={"MatMul": matmul_from_onnx, "QLinearMatMul": qlinear_matmul(MatMulAttrs())},
        constraints=(dtype_constraint(0, "the operands", MATMUL_TYPES), no_empty_dims),
        macs=matmul_macs,
        quantize=quantize_matmul,
    ),
    OpSpec(
        name="Gemm",
        infer=_infer_gemm,
        semantics=_gemm_semantics,
        onnx={"Gemm": gemm_from_onnx, "com.microsoft::QGemm": qgemm(_gemm_attrs)},
        constraints=(*FLOAT_ONLY, no_empty_dims),
    ),
    OpSpec(
        name="FullyConnected",
        infer=_infer_fully_connected,
        semantics=_fully_connected_semantics,
        lower=_lower_fully_connected,
        reference=conv_reference,
        kernels=CONV_KERNELS,
        macs=conv_macs,
        quantize=quantize_fully_connected,
    ),
)
