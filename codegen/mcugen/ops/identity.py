"""Identity: y = x, copied.

Dropout imports as it, and so do the ONNX operators whose value is known when the code is
generated: the shape of a tensor is static here even where the tensor is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array
from mcugen.ops.axes import MAX_CONSTANT_ELEMS, const_scalar, int_tuple, strides
from mcugen.ops.copying import COPY, copy_reference, rearranged
from mcugen.ops.onnx_types import dtype_of_code
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Reject, Site, TensorType


@dataclass(frozen=True)
class IdentityAttrs:
    """No attributes."""


def identity_from_onnx(ctx: ImportContext) -> None:
    """Input 0 to output 0."""
    ctx.emit("Identity", ctx.inputs[:1], IdentityAttrs(), ctx.outputs)


def dropout_from_onnx(ctx: ImportContext) -> None:
    """Inference: the input passes; the mask, where it is asked for, is all ones.

    Training with ratio 0 drops nothing either.
    """
    if ctx.has(2) and bool(const_scalar(ctx, 2, "training_mode")):
        ratio = float(const_scalar(ctx, 1, "ratio")) if ctx.has(1) else 0.5
        if ratio != 0:
            raise Reject(f"training_mode must be false, or ratio 0, got ratio {ratio:g}")
    source = ctx.tensor(0)
    ctx.emit("Identity", ctx.inputs[:1], IdentityAttrs(), ctx.outputs[:1])
    if len(ctx.outputs) > 1 and ctx.outputs[1]:
        mask_dtype = np.dtype(np.bool_) if ctx.opset >= 10 else source.dtype.np
        mask = ctx.constant(_filled(source.shape, np.ones(1, mask_dtype)), "mask")
        ctx.emit("Identity", (mask,), IdentityAttrs(), ctx.outputs[1:])


def _emit_value(ctx: ImportContext, value: Array) -> None:
    """Give the node's output a value; constant folding removes the Identity."""
    name = ctx.constant(value, ctx.outputs[0])
    ctx.emit("Identity", (name,), IdentityAttrs(), ctx.outputs)


def shape_from_onnx(ctx: ImportContext) -> None:
    """Dimensions start..end as int64; both ends are clamped to the rank."""
    shape = ctx.tensor(0).shape
    start, end = int(ctx.attr("start", 0)), int(ctx.attr("end", len(shape)))
    _emit_value(ctx, np.array(shape[slice(start, end)], np.int64))


def size_from_onnx(ctx: ImportContext) -> None:
    """Number of elements, an int64 scalar."""
    _emit_value(ctx, np.array(ctx.tensor(0).size, np.int64))


def constant_of_shape_from_onnx(ctx: ImportContext) -> None:
    """A tensor of the constant shape filled with `value` (default float32 0)."""
    value = np.asarray(ctx.attr("value", np.zeros(1, np.float32)))
    _emit_value(ctx, _filled(int_tuple(ctx.const(0, "shape")), value))


def _filled(shape: Sequence[int], value: Array) -> Array:
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_CONSTANT_ELEMS:
        raise Reject(
            f"shape must be non-negative and hold at most {MAX_CONSTANT_ELEMS} elements, "
            f"got {list(shape)}"
        )
    if value.size != 1:
        raise Reject(f"value must be one number, got {value.size}")
    return np.full(tuple(shape), value.reshape(()), value.dtype)


def eye_like_from_onnx(ctx: ImportContext) -> None:
    """Ones on diagonal `k` of a matrix of the input's shape; dtype defaults to the input's."""
    source = ctx.tensor(0)
    if source.rank != 2:
        raise Reject(f"input must be a matrix, got rank {source.rank}")
    code = ctx.attr("dtype")
    dtype = source.dtype if code is None else dtype_of_code(int(code), "dtype")
    rows, columns = _filled(source.shape, np.zeros(1, np.bool_)).shape
    _emit_value(ctx, np.eye(rows, columns, int(ctx.attr("k", 0)), dtype.np))


def range_from_onnx(ctx: ImportContext) -> None:
    """Import start + i * delta below limit, all three constant."""
    start, limit, delta = (
        const_scalar(ctx, i, what) for i, what in enumerate(("start", "limit", "delta"))
    )
    if delta == 0:
        raise Reject("delta must not be 0, got 0")
    if not all(np.isfinite(v) for v in (start, limit, delta)):
        raise Reject(f"range must be finite, got {start} to {limit} by {delta}")
    count = max(math.ceil((limit.item() - start.item()) / delta.item()), 0)
    if count > MAX_CONSTANT_ELEMS:
        raise Reject(f"range must hold at most {MAX_CONSTANT_ELEMS} elements, got {count}")
    _emit_value(ctx, (start + np.arange(count) * delta).astype(start.dtype))


def _infer(attrs: IdentityAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    assert inputs[0] is not None
    return (TensorType(inputs[0].shape, inputs[0].dtype),)


def _semantics(attrs: IdentityAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    del attrs
    assert arrays[0] is not None
    return (arrays[0],)


def _lower(site: Site) -> Lowered:
    shape = site.input(0).shape
    return rearranged(site, shape, strides(shape))


def _permute(site: Site, perm: tuple[int, ...]) -> IdentityAttrs:
    del perm
    attrs: IdentityAttrs = site.attrs
    return attrs


SPECS = (
    OpSpec(
        name="Identity",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=copy_reference,
        kernels=(COPY,),
        onnx={
            "Identity": identity_from_onnx,
            "Dropout": dropout_from_onnx,
            "Shape": shape_from_onnx,
            "Size": size_from_onnx,
            "ConstantOfShape": constant_of_shape_from_onnx,
            "EyeLike": eye_like_from_onnx,
            "Range": range_from_onnx,
        },
        moves_values=True,
        permute=_permute,
    ),
)
