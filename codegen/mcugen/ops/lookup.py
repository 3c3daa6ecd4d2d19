"""Lookup: y[i] = table[bits of x[i]], any function of one 8-bit tensor as 256 entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.elementwise import (
    ELEMENTWISE,
    evaluate,
    inplace,
    keep_attrs,
    lowered,
    required,
)
from mcugen.ops.spec import Constant, Inputs, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True, eq=False)
class LookupAttrs:
    """`table`: [256] int8 or uint8; entry i is for the x whose bits, as uint8, are i."""

    table: Array

    def __eq__(self, other: object) -> bool:
        """Equal when every entry is, with its type."""
        return (
            isinstance(other, LookupAttrs)
            and self.table.dtype == other.table.dtype
            and np.array_equal(self.table, other.table)
        )

    def __hash__(self) -> int:
        return hash((self.table.dtype.name, self.table.tobytes()))


def input_has_8_bits(attrs: Any, inputs: Inputs) -> str | None:
    """The element type must be int8 or uint8."""
    del attrs
    dtype = required(inputs[0]).dtype
    return None if dtype in (DType.INT8, DType.UINT8) else dtype.value


def _infer(attrs: LookupAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(required(inputs[0]).shape, DType.of(attrs.table)),)


def look_up(attrs: LookupAttrs, x: Array) -> Array:
    """The table's entries for `x`."""
    return np.asarray(attrs.table[x.astype(np.uint8)])


def _evaluate(attrs: LookupAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    return evaluate(look_up, attrs, arrays)


def _reference(params: Any, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return evaluate(look_up, params.attrs, arrays)


def _lower(site: Site) -> Lowered:
    attrs: LookupAttrs = site.attrs
    index = "a" if site.input(0).dtype is DType.UINT8 else "(uint8_t)a"
    return lowered(site, attrs, f"table[{index}]", tables=(Constant("table", attrs.table),))


SPECS = (
    OpSpec(
        name="Lookup",
        infer=_infer,
        semantics=_evaluate,
        lower=_lower,
        reference=_reference,
        kernels=(ELEMENTWISE,),
        constraints=(input_has_8_bits,),
        inplace=inplace,
        permute=keep_attrs,
    ),
)
