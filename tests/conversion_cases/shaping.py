"""Slices, padding, reshaping, gathering, reductions, depth to space."""

from __future__ import annotations

import numpy as np

from conversion_cases.case import case, counting, f32
from onnx_models import node

INT64_MIN = -(2**63)


def _slice(starts: int, ends: int, steps: int) -> dict[str, np.ndarray]:
    return {
        "s": np.array([starts]),
        "e": np.array([ends]),
        "a": np.array([0]),
        "t": np.array([steps]),
    }


SHAPE = (
    case(
        "O15-slice-backwards-to-int64-min",
        node("Slice", ["x", "s", "e", "a", "t"], ["y"]),
        {"x": counting(5)},
        f32([4, 3, 2, 1, 0]),
        _slice(-1, INT64_MIN, -1),
    ),
    case(
        "O15-slice-empty",
        node("Slice", ["x", "s", "e", "a", "t"], ["y"]),
        {"x": counting(5)},
        np.zeros(0, np.float32),
        _slice(0, 5, -1),
    ),
    case(
        "O16-pad-reflect-leading-axis",
        node("Pad", ["x", "p"], ["y"], mode="reflect"),
        {"x": counting(3, 4)},
        f32([4, 5, 6, 7, *range(12)], 4, 4),
        {"p": np.array([1, 0, 0, 0])},
    ),
    case(
        "O17-reshape-zero-and-minus-one",
        node("Reshape", ["x", "s"], ["y"]),
        {"x": counting(2, 3, 4)},
        counting(2, 3, 1, 4),
        {"s": np.array([2, 0, 1, -1])},
    ),
    case(
        "O18-gather-scalar-negative-index",
        node("Gather", ["x", "i"], ["y"], axis=1),
        {"x": counting(2, 3)},
        f32([2, 5]),
        {"i": np.array(-1)},
    ),
    *(
        case(
            f"O45-depth-to-space-{mode}",
            node("DepthToSpace", ["x"], ["y"], blocksize=2, mode=mode),
            {"x": counting(1, 8, 1, 1)},
            f32(values, 1, 2, 2, 2),
        )
        for mode, values in (("DCR", [0, 2, 4, 6, 1, 3, 5, 7]), ("CRD", range(8)))
    ),
)

REDUCE = (
    case(
        "O19-reduce-mean-axes-input",
        node("ReduceMean", ["x", "a"], ["y"], keepdims=0),
        {"x": counting(2, 3, 4)},
        f32([7.5, 11.5, 15.5]),
        {"a": np.array([-1, 0])},
        opset=18,
    ),
    case(
        "O20-argmax-last-index",
        node("ArgMax", ["x"], ["y"], axis=0, keepdims=0, select_last_index=1),
        {"x": f32([3, 3, 1])},
        np.array(1),
    ),
    case(
        "O20-argmax-first-index",
        node("ArgMax", ["x"], ["y"], axis=0, keepdims=0),
        {"x": f32([3, 3, 1])},
        np.array(0),
    ),
)

CASES = (*SHAPE, *REDUCE)
