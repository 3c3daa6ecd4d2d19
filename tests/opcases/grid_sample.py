"""Cases of GridSample."""

from __future__ import annotations

from itertools import product

import numpy as np

from mcugen.ir import Array
from mcugen.ops.grid_sample import PADDING_MODES, TAPS, GridSampleAttrs
from opcase import OpCase, random_f32

EVERY_MODE = tuple(product(TAPS, PADDING_MODES, (False, True)))


def _case(id_: str, how: tuple[str, str, bool], x: Array, grid: Array) -> OpCase:
    name = f"{id_}_{how[0]}_{how[1]}_{'corners' if how[2] else 'edges'}"
    return OpCase(name, "GridSample", GridSampleAttrs(*how, channels_last=True), (x, grid))


def _steps(size: int) -> Array:
    """A grid that steps through every position a quarter of a pixel apart, and beyond."""
    line = np.linspace(-2.5, 2.5, 5 * 2 * size + 1, dtype=np.float32)
    return np.ascontiguousarray(np.stack(np.meshgrid(line, line[::3]), -1)[None])


_NUMBERS = np.float32([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e9, -1e5, -0.0])
_STRANGE = np.stack([_NUMBERS, _NUMBERS[::-1]], -1).reshape(1, 2, 4, 2)
_PIXELS = random_f32(4, 1, 3, 3, 2)
_PIXELS[0, 1, 1] = (np.nan, np.inf)
_PIXELS[0, 0, 0] = (-0.0, 1e30)

CASES = (
    *(_case("image", how, random_f32(1, 2, 5, 4, 3), random_f32(2, 2, 3, 5, 2, scale=0.8))
      for how in EVERY_MODE),
    *(_case("steps", how, random_f32(3, 1, 4, 4, 1), _steps(4)) for how in EVERY_MODE),
    *(_case("strange", how, random_f32(3, 1, 4, 5, 2), _STRANGE) for how in EVERY_MODE),
    *(_case("pixels", how, _PIXELS, _steps(3)) for how in EVERY_MODE),
    *(_case("one_pixel", how, random_f32(5, 1, 1, 1, 2), _steps(1)) for how in EVERY_MODE),
)  # fmt: skip
