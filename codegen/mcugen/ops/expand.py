"""Expand and Tile: values repeated along axes.

Expand: y[i] = x[i] with an index of 0 on every axis of x that has extent 1 (broadcasting).
Tile: y[i_0, i_1, ...] = x[i_0 mod x.shape[0], i_1 mod x.shape[1], ...].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.axes import int_tuple, permuted, strides
from mcugen.ops.copying import COPY, contiguous_offset, copy_reference, rearranged
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType


@dataclass(frozen=True)
class ExpandAttrs:
    """`shape`: the output's dimensions."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class TileAttrs:
    """`repeats`: per axis of the input."""

    repeats: tuple[int, ...]


def expand_from_onnx(ctx: ImportContext) -> None:
    """The shape input and the tensor's own shape broadcast against each other."""
    source = ctx.tensor(0)
    wanted = int_tuple(ctx.const(1, "shape"))
    try:
        shape = np.broadcast_shapes(source.shape, wanted)
    except ValueError:
        raise Reject(
            f"shape must broadcast with {list(source.shape)}, got {list(wanted)}"
        ) from None
    ctx.emit("Expand", ctx.inputs[:1], ExpandAttrs(shape), ctx.outputs)


def tile_from_onnx(ctx: ImportContext) -> None:
    """One repeat per axis."""
    ctx.emit("Tile", ctx.inputs[:1], TileAttrs(int_tuple(ctx.const(1, "repeats"))), ctx.outputs)


def _infer_expand(attrs: ExpandAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    tail = attrs.shape[len(attrs.shape) - source.rank :]
    if len(tail) != source.rank or any(
        d not in (1, t) for d, t in zip(source.shape, tail, strict=True)
    ):
        raise Reject(
            f"shape must be one that {list(source.shape)} broadcasts to, got {list(attrs.shape)}"
        )
    return (TensorType(attrs.shape, source.dtype),)


def _infer_tile(attrs: TileAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    if len(attrs.repeats) != source.rank or min(attrs.repeats, default=0) < 0:
        raise Reject(
            f"repeats must be {source.rank} non-negative numbers, got {list(attrs.repeats)}"
        )
    shape = tuple(d * r for d, r in zip(source.shape, attrs.repeats, strict=True))
    return (TensorType(shape, source.dtype),)


def _expand_semantics(attrs: ExpandAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    assert arrays[0] is not None
    return (np.array(np.broadcast_to(arrays[0], attrs.shape)),)


def _tile_semantics(attrs: TileAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    assert arrays[0] is not None
    return (np.tile(arrays[0], attrs.repeats),)


def _lower_expand(site: Site) -> Lowered:
    shape = site.outputs[0].shape
    source = site.input(0)
    padded = (1,) * (len(shape) - source.rank) + source.shape
    along = strides(padded)
    return rearranged(site, shape, [0 if d == 1 else s for d, s in zip(padded, along, strict=True)])


def _lower_tile(site: Site) -> Lowered:
    """Each axis is a loop over repeats, which reads the same again, and one over the axis."""
    attrs: TileAttrs = site.attrs
    source = site.input(0)
    shape: list[int] = []
    read: list[int] = []
    for repeat, dim, stride in zip(attrs.repeats, source.shape, strides(source.shape), strict=True):
        shape += (repeat, dim)
        read += (0, stride)
    return rearranged(site, shape, read)


def _expand_offsets(site: Site) -> tuple[int, ...] | None:
    return contiguous_offset(_lower_expand(site))


def _permute_expand(site: Site, perm: tuple[int, ...]) -> ExpandAttrs | None:
    attrs: ExpandAttrs = site.attrs
    same_rank = len(attrs.shape) == site.input(0).rank
    return ExpandAttrs(permuted(attrs.shape, perm)) if same_rank else None


def _permute_tile(site: Site, perm: tuple[int, ...]) -> TileAttrs:
    attrs: TileAttrs = site.attrs
    return TileAttrs(permuted(attrs.repeats, perm))


SPECS = (
    OpSpec(
        name="Expand",
        infer=_infer_expand,
        semantics=_expand_semantics,
        lower=_lower_expand,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"Expand": expand_from_onnx},
        output_offsets=_expand_offsets,
        moves_values=True,
        permute=_permute_expand,
    ),
    OpSpec(
        name="Tile",
        infer=_infer_tile,
        semantics=_tile_semantics,
        lower=_lower_tile,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"Tile": tile_from_onnx},
        moves_values=True,
        permute=_permute_tile,
    ),
)
