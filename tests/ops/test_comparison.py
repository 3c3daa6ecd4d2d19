"""Comparisons, logic and bits: meaning, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import DType
from mcugen.ops.comparison import SPECS, BitShiftAttrs
from opcase import random_int
from single_op import assert_as_ort, imported, meaning

SPEC = {spec.name: spec for spec in SPECS}
F32 = np.float32


@pytest.mark.parametrize("op", ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
def test_comparisons_as_onnx_runtime(op: str) -> None:
    a = F32([0, 1, 1, 2, np.nan, np.inf, -0.0])
    b = F32([0, 1, 2, 1, np.nan, np.inf, 0.0])
    assert_as_ort(op, (a, b))
    assert_as_ort(op, (np.arange(7), np.arange(7)[::-1].copy()))


@pytest.mark.parametrize("op", ["And", "Or", "Xor"])
def test_logic_as_onnx_runtime(op: str) -> None:
    assert_as_ort(op, (np.array([True, True, False, False]), np.array([True, False, True, False])))


@pytest.mark.parametrize("op", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
def test_bits_as_onnx_runtime(op: str) -> None:
    assert_as_ort(op, (random_int(1, DType.INT32, 9), random_int(2, DType.INT32, 9)), opset=18)


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_shifts_as_onnx_runtime(direction: str) -> None:
    amounts = np.arange(8, dtype=np.uint8)
    assert_as_ort("BitShift", (random_int(1, DType.UINT8, 8), amounts), direction=direction)


def test_signed_shifts() -> None:
    semantics = SPEC["BitShift"].semantics
    assert semantics is not None
    a, b = np.int8([-128, -1, 100, 64, -3]), np.int8([1, 100, 2, 1, -1])
    assert semantics(BitShiftAttrs(left=False), (a, b))[0].tolist() == [-64, -1, 25, 32, -1]
    assert semantics(BitShiftAttrs(left=True), (a, b))[0].tolist() == [0, 0, -112, -128, 0]


def test_shift_by_the_width_gives_zero() -> None:
    a, b = np.array([255, 255, 1], np.uint8), np.array([8, 200, 7], np.uint8)
    assert meaning("BitShift", (a, b), direction="LEFT").tolist() == [0, 0, 128]


def test_logic_of_numbers() -> None:
    with pytest.raises(UnsupportedModelError, match="bool"):
        imported("And", (np.zeros(2, F32), np.zeros(2, F32)))


def test_unknown_direction() -> None:
    bytes_ = np.zeros(2, np.uint8)
    with pytest.raises(UnsupportedModelError, match="direction must be LEFT or RIGHT, got UP"):
        imported("BitShift", (bytes_, bytes_), direction="UP")
