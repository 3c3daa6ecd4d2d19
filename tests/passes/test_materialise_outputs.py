"""Every output its own bytes."""

from __future__ import annotations

from graphs import Builder, assert_same, body
from mcugen.ir import Graph, Source
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes import materialise_outputs


def test_input_constant_and_repeated_output_are_copied() -> None:
    b = Builder()
    x = b.input("x", (2,))
    c = b.const("c", [1.0, 2.0])
    y = b.node("Relu", (x,), UnaryAttrs(), "y")
    before = b.graph(x, y, y, c)
    after = materialise_outputs.run(before)
    assert after.outputs == ("x__output", "y", "y__output", "c__output")
    assert body(after) == [
        "x__output = Identity(x) {}",
        "c__output = Identity(c) {}",
        "y = Relu(x) {}",
        "y__output = Identity(y) {}",
    ]
    assert after["x__output"].source == Source("x")
    assert_same(before, after)


def test_a_graph_without_nodes() -> None:
    b = Builder()
    x = b.input("x", (2,))
    graph = Graph("g", (), b.tensors, (x,), (x,))
    assert body(materialise_outputs.run(graph)) == ["x__output = Identity(x) {}"]


def test_outputs_of_their_own_stay() -> None:
    b = Builder()
    b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "y")
    graph = b.graph("y")
    assert materialise_outputs.run(graph) is graph
