"""LRN: y_c = x_c / (bias + alpha / size * sum of x_k^2 over neighbouring channels)^beta.

The neighbours of channel c are c - floor((size - 1) / 2) to c + ceil((size - 1) / 2), those that
exist, summed in that order in float32.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen import float_math
from mcugen.ir import Array, DType
from mcugen.ops.axes import Lines, normalize_axis, permuted_axis
from mcugen.ops.common import dtype_constraint
from mcugen.ops.spec import (
    ImportContext,
    Inputs,
    Kernel,
    Lowered,
    OpSpec,
    Reject,
    Site,
    TensorType,
)


@dataclass(frozen=True)
class LRNAttrs:
    """ONNX's attributes, and `axis`: the channel axis, counted from the front."""

    size: int
    alpha: float = 0.0001
    beta: float = 0.75
    bias: float = 1.0
    axis: int = 1


@dataclass(frozen=True)
class LRNParams:
    """What the kernel gets.

    Attributes:
        lines: along the channels.
        shape: of input and output.
        before: neighbours in front.
        behind: neighbours behind.
        factor: alpha / size, a float32 number.
        bias: a float32 number.
        beta: a float32 number.
    """

    lines: Lines
    shape: tuple[int, ...]
    before: int
    behind: int
    factor: float
    bias: float
    beta: float


def lrn_from_onnx(ctx: ImportContext) -> None:
    """Channels are axis 1."""
    size = int(ctx.attr("size", 0))
    if size < 1:
        raise Reject(f"size must be positive, got {size}")
    alpha, beta, bias = (
        float(ctx.attr(name, default))
        for name, default in (("alpha", 0.0001), ("beta", 0.75), ("bias", 1.0))
    )
    ctx.emit("LRN", ctx.inputs[:1], LRNAttrs(size, alpha, beta, bias), ctx.outputs)


def _infer(attrs: LRNAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    source = inputs[0]
    assert source is not None
    normalize_axis(attrs.axis, source.rank)
    return (TensorType(source.shape, source.dtype),)


def _semantics(attrs: LRNAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    x = np.moveaxis(source, attrs.axis, 0).astype(np.float64)
    before, behind = (attrs.size - 1) // 2, attrs.size // 2
    y = np.empty_like(x)
    for c in range(len(x)):
        total = (x[max(c - before, 0) : c + behind + 1] ** 2).sum(0)
        y[c] = x[c] / (attrs.bias + attrs.alpha / attrs.size * total) ** attrs.beta
    return (np.array(np.moveaxis(y, 0, attrs.axis).astype(source.dtype), order="C"),)


def _lower(site: Site) -> Lowered:
    attrs: LRNAttrs = site.attrs
    source = site.input(0)
    params = LRNParams(
        Lines.of(source.shape, attrs.axis),
        source.shape,
        (attrs.size - 1) // 2,
        attrs.size // 2,
        float(np.float32(attrs.alpha / attrs.size)),
        float(np.float32(attrs.bias)),
        float(np.float32(attrs.beta)),
    )
    return Lowered(params, (source.name,))


def lrn_reference(params: LRNParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Channel after channel of all lines at once."""
    lines = params.lines.split(arrays[0])
    y = np.zeros_like(lines)
    for k in range(params.lines.count):
        total = np.zeros((params.lines.outer, params.lines.inner), np.float32)
        last = min(k + params.behind, params.lines.count - 1)
        for j in range(max(k - params.before, 0), last + 1):
            total = total + lines[:, j] * lines[:, j]
        base = np.float32(params.bias) + np.float32(params.factor) * total
        y[:, k] = lines[:, k] / float_math.pow(base, np.float32(params.beta))
    return (y.reshape(params.shape),)


def _macs(params: LRNParams) -> int:
    window = params.before + params.behind + 1
    return params.lines.total * params.lines.count * window


def _permute(site: Site, perm: tuple[int, ...]) -> LRNAttrs:
    attrs: LRNAttrs = site.attrs
    return dataclasses.replace(attrs, axis=permuted_axis(attrs.axis, perm))


SPECS = (
    OpSpec(
        name="LRN",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=lrn_reference,
        kernels=(Kernel("portable/lrn.c.j2", headers=("mcugen_math.h",)),),
        onnx={"LRN": lrn_from_onnx},
        constraints=(dtype_constraint(0, "the input", (DType.FLOAT32,)),),
        macs=_macs,
        permute=_permute,
    ),
)
