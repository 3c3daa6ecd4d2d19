"""Cases of Det."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array
from mcugen.ops.det import DetAttrs
from opcase import OpCase, random_f32


def _case(id_: str, x: Array) -> OpCase:
    return OpCase(id_, "Det", DetAttrs(), (np.asarray(x, np.float32),))


_SINGULAR = [[[1, 2, 0], [3, 4, 0], [5, 6, 0]], [[0, 0, 1], [0, 0, 2], [0, 0, 3]]]
_SPECIAL = [[[np.nan, 1], [2, 3]], [[1, 2], [np.inf, 4]], [[3e38, 0], [0, 3e38]]]

CASES = (
    *(_case(f"size{n}", random_f32(n, n, n)) for n in (1, 2, 3, 7)),
    _case("many", random_f32(10, 2, 3, 4, 4)),
    _case("pivots", [[0, 0, 2], [0, -3, 1], [4, 1, 1]]),
    _case("equal_pivots", [[1, 2], [-1, 3]]),
    _case("singular", _SINGULAR),
    _case("zeros", [[0.0, -0.0], [-0.0, 0.0]]),
    _case("special", _SPECIAL),
)
