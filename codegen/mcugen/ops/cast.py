"""Cast: the same number as another element type.

Float to integer is towards zero and saturates, NaN gives 0 (ONNX leaves both open); integers wrap;
to bool is "not 0"; to a narrower float is to nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen import float_math as fm
from mcugen.c_types import ctype
from mcugen.ir import Array, DType
from mcugen.ops.elementwise import (
    BOOL,
    ELEMENTWISE,
    NUMBERS,
    element_type_rule,
    evaluate,
    inplace,
    keep_attrs,
    literal,
    lowered,
    required,
)
from mcugen.ops.onnx_types import dtype_of_code
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class CastAttrs:
    """`to`: element type of the output."""

    to: DType


def cast_from_onnx(ctx: ImportContext) -> None:
    """`saturate` and `round_mode` concern 8-bit floats, which are not supported."""
    attrs = CastAttrs(dtype_of_code(ctx.attr("to"), "to"))
    ctx.emit("Cast", ctx.inputs[:1], attrs, ctx.outputs)


def cast_like_from_onnx(ctx: ImportContext) -> None:
    """To the element type of the second input, whatever its values."""
    ctx.emit("Cast", ctx.inputs[:1], CastAttrs(ctx.tensor(1).dtype), ctx.outputs)


def _infer(attrs: CastAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(required(inputs[0]).shape, attrs.to),)


def cast(attrs: CastAttrs, x: Array) -> Array:
    """The numbers of `x` as `attrs.to`."""
    if attrs.to is DType.BOOL:
        return np.asarray(x != 0)
    if x.dtype.kind == "f" and attrs.to.is_integer:
        wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
        return fm.to_integer(wide, attrs.to.np)
    return x.astype(attrs.to.np)


def _evaluate(attrs: CastAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return evaluate(cast, attrs, arrays)


def _reference(params: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return evaluate(cast, params.attrs, arrays)


def cast_text(source: DType, to: DType) -> str:
    """The C expression that converts `a`."""
    if source is to:
        return "a"
    if to is DType.BOOL:
        return f"a != {literal(0, source)}"
    if source is DType.BOOL:
        return f"a ? {literal(1, to)} : {literal(0, to)}"
    if source.is_float and to.is_integer:
        return f"mcugen_{ctype(source)}_to_{to.value}(a)"
    return f"({ctype(to)})a"


def _lower(site: Site) -> Lowered:
    attrs: CastAttrs = site.attrs
    return lowered(site, attrs, cast_text(site.input(0).dtype, attrs.to))


SPECS = (
    OpSpec(
        name="Cast",
        infer=_infer,
        semantics=_evaluate,
        lower=_lower,
        reference=_reference,
        kernels=(ELEMENTWISE,),
        onnx={"Cast": cast_from_onnx, "CastLike": cast_like_from_onnx},
        constraints=(element_type_rule(NUMBERS | BOOL),),
        inplace=inplace,
        permute=keep_attrs,
    ),
)
