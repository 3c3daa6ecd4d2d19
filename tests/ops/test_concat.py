"""Concat: import, shapes, refusals, integers with scales of their own."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ops.concat import ConcatAttrs
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported

A, B, C = (random_f32(i, 2, d, 3) for i, d in enumerate((1, 4, 2)))


@pytest.mark.parametrize("axis", [1, -2])
def test_meaning(axis: int) -> None:
    assert_as_ort("Concat", (A, B, C), axis=axis)


def test_axis_is_counted_from_the_front() -> None:
    graph = imported("Concat", (A, B), axis=-2)
    assert graph.nodes[0].attrs == ConcatAttrs(1)


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ((A, random_f32(5, 2, 1, 4)), r"equal dimensions apart from axis 1"),
        ((A, random_f32(5, 2, 3)), r"equal dimensions apart from axis 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(inputs: tuple, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Concat", inputs, axis=1)


def test_quantized_inputs_are_dequantized_concatenated_quantized() -> None:
    from mcugen.ir import DType

    a, b = random_int(1, DType.INT8, 2, 3), random_int(2, DType.INT8, 2, 4)
    inputs = (
        np.float32(0.1)[...],
        np.int8(-5)[...],
        a,
        np.float32(0.1)[...],
        np.int8(0)[...],
        b,
        np.float32(0.05)[...],
        np.int8(10)[...],
    )
    options = {"constant": (0, 1, 3, 4, 6, 7), "domain": "com.microsoft", "axis": 1}
    graph = imported("QLinearConcat", inputs, **options)
    assert [n.op for n in graph.nodes] == [
        "DequantizeLinear",
        "DequantizeLinear",
        "Concat",
        "QuantizeLinear",
    ]
    assert_as_ort("QLinearConcat", inputs, **options)
