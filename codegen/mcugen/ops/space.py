"""DepthToSpace and SpaceToDepth: blocks of b x b pixels to and from channels.

DepthToSpace, C = b * b * D:
    DCR: y[n, d, h * b + i, w * b + j] = x[n, (i * b + j) * D + d, h, w]
    CRD: y[n, d, h * b + i, w * b + j] = x[n, (d * b + i) * b + j, h, w]
SpaceToDepth is the inverse. Channels are axis 1, or the last with `channels_last`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.axes import permuted, strides
from mcugen.ops.copying import COPY, contiguous_offset, copy_reference, rearranged
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType

TO_CHANNELS_LAST = (0, 2, 3, 1)
TO_CHANNELS_FIRST = (0, 3, 1, 2)


@dataclass(frozen=True)
class DepthToSpaceAttrs:
    """`mode`: DCR or CRD."""

    blocksize: int
    mode: str = "DCR"
    channels_last: bool = False


@dataclass(frozen=True)
class SpaceToDepthAttrs:
    """`mode`: DCR or CRD."""

    blocksize: int
    mode: str = "DCR"
    channels_last: bool = False


Attrs = DepthToSpaceAttrs | SpaceToDepthAttrs


def _blocksize(ctx: ImportContext) -> int:
    size = int(ctx.attr("blocksize", 0))
    if size < 1:
        raise Reject(f"blocksize must be positive, got {size}")
    return size


def _mode(ctx: ImportContext) -> str:
    mode = str(ctx.attr("mode", "DCR"))
    if mode not in ("DCR", "CRD"):
        raise Reject(f"mode must be DCR or CRD, got {mode}")
    return mode


def depth_to_space_from_onnx(ctx: ImportContext) -> None:
    """Mode exists since opset 11; before, DCR."""
    attrs = DepthToSpaceAttrs(_blocksize(ctx), _mode(ctx))
    ctx.emit("DepthToSpace", ctx.inputs[:1], attrs, ctx.outputs)


def space_to_depth_from_onnx(ctx: ImportContext) -> None:
    """Mode is younger than the operator; before, DCR."""
    attrs = SpaceToDepthAttrs(_blocksize(ctx), _mode(ctx))
    ctx.emit("SpaceToDepth", ctx.inputs[:1], attrs, ctx.outputs)


def _nchw(shape: Sequence[int], channels_last: bool) -> tuple[int, ...]:
    return permuted(shape, TO_CHANNELS_FIRST) if channels_last else tuple(shape)


def _plan(attrs: Attrs, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(finer shape of the input, order of its axes in the output).

    Reshaping the input to the first and transposing it by the second gives the output's
    elements in order.
    """
    b, last, dcr = attrs.blocksize, attrs.channels_last, attrs.mode == "DCR"
    n, c, h, w = _nchw(shape, last)
    if isinstance(attrs, SpaceToDepthAttrs):
        if last:
            return (n, h // b, b, w // b, b, c), (0, 1, 3, *((2, 4, 5) if dcr else (5, 2, 4)))
        return (n, c, h // b, b, w // b, b), (0, *((3, 5, 1) if dcr else (1, 3, 5)), 2, 4)
    d = c // (b * b)
    if dcr:
        if last:
            return (n, h, w, b, b, d), (0, 1, 3, 2, 4, 5)
        return (n, b, b, d, h, w), (0, 3, 4, 1, 5, 2)
    if last:
        return (n, h, w, d, b, b), (0, 1, 4, 2, 5, 3)
    return (n, d, b, b, h, w), (0, 1, 4, 2, 5, 3)


def _infer(attrs: Attrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    if source.rank != 4:
        raise Reject(f"input must have 4 axes, got {source.rank}")
    b = attrs.blocksize
    n, c, h, w = _nchw(source.shape, attrs.channels_last)
    if isinstance(attrs, SpaceToDepthAttrs):
        if h % b or w % b:
            raise Reject(f"height and width must be multiples of {b}, got {h}x{w}")
        out = (n, c * b * b, h // b, w // b)
    else:
        if c % (b * b):
            raise Reject(f"channels must be a multiple of {b * b}, got {c}")
        out = (n, c // (b * b), h * b, w * b)
    shape = permuted(out, TO_CHANNELS_LAST) if attrs.channels_last else out
    return (TensorType(shape, source.dtype),)


def _depth_to_space_semantics(
    attrs: DepthToSpaceAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    """Block position by block position, as the formula says."""
    source = arrays[0]
    assert source is not None
    x = source.transpose(TO_CHANNELS_FIRST) if attrs.channels_last else source
    n, c, h, w = x.shape
    b = attrs.blocksize
    d = c // (b * b)
    y = np.empty((n, d, h * b, w * b), x.dtype)
    for i in range(b):
        for j in range(b):
            first, step = ((i * b + j) * d, 1) if attrs.mode == "DCR" else (i * b + j, b * b)
            y[:, :, i::b, j::b] = x[:, first + step * np.arange(d)]
    return (np.array(y.transpose(TO_CHANNELS_LAST) if attrs.channels_last else y, order="C"),)


def _space_to_depth_semantics(
    attrs: SpaceToDepthAttrs, arrays: Sequence[Array | None]
) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    x = source.transpose(TO_CHANNELS_FIRST) if attrs.channels_last else source
    b = attrs.blocksize
    parts = [x[:, :, i::b, j::b] for i in range(b) for j in range(b)]
    y = np.concatenate(parts, 1)
    if attrs.mode == "CRD":
        y = np.stack(parts, 2).reshape(y.shape)
    return (np.array(y.transpose(TO_CHANNELS_LAST) if attrs.channels_last else y, order="C"),)


def _lower(site: Site) -> Lowered:
    shape, order = _plan(site.attrs, site.input(0).shape)
    return rearranged(site, permuted(shape, order), permuted(strides(shape), order))


def _output_offsets(site: Site) -> tuple[int, ...] | None:
    return contiguous_offset(_lower(site))


def _permute(site: Site, perm: tuple[int, ...]) -> Attrs | None:
    """Only between the two layouts."""
    attrs: Attrs = site.attrs
    if perm == (TO_CHANNELS_FIRST if attrs.channels_last else TO_CHANNELS_LAST):
        return dataclasses.replace(attrs, channels_last=not attrs.channels_last)
    return None


SPECS = (
    OpSpec(
        name="DepthToSpace",
        infer=_infer,
        semantics=_depth_to_space_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"DepthToSpace": depth_to_space_from_onnx},
        output_offsets=_output_offsets,
        moves_values=True,
        permute=_permute,
    ),
    OpSpec(
        name="SpaceToDepth",
        infer=_infer,
        semantics=_space_to_depth_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={"SpaceToDepth": space_to_depth_from_onnx},
        output_offsets=_output_offsets,
        moves_values=True,
        permute=_permute,
    ),
)
