"""What CMSIS-NN's functions have in common: dimensions and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcugen.ops.spec import Core

LIBRARY = "cmsis_nn"
HEADERS = ("mcugen_cmsis_nn.h",)

SLOWER = frozenset({Core.PLAIN, Core.DSP})
"""Of kernels that lost to portable C on an emulated Cortex-M0+ and M4. What MVE does with them is
not known."""


def slower(params: Any) -> frozenset[Core]:
    """The cores of a kernel that lost with whatever numbers."""
    del params
    return SLOWER


def slower_on_plain(params: Any) -> frozenset[Core]:
    """The cores of a kernel that lost where there are no DSP instructions."""
    del params
    return frozenset({Core.PLAIN})


MAX_DIM = 32767
"""Dimensions pass through int16_t and uint16_t variables of the kernels."""


MAX_GATHER = 65535 // 7
"""Longest row of a matrix to transpose."""


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
