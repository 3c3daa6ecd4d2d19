"""Float biases where integers would save nothing."""

from __future__ import annotations

import numpy as np

from graphs import Builder, assert_same, ops
from mcugen.ops.binary import BinaryAttrs
from mcugen.passes import dequantize_biases


def test_32_bit_integers_and_single_elements_become_floats() -> None:
    b = Builder()
    bias = b.dequantize(b.const("w", [1, 2, 3], np.int32), "d", [0.1, 0.2, 0.3])
    k = b.dequantize(b.const("k", 5, np.int8), "e", 0.5, 3)
    s = b.node("Add", (b.input("x", (3,)), bias), BinaryAttrs(), "s")
    b.node("Mul", (s, k), BinaryAttrs(), "y")
    before = b.graph("y")
    after = dequantize_biases.run(before)
    assert ops(after) == ["Add", "Mul"]
    assert_same(before, after)


def test_8_bit_weights_stay() -> None:
    b = Builder()
    w = b.dequantize(b.const("w", [1, 2, 3], np.int8), "d", 0.1)
    b.node("Mul", (b.input("x", (3,)), w), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert dequantize_biases.run(graph) is graph
