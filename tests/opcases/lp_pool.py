"""Cases of LpPool."""

from __future__ import annotations

import numpy as np

from mcugen.ops.lp_pool import LpPoolAttrs
from opcase import OpCase, random_f32
from opcases.pool import WINDOWS


def _case(id_: str, x: np.ndarray, window: int, p: int) -> OpCase:
    a = WINDOWS[window][2]
    attrs = LpPoolAttrs(
        a.kernel, a.strides, a.pads, a.dilations, p, a.ceil_mode, channels_last=True
    )
    return OpCase(id_, "LpPool", attrs, (x,))


SPECIAL = random_f32(3, 1, 6, 8, 16)
SPECIAL[0, 0, 0, :4] = (np.nan, np.inf, -np.inf, -0.0)
SPECIAL[0, 2:4, 2:4] = 0.0
CASES = (
    *(_case(f"{name}_{p}", random_f32(p, *shape), i, p)
      for p, i in ((1, 1), (2, 2), (3, 3), (2, 5), (4, 6), (2, 8), (7, 10))
      for name, shape, _ in (WINDOWS[i],)),
    *(_case(f"special_{p}", SPECIAL, 0, p) for p in (1, 2, 3)),
)  # fmt: skip
