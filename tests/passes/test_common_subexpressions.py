"""The same work done once."""

from __future__ import annotations

from graphs import Builder, assert_same, body
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.transpose import TransposeAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import common_subexpressions


def test_duplicates_share_and_so_do_their_readers() -> None:
    b = Builder()
    x = b.input("x", (2, 2))
    for k in "12":
        a = b.node("Transpose", (x,), TransposeAttrs((1, 0)), f"a{k}")
        b.node("Relu", (a,), UnaryAttrs(), f"r{k}")
    b.node("Add", ("r1", "r2"), BinaryAttrs(), "y")
    before = b.graph("y")
    after = common_subexpressions.run(before)
    assert body(after) == [
        "a1 = Transpose(x) {perm=(1, 0)}",
        "r1 = Relu(a1) {}",
        "y = Add(r1, r1) {activation=None}",
    ]
    assert_same(before, after)


def test_other_attributes_and_outputs_are_kept() -> None:
    b = Builder()
    x = b.input("x", (2, 2))
    b.node("Transpose", (x,), TransposeAttrs((1, 0)), "a")
    b.node("Transpose", (x,), TransposeAttrs((0, 1)), "b")
    b.node("Transpose", (x,), TransposeAttrs((1, 0)), "c")
    graph = b.graph("a", "b", "c")
    assert common_subexpressions.run(graph) is graph
