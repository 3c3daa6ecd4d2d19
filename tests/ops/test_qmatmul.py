"""Integer matrix products: import, integer forms, what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.common import Clamp
from mcugen.ops.matmul import FullyConnectedAttrs, MatMulAttrs
from mcugen.ops.qmatmul_rules import (
    QFullyConnectedAttrs,
    quantize_fully_connected,
    quantize_matmul,
)
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from mcugen.quantize.fixed_point import quantize_multiplier
from opcase import q, q_axis, random_int
from single_op import assert_as_ort, imported, meaning

FREE = (-np.inf, np.inf)
X = Tensor("x", (2, 4), DType.INT8, q(0.5, -3))
W = Tensor("w", (3, 4), DType.INT8, q(0.25), random_int(1, DType.INT8, 3, 4))
Y = Tensor("y", (2, 3), DType.INT8, q(2.0, 5))


def site(attrs: object, *inputs: Tensor, out: Tensor = Y) -> QuantSite:
    names = tuple(t.name for t in inputs)
    return QuantSite(Node("op", "node", names, ("y",), attrs), inputs, (out,), FREE)


def test_fully_connected_becomes_integer() -> None:
    form = quantize_fully_connected(site(FullyConnectedAttrs(Clamp(0.0)), X, W))
    assert form.op == "QFullyConnected"
    assert form.attrs == QFullyConnectedAttrs(DType.INT8, 5, 127)
    assert form.inputs == (X, W)


def test_the_multiplier_is_tflites() -> None:
    """Per tensor the scales are multiplied in float32, per channel in double."""
    spec = specs()["QFullyConnected"]
    assert spec.lower is not None
    attrs = QFullyConnectedAttrs(DType.INT8, -128, 127)
    x = dataclasses.replace(X, quant=q(0.1, 0))
    node = Node("QFullyConnected", "node", ("x", "w"), ("y",), attrs)
    scales = np.array([0.3, 0.7, 0.9], np.float32)
    one = dataclasses.replace(W, quant=q(0.3))
    each = dataclasses.replace(W, quant=q_axis(scales, 0))
    per_tensor = spec.lower(Site(node, (x, one), (Y,), Arithmetic.TFLITE)).params.requant
    product = float(np.float32(0.1) * np.float32(0.3))
    assert (per_tensor.multiplier0, int(per_tensor.shift[0])) == quantize_multiplier(product / 2.0)
    per_channel = spec.lower(Site(node, (x, each), (Y,), Arithmetic.TFLITE)).params.requant
    wanted = [quantize_multiplier(float(np.float32(0.1)) * float(s) / 2.0) for s in scales]
    assert list(zip(per_channel.multiplier, per_channel.shift, strict=True)) == wanted


A = Tensor("a", (2, 3, 4), DType.INT8, q(0.5, -3))
B = Tensor("b", (4, 5), DType.UINT8, q(0.25, 7))
OUT = Tensor("y", (2, 3, 5), DType.INT8, q(2.0, 5))


def test_matmul_becomes_integer() -> None:
    form = quantize_matmul(site(MatMulAttrs(), A, B, out=OUT))
    assert form.op == "QMatMul"
    assert form.inputs == (A, B)


@pytest.mark.parametrize(
    ("a", "b", "out", "reason"),
    [
        (dataclasses.replace(A, dtype=DType.INT16), B, OUT, "must be int8 or uint8"),
        (A, dataclasses.replace(B, quant=q_axis(np.ones(5), 1)), OUT, "operands must be quant"),
        (A, B, dataclasses.replace(OUT, quant=q_axis(np.ones(5), 2)), "output must be quant"),
        (dataclasses.replace(A, shape=(1, 40000)), B, OUT, "at most 33025 terms"),
        (A, dataclasses.replace(B, quant=q(1e-44)), OUT, "normal float"),
    ],
)
def test_refused(a: Tensor, b: Tensor, out: Tensor, reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_matmul(site(MatMulAttrs(), a, b, out=out))


def test_matmul_integer_as_onnx_runtime() -> None:
    a, b = random_int(1, DType.UINT8, 3, 5), random_int(2, DType.INT8, 5, 4)
    assert_as_ort("MatMulInteger", (a, b))
    assert_as_ort("MatMulInteger", (a, b, np.array(12, np.uint8), np.array(-5, np.int8)))
    columns = np.array([1, -2, 3, -4], np.int8)
    assert_as_ort("MatMulInteger", (a, b, np.array(12, np.uint8), columns), constant=(1, 3))


def test_matmul_integer_with_a_zero_point_per_row() -> None:
    a, b = random_int(1, DType.UINT8, 3, 5), random_int(2, DType.INT8, 5, 4)
    rows = np.array([1, 2, 3], np.uint8)
    wanted = (a.astype(int) - rows[:, None]) @ b.astype(int)
    np.testing.assert_array_equal(meaning("MatMulInteger", (a, b, rows)), wanted)


@pytest.mark.parametrize(
    ("zero", "reason"),
    [(np.zeros(4, np.uint8), "zero point of A must be"), (np.zeros((3, 1), np.uint8), "of A")],
)
def test_matmul_integer_refuses(zero: Array, reason: str) -> None:
    a, b = random_int(1, DType.UINT8, 3, 5), random_int(2, DType.INT8, 5, 4)
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("MatMulInteger", (a, b, zero))


def scale(value: float) -> Array:
    return np.array(value, np.float32)


def test_qlinear_matmul_saturates() -> None:
    full = np.full((1, 2, 2), 255, np.uint8)
    zero = np.array(0, np.uint8)
    inputs = (full, scale(0.1), zero, full, scale(0.1), zero, scale(1.0), zero)
    options = {"constant": (1, 2, 4, 5, 6, 7)}
    assert meaning("QLinearMatMul", inputs, **options).tolist() == [[[255, 255], [255, 255]]]
    assert_as_ort("QLinearMatMul", inputs, **options)


@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("trans", [0, 1])
def test_qgemm_as_onnx_runtime(per_column: bool, trans: int) -> None:
    a, b = random_int(1, DType.UINT8, 3, 5), random_int(2, DType.INT8, 5, 4)
    b = b.T.copy() if trans else b
    scales = np.array([0.01, 0.02, 0.03, 0.04] if per_column else 0.02, np.float32)
    zeros = np.zeros(scales.shape, np.int8)
    c = np.array([100, -2000, 300, 5], np.int32)
    inputs = (a, scale(0.1), np.array(128, np.uint8), b, scales, zeros, c, scale(0.9))
    full = (*inputs, np.array(120, np.uint8))
    options = {"domain": "com.microsoft", "transB": trans, "constant": tuple(range(1, 9))}
    assert_as_ort("QGemm", full, **options)
    float_result = meaning("QGemm", inputs[:7], **{**options, "constant": tuple(range(1, 7))})
    assert float_result.dtype == np.float32
