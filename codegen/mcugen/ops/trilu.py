"""Trilu: the upper or lower triangle of each matrix, 0 elsewhere.

y[..., r, c] = x[..., r, c] where c - r >= k (upper) or c - r <= k (lower).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import const_scalar
from mcugen.ops.common import present
from mcugen.ops.spec import ImportContext, Inputs, Kernel, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class TriluAttrs:
    """`upper`: which triangle stays; `k`: its diagonal, 0 is the main one, positive above it."""

    upper: bool = True
    k: int = 0


@dataclass(frozen=True)
class TriluParams:
    """What the kernel gets.

    Attributes:
        dtype: element type.
        shape: of input and output.
        upper: which triangle stays.
        k: diagonal, within [-rows, columns].
    """

    dtype: DType
    shape: tuple[int, ...]
    upper: bool
    k: int

    @property
    def rows(self) -> int:
        """Rows of a matrix."""
        return self.shape[-2]

    @property
    def columns(self) -> int:
        """Columns of a matrix."""
        return self.shape[-1]

    @property
    def matrices(self) -> int:
        """Number of matrices."""
        return math.prod(self.shape[:-2])

    @property
    def zero(self) -> str:
        """What is written outside the triangle."""
        return "false" if self.dtype is DType.BOOL else "0"


def trilu_from_onnx(ctx: ImportContext) -> None:
    """The diagonal is a constant input, 0 when absent."""
    k = int(const_scalar(ctx, 1, "k")) if ctx.has(1) else 0
    attrs = TriluAttrs(bool(ctx.attr("upper", 1)), k)
    ctx.emit("Trilu", ctx.inputs[:1], attrs, ctx.outputs)


def at_least_a_matrix(attrs: Any, inputs: Inputs) -> str | None:
    """The input must have at least 2 dimensions."""
    del attrs
    rank = present(inputs, 0).rank
    return None if rank >= 2 else str(rank)


def _infer(attrs: TriluAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    source = present(inputs, 0)
    return (TensorType(source.shape, source.dtype),)


def _semantics(attrs: TriluAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    k = min(max(attrs.k, -source.shape[-2]), source.shape[-1])
    return (np.triu(source, k) if attrs.upper else np.tril(source, k),)


def _lower(site: Site) -> Lowered:
    attrs: TriluAttrs = site.attrs
    source = site.input(0)
    rows, columns = source.shape[-2:]
    k = min(max(attrs.k, -rows), columns)
    return Lowered(TriluParams(source.dtype, source.shape, attrs.upper, k), (source.name,))


def trilu_reference(params: TriluParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The comparison of the C on all positions."""
    row = np.arange(params.rows).reshape(-1, 1)
    column = np.arange(params.columns)
    edge = row + params.k
    stays = column >= edge if params.upper else column <= edge
    return (np.where(stays, arrays[0], params.dtype.np.type(0)),)


def _own_storage(params: TriluParams) -> tuple[tuple[int, int], ...]:
    """An element depends on itself alone."""
    del params
    return ((0, 0),)


SPECS = (
    OpSpec(
        name="Trilu",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=trilu_reference,
        kernels=(Kernel("portable/trilu.c.j2"),),
        onnx={"Trilu": trilu_from_onnx},
        constraints=(at_least_a_matrix,),
        inplace=_own_storage,
    ),
)
