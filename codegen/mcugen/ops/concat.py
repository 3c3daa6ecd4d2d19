"""Concat: y = the inputs one after another along `axis`; all other dimensions are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from mcugen.ir import Array, Tensor
from mcugen.ops.axes import normalize_axis, permuted_axis, strides
from mcugen.ops.cmsis_nn.movement import CONCAT_KERNEL
from mcugen.ops.copying import (
    COPY,
    Block,
    argument_names,
    copy_reference,
    lowered_copy,
    strided_block,
)
from mcugen.ops.qlinear import dequantized, quantized
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType


@dataclass(frozen=True)
class ConcatAttrs:
    """`axis`: counted from the front."""

    axis: int


def concat_from_onnx(ctx: ImportContext) -> None:
    """Any number of inputs."""
    axis = normalize_axis(int(ctx.attr("axis", 1)), ctx.tensor(0).rank)
    ctx.emit("Concat", ctx.inputs, ConcatAttrs(axis), ctx.outputs)


def qlinear_concat_from_onnx(ctx: ImportContext) -> None:
    """Scale and zero point of the output, then (tensor, scale, zero point) of each input."""
    axis = normalize_axis(int(ctx.attr("axis", 1)), ctx.tensor(2).rank)
    values = [dequantized(ctx, index) for index in range(2, len(ctx.inputs), 3)]
    (value,) = ctx.emit("Concat", values, ConcatAttrs(axis))
    quantized(ctx, value, 0)


def _present(inputs: Inputs) -> list[Tensor]:
    tensors = [t for t in inputs if t is not None]
    assert len(tensors) == len(inputs)
    return tensors


def _infer(attrs: ConcatAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    tensors = _present(inputs)
    first = tensors[0]
    for tensor in tensors[1:]:
        same = [
            a == b or i == attrs.axis
            for i, (a, b) in enumerate(zip(first.shape, tensor.shape, strict=False))
        ]
        if tensor.rank != first.rank or not all(same):
            raise Reject(
                f"inputs must have equal dimensions apart from axis {attrs.axis}, "
                f"got {list(first.shape)} and {list(tensor.shape)}"
            )
        if tensor.dtype is not first.dtype:
            raise Reject(
                f"inputs must have one element type, got {first.dtype.value} and "
                f"{tensor.dtype.value}"
            )
    shape = list(first.shape)
    shape[attrs.axis] = sum(t.shape[attrs.axis] for t in tensors)
    return (TensorType(tuple(shape), first.dtype),)


def _semantics(attrs: ConcatAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return (np.concatenate([a for a in arrays if a is not None], attrs.axis),)


def _lower(site: Site) -> Lowered:
    """One block per input that holds anything."""
    attrs: ConcatAttrs = site.attrs
    y_strides = strides(site.outputs[0].shape)
    tensors = [t for t in _present(site.inputs) if t.size]
    blocks: list[Block] = []
    start = 0
    for name, tensor in zip(argument_names("x", len(tensors)), tensors, strict=True):
        y_offset = start * y_strides[attrs.axis]
        shape = tensor.shape
        blocks += strided_block(shape, strides(shape), y_strides, source=name, y_offset=y_offset)
        start += shape[attrs.axis]
    return lowered_copy(site, blocks, inputs=tensors)


def _input_offsets(site: Site) -> tuple[int, ...] | None:
    """Contiguous when nothing lies outside the axis."""
    attrs: ConcatAttrs = site.attrs
    if math.prod(site.outputs[0].shape[: attrs.axis]) != 1:
        return None
    sizes = [t.size for t in _present(site.inputs)]
    return tuple(accumulate(sizes[:-1], initial=0))


def _permute(site: Site, perm: tuple[int, ...]) -> ConcatAttrs:
    attrs: ConcatAttrs = site.attrs
    return ConcatAttrs(permuted_axis(attrs.axis, perm))


SPECS = (
    OpSpec(
        name="Concat",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(CONCAT_KERNEL, COPY),
        onnx={
            "Concat": concat_from_onnx,
            "com.microsoft::QLinearConcat": qlinear_concat_from_onnx,
        },
        input_offsets=_input_offsets,
        moves_values=True,
        permute=_permute,
    ),
)
