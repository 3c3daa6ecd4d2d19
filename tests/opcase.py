"""One case of one operator, for the bit-exactness test over the whole registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcugen.ir import Array, DType, QuantParams


@dataclass(frozen=True, eq=False)
class OpCase:
    """A single-node graph with the values of its inputs.

    Attributes:
        id: unique within the family's file; the test id is `family-id`.
        op: internal operator.
        attrs: its attributes.
        inputs: values in input order, None where absent.
        constant: indices of the inputs that are constants of the graph.
        quant: input index -> quantization of that input.
        out_quant: quantization of output 0.
        exact_semantics: reference must equal `semantics` in every byte, not just within 1e-4.
        rtol: relative bound of reference against semantics.
        bits: input index -> bits of an element of that constant in the model.
    """

    id: str
    op: str
    attrs: Any
    inputs: tuple[Array | None, ...]
    constant: tuple[int, ...] = ()
    quant: Mapping[int, QuantParams] = field(default_factory=dict)
    out_quant: QuantParams | None = None
    exact_semantics: bool = False
    rtol: float = 1e-4
    bits: Mapping[int, int] = field(default_factory=dict)


def q(scale: float, zero_point: int = 0) -> QuantParams:
    """Per-tensor quantization."""
    return QuantParams(np.float32(scale)[...], np.int32(zero_point)[...])


def q_axis(scales: Array, axis: int, zero_points: Array | None = None) -> QuantParams:
    """Per-axis quantization."""
    zeros = np.zeros(len(scales), np.int32) if zero_points is None else zero_points
    return QuantParams(np.asarray(scales, np.float32), np.asarray(zeros, np.int32), axis)


def random_f32(seed: int, *shape: int, scale: float = 2.0) -> Array:
    """Normal floats, seeded."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def random_int(seed: int, dtype: DType, *shape: int) -> Array:
    """Integers over the whole range of `dtype`, seeded."""
    info = np.iinfo(dtype.np)
    rng = np.random.default_rng(seed)
    return rng.integers(info.min, info.max, shape, dtype=dtype.np, endpoint=True)


def spread_scale(scale: float, depth: int, *operands: tuple[Array, int]) -> float:
    """An output scale with which sums of products of `depth` terms use most of 8 bits.

    Args:
        scale: of the sum.
        depth: terms of a sum.
        operands: values and zero point of each factor.
    """
    centred = [a.astype(np.float64) - zero for a, zero in operands]
    mean = float(np.prod([abs(a.mean()) for a in centred]))
    root = float(np.prod([np.sqrt((a**2).mean()) for a in centred]))
    return scale * (depth * mean + np.sqrt(depth) * root) / 80.0
