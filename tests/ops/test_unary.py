"""Elementwise functions of one tensor: meaning, shapes, element types."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from mcugen.ops import unary
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

F32 = np.float32

# operator -> first opset that has it
SINCE = {"HardSwish": 14, "Mish": 18, "BitwiseNot": 18}

# functions that ONNX Runtime has in float32, on (-1, 1), on (1, inf), elsewhere on the reals
NARROW = ("Asin", "Acos", "Atanh")
ABOVE = ("Acosh", "Log", "Sqrt")
REAL = [
    r.name for r in unary.ROWS
    if DType.FLOAT32 in r.dtypes and not r.predicate and r.name not in (*NARROW, *ABOVE)
]  # fmt: skip


def as_ort(op: str, x: Array) -> None:
    assert_as_ort(op, (x,), opset=SINCE.get(op, 13))


@pytest.mark.parametrize("op", REAL)
def test_reals_as_onnx_runtime(op: str) -> None:
    as_ort(op, np.concatenate([random_f32(1, 60), F32([0, -0.5, 0.5, 1.5, 2.5, -1.5])]))


@pytest.mark.parametrize("op", NARROW)
def test_unit_interval_as_onnx_runtime(op: str) -> None:
    as_ort(op, np.linspace(-0.99, 0.99, 67, dtype=F32))


@pytest.mark.parametrize("op", ABOVE)
def test_large_numbers_as_onnx_runtime(op: str) -> None:
    as_ort(op, np.linspace(1.0, 900.0, 67, dtype=F32))


@pytest.mark.parametrize("op", ["Abs", "Neg", "Sign"])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT32, DType.INT64])
def test_integers_as_onnx_runtime(op: str, dtype: DType) -> None:
    as_ort(op, random_int(1, dtype, 30))


def test_the_lowest_integer_is_its_own_negative() -> None:
    lowest = np.array([-128], np.int8)
    assert meaning("Neg", (lowest,)).tolist() == [-128]
    assert meaning("Abs", (lowest,)).tolist() == [-128]


def test_logic() -> None:
    as_ort("Not", np.array([True, False]))
    as_ort("IsNaN", F32([0, np.nan, np.inf, -1]))
    as_ort("BitwiseNot", np.array([0, 1, 200], np.uint8))


def test_relu_keeps_nan() -> None:
    y = meaning("Relu", (F32([np.nan, -1, 2]),))
    np.testing.assert_array_equal(y, F32([np.nan, 0, 2]))


def test_halves_round_to_even() -> None:
    halves = F32([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    assert meaning("Round", (halves,)).tolist() == [-2, -2, 0, 0, 2, 2]


def test_sign_of_nan_is_nan() -> None:
    assert np.isnan(meaning("Sign", (F32([np.nan]),)))[0]


def test_shape_is_kept() -> None:
    for shape in ((), (0,), (2, 1, 3)):
        assert meaning("Exp", (np.zeros(shape, F32),)).shape == shape


def test_unsupported_element_type() -> None:
    with pytest.raises(UnsupportedModelError, match="element type must be float32, got float64"):
        imported("Exp", (np.zeros(3),))


def test_constants_of_any_type_are_folded() -> None:
    graph = imported("Sqrt", (np.array([4.0, 9.0]),), constant=(0,))
    assert graph.nodes == () or graph.nodes[0].op == "Identity"


def test_quantized_sigmoid() -> None:
    x = np.arange(0, 256, dtype=np.uint8)
    parameters = (F32(0.05), np.uint8(128), F32(1 / 256), np.uint8(0))
    inputs = (x, *(np.asarray(p) for p in parameters))
    assert_as_ort("QLinearSigmoid", inputs, constant=(1, 2, 3, 4), domain="com.microsoft")
    ops = [n.op for n in imported(
        "QLinearSigmoid", inputs, constant=(1, 2, 3, 4), domain="com.microsoft"
    ).nodes]  # fmt: skip
    assert ops == ["DequantizeLinear", "Sigmoid", "QuantizeLinear"]
