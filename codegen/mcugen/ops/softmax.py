"""Softmax, LogSoftmax and Hardmax along one axis.

Softmax: y_k = exp(x_k - m) / sum_j exp(x_j - m), m the line's maximum. LogSoftmax: its
logarithm, x_k - m - log(sum). Hardmax: 1 at the first maximum, else 0.
Opsets up to 12 see the tensor as a matrix [before axis, from axis on] and work along its rows.
Steps in C, all float32: the maximum and the sum in the order of the line; Softmax multiplies the
exponentials by 1 / sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from mcugen import float_math
from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.qlinear import dequantized, quantized
from mcugen.ops.qsoftmax import quantize_softmax
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import (
    FromOnnx,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Site,
    TensorType,
    no_inplace,
)


@dataclass(frozen=True)
class SoftmaxAttrs:
    """`axis`: counted from the front. Of Softmax, LogSoftmax and Hardmax."""

    axis: int


@dataclass(frozen=True)
class SoftmaxParams:
    """`lines`: what is normalised; `shape`: of input and output."""

    lines: Lines
    shape: tuple[int, ...]


def _from_onnx(op: str) -> FromOnnx:
    def from_onnx(ctx: ImportContext) -> None:
        """Along one axis since opset 13 (default last); before over all axes from `axis` on."""
        shape = ctx.tensor(0).shape
        _emit(ctx, op, ctx.inputs[0], shape, ctx.opset, ctx.outputs)

    return from_onnx


def qlinear_softmax_from_onnx(ctx: ImportContext) -> None:
    """Attribute `opset` says which Softmax is meant."""
    source = dequantized(ctx, 0)
    (value,) = _emit(ctx, "Softmax", source, ctx.tensor(0).shape, int(ctx.attr("opset", 13)), None)
    quantized(ctx, value, 3)


def _emit(
    ctx: ImportContext,
    op: str,
    source: str,
    shape: tuple[int, ...],
    opset: int,
    outputs: Sequence[str] | None,
) -> tuple[str, ...]:
    """The operator on float tensor `source`, between Reshapes where it works on a matrix."""
    axis = normalize_axis(int(ctx.attr("axis", -1 if opset >= 13 else 1)), len(shape))
    if opset >= 13 or math.prod(shape[axis + 1 :]) == 1:
        return ctx.emit(op, (source,), SoftmaxAttrs(axis), outputs)
    matrix = (math.prod(shape[:axis]), math.prod(shape[axis:]))
    (flat,) = ctx.emit("Reshape", (source,), ReshapeAttrs(matrix))
    (rows,) = ctx.emit(op, (flat,), SoftmaxAttrs(1))
    return ctx.emit("Reshape", (rows,), ReshapeAttrs(shape), outputs)


def _infer(attrs: SoftmaxAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axis(attrs.axis, source.rank)
    return (TensorType(source.shape, source.dtype),)


def _double(array: Array | None) -> Array:
    assert array is not None
    return array.astype(np.float64)


def _softmax_semantics(attrs: SoftmaxAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    wide = _double(arrays[0])
    e = np.exp(wide - wide.max(attrs.axis, keepdims=True, initial=-np.inf))
    return ((e / e.sum(attrs.axis, keepdims=True)).astype(np.float32),)


def _log_softmax_semantics(
    attrs: SoftmaxAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    wide = _double(arrays[0])
    shifted = wide - wide.max(attrs.axis, keepdims=True, initial=-np.inf)
    logsum = np.log(np.exp(shifted).sum(attrs.axis, keepdims=True))
    return ((shifted - logsum).astype(np.float32),)


def _hardmax_semantics(attrs: SoftmaxAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    result = np.zeros_like(source)
    if source.size:
        first = np.expand_dims(source.argmax(attrs.axis), attrs.axis)
        np.put_along_axis(result, first, 1, attrs.axis)
    return (result,)


def _lower(site: Site) -> Lowered:
    attrs: SoftmaxAttrs = site.attrs
    source = site.input(0)
    params = SoftmaxParams(Lines.of(source.shape, attrs.axis), source.shape)
    return Lowered(params, (source.name,))


def _shifted_and_sum(params: SoftmaxParams, x: Array) -> tuple[Array, Array, Array]:
    """(x - max, its exponentials, their sums), all as lines."""
    lines = params.lines.split(x)
    top = lines[:, :1]
    for k in range(1, params.lines.count):
        top = np.where(lines[:, k : k + 1] > top, lines[:, k : k + 1], top)
    shifted = lines - top
    e = float_math.exp(shifted)
    total = np.zeros_like(top)
    for k in range(params.lines.count):
        total = total + e[:, k : k + 1]
    return shifted, e, total


def softmax_reference(params: SoftmaxParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """float32 step by step."""
    _, e, total = _shifted_and_sum(params, arrays[0])
    return ((e * (np.float32(1) / total)).reshape(params.shape),)


def log_softmax_reference(params: SoftmaxParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """float32 step by step."""
    shifted, _, total = _shifted_and_sum(params, arrays[0])
    return ((shifted - float_math.log(total)).reshape(params.shape),)


def hardmax_reference(params: SoftmaxParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """A NaN counts as the maximum, the first one wins, as in NumPy."""
    lines = params.lines.split(arrays[0])
    if not lines.size:
        return (np.zeros_like(arrays[0]),)
    best = lines[:, 0]
    where = np.zeros(best.shape, np.int64)
    for k in range(1, params.lines.count):
        better = (lines[:, k] > best) | (np.isnan(lines[:, k]) & ~np.isnan(best))
        best, where = np.where(better, lines[:, k], best), np.where(better, k, where)
    hot = np.arange(params.lines.count)[None, :, None] == where[:, None]
    return (hot.astype(np.float32).reshape(params.shape),)


def _permute(site: Site, perm: tuple[int, ...]) -> SoftmaxAttrs:
    attrs: SoftmaxAttrs = site.attrs
    return SoftmaxAttrs(permuted_axis(attrs.axis, perm))


def _own_storage(params: SoftmaxParams) -> tuple[tuple[int, int], ...]:
    """An element is read for the last time just before it is written."""
    del params
    return ((0, 0),)


def _spec(
    name: str,
    semantics: Callable[[SoftmaxAttrs, Sequence[Array | None]], tuple[Array, ...]],
    reference: Callable[[SoftmaxParams, Sequence[Array]], tuple[Array, ...]],
    template: str,
    more: Mapping[str, FromOnnx] = MappingProxyType({}),
) -> OpSpec:
    return OpSpec(
        name=name,
        infer=_infer,
        semantics=semantics,
        lower=_lower,
        reference=reference,
        kernels=(Kernel(template, headers=("mcugen_math.h",)),),
        onnx={name: _from_onnx(name), **more},
        constraints=(dtype_constraint(0, "the input", (DType.FLOAT32,)),),
        inplace=no_inplace if name == "Hardmax" else _own_storage,
        permute=_permute,
        quantize=quantize_softmax if name == "Softmax" else None,
    )


SPECS = (
    _spec(
        "Softmax",
        _softmax_semantics,
        softmax_reference,
        "portable/softmax.c.j2",
        {"com.microsoft::QLinearSoftmax": qlinear_softmax_from_onnx},
    ),
    _spec("LogSoftmax", _log_softmax_semantics, log_softmax_reference, "portable/log_softmax.c.j2"),
    _spec("Hardmax", _hardmax_semantics, hardmax_reference, "portable/hardmax.c.j2"),
)
