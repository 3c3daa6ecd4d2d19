"""CumSum: y_k = x_0 + ... + x_k along one axis, added in that order.

exclusive: without x_k. reverse: from the other end. Integers wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, const_scalar, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.reductions import WIDE, modular
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Site,
    TensorType,
)

_ADD = modular("{a} + {v}", "acc + v")


@dataclass(frozen=True)
class CumSumAttrs:
    """`axis`: counted from the front."""

    axis: int
    exclusive: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class CumSumParams:
    """What the kernel gets.

    Attributes:
        lines: what is summed.
        dtype: element type.
        shape: of input and output.
        exclusive: whether an element's own value is left out.
        reverse: whether lines are walked from their end.
        step: C expression of the next `acc` from `acc` and `v`.
    """

    lines: Lines
    dtype: DType
    shape: tuple[int, ...]
    exclusive: bool
    reverse: bool
    step: str


def cumsum_from_onnx(ctx: ImportContext) -> None:
    """The axis is a constant input."""
    axis = int(const_scalar(ctx, 1, "axis"))
    attrs = CumSumAttrs(
        normalize_axis(axis, ctx.tensor(0).rank),
        bool(ctx.attr("exclusive", 0)),
        bool(ctx.attr("reverse", 0)),
    )
    ctx.emit("CumSum", ctx.inputs[:1], attrs, ctx.outputs)


def _infer(attrs: CumSumAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axis(attrs.axis, source.rank)
    return (TensorType(source.shape, source.dtype),)


def _semantics(attrs: CumSumAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    wide = source.astype(np.float64) if source.dtype.kind == "f" else source
    walked = np.flip(wide, attrs.axis) if attrs.reverse else wide
    if attrs.exclusive:
        first = [(1, 0) if a == attrs.axis else (0, 0) for a in range(source.ndim)]
        dim = source.shape[attrs.axis]
        walked = np.take(np.pad(walked, first), np.arange(dim), attrs.axis)
    total = np.cumsum(walked, attrs.axis, dtype=wide.dtype)
    result = np.flip(total, attrs.axis) if attrs.reverse else total
    return (np.array(result.astype(source.dtype), order="C"),)


def _lower(site: Site) -> Lowered:
    attrs: CumSumAttrs = site.attrs
    source = site.input(0)
    params = CumSumParams(
        Lines.of(source.shape, attrs.axis),
        source.dtype,
        source.shape,
        attrs.exclusive,
        attrs.reverse,
        _ADD(source.dtype),
    )
    return Lowered(params, (source.name,))


def cumsum_reference(params: CumSumParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Element after element of all lines at once."""
    lines = params.lines.split(arrays[0])
    result = np.zeros_like(lines)
    acc = np.zeros((params.lines.outer, params.lines.inner), lines.dtype)
    order = range(params.lines.count)
    for k in reversed(order) if params.reverse else order:
        before = acc
        acc = acc + lines[:, k]
        result[:, k] = before if params.exclusive else acc
    return (result.reshape(params.shape),)


def _own_storage(params: CumSumParams) -> tuple[tuple[int, int], ...]:
    """An element is read just before it is written."""
    del params
    return ((0, 0),)


def _permute(site: Site, perm: tuple[int, ...]) -> CumSumAttrs:
    attrs: CumSumAttrs = site.attrs
    return CumSumAttrs(permuted_axis(attrs.axis, perm), attrs.exclusive, attrs.reverse)


SPECS = (
    OpSpec(
        name="CumSum",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=cumsum_reference,
        kernels=(Kernel("portable/cumsum.c.j2"),),
        onnx={"CumSum": cumsum_from_onnx},
        constraints=(dtype_constraint(0, "the input", WIDE),),
        inplace=_own_storage,
        permute=_permute,
    ),
)
