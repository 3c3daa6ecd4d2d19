"""BatchNormalization (inference): y = x * a[c] + b[c], c the channel, in float32.

a = scale / sqrt(variance + epsilon), b = bias - mean * a, computed in float64 and rounded once.
Parameters that are not constant import as elementwise operators instead.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, permuted_axis
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.common import dtype_constraint
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.spec import (
    Constant,
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)
from mcugen.ops.unary import UnaryAttrs

PARAMETERS = ("scale", "bias", "mean", "variance")
"""Inputs 1 to 4, each [C]."""


@dataclass(frozen=True)
class BatchNormalizationAttrs:
    """Channels are axis 1, or the last with `channels_last`."""

    epsilon: float
    channels_last: bool = False

    def axis(self, rank: int) -> int:
        """The channel axis."""
        return rank - 1 if self.channels_last else 1


@dataclass(frozen=True, eq=False)
class BatchNormalizationParams:
    """`lines`: along the channels; `factor`, `offset`: float32 [C]; `shape`: of the tensor."""

    lines: Lines
    factor: Array
    offset: Array
    shape: tuple[int, ...]


def batch_normalization_from_onnx(ctx: ImportContext) -> None:
    """Inference alone; `spatial` existed up to opset 8."""
    if ctx.attr("training_mode", 0) or any(ctx.outputs[1:]):
        raise Reject(
            "training_mode must be 0 and Y the only output, got training",
            "export the model in evaluation mode",
        )
    if ctx.attr("spatial", 1) != 1:
        raise Reject(f"spatial must be 1, got {ctx.attr('spatial')}")
    if ctx.tensor(0).rank < 2:
        raise Reject(f"input must have a channel axis, got rank {ctx.tensor(0).rank}")
    epsilon = float(ctx.attr("epsilon", 1e-5))
    if all(ctx.tensor(i).is_constant for i in range(1, 5)):
        attrs = BatchNormalizationAttrs(epsilon)
        ctx.emit("BatchNormalization", ctx.inputs, attrs, ctx.outputs[:1])
    else:
        _emit_elementwise(ctx, epsilon)


def _emit_elementwise(ctx: ImportContext, epsilon: float) -> None:
    """(x - mean) * (scale / sqrt(variance + epsilon)) + bias."""
    shape = (-1, *(1,) * (ctx.tensor(0).rank - 2))
    columns: list[str] = []
    for index in range(1, 5):
        column = ReshapeAttrs((ctx.tensor(index).size, *shape[1:]))
        columns += ctx.emit("Reshape", ctx.inputs[index : index + 1], column)
    scale, bias, mean, variance = columns
    offset = ctx.constant(np.array(epsilon, np.float32), "epsilon")
    (shifted,) = ctx.emit("Add", (variance, offset), BinaryAttrs())
    (deviation,) = ctx.emit("Sqrt", (shifted,), UnaryAttrs())
    (factor,) = ctx.emit("Div", (scale, deviation), BinaryAttrs())
    (centered,) = ctx.emit("Sub", (ctx.inputs[0], mean), BinaryAttrs())
    (scaled,) = ctx.emit("Mul", (centered, factor), BinaryAttrs())
    ctx.emit("Add", (scaled, bias), BinaryAttrs(), ctx.outputs[:1])


def _infer(attrs: BatchNormalizationAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    channels = source.shape[attrs.axis(source.rank)]
    for what, tensor in zip(PARAMETERS, inputs[1:5], strict=True):
        assert tensor is not None
        if tensor.shape != (channels,):
            raise Reject(f"{what} must have {channels} elements, got {list(tensor.shape)}")
    return (TensorType(source.shape, source.dtype),)


def _affine(epsilon: float, parameters: Sequence[Array]) -> tuple[Array, Array]:
    """(a, b) in float64."""
    scale, bias, mean, variance = (p.astype(np.float64) for p in parameters)
    factor = scale / np.sqrt(variance + epsilon)
    return factor, bias - mean * factor


def _semantics(attrs: BatchNormalizationAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source, *parameters = (a for a in arrays if a is not None)
    factor, offset = _affine(attrs.epsilon, parameters)
    shape = [1] * source.ndim
    shape[attrs.axis(source.ndim)] = -1
    wide = source.astype(np.float64) * factor.reshape(shape) + offset.reshape(shape)
    return (wide.astype(source.dtype),)


def parameters_are_constant(attrs: object, inputs: Inputs) -> str | None:
    """scale, bias, mean and variance must be constant"""  # noqa: D400, D415
    del attrs
    rest = [t for t in inputs[1:5] if t is not None and not t.is_constant]
    return rest[0].name if rest else None


def _lower(site: Site) -> Lowered:
    attrs: BatchNormalizationAttrs = site.attrs
    source = site.input(0)
    parameters = [site.input(i).data for i in range(1, 5)]
    factor, offset = _affine(attrs.epsilon, [p for p in parameters if p is not None])
    params = BatchNormalizationParams(
        Lines.of(source.shape, attrs.axis(source.rank)),
        factor.astype(np.float32),
        offset.astype(np.float32),
        source.shape,
    )
    return Lowered(params, (source.name,))


def batch_normalization_reference(
    params: BatchNormalizationParams, arrays: Sequence[Array]
) -> tuple[Array, ...]:
    """A product and a sum, each rounded."""
    lines = params.lines.split(arrays[0])
    y = lines * params.factor[:, None] + params.offset[:, None]
    return (y.reshape(params.shape),)


def _constants(params: BatchNormalizationParams) -> tuple[Constant, ...]:
    return (Constant("factor", params.factor), Constant("offset", params.offset))


def _own_storage(params: BatchNormalizationParams) -> tuple[tuple[int, int], ...]:
    """An element is read just before it is written."""
    del params
    return ((0, 0),)


def _macs(params: BatchNormalizationParams) -> int:
    return params.lines.total * params.lines.count


def _permute(site: Site, perm: tuple[int, ...]) -> BatchNormalizationAttrs | None:
    attrs: BatchNormalizationAttrs = site.attrs
    rank = site.input(0).rank
    axis = permuted_axis(attrs.axis(rank), perm)
    if axis not in (1, rank - 1):
        return None
    return dataclasses.replace(attrs, channels_last=axis != 1)


SPECS = (
    OpSpec(
        name="BatchNormalization",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=batch_normalization_reference,
        kernels=(Kernel("portable/batch_normalization.c.j2", constants=_constants),),
        onnx={"BatchNormalization": batch_normalization_from_onnx},
        constraints=(
            dtype_constraint(0, "the input", (DType.FLOAT32,)),
            parameters_are_constant,
        ),
        macs=_macs,
        inplace=_own_storage,
        permute=_permute,
    ),
)
