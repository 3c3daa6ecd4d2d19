"""LpPool: y = (sum over the window of |x|^p)^(1/p), each channel alone; GlobalLpPool too.

In float32: p - 1 multiplications per term, sums kernel rows then columns, the root by square root
(p = 2) or power. Padding adds nothing. Layouts as of the other pools.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen import float_math
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import dtype_constraint, no_empty_dims, present
from mcugen.ops.pool_geometry import (
    PoolGeometry,
    global_window,
    pool_geometry,
    pool_shape,
    pool_window,
    two_dimensional_window,
    window_sums,
)
from mcugen.ops.spec import ImportContext, Inputs, Kernel, Lowered, OpSpec, Site, TensorType

MAX_P = 16
"""Powers are unrolled."""


@dataclass(frozen=True)
class LpPoolAttrs:
    """Those of PoolAttrs, and `p`, the order of the norm."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    p: int
    ceil_mode: bool = False
    count_include_pad: bool = False
    channels_last: bool = False


def lp_pool_from_onnx(ctx: ImportContext) -> None:
    """The order defaults to 2."""
    attrs = LpPoolAttrs(**pool_window(ctx), p=int(ctx.attr("p", 2)))
    ctx.emit("LpPool", ctx.inputs, attrs, ctx.outputs)


def global_lp_pool_from_onnx(ctx: ImportContext) -> None:
    """The window is the whole image."""
    attrs = LpPoolAttrs(**global_window(ctx), p=int(ctx.attr("p", 2)))
    ctx.emit("LpPool", ctx.inputs, attrs, ctx.outputs)


def _infer(attrs: LpPoolAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(pool_shape(attrs, inputs), present(inputs, 0).dtype),)


def _semantics(attrs: LpPoolAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    """In float64, rounded once."""
    x = arrays[0]
    assert x is not None
    last = x if attrs.channels_last else np.moveaxis(x, 1, -1)
    form = dataclasses.replace(attrs, channels_last=True)
    tensor = Tensor("x", last.shape, DType.of(x))
    g = pool_geometry(form, tensor)
    terms = np.abs(last.reshape(g.in_shape).astype(np.float64)) ** attrs.p
    y = (window_sums(g, terms) ** (1.0 / attrs.p)).astype(x.dtype)
    y = y.reshape(pool_shape(form, (tensor,)))
    return (np.ascontiguousarray(y if attrs.channels_last else np.moveaxis(y, -1, 1)),)


@dataclass(frozen=True)
class LpPoolParams:
    """A norm over windows of floats.

    Attributes:
        geometry: shapes.
        p: order of the norm.
        out_shape: the output tensor's shape: the geometry may be a simplified one.
    """

    geometry: PoolGeometry
    p: int
    out_shape: tuple[int, ...]

    @property
    def root(self) -> float:
        """The exponent that undoes the power."""
        return float(np.float32(1.0 / self.p))


def _lower(site: Site) -> Lowered:
    x = site.input(0)
    geometry = pool_geometry(site.attrs, x).simplified()
    return Lowered(LpPoolParams(geometry, site.attrs.p, site.outputs[0].shape), (x.name,))


def _reference(params: LpPoolParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    magnitude = np.abs(arrays[0].reshape(params.geometry.in_shape))
    terms = magnitude
    for _ in range(params.p - 1):
        terms = terms * magnitude
    y = window_sums(params.geometry, terms)
    if params.p == 2:
        y = float_math.sqrt(y)
    elif params.p > 2:
        y = float_math.pow(y, np.float32(params.root))
    return (y.reshape(params.out_shape),)


def order_is_small(attrs: LpPoolAttrs, inputs: Inputs) -> str | None:
    """The order p must be in 1..16."""
    del inputs
    return None if 1 <= attrs.p <= MAX_P else str(attrs.p)


def _channels_last(attrs: LpPoolAttrs) -> LpPoolAttrs:
    return dataclasses.replace(attrs, channels_last=True)


SPECS = (
    OpSpec(
        name="LpPool",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=_reference,
        kernels=(Kernel("portable/lp_pool_f32.c.j2", headers=("mcugen_math.h",)),),
        onnx={"LpPool": lp_pool_from_onnx, "GlobalLpPool": global_lp_pool_from_onnx},
        constraints=(
            dtype_constraint(0, "the input", (DType.FLOAT32,)),
            two_dimensional_window,
            no_empty_dims,
            order_is_small,
        ),
        channels_last=_channels_last,
    ),
)
