"""Det: determinants of square matrices [..., M, M].

Gaussian elimination in float32 on a copy: in column k the row with the first largest magnitude
becomes the pivot row, y = +-(pivot_0 * pivot_1 * ...), the factors in that order. A column of zeros
ends it: y = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import dtype_constraint, no_empty_dims, present
from mcugen.ops.spec import (
    Core,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class DetAttrs:
    """No attributes."""


@dataclass(frozen=True)
class DetParams:
    """`size`: rows of a matrix; `out_shape`: one element per matrix."""

    size: int
    out_shape: tuple[int, ...]

    @property
    def matrices(self) -> int:
        """Number of matrices."""
        return math.prod(self.out_shape)

    @property
    def elems(self) -> int:
        """Elements of a matrix."""
        return self.size * self.size


def det_from_onnx(ctx: ImportContext) -> None:
    """No attributes."""
    ctx.emit("Det", ctx.inputs, DetAttrs(), ctx.outputs)


def _infer(attrs: DetAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    source = present(inputs, 0)
    if source.rank < 2 or source.shape[-2] != source.shape[-1]:
        raise Reject(f"the input must be square matrices, got {list(source.shape)}")
    return (TensorType(source.shape[:-2], source.dtype),)


def _semantics(attrs: DetAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    del attrs
    source = arrays[0]
    assert source is not None
    return (np.asarray(np.linalg.det(source.astype(np.float64)).astype(source.dtype)),)


def _lower(site: Site) -> Lowered:
    source = site.input(0)
    return Lowered(DetParams(source.shape[-1], site.outputs[0].shape), (source.name,))


def _reference(params: DetParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Column by column as the C does, on all matrices at once."""
    size = params.size
    a = arrays[0].reshape(params.matrices, size, size).copy()
    det = np.ones(params.matrices, np.float32)
    each = np.arange(params.matrices)
    for k in range(size):
        best = np.full(params.matrices, k)
        for row in range(k + 1, size):
            best = np.where(np.abs(a[:, row, k]) > np.abs(a[each, best, k]), row, best)
        pivot_row, other = a[each, best], a[:, k].copy()
        a[each, best], a[:, k] = other, pivot_row
        pivot = pivot_row[:, k]
        det = np.where(best != k, -det, det) * pivot
        for row in range(k + 1, size):
            factor = a[:, row, k] / pivot
            a[:, row] = a[:, row] - factor[:, None] * pivot_row
        det = np.where(pivot == 0, np.float32(0), det)
        a[pivot == 0] = 0
    return (det.reshape(params.out_shape),)


def _scratch(params: DetParams, core: Core) -> int:
    """The copy that is eliminated."""
    del core
    return params.elems * DType.FLOAT32.itemsize


def _macs(params: DetParams) -> int:
    return params.matrices * sum(k * k for k in range(params.size))


SPECS = (
    OpSpec(
        name="Det",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=_reference,
        kernels=(Kernel("portable/det.c.j2", scratch=_scratch, headers=("mcugen_math.h",)),),
        onnx={"Det": det_from_onnx},
        constraints=(dtype_constraint(0, "the input", (DType.FLOAT32,)), no_empty_dims),
        macs=_macs,
    ),
)
