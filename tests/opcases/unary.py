"""Cases of the elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops import activations, unary
from mcugen.ops.activations import (
    AlphaAttrs,
    GeluAttrs,
    HardSigmoidAttrs,
    IsInfAttrs,
    SeluAttrs,
    ShrinkAttrs,
)
from mcugen.ops.unary import UnaryAttrs
from opcase import OpCase, random_f32, random_int

_CORNERS = np.array(
    (
        *(0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 0.1, 20, -20, 88, -104, 1e-40, -1e-40),
        *(1e-8, 1e5, -1e5, 3e38, -3e38, np.inf, -np.inf, np.nan),
    ),
    np.float32,
)


def _floats(seed: int) -> Array:
    return np.concatenate([random_f32(seed, 44), _CORNERS]).reshape(3, 1, 23)


def _values(dtype: DType, seed: int = 0) -> Array:
    if dtype is DType.BOOL:
        return np.array([[True, False, True]])
    if dtype.is_float:
        return _floats(seed).astype(dtype.np)
    info = np.iinfo(dtype.np)
    edges = np.array([info.min, info.max, 0, 1, info.max - 1], dtype.np)
    return np.concatenate([random_int(seed, dtype, 12), edges])


def _plain() -> tuple[OpCase, ...]:
    return tuple(
        OpCase(f"{row.name}-{dtype.value}", row.name, UnaryAttrs(), (_values(dtype),))
        for row in unary.ROWS
        for dtype in sorted(row.dtypes, key=lambda d: d.value)
    )


_ATTRS = {
    "LeakyRelu": (AlphaAttrs(0.01), AlphaAttrs(0.3), AlphaAttrs(-2.0)),
    "Elu": (AlphaAttrs(1.0), AlphaAttrs(0.7)),
    "Celu": (AlphaAttrs(1.0), AlphaAttrs(2.5)),
    "Selu": (SeluAttrs(), SeluAttrs(2.0, 3.0)),
    "HardSigmoid": (HardSigmoidAttrs(), HardSigmoidAttrs(0.3, -0.1)),
    "ThresholdedRelu": (AlphaAttrs(1.0), AlphaAttrs(-0.5)),
    "Gelu": (GeluAttrs(), GeluAttrs(tanh=True)),
    "Swish": (AlphaAttrs(1.0), AlphaAttrs(1.702)),
    "Shrink": (ShrinkAttrs(), ShrinkAttrs(1.5, 1.0), ShrinkAttrs(-0.5, -0.25)),
    "IsInf": (
        IsInfAttrs(),
        IsInfAttrs(negative=False),
        IsInfAttrs(positive=False),
        IsInfAttrs(False, False),
    ),
}


def _with_attrs() -> tuple[OpCase, ...]:
    return tuple(
        OpCase(f"{row.name}-{dtype.value}-{i}", row.name, attrs, (_values(dtype, i),))
        for row in activations.ROWS
        for dtype in sorted(row.dtypes, key=lambda d: d.value)
        for i, attrs in enumerate(_ATTRS[row.name])
    )


_SHAPES = (
    OpCase("rank-0", "Exp", UnaryAttrs(), (np.array(0.5, np.float32),)),
    OpCase("one-element", "Tanh", UnaryAttrs(), (random_f32(1, 1, 1),)),
    OpCase("empty", "Relu", UnaryAttrs(), (random_f32(1, 2, 0, 3),)),
)

CASES = (*_plain(), *_with_attrs(), *_SHAPES)
