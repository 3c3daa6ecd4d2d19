"""QAdd and QMul: nearness to ONNX, what becomes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.qelementwise import (
    SPECS,
    QElementwiseAttrs,
    quantize_add,
    quantize_mul,
    quantize_sub,
)
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from opcase import q, q_axis, random_int

SPEC = {spec.name: spec for spec in SPECS}


def node(op: str, attrs: Any = None) -> Node:
    return Node(op, "node", ("a", "b"), ("y",), attrs)


def run(op: str, arithmetic: Arithmetic, a: Tensor, b: Tensor, y: Tensor, **more: Any) -> Array:
    """Output of the reference for all pairs of a's and b's values."""
    low, high = more.pop("bounds", (-128, 127))
    attrs = QElementwiseAttrs(y.dtype, low, high, **more)
    lower, reference = SPEC[op].lower, SPEC[op].reference
    assert lower is not None and reference is not None
    site = Site(node(op, attrs), (a, b), (y,), arithmetic)
    values = np.arange(-128, 128, dtype=np.int8)
    (result,) = reference(lower(site).params, (values[:, None], values[None, :]))
    return result


def quantized(name: str, scale: float, zero_point: int, *shape: int) -> Tensor:
    return Tensor(name, shape, DType.INT8, q(scale, zero_point))


A, B = quantized("a", 0.0513, 3, 256, 1), quantized("b", 0.0211, -7, 1, 256)
Y = quantized("y", 0.0607, 11, 256, 256)


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
@pytest.mark.parametrize(
    ("op", "function", "more"),
    [
        ("QAdd", np.add, {}),
        ("QAdd", np.subtract, {"subtract": True}),
        ("QMul", np.multiply, {}),
        ("QMul", np.multiply, {"bounds": (11, 60)}),
    ],
)
def test_nearest_integers(op: str, function: Any, more: Any, arithmetic: Arithmetic) -> None:
    values = np.arange(-128, 128, dtype=np.int64)
    a, b = (values[:, None] - 3) * np.float64(0.0513), (values[None, :] + 7) * np.float64(0.0211)
    exact = function(a, b) / 0.0607 + 11
    low, high = more.get("bounds", (-128, 127))
    limited = np.clip(exact, low, high)
    got = run(op, arithmetic, A, B, Y, **more)
    assert np.abs(got - limited).max() <= 0.52
    # The one product of QMul is rounded twice, 2^-5 and then 1 apart at these scales.
    share = 2**-6 if op == "QMul" and arithmetic is Arithmetic.TFLITE else 0.002
    assert (got != np.rint(limited)).mean() <= share


def test_onnx_arithmetic_is_the_float_operators() -> None:
    values = np.arange(-128, 128, dtype=np.int8).astype(np.float32)
    a = (values[:, None] - np.float32(3)) * np.float32(0.0513)
    b = (values[None, :] + np.float32(7)) * np.float32(0.0211)
    wanted = np.clip(np.rint((a + b) / np.float32(0.0607)) + 11, -128, 127)
    assert np.array_equal(run("QAdd", Arithmetic.ONNX, A, B, Y), wanted)


def site(*inputs: Tensor, out: Tensor = Y, clamp: tuple[float, float] = (-np.inf, np.inf)) -> Any:
    return QuantSite(node("Add", BinaryAttrs()), inputs, (out,), clamp)


def test_integer_forms() -> None:
    form = quantize_add(site(A, B))
    assert (form.op, form.attrs) == ("QAdd", QElementwiseAttrs(DType.INT8, -128, 127))
    assert form.inputs == (A, B)
    assert quantize_sub(site(A, B)).attrs.subtract
    assert quantize_mul(site(A, B)).op == "QMul"


def test_an_activation_becomes_bounds() -> None:
    attrs = quantize_add(site(A, B, clamp=(0.0, 0.61))).attrs
    assert (attrs.act_min, attrs.act_max) == (11, 21)


def test_constants_may_be_operands() -> None:
    constant = Tensor("b", (5,), DType.INT8, q(0.1), random_int(1, DType.INT8, 5))
    assert quantize_mul(site(A, constant)).inputs[1] is constant


@pytest.mark.parametrize(
    ("b", "reason"),
    [
        (Tensor("b", (1, 256), DType.FLOAT32), "input 1 is not quantized"),
        (Tensor("b", (1, 256), DType.INT16, q(0.1)), "input 1 must be int8 or uint8, got int16"),
        (
            Tensor("b", (1, 2), DType.INT8, q_axis(np.ones(2), 1)),
            "input 1 must be quantized per tensor, got per axis",
        ),
    ],
)
def test_what_stays_float(b: Tensor, reason: str) -> None:
    with pytest.raises(Reject) as caught:
        quantize_add(site(A, b))
    assert caught.value.reason == reason


def test_output_of_another_width_stays_float() -> None:
    out = Tensor("y", (256, 256), DType.UINT16, q(0.1))
    with pytest.raises(Reject, match="the output must be int8 or uint8, got uint16"):
        quantize_mul(site(A, B, out=out))
