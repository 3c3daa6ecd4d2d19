"""Reshape: y = x's elements in row-major order under another shape.

Flatten, Squeeze and Unsqueeze import as it. It is a view wherever storage allows; where it does
not (a graph input that is also a graph output, say) its kernel copies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mcugen.ir import Array
from mcugen.ops.axes import attr_or_input, int_tuple, normalize_axes
from mcugen.ops.copying import COPY, contiguous_offset, copy_reference, rearranged
from mcugen.ops.spec import (
    SHAPES_DISAGREE,
    ImportContext,
    Inputs,
    InvalidNode,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class ReshapeAttrs:
    """`shape`: the output's dimensions, all known."""

    shape: tuple[int, ...]


def _emit(ctx: ImportContext, shape: Sequence[int]) -> None:
    ctx.emit("Reshape", ctx.inputs[:1], ReshapeAttrs(tuple(shape)), ctx.outputs)


def reshape_from_onnx(ctx: ImportContext) -> None:
    """0 copies the input's dimension (unless allowzero), one -1 is what is left."""
    source = ctx.tensor(0)
    wanted = list(int_tuple(ctx.const(1, "shape")))
    if not ctx.attr("allowzero", 0):
        for i, dim in enumerate(wanted):
            if dim == 0 and i >= source.rank:
                raise InvalidNode(
                    f"a 0 in shape must copy an input dimension, got {wanted} for rank "
                    f"{source.rank}"
                )
            wanted[i] = source.shape[i] if dim == 0 else dim
    _emit(ctx, _resolved(wanted, source.size))


def _resolved(wanted: Sequence[int], size: int) -> list[int]:
    """`wanted` with its -1 replaced."""
    if wanted.count(-1) > 1 or min(wanted, default=0) < -1:
        raise InvalidNode(
            f"shape must hold non-negative dimensions and one -1 at most, got {wanted}"
        )
    known = math.prod(d for d in wanted if d != -1)
    if -1 in wanted and (known == 0 or size % known):
        raise InvalidNode(f"shape must hold {size} elements, got {list(wanted)}", SHAPES_DISAGREE)
    return [size // known if d == -1 else d for d in wanted]


def flatten_from_onnx(ctx: ImportContext) -> None:
    """Axes before `axis` become the first dimension, the others the second."""
    shape = ctx.tensor(0).shape
    rank, axis = len(shape), int(ctx.attr("axis", 1))
    if not -rank <= axis <= rank:
        raise InvalidNode(f"axis must be in [{-rank}, {rank}], got {axis}")
    split = axis + rank if axis < 0 else axis
    _emit(ctx, (math.prod(shape[:split]), math.prod(shape[split:])))


def squeeze_from_onnx(ctx: ImportContext) -> None:
    """Without axes every dimension of 1 goes."""
    shape = ctx.tensor(0).shape
    given = attr_or_input(ctx, "axes", 1, since=13)
    if given is None:
        _emit(ctx, [d for d in shape if d != 1])
        return
    axes = normalize_axes(given, len(shape))
    if any(shape[a] != 1 for a in axes):
        raise InvalidNode(
            f"squeezed dimensions must be 1, got {[shape[a] for a in axes]}", SHAPES_DISAGREE
        )
    _emit(ctx, [d for i, d in enumerate(shape) if i not in axes])


def unsqueeze_from_onnx(ctx: ImportContext) -> None:
    """Axes are those of the output."""
    shape = list(ctx.tensor(0).shape)
    given = attr_or_input(ctx, "axes", 1, since=13)
    if given is None:
        raise InvalidNode("axes must be given, got none")
    for axis in normalize_axes(given, len(shape) + len(given)):
        shape.insert(axis, 1)
    _emit(ctx, shape)


def _infer(attrs: ReshapeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    if math.prod(attrs.shape) != source.size:
        raise Reject(f"shape must hold {source.size} elements, got {list(attrs.shape)}")
    return (TensorType(attrs.shape, source.dtype),)


def _semantics(attrs: ReshapeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    assert arrays[0] is not None
    return (arrays[0].reshape(attrs.shape),)


def _lower(site: Site) -> Lowered:
    return rearranged(site, (site.input(0).size,), (1,))


def _output_offsets(site: Site) -> tuple[int, ...] | None:
    return contiguous_offset(_lower(site))


SPECS = (
    OpSpec(
        name="Reshape",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={
            "Reshape": reshape_from_onnx,
            "Flatten": flatten_from_onnx,
            "Squeeze": squeeze_from_onnx,
            "Unsqueeze": unsqueeze_from_onnx,
        },
        output_offsets=_output_offsets,
        moves_values=True,
    ),
)
