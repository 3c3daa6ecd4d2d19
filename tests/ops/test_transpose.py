"""Transpose: import, shapes, refusals, and the loops it becomes."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.ir import DType, Tensor
from mcugen.lower import lower
from mcugen.ops.registry import specs
from mcugen.ops.spec import Reject
from mcugen.ops.transpose import TransposeAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported


@pytest.mark.parametrize("perm", [None, [1, 2, 0], [0, 2, 1]])
def test_meaning(perm: list[int] | None) -> None:
    attributes = {} if perm is None else {"perm": perm}
    assert_as_ort("Transpose", (random_f32(1, 2, 3, 4),), **attributes)


def test_wrong_permutation_is_refused() -> None:
    tensor = Tensor("x", (2, 3), DType.FLOAT32)
    with pytest.raises(Reject, match=r"perm must name each of 2 axes once, got \[0, 0\]"):
        specs()["Transpose"].infer(TransposeAttrs((0, 0)), (tensor,))


def test_axes_that_stay_together_are_one_loop() -> None:
    graph = imported("Transpose", (random_f32(2, 2, 3, 4, 5),), perm=[0, 2, 3, 1])
    (step,) = lower(graph).steps
    (block,) = step.params.blocks
    assert [(loop.extent, loop.x_stride, loop.y_stride) for loop in block.loops] == [
        (2, 60, 60),
        (20, 1, 3),
        (3, 20, 1),
    ]


def test_moving_axes_of_one_is_a_view() -> None:
    graph = imported("Transpose", (np.zeros((1, 1, 6, 3), np.float32),), perm=[2, 0, 1, 3])
    (step,) = lower(graph).steps
    assert step.params.blocks[0].whole_range == 0
