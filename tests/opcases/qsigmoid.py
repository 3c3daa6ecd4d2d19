"""Cases of QSigmoid and QTanh."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.elementwise import NoAttrs
from opcase import OpCase, q, random_int

_EVERY = np.arange(-32768, 32768, dtype=np.int16).reshape(256, 256)
_SOME = random_int(1, DType.INT16, 2, 3, 5)
_OUT = (2.0**-15, 0)


def _case(op: str, name: str, x: Array, scale: tuple[float, int], out: tuple[float, int]) -> OpCase:
    return OpCase(f"{op}-{name}", op, NoAttrs(), (x,), quant={0: q(*scale)}, out_quant=q(*out))


CASES = tuple(
    case
    for op in ("QSigmoid", "QTanh")
    for case in (
        _case(op, "every", _EVERY, (2.0**-12, 0), _OUT),
        _case(op, "coarse", _SOME, (4.0, 0), _OUT),
        _case(op, "fine", _SOME, (2.0**-27, 0), _OUT),
        _case(op, "finer", _EVERY, (2.0**-15, 0), _OUT),
        _case(op, "coarser", _EVERY, (2.0**-10, 0), _OUT),
        _case(op, "beyond-the-fixed-point", _SOME, (8.0, 0), _OUT),
        _case(op, "other-scale", _SOME, (0.0003, 0), _OUT),
        _case(op, "other-output", _SOME, (2.0**-12, 0), (0.0001, -5)),
        _case(op, "zero-points", _SOME, (2.0**-12, 32767), (2.0**-15, -32768)),
        _case(op, "rank-0", np.array(-77, np.int16), (2.0**-12, 0), _OUT),
        _case(op, "empty", np.zeros((0, 3), np.int16), (2.0**-12, 0), _OUT),
    )
)
