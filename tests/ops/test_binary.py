"""Elementwise operators of two tensors: meaning, broadcasting, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.binary import SPECS, BinaryAttrs
from mcugen.ops.common import Clamp
from mcugen.ops.comparison import SPECS as COMPARISONS
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import QuantSite, Reject, Site
from opcase import q, q_axis, random_f32, random_int
from single_op import assert_as_ort, imported, meaning

SPEC = {spec.name: spec for spec in (*SPECS, *COMPARISONS)}
F32 = np.float32
OPSET = {"BitwiseAnd": 18, "BitwiseOr": 18, "BitwiseXor": 18}


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Min", "Max"])
@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (2, 3)), ((2, 3, 4), (4,)), ((4, 1), (1, 5)), ((), (3,)), ((2, 1, 3), (4, 1))],
)
def test_broadcasting_as_onnx_runtime(op: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert_as_ort(op, (random_f32(1, *a), random_f32(2, *b)))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT32, DType.INT64, DType.UINT8])
@pytest.mark.parametrize("fmod", [0, 1])
def test_remainders_as_onnx_runtime(dtype: DType, fmod: int) -> None:
    a, b = random_int(1, dtype, 50), random_int(2, dtype, 50)
    assert_as_ort("Mod", (a, np.where(b == 0, dtype.np.type(3), b)), fmod=fmod)


def test_float_remainder_as_onnx_runtime() -> None:
    a, b = F32([5.5, -5.5, 7, -1]), F32([2, 2, -3, 0.3])
    assert_as_ort("Mod", (a, b), fmod=1)


def test_integer_division_truncates() -> None:
    a, b = np.array([8, -8, 7, -7], np.int32), np.array([-3, 3, -2, 2], np.int32)
    assert meaning("Div", (a, b)).tolist() == [-2, -2, -3, -3]


def test_integer_division_by_zero_and_overflow() -> None:
    lowest = np.array([-(2**31), 5, -(2**31)], np.int32)
    assert meaning("Div", (lowest, np.array([-1, 0, 0], np.int32))).tolist() == [-(2**31), 0, 0]
    remainder = meaning("Mod", (lowest, np.array([-1, 0, 3], np.int32)))
    assert remainder.tolist() == [0, 0, 1]


def test_integers_wrap() -> None:
    assert meaning("Mul", (np.uint8([22]), np.uint8([21])), opset=14).tolist() == [206]
    assert meaning("Add", (np.int8([127]), np.int8([1])), opset=14).tolist() == [-128]
    assert meaning("Sub", (np.uint8([0]), np.uint8([1])), opset=14).tolist() == [255]


def test_min_and_max_propagate_nan() -> None:
    a, b = F32([np.nan, 1]), F32([1, np.nan])
    assert np.isnan(meaning("Max", (a, b))).all()
    assert np.isnan(meaning("Min", (a, b))).all()


@pytest.mark.parametrize("op", ["Sum", "Mean", "Min", "Max"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_variadic_as_onnx_runtime(op: str, count: int) -> None:
    shapes = ((2, 3), (3,), (2, 1), ())[:count]
    assert_as_ort(op, tuple(random_f32(i, *s) for i, s in enumerate(shapes)))


@pytest.mark.parametrize(("op", "zero"), [("QLinearAdd", 3), ("QLinearMul", 0)])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
def test_quantized_as_onnx_runtime(op: str, zero: int, dtype: DType) -> None:
    """Ties of the product apart: ONNX Runtime multiplies by a rounded scale."""
    a, b = random_int(1, dtype, 400), random_int(2, dtype, 400)
    numbers = [np.asarray(F32(s)) for s in (0.0513, 0.0211, 0.0607)]
    points = [np.asarray(dtype.np.type(z)) for z in (zero, 5, 9)]
    inputs = (a, numbers[0], points[0], b, numbers[1], points[1], numbers[2], points[2])
    constant = (1, 2, 4, 5, 6, 7)
    assert_as_ort(op, inputs, constant=constant, domain="com.microsoft")
    graph = imported(op, inputs, constant=constant, domain="com.microsoft")
    ops = ["DequantizeLinear"] * 2 + [op.removeprefix("QLinear"), "QuantizeLinear"]
    assert [n.op for n in graph.nodes] == ops


def reject(op: str, *inputs: Array, **options: object) -> str:
    with pytest.raises(UnsupportedModelError) as caught:
        imported(op, inputs, **options)
    return caught.value.unsupported[0].reason


def test_shapes_that_do_not_broadcast() -> None:
    reason = reject("Add", np.zeros((2, 3), F32), np.zeros((2,), F32))
    assert reason == "shapes must broadcast, got [2, 3] and [2]"


def test_types_that_differ() -> None:
    reason = reject("Add", np.zeros(2, F32), np.zeros(2, np.int32))
    assert "float32" in reason and "int32" in reason


def test_float_modulo_has_the_sign_of_the_divisor() -> None:
    a, b = F32([5.5, -5.5, 7, -7, 1, -1]), F32([2, 2, -3, -3, np.inf, np.inf])
    assert meaning("Mod", (a, b), fmod=0).tolist() == [1.5, 0.5, -2, -1, 1, np.inf]


def test_activation_keeps_nan() -> None:
    semantics = SPEC["Add"].semantics
    assert semantics is not None
    a, b = F32([np.nan, -1, 9]), F32([0, 0, 0])
    (y,) = semantics(BinaryAttrs(Clamp(0.0, 6.0)), (a, b))
    np.testing.assert_array_equal(y, F32([np.nan, 0, 6]))


def pairs(op: str, a: Tensor, b: Tensor, y: Tensor) -> tuple[tuple[int, int], ...]:
    spec = SPEC[op]
    assert spec.lower is not None
    node = Node(op, "node", ("a", "b"), ("y",), BinaryAttrs())
    return spec.inplace(spec.lower(Site(node, (a, b), (y,))).params)


def test_only_whole_inputs_of_the_same_type_are_overwritten() -> None:
    f = DType.FLOAT32
    whole, row, y = Tensor("a", (2, 3), f), Tensor("b", (3,), f), Tensor("y", (2, 3), f)
    assert pairs("Add", whole, row, y) == ((0, 0),)
    assert pairs("Add", row, whole, y) == ((0, 1),)
    assert pairs("Add", whole, whole, y) == ((0, 0), (0, 1))
    assert pairs("Less", whole, whole, Tensor("y", (2, 3), DType.BOOL)) == ()


A8 = Tensor("a", (2, 3), DType.INT8, q(0.05, 3))
UNBOUNDED = (-np.inf, np.inf)


def choice_site(op: str, *tensors: Tensor, clamp: tuple[float, float] = UNBOUNDED) -> QuantSite:
    *inputs, out = tensors
    node = Node(op, "n", tuple(t.name for t in inputs), (out.name,), NoAttrs())
    return QuantSite(node, tuple(inputs), (out,), clamp)


@pytest.mark.parametrize("op", ["Min", "Max"])
def test_choices_among_numbers_quantized_alike_run_on_the_integers(op: str) -> None:
    rule = specs()[op].quantize
    assert rule is not None
    form = rule(choice_site(op, A8, A8.replace(name="b"), A8.replace(name="y")))
    assert (form.op, [t.name for t in form.inputs if t is not None]) == (op, ["a", "b"])


def test_choices_among_numbers_quantized_per_axis_stay_in_float() -> None:
    rule = specs()["Max"].quantize
    assert rule is not None
    rows = A8.replace(quant=q_axis(np.ones(3, np.float32), 1))
    with pytest.raises(Reject, match="per tensor"):
        rule(choice_site("Max", rows, rows.replace(name="b"), rows.replace(name="y")))


@pytest.mark.parametrize(
    ("b", "clamp", "reason"),
    [
        (A8.replace(quant=q(0.05, 4)), UNBOUNDED, "must be quantized alike"),
        (A8.replace(dtype=DType.UINT8), UNBOUNDED, "must be quantized alike"),
        (A8.replace(dtype=DType.FLOAT32, quant=None), UNBOUNDED, "input 1 is not quantized"),
        (A8, (0.0, 6.0), "no activation may follow"),
    ],
)
def test_other_choices_stay_in_float(b: Tensor, clamp: tuple[float, float], reason: str) -> None:
    rule = specs()["Max"].quantize
    assert rule is not None
    with pytest.raises(Reject, match=reason):
        rule(choice_site("Max", A8, b.replace(name="b"), A8.replace(name="y"), clamp=clamp))
