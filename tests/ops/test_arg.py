"""ArgMax, ArgMin, TopK and CumSum: ties, NaN, opsets, refusals."""

from __future__ import annotations

import numpy as np
import onnx.defs
import pytest

from mcugen import semantics
from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from mcugen.ops.arg import ArgAttrs
from mcugen.ops.cumulative import CumulativeAttrs
from mcugen.ops.topk import TopKAttrs
from opcase import random_f32, random_int
from single_op import assert_as_ort, feeds, imported, meaning

X = random_f32(1, 3, 4, 5)


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_arg(op: str, axis: int, keepdims: int) -> None:
    assert_as_ort(op, (X,), axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("last", [0, 1])
def test_of_equal_elements_the_first_or_the_last(last: int) -> None:
    x = np.array([3, 3, 1, 1], np.float32)
    assert_as_ort("ArgMax", (x,), select_last_index=last)
    assert meaning("ArgMax", (x,), select_last_index=last).tolist() == [last]
    assert meaning("ArgMin", (x,), select_last_index=last).tolist() == [2 + last]


def test_nan_is_the_best() -> None:
    x = np.array([1, np.nan, 3, np.nan], np.float32)
    assert meaning("ArgMax", (x,)).tolist() == [1]
    assert meaning("ArgMin", (x,), select_last_index=1).tolist() == [3]


def test_arg_axis_is_kept_and_dropped_behind() -> None:
    graph = imported("ArgMax", (X,), axis=-2, keepdims=0)
    assert [n.op for n in graph.nodes] == ["ArgMax", "Reshape"]
    assert graph.nodes[0].attrs == ArgAttrs(1)


def test_arg_of_nothing_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="searched axis must not be empty"):
        imported("ArgMax", (np.zeros((2, 0), np.float32),), axis=1)


def _topk(x: Array, k: int, **options: int) -> tuple[Array, Array]:
    inputs = (x, np.array([k], np.int64))
    graph = imported("TopK", inputs, constant=(1,), outputs=2, **options)
    values = semantics.run(graph, feeds(inputs, (1,)))
    return values[graph.outputs[0]], values[graph.outputs[1]]


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_topk(largest: int, axis: int) -> None:
    inputs = (X, np.array([2], np.int64))
    assert_as_ort("TopK", inputs, constant=(1,), outputs=2, axis=axis, largest=largest)
    values, indices = _topk(X, 2, axis=axis, largest=largest)
    np.testing.assert_array_equal(np.take_along_axis(X, indices, axis), values)


def test_topk_of_equal_elements_takes_the_first() -> None:
    x = np.array([1, 2, 2, 0, 2], np.int32)
    values, indices = _topk(x, 3)
    assert values.tolist() == [2, 2, 2]
    assert indices.tolist() == [1, 2, 4]
    assert _topk(np.array([-(2**31), 2**31 - 1], np.int32), 1)[1].tolist() == [1]


def test_topk_attribute_before_opset_10() -> None:
    graph = imported("TopK", (X,), opset=9, outputs=2, k=3, axis=1)
    assert graph.nodes[0].attrs == TopKAttrs(1, 3)


def test_topk_of_too_many_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match=r"k must be in \[0, 5\], got 6"):
        _topk(X, 6)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_cumsum(exclusive: int, reverse: int, axis: int) -> None:
    inputs = (X, np.array(axis, np.int64))
    assert_as_ort("CumSum", inputs, constant=(1,), exclusive=exclusive, reverse=reverse)


def test_cumsum_attributes() -> None:
    inputs = (random_int(2, DType.INT32, 3, 4), np.array([-1], np.int32))
    graph = imported("CumSum", inputs, constant=(1,), reverse=1)
    assert graph.nodes[0].attrs == CumulativeAttrs(1, False, True)


@pytest.mark.skipif(onnx.defs.onnx_opset_version() < 26, reason="this onnx has no CumProd")
@pytest.mark.parametrize(
    ("exclusive", "reverse", "wanted"),
    [(0, 0, [2, 6, 24]), (1, 0, [1, 2, 6]), (0, 1, [24, 12, 4]), (1, 1, [12, 4, 1])],
)
def test_cumprod(exclusive: int, reverse: int, wanted: list[int]) -> None:
    inputs = (np.float32([2, 3, 4]), np.array(0, np.int64))
    options = {"exclusive": exclusive, "reverse": reverse}
    assert meaning("CumProd", inputs, opset=26, constant=(1,), **options).tolist() == wanted


def test_cumsum_axis_must_be_constant() -> None:
    with pytest.raises(UnsupportedModelError, match="axis must be constant"):
        imported("CumSum", (X, np.array(0, np.int64)))
