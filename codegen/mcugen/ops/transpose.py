"""Transpose: y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]; y.shape[k] = x.shape[perm[k]]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.axes import permuted, permuted_axis, strides
from mcugen.ops.cmsis_nn.movement import TRANSPOSE_KERNEL
from mcugen.ops.copying import COPY, contiguous_offset, copy_reference, rearranged
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType


@dataclass(frozen=True)
class TransposeAttrs:
    """`perm`: the input axis that each output axis is."""

    perm: tuple[int, ...]


def transpose_from_onnx(ctx: ImportContext) -> None:
    """Without perm the axes are reversed."""
    rank = ctx.tensor(0).rank
    perm = ctx.attr("perm", tuple(reversed(range(rank))))
    ctx.emit("Transpose", ctx.inputs[:1], TransposeAttrs(tuple(perm)), ctx.outputs)


def _infer(attrs: TransposeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    if sorted(attrs.perm) != list(range(source.rank)):
        raise Reject(f"perm must name each of {source.rank} axes once, got {list(attrs.perm)}")
    return (TensorType(permuted(source.shape, attrs.perm), source.dtype),)


def _semantics(attrs: TransposeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    assert arrays[0] is not None
    return (np.array(arrays[0].transpose(attrs.perm), order="C"),)


def _lower(site: Site) -> Lowered:
    """The output is written in order; neighbouring axes that stay together are one loop."""
    attrs: TransposeAttrs = site.attrs
    source = site.input(0)
    read = permuted(strides(source.shape), attrs.perm)
    return rearranged(site, permuted(source.shape, attrs.perm), read)


def _output_offsets(site: Site) -> tuple[int, ...] | None:
    """A view when only axes of extent 1 move."""
    return contiguous_offset(_lower(site))


def _permute(site: Site, perm: tuple[int, ...]) -> TransposeAttrs:
    """Attrs p with perm[p[i]] = own[perm[i]]."""
    attrs: TransposeAttrs = site.attrs
    return TransposeAttrs(tuple(permuted_axis(attrs.perm[p], perm) for p in perm))


SPECS = (
    OpSpec(
        name="Transpose",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(TRANSPOSE_KERNEL, COPY),
        onnx={"Transpose": transpose_from_onnx},
        output_offsets=_output_offsets,
        moves_values=True,
        permute=_permute,
    ),
)
