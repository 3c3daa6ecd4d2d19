"""Where: y = x where the condition holds, z elsewhere; all three broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.broadcasting import broadcast
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    narrowed,
    required,
    same_type,
)
from mcugen.ops.spec import ImportContext, Inputs, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class WhereAttrs:
    """No attributes."""


def where_from_onnx(ctx: ImportContext) -> None:
    """Condition, x, z."""
    ctx.emit("Where", ctx.inputs[:3], WhereAttrs(), ctx.outputs)


def condition_is_bool(attrs: Any, inputs: Inputs) -> str | None:
    """The condition must be bool."""
    del attrs
    dtype = required(inputs[0]).dtype
    return None if dtype is DType.BOOL else dtype.value


def _infer(attrs: WhereAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    dtype = same_type(inputs[1:])
    return (TensorType(broadcast([required(t).shape for t in inputs]), dtype),)


def _where(attrs: Any, condition: Array, x: Array, z: Array) -> Array:
    del attrs
    return np.where(condition, x, z)


def _evaluate(attrs: Any, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return evaluate(_where, attrs, arrays)


def _lower(site: Site) -> Lowered:
    dtype = site.outputs[0].dtype
    text = "a ? b : c" if dtype is DType.BOOL else narrowed("a ? b : c", dtype)
    return lowered(site, site.attrs, text)


SPECS = (
    OpSpec(
        name="Where",
        infer=_infer,
        semantics=_evaluate,
        lower=_lower,
        reference=_evaluate,
        kernels=(ELEMENTWISE,),
        onnx={"Where": where_from_onnx},
        constraints=(condition_is_bool,),
        inplace=inplace,
        permute=keep_attrs,
    ),
)
