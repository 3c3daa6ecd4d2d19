"""BitCast: the bytes of x as elements of another type of the same size.

No view: the compiler may assume that a float and an integer never share storage, and order
accesses by it. The bytes are copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import present
from mcugen.ops.onnx_types import dtype_of_code
from mcugen.ops.spec import ImportContext, Inputs, Kernel, Lowered, OpSpec, Site, TensorType


@dataclass(frozen=True)
class BitCastAttrs:
    """`to`: element type of the output."""

    to: DType


@dataclass(frozen=True)
class BitCastParams:
    """What the kernel gets.

    Attributes:
        shape: of input and output.
        to: element type of the output.
    """

    shape: tuple[int, ...]
    to: DType

    @property
    def nbytes(self) -> int:
        """Bytes to copy."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.to.itemsize


def bitcast_from_onnx(ctx: ImportContext) -> None:
    """The type is a number."""
    attrs = BitCastAttrs(dtype_of_code(int(ctx.attr("to")), "to"))
    ctx.emit("BitCast", ctx.inputs, attrs, ctx.outputs)


def same_size(attrs: Any, inputs: Inputs) -> str | None:
    """Input and output elements must have the same size."""
    source: DType = present(inputs, 0).dtype
    target: DType = attrs.to
    return None if source.itemsize == target.itemsize else f"{source.value} and {target.value}"


def no_new_bool(attrs: Any, inputs: Inputs) -> str | None:
    """The output must not be bool, which has no meaning for bytes but 0 and 1."""
    source: DType = present(inputs, 0).dtype
    wrong = attrs.to is DType.BOOL and source is not DType.BOOL
    return f"bool of {source.value}" if wrong else None


def _infer(attrs: BitCastAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(present(inputs, 0).shape, attrs.to),)


def _semantics(attrs: BitCastAttrs, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
    source = arrays[0]
    assert source is not None
    return (np.ascontiguousarray(source).view(attrs.to.np).reshape(source.shape),)


def _lower(site: Site) -> Lowered:
    attrs: BitCastAttrs = site.attrs
    source = site.input(0)
    return Lowered(BitCastParams(source.shape, attrs.to), (source.name,))


def bitcast_reference(params: BitCastParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The same bytes."""
    raw = np.ascontiguousarray(arrays[0]).tobytes()
    return (np.frombuffer(raw, params.to.np).reshape(params.shape),)


SPECS = (
    OpSpec(
        name="BitCast",
        infer=_infer,
        semantics=_semantics,
        lower=_lower,
        reference=bitcast_reference,
        kernels=(Kernel("portable/bitcast.c.j2"),),
        onnx={"BitCast": bitcast_from_onnx},
        constraints=(same_size, no_new_bool),
    ),
)
