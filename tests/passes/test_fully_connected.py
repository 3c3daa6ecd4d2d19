"""Matrix products with constant weights."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, assert_same, ops
from mcugen.ir import DType, Graph
from mcugen.ops.matmul import GemmAttrs, MatMulAttrs
from mcugen.passes import attach_quantization, fully_connected


def _values(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _converted(graph: Graph) -> Graph:
    before = attach_quantization.run(graph)
    after = fully_connected.run(before)
    assert_same(before, after, exact=False)
    return after


def test_matmul_transposes_its_weight() -> None:
    b = Builder()
    x = b.input("x", (2, 3, 5))
    b.node("MatMul", (x, b.const("w", _values(1, 5, 4))), MatMulAttrs(), "y")
    after = _converted(b.graph("y"))
    assert ops(after) == ["FullyConnected"]
    assert np.array_equal(after[after.nodes[0].inputs[1]].data, _values(1, 5, 4).T)


def test_two_products_share_the_transposed_weight() -> None:
    b = Builder()
    x, w = b.input("x", (2, 5)), b.const("w", _values(1, 5, 4))
    b.node("MatMul", (x, w), MatMulAttrs(), "y")
    b.node("MatMul", (x, w), MatMulAttrs(), "z")
    after = _converted(b.graph("y", "z"))
    assert after.nodes[0].inputs[1] == after.nodes[1].inputs[1]


@pytest.mark.parametrize("per_axis", [False, True])
def test_dequantized_weights_stay_integers(per_axis: bool) -> None:
    b = Builder()
    w = b.const("w", np.random.default_rng(1).integers(-128, 127, (5, 4)), np.int8)
    scale, axis = ([0.1, 0.2, 0.3, 0.4], 1) if per_axis else (0.1, 0)
    d = b.dequantize(w, "d", scale, 0 if per_axis else 7, axis)
    b.node("MatMul", (b.input("x", (2, 5)), d), MatMulAttrs(), "y")
    after = _converted(b.graph("y"))
    assert ops(after) == ["DequantizeLinear", "FullyConnected"]
    weight = after[after.nodes[0].inputs[0]]
    assert (weight.dtype, weight.shape) == (DType.INT8, (4, 5))
    assert weight.quant is not None
    assert weight.quant.axis == (0 if per_axis else None)


@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("shape", [None, (4,), (1, 4), (3, 1), (3, 4), ()])
def test_gemm(trans_a: bool, trans_b: bool, shape: tuple[int, ...] | None) -> None:
    b = Builder()
    inputs = [
        b.input("a", (5, 3) if trans_a else (3, 5)),
        b.const("w", _values(1, *((4, 5) if trans_b else (5, 4)))),
    ]
    if shape is not None:
        inputs.append(b.const("c", _values(2, *shape)))
    b.node("Gemm", inputs, GemmAttrs(0.5, 2.0, trans_a, trans_b), "y")
    after = _converted(b.graph("y"))
    assert ops(after).count("FullyConnected") == 1
    assert ("Add" in ops(after)) == (shape in ((3, 1), (3, 4)))
    assert ("Transpose" in ops(after)) == trans_a


def test_gemm_keeps_its_name() -> None:
    b = Builder()
    inputs = (b.input("a", (3, 5)), b.const("w", _values(1, 5, 4)), b.const("c", _values(2, 4)))
    b.node("Gemm", inputs, GemmAttrs(1.0, 1.0, False, False), "y")
    before = b.graph("y")
    (node,) = _converted(before).nodes
    assert (node.name, node.outputs) == (before.nodes[0].name, ("y",))


def test_gemm_of_computed_matrices() -> None:
    b = Builder()
    inputs = (b.input("a", (3, 5)), b.input("w", (4, 5)), b.input("c", (4,)))
    b.node("Gemm", inputs, GemmAttrs(0.5, 2.0, False, True), "y")
    assert ops(_converted(b.graph("y"))) == ["Transpose", "MatMul", "Mul", "Mul", "Add"]


def test_gemm_without_beta_ignores_c() -> None:
    b = Builder()
    inputs = (b.input("a", (3, 5)), b.const("w", _values(1, 5, 4)), b.input("c", (4,)))
    b.node("Gemm", inputs, GemmAttrs(1.0, 0.0, False, False), "y")
    assert ops(_converted(b.graph("y"))) == ["FullyConnected"]


def test_gemm_with_dequantized_weight_and_bias() -> None:
    b = Builder()
    w = b.const("w", np.random.default_rng(1).integers(-128, 127, (4, 5)), np.int8)
    c = b.const("c", [1, 2, 3, 4], np.int32)
    inputs = (b.input("a", (3, 5)), b.dequantize(w, "d", 0.1), b.dequantize(c, "e", 0.01))
    b.node("Gemm", inputs, GemmAttrs(1.0, 1.0, False, True), "y")
    after = _converted(b.graph("y"))
    assert after.producer("y").inputs == ("a", "d", "e")


def test_alpha_of_a_dequantized_weight_stays_apart() -> None:
    b = Builder()
    w = b.const("w", np.random.default_rng(1).integers(-128, 127, (4, 5)), np.int8)
    d = b.dequantize(w, "d", 0.1)
    b.node("Gemm", (b.input("a", (3, 5)), d), GemmAttrs(0.5, 1.0, False, True), "y")
    assert ops(_converted(b.graph("y"))) == ["DequantizeLinear", "Transpose", "MatMul", "Mul"]


def test_constant_on_the_left_and_vectors_stay() -> None:
    b = Builder()
    b.node("MatMul", (b.const("w", _values(1, 4, 5)), b.input("x", (5, 2))), MatMulAttrs(), "y")
    b.node("MatMul", (b.input("v", (5,)), b.const("u", _values(2, 5, 3))), MatMulAttrs(), "z")
    graph = b.graph("y", "z")
    assert fully_connected.run(graph) is graph
