"""Reductions and the mean on integers: axes by opset, empty axes, refusals, recorded cases."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.lower import lower
from mcugen.ops.qmean import QMeanAttrs
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.reduce_nest import Nest
from mcugen.ops.reductions import REDUCTIONS
from mcugen.ops.registry import specs
from mcugen.ops.spec import QuantSite, Reject
from opcase import q, q_axis, random_f32, random_int
from single_op import assert_as_ort, imported, meaning

X = np.abs(random_f32(1, 2, 3, 4))
NAMES = [row.name for row in REDUCTIONS]


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("op", NAMES)
@pytest.mark.parametrize("keepdims", [0, 1])
def test_meaning_with_axes_as_attribute(op: str, keepdims: int) -> None:
    opset = 11 if op == "ReduceSum" else 13
    assert_as_ort(op, (X,), opset=opset, axes=[0, -1], keepdims=keepdims)
    assert_as_ort(op, (X,), opset=opset, keepdims=keepdims)


@pytest.mark.parametrize("op", NAMES)
def test_meaning_with_axes_as_input(op: str) -> None:
    assert_as_ort(op, (X, ints(1)), opset=18, constant=(1,))
    assert_as_ort(op, (X,), opset=18)
    same = meaning(op, (X,), opset=18, noop_with_empty_axes=1)
    assert same.shape == X.shape


def test_mean_over_outer_and_inner_axis() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    y = meaning("ReduceMean", (x, ints(-1, 0)), opset=18, constant=(1,), keepdims=0)
    assert y.tolist() == [7.5, 11.5, 15.5]


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"])
def test_integers(op: str) -> None:
    x = random_int(2, DType.INT32, 3, 5) % 4
    assert_as_ort(op, (x,), opset=13, keepdims=0)


def test_integer_mean_is_truncated_and_sums_wrap() -> None:
    x = np.array([[7, 0], [-7, 0], [2**31 - 1, 1]], np.int32)
    y = meaning("ReduceMean", (x,), axes=[1], keepdims=0)
    assert y.tolist() == [3, -3, -(2**30)]


def test_dropped_axes_are_a_reshape_behind() -> None:
    graph = imported("ReduceMax", (X,), axes=[1], keepdims=0)
    assert [n.op for n in graph.nodes] == ["ReduceMax", "Reshape"]
    assert graph.nodes[0].attrs == ReduceAttrs((1,))


def test_innermost_kept_axis_is_accumulated_side_by_side() -> None:
    nest = Nest.of((2, 5, 3, 8), (1, 2), rows=True)
    assert (len(nest.kept), len(nest.reduced), nest.row, nest.count) == (1, 1, 8, 15)
    assert Nest.of((2, 5, 3), (1,), rows=True).row == 0, "too narrow"
    assert Nest.of((6, 8), (1,), rows=True).row == 0, "the innermost axis is reduced"


@pytest.mark.parametrize(
    ("op", "x"),
    [("ReduceL2", random_int(3, DType.INT32, 2, 2)), ("ReduceLogSum", X.astype(np.float64))],
)
def test_element_types_without_a_kernel_are_refused(op: str, x: Array) -> None:
    with pytest.raises(UnsupportedModelError, match="element type of the input must be float32"):
        imported(op, (x,))


def test_wrong_axes_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match=r"axes must be in \[-3, 2\], got 3"):
        imported("ReduceSum", (X, ints(3)), constant=(1,))
    with pytest.raises(UnsupportedModelError, match="axes must be different"):
        imported("ReduceSum", (X, ints(0, -3)), constant=(1,))


def _site(x: Tensor, y: Tensor, clamp: tuple[float, float] = (-np.inf, np.inf)) -> QuantSite:
    return QuantSite(Node("ReduceMean", "n", ("x",), ("y",), ReduceAttrs((1,))), (x,), (y,), clamp)


def test_integer_form_of_the_mean() -> None:
    rule = specs()["ReduceMean"].quantize
    assert rule is not None
    x = Tensor("x", (2, 5), DType.INT8, q(0.5, 1))
    y = Tensor("y", (2, 1), DType.UINT8, q(0.25, 100))
    form = rule(_site(x, y, (0.0, 6.0)))
    assert form.op == "QMean"
    assert form.attrs == QMeanAttrs((1,), DType.UINT8, 100, 124)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        (
            Tensor("x", (2, 5), DType.INT8, q_axis(np.ones(5, np.float32), 1)),
            Tensor("y", (2, 1), DType.INT8, q(1.0)),
            "per tensor",
        ),
        (
            Tensor("x", (2, 5), DType.FLOAT32),
            Tensor("y", (2, 1), DType.INT8, q(1.0)),
            "int8 or uint8",
        ),
        (
            Tensor("x", (0, 5), DType.INT8, q(1.0)),
            Tensor("y", (0, 1), DType.INT8, q(1.0)),
            "average 1 to",
        ),
    ],
)
def test_mean_without_an_integer_form(x: Tensor, y: Tensor, reason: str) -> None:
    rule = specs()["ReduceMean"].quantize
    assert rule is not None
    with pytest.raises(Reject, match=reason):
        rule(_site(x, y))


def test_qlinear_mean_is_the_canonical_form() -> None:
    x = random_int(4, DType.UINT8, 2, 3, 4)
    inputs = (
        x,
        np.float32(0.1)[...],
        np.uint8(3)[...],
        np.float32(0.05)[...],
        np.uint8(7)[...],
    )
    graph = imported(
        "QLinearReduceMean",
        inputs,
        domain="com.microsoft",
        constant=(1, 2, 3, 4),
        axes=[1],
        keepdims=0,
    )
    assert [n.op for n in graph.nodes] == [
        "DequantizeLinear",
        "ReduceMean",
        "Reshape",
        "QuantizeLinear",
    ]


def test_c_sums_in_row_major_order() -> None:
    """float32: (2^24 + 1) + 1 is 2^24, 2^24 + (1 + 1) is not."""
    x = np.array([2**24, 1, 1], np.float32)
    graph = imported("ReduceSum", (x,))
    (step, *_) = lower(graph).steps
    reference = specs()["ReduceSum"].reference
    assert reference is not None
    assert reference(step.params, (x,))[0] == 2**24
