"""PRelu: y = x where x >= 0, slope * x below; the slope broadcasts to the shape of x."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.binary import binary_from_onnx
from mcugen.ops.broadcasting import broadcast
from mcugen.ops.elementwise import FLOATS, NoAttrs, Row, literal, required, spec_of
from mcugen.ops.qprelu import quantize_prelu
from mcugen.ops.spec import Inputs

PReluAttrs = NoAttrs
"""No attributes of its own."""


def slope_broadcasts(attrs: Any, inputs: Inputs) -> str | None:
    """The slope must broadcast to the input's shape."""
    del attrs
    x, slope = (required(t).shape for t in inputs)
    return None if broadcast((x, slope)) == x else f"{list(slope)} for {list(x)}"


def _c(attrs: Any, dtype: DType) -> str:
    del attrs
    return f"a < {literal(0, dtype)} ? a * b : a"


def _prelu(attrs: Any, x: Array, slope: Array) -> Array:
    del attrs
    return np.where(x < 0, x * slope, x)


SPECS = (
    spec_of(
        Row(
            "PRelu",
            c=_c,
            twin=_prelu,
            dtypes=FLOATS,
            onnx={"PRelu": binary_from_onnx("PRelu", PReluAttrs())},
            constraints=(slope_broadcasts,),
            quantize=quantize_prelu,
        )
    ),
)
