"""Where: three operands that broadcast."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import DType, Tensor
from mcugen.ops.where import WhereAttrs, condition_is_bool
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported


@pytest.mark.parametrize(
    ("c", "x", "z"),
    [((2, 3), (2, 3), (2, 3)), ((3, 1), (2, 1, 4), (1, 3, 4)), ((3,), (), ()), ((), (2,), (1,))],
)
def test_as_onnx_runtime(c: tuple[int, ...], x: tuple[int, ...], z: tuple[int, ...]) -> None:
    condition = random_int(1, DType.UINT8, *c) > 127
    assert_as_ort("Where", (condition, random_f32(2, *x), random_f32(3, *z)))


def test_integers_as_onnx_runtime() -> None:
    condition = np.array([True, False, True])
    assert_as_ort(
        "Where", (condition, random_int(1, DType.INT32, 3), random_int(2, DType.INT32, 3))
    )


def test_arms_of_different_types() -> None:
    arms = (np.zeros(2, np.float32), np.zeros(2, np.int32))
    with pytest.raises(UnsupportedModelError, match="must have the same type"):
        imported("Where", (np.array([True, False]), *arms))


def test_the_condition_is_bool() -> None:
    x = Tensor("x", (2,), DType.FLOAT32)
    inputs = (Tensor("c", (2,), DType.BOOL), x, x)
    assert condition_is_bool(WhereAttrs(), inputs) is None
    assert condition_is_bool(WhereAttrs(), (x, x, x)) == "float32"
