"""Nodes that nothing depends on."""

from __future__ import annotations

from graphs import Builder, assert_same, body
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import dead_code


def test_unread_chains_go_and_inputs_stay() -> None:
    b = Builder()
    x, unused = b.input("x", (2,)), b.input("unused", (3,))
    dead = b.node("Relu", (unused,), UnaryAttrs(), "d1")
    b.node("Abs", (dead,), UnaryAttrs(), "d2")
    b.node("Relu", (x,), UnaryAttrs(), "y")
    before = b.graph("y")
    after = dead_code.run(before)
    assert body(after) == ["y = Relu(x) {}"]
    assert after.inputs == ("x", "unused")
    assert set(after.tensors) == {"x", "unused", "y"}
    assert_same(before, after)


def test_a_live_graph_stays() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert dead_code.run(graph) is graph
