"""MatMul, Gemm and the fully connected layer: import, shapes, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.common import Clamp
from mcugen.ops.matmul import SPECS, FullyConnectedAttrs
from mcugen.ops.matmul_kernel import BatchLoop, matmul_shape
from mcugen.ops.spec import Reject
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

F32 = np.float32
BY_NAME = {spec.name: spec for spec in SPECS}


def counting(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=F32).reshape(shape)


@pytest.mark.parametrize(
    ("c", "first_row"),
    [
        ([1, 2, 3, 4], [3.5, 8.5, 13.5, 18.5]),
        ([[1], [2], [3]], [3.5, 6.5, 9.5, 12.5]),
        (10, [21.5, 24.5, 27.5, 30.5]),
    ],
)
def test_gemm_factors_and_addend(c: Any, first_row: list[float]) -> None:
    inputs = counting(2, 3), counting(4, 2), np.array(c, F32)
    options = {"alpha": 0.5, "beta": 2.0, "transA": 1, "transB": 1}
    y = meaning("Gemm", inputs, **options)
    assert y[0].tolist() == first_row
    assert_as_ort("Gemm", inputs, **options)


def test_gemm_of_one_row() -> None:
    assert_as_ort("Gemm", (random_f32(1, 1, 5), random_f32(2, 5, 3), random_f32(3, 3)))
    assert_as_ort("Gemm", (random_f32(1, 4, 5), random_f32(2, 5, 3)), opset=11)


def test_an_added_axis_is_removed_again() -> None:
    y = meaning("MatMul", (counting(3), counting(3, 4)))
    assert y.tolist() == [20, 23, 26, 29]
    assert meaning("MatMul", (counting(2, 3, 4), counting(4))).shape == (2, 3)
    dot = meaning("MatMul", (counting(3), counting(3)))
    assert dot.shape == ()
    assert dot == 5


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (3, 4)), ((5, 1, 2, 3), (4, 3, 2)), ((3,), (2, 3, 4)), ((1, 2, 3), (5, 3, 1))],
)
def test_matmul_as_onnx_runtime(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert_as_ort("MatMul", (random_f32(1, *a), random_f32(2, *b)))


@pytest.mark.parametrize(
    ("op", "inputs", "reason"),
    [
        ("MatMul", (np.zeros((2, 3), F32), np.zeros((4, 2), F32)), "agree in K"),
        ("MatMul", (np.zeros((), F32), np.zeros((4, 2), F32)), "at least one axis"),
        ("MatMul", (np.zeros((2, 2, 3), F32), np.zeros((3, 3, 2), F32)), "batches must broadcast"),
        ("MatMul", (np.zeros((2, 0), F32), np.zeros((0, 2), F32)), "dimension of an input"),
        ("Gemm", (np.zeros((2, 3), F32), np.zeros((2, 3), F32)), "agree in K"),
        ("Gemm", (np.zeros((2, 3, 1), F32), np.zeros((2, 3), F32)), "must be matrices"),
        ("Gemm", (np.ones((2, 3), F32), np.ones((3, 4), F32), np.ones(3, F32)), "C must broadcast"),
        ("Gemm", (np.zeros((2, 3)), np.zeros((3, 2))), "must be float32"),
    ],
)
def test_refused(op: str, inputs: tuple[Array, ...], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported(op, inputs)


def test_fully_connected_is_a_product_with_the_transpose() -> None:
    x, w, b = random_f32(1, 2, 3, 4), random_f32(2, 5, 4), random_f32(3, 5)
    spec = BY_NAME["FullyConnected"]
    assert spec.semantics is not None
    (y,) = spec.semantics(FullyConnectedAttrs(Clamp(0.0, 2.0)), (x, w, b))
    np.testing.assert_allclose(y, np.clip(x @ w.T + b, 0, 2), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("shapes", "reason"),
    [(((2, 4), (5, 3)), "do not fit"), (((2, 4), (5, 4), (4,)), r"shape \[5\], got \[4\]")],
)
def test_fully_connected_refuses(shapes: tuple[tuple[int, ...], ...], reason: str) -> None:
    tensors = [Tensor(str(i), s, DType.FLOAT32) for i, s in enumerate(shapes)]
    with pytest.raises(Reject, match=reason):
        BY_NAME["FullyConnected"].infer(FullyConnectedAttrs(), tensors)


def test_batches_that_continue_each_other_are_one_loop() -> None:
    assert matmul_shape((2, 3, 4, 5), (2, 3, 5, 6)).loops == (BatchLoop(6, 20, 30),)
    assert matmul_shape((2, 3, 4, 5), (5, 6)).loops == (BatchLoop(6, 20, 0),)
    assert matmul_shape((2, 1, 4, 5), (3, 5, 6)).loops == (BatchLoop(2, 20, 0), BatchLoop(3, 0, 30))
    assert matmul_shape((4, 5), (5, 6)).loops == ()
