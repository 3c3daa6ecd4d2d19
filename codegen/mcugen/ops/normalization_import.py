"""ONNX normalisations in terms of Normalize, reductions and elementwise operators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from mcugen.ops.axes import normalize_axes, normalize_axis
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.normalize_attrs import NormalizeAttrs
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import FromOnnx, ImportContext, Reject
from mcugen.ops.unary import UnaryAttrs

SMALLEST_NORMAL = 2.0**-126
"""A norm of 0 divides by this instead: 0 / norm is then 0, as ONNX defines it."""


def layer_normalization(ctx: ImportContext) -> None:
    """Over the axes from `axis` on; scale and bias have those axes."""
    shape = ctx.tensor(0).shape
    axes = tuple(range(normalize_axis(int(ctx.attr("axis", -1)), len(shape)), len(shape)))
    epsilon = float(ctx.attr("epsilon", 1e-5))
    if any(ctx.outputs[1:]):
        value = _with_statistics(ctx, axes, epsilon)
    else:
        (value,) = ctx.emit("Normalize", ctx.inputs[:1], NormalizeAttrs(axes, epsilon))
    _scale_and_bias(ctx, value, ctx.inputs[1:3])


def _with_statistics(ctx: ImportContext, axes: tuple[int, ...], epsilon: float) -> str:
    """The normalised input where the mean or 1 / deviation are results as well."""
    source = ctx.inputs[0]
    wanted = [*ctx.outputs[1:], "", ""]
    (mean,) = ctx.emit("ReduceMean", (source,), ReduceAttrs(axes), wanted[:1])
    (centered,) = ctx.emit("Sub", (source, mean), BinaryAttrs())
    (squares,) = ctx.emit("Mul", (centered, centered), BinaryAttrs())
    (variance,) = ctx.emit("ReduceMean", (squares,), ReduceAttrs(axes))
    offset = ctx.constant(np.array(epsilon, np.float32), "epsilon")
    (shifted,) = ctx.emit("Add", (variance, offset), BinaryAttrs())
    (deviation,) = ctx.emit("Sqrt", (shifted,), UnaryAttrs())
    (inverse,) = ctx.emit("Reciprocal", (deviation,), UnaryAttrs(), wanted[1:2])
    (value,) = ctx.emit("Mul", (centered, inverse), BinaryAttrs())
    return value


def _scale_and_bias(ctx: ImportContext, value: str, parameters: Sequence[str]) -> None:
    """The node's result: value * scale + bias, whichever of them is given."""
    given = [(op, name) for op, name in zip(("Mul", "Add"), parameters, strict=False) if name]
    for i, (op, name) in enumerate(given):
        outputs = ctx.outputs[:1] if i == len(given) - 1 else None
        (value,) = ctx.emit(op, (value, name), BinaryAttrs(), outputs)


def rms_normalization(ctx: ImportContext) -> None:
    """Over the axes from `axis` on, without a mean."""
    shape = ctx.tensor(0).shape
    axes = tuple(range(normalize_axis(int(ctx.attr("axis", -1)), len(shape)), len(shape)))
    attrs = NormalizeAttrs(axes, float(ctx.attr("epsilon", 1e-5)), center=False)
    (value,) = ctx.emit("Normalize", ctx.inputs[:1], attrs)
    _scale_and_bias(ctx, value, ctx.inputs[1:2])


def instance_normalization(ctx: ImportContext) -> None:
    """Over the spatial axes of each channel."""
    shape = ctx.tensor(0).shape
    axes = tuple(range(2, len(shape)))
    attrs = NormalizeAttrs(axes, float(ctx.attr("epsilon", 1e-5)))
    (value,) = ctx.emit("Normalize", ctx.inputs[:1], attrs)
    _scale_and_bias(ctx, value, [_per_channel(ctx, i, len(shape)) for i in (1, 2)])


def _per_channel(ctx: ImportContext, index: int, rank: int) -> str:
    """Input `index`, [C], as the [C, 1, ...] that broadcasts along axis 1."""
    shape = (ctx.tensor(index).size, *(1,) * (rank - 2))
    return ctx.emit("Reshape", ctx.inputs[index : index + 1], ReshapeAttrs(shape))[0]


def group_normalization(ctx: ImportContext) -> None:
    """Over a group's channels (opset 21; the one of opset 18 was withdrawn)."""
    shape = ctx.tensor(0).shape
    groups = int(ctx.attr("num_groups", 0))
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise Reject(f"num_groups must divide the channels, got {groups} for {list(shape)}")
    grouped = ReshapeAttrs((shape[0], groups, math.prod(shape[1:]) // groups))
    (flat,) = ctx.emit("Reshape", ctx.inputs[:1], grouped)
    attrs = NormalizeAttrs((2,), float(ctx.attr("epsilon", 1e-5)))
    (unit,) = ctx.emit("Normalize", (flat,), attrs)
    (value,) = ctx.emit("Reshape", (unit,), ReshapeAttrs(shape))
    _scale_and_bias(ctx, value, [_per_channel(ctx, i, len(shape)) for i in (1, 2)])


def mean_variance_normalization(ctx: ImportContext) -> None:
    """ONNX adds 1e-9 to the deviation; its square is added to the variance here."""
    given = tuple(int(a) for a in ctx.attr("axes", (0, 2, 3)))
    axes = normalize_axes(given, ctx.tensor(0).rank)
    ctx.emit("Normalize", ctx.inputs[:1], NormalizeAttrs(axes, 1e-18), ctx.outputs)


def lp_normalization(ctx: ImportContext) -> None:
    """X / norm along one axis."""
    p = int(ctx.attr("p", 2))
    if p not in (1, 2):
        raise Reject(f"p must be 1 or 2, got {p}")
    axis = normalize_axis(int(ctx.attr("axis", -1)), ctx.tensor(0).rank)
    (norm,) = ctx.emit(f"ReduceL{p}", ctx.inputs[:1], ReduceAttrs((axis,)))
    (safe,) = ctx.emit("Clip", (norm,), ClipAttrs(SMALLEST_NORMAL, math.inf))
    ctx.emit("Div", (ctx.inputs[0], safe), BinaryAttrs(), ctx.outputs)


IMPORTERS: Mapping[str, FromOnnx] = MappingProxyType(
    {
        "LayerNormalization": layer_normalization,
        "RMSNormalization": rms_normalization,
        "InstanceNormalization": instance_normalization,
        "GroupNormalization": group_normalization,
        "MeanVarianceNormalization": mean_variance_normalization,
        "LpNormalization": lp_normalization,
    }
)
