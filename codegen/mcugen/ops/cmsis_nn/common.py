"""What CMSIS-NN's functions have in common: dimensions and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcugen.ir import DType
from mcugen.ops.spec import Core

LIBRARY = "cmsis_nn"
HEADERS = ("mcugen_cmsis_nn.h",)

# Where portable C is faster was measured by `mcugen bench --kernels portable,cmsis_nn` with
# arm-none-eabi-gcc 12.2 -O2, what boards are built with: cycles of an emulated Cortex-M0+ (PLAIN),
# instructions of a Cortex-M4F (DSP), per layer, on the integer models of the project's users and on
# single nodes. What MVE does is not known: nothing is left out there.


def slower_cores(plain: bool, dsp: bool) -> frozenset[Core]:
    """The cores on which a kernel lost."""
    return frozenset(c for c, lost in ((Core.PLAIN, plain), (Core.DSP, dsp)) if lost)


def slower(params: Any) -> frozenset[Core]:
    """The cores of a kernel that lost with whatever numbers."""
    del params
    return slower_cores(plain=True, dsp=True)


def slower_on_plain(params: Any) -> frozenset[Core]:
    """The cores of a kernel that lost where there are no DSP instructions."""
    del params
    return slower_cores(plain=True, dsp=False)


MAX_DIM = 32767
"""Dimensions pass through int16_t and uint16_t variables of the kernels."""


MAX_GATHER = 65535 // 7
"""Longest row of a matrix to transpose."""


def activations(dtype: DType) -> DType:
    """The element type that functions with two of them are held to, for an output of `dtype`."""
    return DType.INT16 if dtype is DType.INT16 else DType.INT8


@dataclass(frozen=True)
class Dims:
    """The library's `cmsis_nn_dims`; what each letter means depends on the function."""

    n: int = 1
    h: int = 1
    w: int = 1
    c: int = 1

    @property
    def elems(self) -> int:
        """Elements of a tensor with these dimensions."""
        return self.n * self.h * self.w * self.c


@dataclass(frozen=True)
class Tile:
    """The library's `cmsis_nn_tile`."""

    h: int
    w: int


def dims_reason(*dims: Dims) -> str | None:
    """Why the kernels cannot have these dimensions."""
    values = [v for d in dims for v in (d.n, d.h, d.w, d.c)]
    if min(values) < 1:
        return "no dimension may be 0"
    return dim_reason(max(values))


def dim_reason(value: int) -> str | None:
    """Why the kernels cannot have a dimension of this size."""
    return None if value <= MAX_DIM else f"dimensions must be at most {MAX_DIM}, got {value}"


def gather_reason(columns: int) -> str | None:
    """Why a matrix of such rows cannot be transposed: MVE counts 7 of them in 16 bits."""
    if columns <= MAX_GATHER:
        return None
    return f"transposed rows must have at most {MAX_GATHER} elements, got {columns}"
