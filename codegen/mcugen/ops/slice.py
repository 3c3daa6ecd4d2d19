"""Slice: y[i_0, i_1, ...] = x[starts[0] + i_0 * steps[0], starts[1] + i_1 * steps[1], ...].

Split imports as one Slice per output that the model uses, and a Gather of constant equidistant
indices as one Slice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.axes import attr_or_input, int_tuple, normalize_axis, permuted, strides
from mcugen.ops.copying import COPY, contiguous_offset, copy_reference, rearranged
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType


@dataclass(frozen=True)
class SliceAttrs:
    """One number per axis of the input.

    Attributes:
        starts: index of the first element, 0 where the result is empty.
        steps: not 0; negative walks backwards.
        sizes: the output's dimensions.
    """

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    sizes: tuple[int, ...]

    @staticmethod
    def whole(shape: Sequence[int]) -> SliceAttrs:
        """The slice that takes everything."""
        return SliceAttrs((0,) * len(shape), (1,) * len(shape), tuple(shape))

    def along(self, axis: int, start: int, size: int, step: int = 1) -> SliceAttrs:
        """The same slice with another range on one axis."""

        def put(values: tuple[int, ...], value: int) -> tuple[int, ...]:
            return (*values[:axis], value, *values[axis + 1 :])

        return dataclasses.replace(
            self,
            starts=put(self.starts, start if size else 0),
            steps=put(self.steps, step),
            sizes=put(self.sizes, size),
        )


def slice_from_onnx(ctx: ImportContext) -> None:
    """Bounds are clamped as in Python, axes and steps are optional."""
    shape = ctx.tensor(0).shape
    starts = attr_or_input(ctx, "starts", 1, since=10)
    ends = attr_or_input(ctx, "ends", 2, since=10)
    if starts is None or ends is None:
        raise Reject("starts and ends must be given, got none")
    axes = attr_or_input(ctx, "axes", 3, since=10) or tuple(range(len(starts)))
    given = int_tuple(ctx.const(4, "steps")) if ctx.opset >= 10 and ctx.has(4) else None
    steps = given or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise Reject(
            "starts, ends, axes and steps must be equally long, got "
            f"{len(starts)}, {len(ends)}, {len(axes)} and {len(steps)}"
        )
    attrs = SliceAttrs.whole(shape)
    for start, end, given_axis, step in zip(starts, ends, axes, steps, strict=True):
        if step == 0:
            raise Reject("steps must not be 0, got 0")
        axis = normalize_axis(given_axis, len(shape), "axes")
        taken = range(*slice(start, end, step).indices(shape[axis]))
        attrs = attrs.along(axis, taken.start, len(taken), step)
    ctx.emit("Slice", ctx.inputs[:1], attrs, ctx.outputs)


def split_from_onnx(ctx: ImportContext) -> None:
    """Sizes are given, or equal; since opset 18 the last of `num_outputs` may be smaller."""
    shape = ctx.tensor(0).shape
    axis = normalize_axis(int(ctx.attr("axis", 0)), len(shape))
    sizes = attr_or_input(ctx, "split", 1, since=13) or _equal_sizes(ctx, shape[axis])
    if sum(sizes) != shape[axis] or min(sizes) < 0 or len(sizes) < len(ctx.outputs):
        raise Reject(
            f"split must be {len(ctx.outputs)} sizes adding up to {shape[axis]}, got {list(sizes)}"
        )
    start = 0
    for output, size in zip(ctx.outputs, sizes, strict=False):
        if output:
            attrs = SliceAttrs.whole(shape).along(axis, start, size)
            ctx.emit("Slice", ctx.inputs[:1], attrs, (output,))
        start += size


def _equal_sizes(ctx: ImportContext, dim: int) -> tuple[int, ...]:
    count = int(ctx.attr("num_outputs", len(ctx.outputs)))
    if ctx.attr("num_outputs") is None and dim % count:
        raise Reject(f"an axis split in {count} must be divisible by it, got {dim}")
    chunk = -(-dim // count)
    return tuple(min(chunk, max(dim - chunk * i, 0)) for i in range(count))


def _infer(attrs: SliceAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    rows = zip(attrs.starts, attrs.steps, attrs.sizes, source.shape, strict=True)
    for start, step, size, dim in rows:
        last = start + step * (size - 1)
        if size and not (0 <= start < dim and 0 <= last < dim):
            raise Reject(f"a slice must stay inside its axis of {dim}, got {start} to {last}")
    return (TensorType(attrs.sizes, source.dtype),)


def _semantics(attrs: SliceAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    result = arrays[0]
    assert result is not None
    rows = enumerate(zip(attrs.starts, attrs.steps, attrs.sizes, strict=True))
    for axis, (start, step, size) in rows:
        result = np.take(result, start + step * np.arange(size), axis)
    return (result,)


def _lower(site: Site) -> Lowered:
    attrs: SliceAttrs = site.attrs
    along = strides(site.input(0).shape)
    offset = sum(s * n for s, n in zip(attrs.starts, along, strict=True))
    read = [s * n for s, n in zip(attrs.steps, along, strict=True)]
    return rearranged(site, attrs.sizes, read, offset)


def _output_offsets(site: Site) -> tuple[int, ...] | None:
    return contiguous_offset(_lower(site))


def _permute(site: Site, perm: tuple[int, ...]) -> SliceAttrs:
    attrs: SliceAttrs = site.attrs
    fields = (attrs.starts, attrs.steps, attrs.sizes)
    return SliceAttrs(*(permuted(f, perm) for f in fields))


SPECS = (
    OpSpec(
        name="Slice",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"Slice": slice_from_onnx, "Split": split_from_onnx},
        output_offsets=_output_offsets,
        moves_values=True,
        permute=_permute,
    ),
)
