"""Cases of Normalize, BatchNormalization and LRN."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array
from mcugen.ops.batch_normalization import BatchNormalizationAttrs
from mcugen.ops.lrn import LRNAttrs
from mcugen.ops.normalize_attrs import NormalizeAttrs
from opcase import OpCase, random_f32

_NAN, _INF = np.nan, np.inf
_SPECIAL = np.array(
    [[1, _NAN, 2, 3], [_INF, 1, 2, 3], [5, 5, 5, 5], [0, -0.0, 0, 0], [1e-30, 2e-30, 0, 1e-30]],
    np.float32,
)


def _norm(
    id_: str, x: Array, *axes: int, eps: float = 1e-5, center: bool = True, rtol: float = 1e-5
) -> OpCase:
    return OpCase(id_, "Normalize", NormalizeAttrs(axes, eps, center), (x,), rtol=rtol)


def _batch(id_: str, x: Array, *, last: bool = False, eps: float = 1e-5) -> OpCase:
    channels = x.shape[-1 if last else 1]
    scale, bias, mean = (random_f32(90 + i, channels) for i in range(3))
    variance = np.abs(random_f32(93, channels)) + np.float32(1e-3)
    inputs = (x, scale, bias, mean, variance)
    attrs = BatchNormalizationAttrs(eps, last)
    return OpCase(id_, "BatchNormalization", attrs, inputs, (1, 2, 3, 4), rtol=1e-5)


CASES = (
    _norm("last", random_f32(1, 3, 96), 1),
    _norm("two_last", random_f32(2, 2, 5, 7), 1, 2),
    _norm("spatial_channels_last", random_f32(3, 2, 4, 5, 3), 1, 2),
    _norm("spatial_channels_first", random_f32(4, 2, 3, 4, 5), 2, 3),
    _norm("mean_variance", random_f32(5, 2, 3, 4, 5), 0, 2, 3, eps=1e-18),
    _norm("rms", random_f32(6, 3, 64), 1, center=False),
    _norm("rms_middle", random_f32(7, 3, 5, 4), 1, center=False, eps=0.1),
    _norm("large_mean", random_f32(8, 2, 50) + np.float32(100), 1, rtol=1e-4),
    _norm("one_element", random_f32(9, 3, 1), 1),
    _norm("special", _SPECIAL, 1),
    _norm("rms_special", _SPECIAL, 1, center=False),
    _norm("empty", np.zeros((2, 0), np.float32), 1),
    _norm("no_groups", np.zeros((0, 2), np.float32), 1),
    _batch("matrix", random_f32(20, 4, 6)),
    _batch("image", random_f32(21, 2, 3, 4, 5)),
    _batch("image_last", random_f32(22, 2, 4, 5, 3), last=True, eps=0.1),
    _batch("vector_series", random_f32(23, 2, 3, 7)),
    _batch("batch_special", _SPECIAL),
    _batch("batch_empty", np.zeros((0, 3, 2), np.float32)),
    OpCase("lrn", "LRN", LRNAttrs(3), (random_f32(30, 2, 5, 3, 3),), rtol=1e-5),
    OpCase("lrn_even", "LRN", LRNAttrs(4, 0.5, 0.6, 2.0), (random_f32(31, 2, 5, 3),), rtol=1e-5),
    OpCase("lrn_wide", "LRN", LRNAttrs(9, 0.5), (random_f32(32, 1, 4, 2),), rtol=1e-5),
    OpCase("lrn_last", "LRN", LRNAttrs(5, 1.0, axis=3), (random_f32(33, 1, 2, 3, 8),), rtol=1e-5),
)
