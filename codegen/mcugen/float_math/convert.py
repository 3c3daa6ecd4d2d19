"""Twin of `mcugen_math_convert.h`: saturating float to integer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def to_integer(x: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """`x` (float32 or float64) towards zero as `dtype`, saturating; NaN gives 0."""
    values = np.asarray(x)
    info = np.iinfo(np.dtype(dtype))
    limit = values.dtype.type(2.0) ** (info.bits - (info.kind == "i"))  # max + 1, exact
    with np.errstate(invalid="ignore"):
        inside = (values > info.min - 1.0) & (values < limit)
        result = np.where(inside, values, 0).astype(np.dtype(dtype))
        result = np.where(values >= limit, info.max, result)
        below = values <= info.min if info.kind == "i" else values < 0
        return np.asarray(np.where(below, info.min, result), np.dtype(dtype))
