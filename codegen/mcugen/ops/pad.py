"""Pad: y is x with begin[k] elements in front and end[k] behind on each axis k.

Modes: constant (`value`), edge (the border repeated), reflect (mirrored at the border element),
wrap (the axis repeated). ONNX's negative pads become a Slice in front.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, QuantParams, Tensor
from mcugen.ops.axes import attr_or_input, int_tuple, normalize_axis, permuted, strides
from mcugen.ops.cmsis_nn.movement import PAD_KERNEL
from mcugen.ops.copying import (
    COPY,
    Loop,
    block,
    copy_reference,
    frame_blocks,
    index_table,
    lowered_copy,
    strided_block,
)
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    IntegerForm,
    InvalidNode,
    Lowered,
    OpSpec,
    QuantSite,
    Reject,
    Site,
    TensorType,
)

MODES = ("constant", "edge", "reflect", "wrap")


@dataclass(frozen=True)
class PadAttrs:
    """What is added around the input.

    Attributes:
        pads: begin of every axis, then end of every axis; none negative.
        mode: one of MODES.
        value: a number of the input's element type, for mode constant.
    """

    pads: tuple[int, ...]
    mode: str = "constant"
    value: int | float = 0

    @property
    def begins(self) -> tuple[int, ...]:
        """Per axis, elements in front."""
        return self.pads[: len(self.pads) // 2]

    @property
    def ends(self) -> tuple[int, ...]:
        """Per axis, elements behind."""
        return self.pads[len(self.pads) // 2 :]

    def out_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The output's dimensions."""
        return tuple(b + d + e for b, d, e in zip(self.begins, shape, self.ends, strict=True))


def pad_from_onnx(ctx: ImportContext) -> None:
    """Attributes before opset 11, inputs since; axes since opset 18."""
    source = ctx.tensor(0)
    mode = str(ctx.attr("mode", "constant"))
    if mode not in MODES:
        raise Reject(f"mode must be one of {', '.join(MODES)}, got {mode}")
    begins, ends = _pads(ctx, source.rank)
    name, shape = _cropped(ctx, source, begins, ends)
    pads = tuple(max(p, 0) for p in (*begins, *ends))
    attrs = PadAttrs(pads, mode, _value(ctx, source))
    if not any(pads) and name != source.name:
        attrs = PadAttrs(pads)
    _check(attrs, shape)
    ctx.emit("Pad", (name,), attrs, ctx.outputs)


def _pads(ctx: ImportContext, rank: int) -> tuple[list[int], list[int]]:
    """Begins and ends of all axes, negative ones included."""
    given = attr_or_input(ctx, "pads", 1, since=11)
    if given is None:
        raise InvalidNode("pads must be given, got none")
    axes: Sequence[int] = range(rank)
    if ctx.opset >= 18 and ctx.has(3):
        axes = [normalize_axis(a, rank, "axes") for a in int_tuple(ctx.const(3, "axes"))]
    if len(given) != 2 * len(axes):
        raise InvalidNode(f"pads must be {2 * len(axes)} numbers, got {len(given)}")
    begins, ends = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        begins[axis], ends[axis] = given[i], given[i + len(axes)]
    return begins, ends


def _value(ctx: ImportContext, source: Tensor) -> int | float:
    """The constant as a number of the input's element type."""
    raw: Any = ctx.attr("value", 0.0)
    if ctx.opset >= 11:
        given = ctx.const(2, "constant_value").reshape(-1) if ctx.has(2) else np.zeros(0)
        raw = given[0] if given.size else 0
    number: int | float = np.asarray(raw).astype(source.dtype.np).item()
    return number


def _cropped(
    ctx: ImportContext, source: Tensor, begins: Sequence[int], ends: Sequence[int]
) -> tuple[str, tuple[int, ...]]:
    """Name and shape of the input after its negative pads were cut off."""
    if min((*begins, *ends), default=0) >= 0:
        return source.name, source.shape
    attrs = SliceAttrs.whole(source.shape)
    for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        first = max(-begin, 0)
        size = source.shape[axis] - first - max(-end, 0)
        if size < 0:
            raise Reject(f"negative pads must leave an axis, got {begin} and {end}")
        attrs = attrs.along(axis, first, size)
    (name,) = ctx.emit("Slice", ctx.inputs[:1], attrs)
    return name, attrs.sizes


def _check(attrs: PadAttrs, shape: Sequence[int]) -> None:
    if len(attrs.pads) != 2 * len(shape) or min(attrs.pads, default=0) < 0:
        raise Reject(f"pads must be {2 * len(shape)} non-negative numbers, got {attrs.pads}")
    for begin, dim, end in zip(attrs.begins, shape, attrs.ends, strict=True):
        if attrs.mode != "constant" and dim == 0 and begin + end:
            raise Reject(f"an axis padded with mode {attrs.mode} must not be empty, got 0")


def _infer(attrs: PadAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    _check(attrs, source.shape)
    return (TensorType(attrs.out_shape(source.shape), source.dtype),)


def _semantics(attrs: PadAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    width = list(zip(attrs.begins, attrs.ends, strict=True))
    if not width:
        return (source,)
    if attrs.mode == "constant":
        return (np.pad(source, width, constant_values=np.array(attrs.value, source.dtype)),)
    return (np.pad(source, width, mode=attrs.mode),)  # type: ignore[call-overload]


def _lower(site: Site) -> Lowered:
    attrs: PadAttrs = site.attrs
    if attrs.mode == "constant":
        shape = site.input(0).shape
        y_strides = strides(site.outputs[0].shape)
        blocks, offset = frame_blocks(shape, attrs.begins, attrs.ends)
        blocks += strided_block(shape, strides(shape), y_strides, y_offset=offset)
        return lowered_copy(site, blocks, fill=attrs.value)
    return _lower_mapped(site)


def _lower_mapped(site: Site) -> Lowered:
    """Every padded axis reads through a table of source indices."""
    attrs: PadAttrs = site.attrs
    shape = site.input(0).shape
    out_shape = site.outputs[0].shape
    loops, tables = [], []
    rows = zip(out_shape, strides(shape), strides(out_shape), strict=True)
    for axis, row in enumerate(rows):
        begin, end = attrs.begins[axis], attrs.ends[axis]
        if begin + end == 0:
            loops.append(Loop(*row))
            continue
        dim = shape[axis]
        positions = range(-begin, dim + end)
        table = index_table(f"map{axis}", [_source_index(attrs.mode, p, dim) for p in positions])
        tables.append(table)
        loops.append(Loop(*row, table.name))
    return lowered_copy(site, block(loops), tables=tables)


def _source_index(mode: str, position: int, dim: int) -> int:
    """The element of an axis of `dim` shown at `position`, which may lie outside."""
    if mode == "edge":
        return min(max(position, 0), dim - 1)
    if mode == "wrap":
        return position % dim
    period = max(2 * (dim - 1), 1)
    folded = position % period
    return min(folded, period - folded) if dim > 1 else 0


def _permute(site: Site, perm: tuple[int, ...]) -> PadAttrs:
    attrs: PadAttrs = site.attrs
    pads = (*permuted(attrs.begins, perm), *permuted(attrs.ends, perm))
    return dataclasses.replace(attrs, pads=pads)


def _quantize(site: QuantSite) -> IntegerForm:
    """The value becomes an integer of the common quantization."""
    quant, out = site.quant(0), site.outputs[0]
    if quant != out.quant or site.input(0).dtype is not out.dtype:
        raise Reject("Pad's input and output must have the same quantization, got different ones")
    if site.clamp != (-math.inf, math.inf):
        raise Reject(f"Pad must have no activation behind it, got a clamp to {site.clamp}")
    attrs: PadAttrs = site.node.attrs
    value = _quantized(attrs.value, quant, out) if attrs.mode == "constant" else 0
    return IntegerForm("Pad", dataclasses.replace(attrs, value=value), (site.input(0),))


def _quantized(value: float, quant: QuantParams, out: Tensor) -> int:
    """QuantizeLinear of one number: float32 division, halves to even, saturated."""
    if not quant.per_tensor:
        raise Reject("Pad must be quantized per tensor, got per axis")
    bounds = np.iinfo(out.dtype.np)
    steps = np.rint(np.float32(value) / np.float32(quant.scale)) + int(quant.zero_point)
    return int(np.clip(np.nan_to_num(steps), bounds.min, bounds.max))


SPECS = (
    OpSpec(
        name="Pad",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(PAD_KERNEL, COPY),
        onnx={"Pad": pad_from_onnx},
        permute=_permute,
        quantize=_quantize,
    ),
)
