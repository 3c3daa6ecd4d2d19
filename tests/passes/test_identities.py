"""Operators that do nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphs import Builder, assert_same, body, ops
from mcugen.ir import DType
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.cast import CastAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.concat import ConcatAttrs
from mcugen.ops.expand import ExpandAttrs, TileAttrs
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.pad import PadAttrs
from mcugen.ops.reshape import ReshapeAttrs
from mcugen.ops.slice import SliceAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import identities

NOTHING: list[tuple[str, Any]] = [
    ("Identity", IdentityAttrs()),
    ("Reshape", ReshapeAttrs((2, 3))),
    ("Expand", ExpandAttrs((2, 3))),
    ("Tile", TileAttrs((1, 1))),
    ("Slice", SliceAttrs.whole((2, 3))),
    ("Transpose", TransposeAttrs((0, 1))),
    ("Pad", PadAttrs((0, 0, 0, 0))),
    ("Cast", CastAttrs(DType.FLOAT32)),
    ("Concat", ConcatAttrs(0)),
    ("Clip", ClipAttrs()),
]


@pytest.mark.parametrize(("op", "attrs"), NOTHING)
def test_one_input(op: str, attrs: Any) -> None:
    b = Builder()
    a = b.node("Abs", (b.input("x", (2, 3)),), UnaryAttrs(), "a")
    b.node("Neg", (b.node(op, (a,), attrs, "i"),), UnaryAttrs(), "y")
    before = b.graph("y")
    after = identities.run(before)
    assert ops(after) == ["Abs", "Neg"]
    assert_same(before, after)


SOMETHING: list[tuple[str, Any]] = [
    ("Reshape", ReshapeAttrs((3, 2))),
    ("Slice", SliceAttrs((1, 0), (-1, 1), (2, 3))),
    ("Transpose", TransposeAttrs((1, 0))),
    ("Cast", CastAttrs(DType.FLOAT64)),
    ("Clip", ClipAttrs(0.0)),
    ("Tile", TileAttrs((2, 1))),
]


@pytest.mark.parametrize(("op", "attrs"), SOMETHING)
def test_one_input_that_changes(op: str, attrs: Any) -> None:
    b = Builder()
    b.node(op, (b.input("x", (2, 3)),), attrs, "y")
    graph = b.graph("y")
    assert identities.run(graph) is graph


@pytest.mark.parametrize(
    ("op", "constant", "left", "gone"),
    [
        ("Mul", 1.0, False, True),
        ("Mul", 1.0, True, True),
        ("Div", 1.0, False, True),
        ("Div", 1.0, True, False),
        ("Add", -0.0, False, True),
        ("Add", -0.0, True, True),
        ("Add", 0.0, False, False),
        ("Sub", 0.0, False, True),
        ("Sub", -0.0, False, False),
        ("Sub", 0.0, True, False),
        ("Mul", 2.0, False, False),
    ],
)
def test_neutral_constants(op: str, constant: float, left: bool, gone: bool) -> None:
    b = Builder()
    x = b.node("Neg", (b.input("x", (2, 3)),), UnaryAttrs(), "n")
    k = b.const("k", np.full((1, 3), constant))
    b.node("Abs", (b.node(op, (k, x) if left else (x, k), BinaryAttrs(), "m"),), UnaryAttrs(), "y")
    before = b.graph("y")
    after = identities.run(before)
    assert (op not in ops(after)) == gone
    assert_same(before, after)


def test_adding_integer_zero() -> None:
    b = Builder()
    x, k = b.input("x", (3,), DType.INT32), b.const("k", [0], np.int32)
    b.node("Neg", (b.node("Add", (x, k), BinaryAttrs(), "a"),), UnaryAttrs(), "y")
    assert ops(identities.run(b.graph("y"))) == ["Neg"]


def test_a_broadcasting_one_stays() -> None:
    b = Builder()
    b.node("Mul", (b.input("x", (3,)), b.const("k", np.ones((2, 3)))), BinaryAttrs(), "y")
    graph = b.graph("y")
    assert identities.run(graph) is graph


def test_reshapes_and_transposes_merge() -> None:
    b = Builder()
    x = b.input("x", (2, 3, 4))
    x = b.node("Reshape", (x,), ReshapeAttrs((6, 4)), "r1")
    x = b.node("Reshape", (x,), ReshapeAttrs((3, 2, 4)), "r2")
    x = b.node("Transpose", (x,), TransposeAttrs((2, 0, 1)), "t1")
    b.node("Transpose", (x,), TransposeAttrs((2, 0, 1)), "y")
    before = b.graph("y")
    after = identities.run(before)
    assert body(after) == [
        "r2 = Reshape(x) {shape=(3, 2, 4)}",
        "y = Transpose(r2) {perm=(1, 2, 0)}",
    ]
    assert_same(before, after)


def test_transposes_that_cancel_leave_nothing() -> None:
    b = Builder()
    x = b.node("Abs", (b.input("x", (2, 3)),), UnaryAttrs(), "a")
    x = b.node("Transpose", (x,), TransposeAttrs((1, 0)), "t")
    b.node("Transpose", (x,), TransposeAttrs((1, 0)), "y")
    before = b.graph("y")
    after = identities.run(before)
    assert body(after) == ["y = Abs(x) {}"]
    assert_same(before, after)


def test_clamps_merge() -> None:
    b = Builder()
    x = b.node("Relu", (b.input("x", (20,)),), UnaryAttrs(), "r1")
    x = b.node("Relu", (x,), UnaryAttrs(), "r2")
    x = b.node("Clip", (x,), ClipAttrs(-1.0, 2.0), "c")
    b.node("Clip", (x,), ClipAttrs(0.5, 6.0), "y")
    before = b.graph("y")
    after = identities.run(before)
    assert body(after) == ["y = Clip(x) {low=0.5, high=2.0}"]
    assert after.nodes[0].origin == ("/r1", "/r2", "/c", "/y")
    assert_same(before, after)


def test_a_clamp_that_others_read_stays() -> None:
    b = Builder()
    x = b.node("Relu", (b.input("x", (20,)),), UnaryAttrs(), "z")
    b.node("Clip", (x,), ClipAttrs(-1.0, 2.0), "y")
    graph = b.graph("y", "z")
    assert identities.run(graph) is graph


def test_an_identity_from_input_to_output_stays() -> None:
    b = Builder()
    b.node("Identity", (b.input("x", (2,)),), IdentityAttrs(), "y")
    graph = b.graph("y")
    assert identities.run(graph) is graph
