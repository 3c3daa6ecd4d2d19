"""Normalize: y = (x - mean) / sqrt(variance + epsilon), statistics over some axes.

Without `center` the mean is left out and the mean square stands for the variance (RMS). What
LayerNormalization, InstanceNormalization, GroupNormalization, MeanVarianceNormalization and
RMSNormalization have in common; their scale and bias are Mul and Add behind it.
Steps in C, all float32: the sum and the sum of squares in row-major order, each divided by the
count; y = (x - mean) * (1 / sqrt(variance + epsilon)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen import float_math
from mcugen.ir import Array, DType
from mcugen.ops.axes import normalize_axes, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.normalization_import import IMPORTERS
from mcugen.ops.normalize_attrs import NormalizeAttrs
from mcugen.ops.reduce_nest import Nest, by_result
from mcugen.ops.spec import Inputs, Kernel, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class NormalizeParams:
    """What the kernel gets.

    Attributes:
        nest: the loops; input and output have the strides of its x.
        axes: of the statistics.
        shape: of input and output.
        epsilon: a float32 number.
        center: whether the mean is subtracted.
    """

    nest: Nest
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    epsilon: float
    center: bool


def _infer(attrs: NormalizeAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axes(attrs.axes, source.rank)
    return (TensorType(source.shape, source.dtype),)


def _semantics(attrs: NormalizeAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    wide = source.astype(np.float64)
    count = np.float64(math.prod(source.shape[a] for a in attrs.axes))
    if attrs.center:
        wide = wide - wide.sum(attrs.axes, keepdims=True) / count
    variance = (wide * wide).sum(attrs.axes, keepdims=True) / count
    return ((wide / np.sqrt(variance + attrs.epsilon)).astype(source.dtype),)


def _lower(site: Site) -> Lowered:
    attrs: NormalizeAttrs = site.attrs
    source = site.input(0)
    params = NormalizeParams(
        Nest.of(source.shape, attrs.axes, rows=False),
        attrs.axes,
        source.shape,
        float(np.float32(attrs.epsilon)),
        attrs.center,
    )
    return Lowered(params, (source.name,))


def normalize_reference(params: NormalizeParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """All groups at once, element after element."""
    x = by_result(arrays[0], params.axes)
    count = np.float32(params.nest.count)
    mean = np.zeros(len(x), np.float32)
    if params.center:
        for j in range(x.shape[1]):
            mean = mean + x[:, j]
        mean = mean / count
    squares = np.zeros(len(x), np.float32)
    for j in range(x.shape[1]):
        d = x[:, j] - mean
        squares = squares + d * d
    scale = np.float32(1) / float_math.sqrt(squares / count + np.float32(params.epsilon))
    y = (x - mean[:, None]) * scale[:, None]
    kept = [a for a in range(len(params.shape)) if a not in params.axes]
    order = [*kept, *params.axes]
    spread = y.reshape([params.shape[a] for a in order])
    return (np.array(spread.transpose(np.argsort(order)), order="C"),)


def _own_storage(params: NormalizeParams) -> tuple[tuple[int, int], ...]:
    """An element is read for the last time just before it is written."""
    del params
    return ((0, 0),)


def _permute(site: Site, perm: tuple[int, ...]) -> NormalizeAttrs:
    attrs: NormalizeAttrs = site.attrs
    axes = tuple(sorted(permuted_axis(a, perm) for a in attrs.axes))
    return NormalizeAttrs(axes, attrs.epsilon, attrs.center)


SPECS = (
    OpSpec(
        name="Normalize",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=normalize_reference,
        kernels=(Kernel("portable/normalize.c.j2", headers=("mcugen_math.h",)),),
        onnx=IMPORTERS,
        constraints=(dtype_constraint(0, "the input", (DType.FLOAT32,)),),
        inplace=_own_storage,
        permute=_permute,
    ),
)
