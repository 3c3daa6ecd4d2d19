"""CumSum, CumProd: y_k = x_0 + ... + x_k (or times) along one axis, in that order.

exclusive: without x_k. reverse: from the other end. Integers wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, const_scalar, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.reductions import WIDE, Fold, modular
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class Cumulation:
    """One operator.

    Attributes:
        name: of the operator.
        initial: what nothing gives.
        step: NumPy twin of `c_step`.
        c_step: element type -> C expression of the next `acc` from `acc` and `v`.
        semantics: (array, axis, dtype) -> running results, by the specification.
    """

    name: str
    initial: int
    step: Fold
    c_step: Callable[[DType], str]
    semantics: Callable[..., Array]


CUMULATIONS = (
    Cumulation("CumSum", 0, lambda acc, v: acc + v, modular("{a} + {v}", "acc + v"), np.cumsum),
    Cumulation("CumProd", 1, lambda acc, v: acc * v, modular("{a} * {v}", "acc * v"), np.cumprod),
)


@dataclass(frozen=True)
class CumulativeAttrs:
    """`axis`: counted from the front."""

    axis: int
    exclusive: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class CumulativeParams:
    """What the kernel gets.

    Attributes:
        kind: the operator.
        lines: what is walked along.
        dtype: element type.
        shape: of input and output.
        exclusive: whether an element's own value is left out.
        reverse: whether lines are walked from their end.
    """

    kind: Cumulation
    lines: Lines
    dtype: DType
    shape: tuple[int, ...]
    exclusive: bool
    reverse: bool

    @property
    def step(self) -> str:
        """C expression of the next `acc` from `acc` and `v`."""
        return self.kind.c_step(self.dtype)


def cumulative_from_onnx(ctx: ImportContext) -> None:
    """The axis is a constant input."""
    axis = int(const_scalar(ctx, 1, "axis"))
    attrs = CumulativeAttrs(
        normalize_axis(axis, ctx.tensor(0).rank),
        bool(ctx.attr("exclusive", 0)),
        bool(ctx.attr("reverse", 0)),
    )
    ctx.emit(ctx.op_type, ctx.inputs[:1], attrs, ctx.outputs)


def _infer(attrs: CumulativeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axis(attrs.axis, source.rank)
    return (TensorType(source.shape, source.dtype),)


def _meaning(kind: Cumulation, attrs: CumulativeAttrs, source: Array) -> Array:
    wide = source.astype(np.float64) if source.dtype.kind == "f" else source
    walked = np.flip(wide, attrs.axis) if attrs.reverse else wide
    if attrs.exclusive:
        first = [(1, 0) if a == attrs.axis else (0, 0) for a in range(source.ndim)]
        padded = np.pad(walked, first, constant_values=kind.initial)
        walked = np.take(padded, np.arange(source.shape[attrs.axis]), attrs.axis)
    total = kind.semantics(walked, attrs.axis, dtype=wide.dtype)
    result = np.flip(total, attrs.axis) if attrs.reverse else total
    return np.array(result.astype(source.dtype), order="C")


def _lowered(kind: Cumulation, site: Site) -> Lowered:
    attrs: CumulativeAttrs = site.attrs
    source = site.input(0)
    lines = Lines.of(source.shape, attrs.axis)
    params = CumulativeParams(
        kind, lines, source.dtype, source.shape, attrs.exclusive, attrs.reverse
    )
    return Lowered(params, (source.name,))


def cumulative_reference(params: CumulativeParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Element after element of all lines at once."""
    lines = params.lines.split(arrays[0])
    result = np.zeros_like(lines)
    acc = np.full((params.lines.outer, params.lines.inner), params.kind.initial, lines.dtype)
    order = range(params.lines.count)
    for k in reversed(order) if params.reverse else order:
        before = acc
        acc = params.kind.step(acc, lines[:, k])
        result[:, k] = before if params.exclusive else acc
    return (result.reshape(params.shape),)


def _own_storage(params: CumulativeParams) -> tuple[tuple[int, int], ...]:
    """An element is read just before it is written."""
    del params
    return ((0, 0),)


def _permute(site: Site, perm: tuple[int, ...]) -> CumulativeAttrs:
    attrs: CumulativeAttrs = site.attrs
    return CumulativeAttrs(permuted_axis(attrs.axis, perm), attrs.exclusive, attrs.reverse)


def _spec(kind: Cumulation) -> OpSpec:
    def semantics(attrs: CumulativeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        source = arrays[0]
        assert source is not None
        return (_meaning(kind, attrs, source),)

    return OpSpec(
        name=kind.name,
        infer=_infer,
        semantics=semantics,
        lower=partial(_lowered, kind),
        reference=cumulative_reference,
        kernels=(Kernel("portable/cumulative.c.j2"),),
        onnx={kind.name: cumulative_from_onnx},
        constraints=(dtype_constraint(0, "the input", WIDE),),
        inplace=_own_storage,
        permute=_permute,
    )


SPECS = tuple(_spec(kind) for kind in CUMULATIONS)
