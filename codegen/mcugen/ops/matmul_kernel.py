"""Parameters, reference and kernel of products of two computed matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import strides
from mcugen.ops.conv_kernel import LANES, Section, sections
from mcugen.ops.spec import Kernel, Reject

MATMUL_TYPES = (
    DType.FLOAT32,
    DType.FLOAT64,
    DType.INT32,
    DType.INT64,
    DType.UINT32,
    DType.UINT64,
)
"""Element types of MatMul; integers wrap around."""


@dataclass(frozen=True)
class BatchLoop:
    """One loop over batches; the steps are elements, 0 where the operand is repeated."""

    extent: int
    a_step: int
    b_step: int


@dataclass(frozen=True)
class MatMulShape:
    """Batched product of a [m, k] and b [k, n]; results lie one after the other.

    Attributes:
        loops: over batches, outermost first, none of extent 1.
        m: rows of a result.
        k: length of the sums.
        n: columns of a result.
        out_shape: the output tensor's shape.
    """

    loops: tuple[BatchLoop, ...]
    m: int
    k: int
    n: int
    out_shape: tuple[int, ...]

    @property
    def batches(self) -> int:
        """Number of products."""
        return int(np.prod([loop.extent for loop in self.loops], dtype=np.int64))

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return self.batches * self.m * self.k * self.n

    def offsets(self) -> tuple[Array, Array]:
        """(first element of a, of b) for every product, in order."""
        a_first, b_first = np.zeros((), np.int64), np.zeros((), np.int64)
        for loop in self.loops:
            counter = np.arange(loop.extent, dtype=np.int64)
            a_first = a_first[..., None] + counter * loop.a_step
            b_first = b_first[..., None] + counter * loop.b_step
        return a_first.reshape(-1), b_first.reshape(-1)

    def operands(self, a: Array, b: Array) -> tuple[Array, Array]:
        """A as [batches, m, k] and b as [batches, k, n]."""
        a_first, b_first = self.offsets()
        a_index = a_first[:, None] + np.arange(self.m * self.k)
        b_index = b_first[:, None] + np.arange(self.k * self.n)
        left = a.reshape(-1)[a_index].reshape(-1, self.m, self.k)
        right = b.reshape(-1)[b_index].reshape(-1, self.k, self.n)
        return left, right


def product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of matmul(a, b) by the rules of numpy.matmul.

    Raises:
        Reject: the shapes do not fit together.
    """
    if not a or not b:
        raise Reject("the operands must have at least one axis, got a scalar")
    inner = b[-1] if len(b) == 1 else b[-2]
    if a[-1] != inner:
        raise Reject(f"the operands must agree in K, got {list(a)} and {list(b)}")
    try:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise Reject(f"the batches must broadcast, got {list(a)} and {list(b)}") from None
    return (*batch, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


def matmul_shape(a: tuple[int, ...], b: tuple[int, ...]) -> MatMulShape:
    """The loops and matrices of matmul(a, b)."""
    out_shape = product_shape(a, b)
    a, b = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    loops: list[BatchLoop] = []
    for extent, a_step, b_step in zip(
        batch, _steps(a, len(batch)), _steps(b, len(batch)), strict=True
    ):
        outer = loops[-1] if loops else None
        if extent == 1:
            continue
        if outer and (outer.a_step, outer.b_step) == (a_step * extent, b_step * extent):
            loops[-1] = BatchLoop(outer.extent * extent, a_step, b_step)
        else:
            loops.append(BatchLoop(extent, a_step, b_step))
    return MatMulShape(tuple(loops), a[-2], a[-1], b[-1], out_shape)


def _steps(shape: tuple[int, ...], rank: int) -> list[int]:
    """Elements from one batch to the next along each broadcast axis, 0 where repeated."""
    own = [0 if d == 1 else s for d, s in zip(shape, strides(shape), strict=True)][:-2]
    return [0] * (rank - len(own)) + own


@dataclass(frozen=True)
class MatMulParams:
    """A product of two computed matrices of one element type."""

    shape: MatMulShape
    dtype: DType

    @property
    def acc_type(self) -> str:
        """C type of the sums: unsigned for integers, whose overflow then wraps."""
        if self.dtype.is_float:
            return "float" if self.dtype is DType.FLOAT32 else "double"
        return f"uint{8 * self.dtype.itemsize}_t"

    @property
    def rows(self) -> int:
        """Rows of a computed at once."""
        return min(2, self.shape.m)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Columns of b."""
        return sections(self.shape.n, 4, LANES)


def matmul_params(a: tuple[int, ...], b: tuple[int, ...], dtype: DType) -> MatMulParams:
    """Parameters of matmul(a, b)."""
    return MatMulParams(matmul_shape(a, b), dtype)


def matmul_macs(params: MatMulParams) -> int:
    """Multiply-accumulates."""
    return params.shape.macs


def matmul_reference(params: MatMulParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Sequential over k, starting from 0."""
    shape = params.shape
    left, right = shape.operands(arrays[0], arrays[1])
    acc = np.zeros((shape.batches, shape.m, shape.n), params.dtype.np)
    for k in range(shape.k):
        acc += left[:, :, k, None] * right[:, None, k]
    return (acc.reshape(shape.out_shape),)


MATMUL_KERNEL = Kernel("portable/matmul.c.j2")
