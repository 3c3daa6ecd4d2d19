"""ReverseSequence: the first lengths[b] steps of sequence b in reverse, the others as they are.

y[t, b, ...] = x[lengths[b] - 1 - t, b, ...] where t < lengths[b], else x[t, b, ...]; the axes of
time and batch are the first two in either order. A length outside [0, time] is an error in ONNX;
the C then takes the nearest valid one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import normalize_axis
from mcugen.ops.common import dtype_constraint, present
from mcugen.ops.copying import MEMCPY_BYTES
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


@dataclass(frozen=True)
class ReverseSequenceAttrs:
    """`time_first`: x is [time, batch, ...], else [batch, time, ...]."""

    time_first: bool


@dataclass(frozen=True)
class ReverseSequenceParams:
    """Rows of `inner` elements, one per step and sequence.

    Attributes:
        dtype: element type of x and y.
        time: steps.
        batch: sequences.
        inner: elements of a row; 0 when the tensor is empty.
        time_first: whether the rows of one step are neighbours, else those of one sequence.
        shape: of x and y.
    """

    dtype: DType
    time: int
    batch: int
    inner: int
    time_first: bool
    shape: tuple[int, ...]

    @property
    def time_stride(self) -> int:
        """Elements from one step to the next."""
        return self.inner * (self.batch if self.time_first else 1)

    @property
    def batch_stride(self) -> int:
        """Elements from one sequence to the next."""
        return self.inner * (1 if self.time_first else self.time)

    @property
    def uses_memcpy(self) -> bool:
        """Whether a row is long enough for memcpy."""
        return self.inner * self.dtype.itemsize >= MEMCPY_BYTES


def reverse_sequence_from_onnx(ctx: ImportContext) -> None:
    """Time is axis 0 and batch axis 1 by default."""
    rank = ctx.tensor(0).rank
    time, batch = (
        normalize_axis(int(ctx.attr(f"{name}_axis", default)), rank, f"{name}_axis")
        for name, default in (("time", 0), ("batch", 1))
    )
    if (time, batch) not in ((0, 1), (1, 0)):
        raise Reject(f"time_axis and batch_axis must be 0 and 1, got {time} and {batch}")
    ctx.emit("ReverseSequence", ctx.inputs, ReverseSequenceAttrs(time == 0), ctx.outputs)


def _infer(attrs: ReverseSequenceAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source, lengths = present(inputs, 0), present(inputs, 1)
    batch = source.shape[1 if attrs.time_first else 0]
    if lengths.shape != (batch,):
        raise Reject(f"sequence_lens must have shape [{batch}], got {list(lengths.shape)}")
    return (TensorType(source.shape, source.dtype),)


def _semantics(attrs: ReverseSequenceAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source, lengths = arrays
    assert source is not None
    assert lengths is not None
    y = np.array(source, order="C")
    by_batch = np.swapaxes(y, 0, 1) if attrs.time_first else y
    for sequence, length in zip(by_batch, lengths.tolist(), strict=True):
        size = max(length, 0)
        sequence[:size] = sequence[:size][::-1].copy()
    return (y,)


def _lower(site: Site) -> Lowered:
    attrs: ReverseSequenceAttrs = site.attrs
    source, lengths = site.input(0), site.input(1)
    first, second, *rest = source.shape
    time, batch = (first, second) if attrs.time_first else (second, first)
    inner = math.prod(rest) if source.size else 0
    params = ReverseSequenceParams(source.dtype, time, batch, inner, attrs.time_first, source.shape)
    return Lowered(params, (source.name, lengths.name))


def _reference(params: ReverseSequenceParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Row by row as the C does, on all rows at once."""
    source, lengths = arrays
    t = np.arange(params.time)[:, None]
    length = np.clip(lengths, 0, params.time)
    b = np.arange(params.batch)
    taken = np.where(t < length, length - 1 - t, t)
    if params.time_first:
        return (source[taken, b],)
    return (np.ascontiguousarray(source[b[:, None], taken.T]),)


SPECS = (
    OpSpec(
        name="ReverseSequence",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=_reference,
        kernels=(Kernel("portable/reverse_sequence.c.j2"),),
        onnx={"ReverseSequence": reverse_sequence_from_onnx},
        constraints=(dtype_constraint(1, "sequence_lens", (DType.INT64,)),),
        moves_values=True,
    ),
)
