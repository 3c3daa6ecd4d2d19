"""The working copy of a graph."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import Builder, body, ops
from mcugen.errors import InternalError
from mcugen.ir import Graph, Node, QuantParams
from mcugen.ops.binary import BinaryAttrs
from mcugen.ops.identity import IdentityAttrs
from mcugen.ops.unary import UnaryAttrs
from mcugen.passes.edit import Editor, evaluate, origins


def _chain() -> Graph:
    b = Builder()
    a = b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "a")
    c = b.node("Identity", (a,), IdentityAttrs(), "c")
    b.node("Add", (a, c), BinaryAttrs(), "y")
    return b.graph("y")


def test_nothing_changed_is_the_same_graph() -> None:
    graph = _chain()
    ed = Editor(graph)
    ed.constant(np.zeros(1, np.float32), "unused")
    assert ed.finish() is graph


def test_bypass_renames_to_keep_the_onnx_name() -> None:
    graph = _chain()
    ed = Editor(graph)
    (node,) = [n for n in ed.nodes() if n.op == "Identity"]
    assert ed.bypass(node, "a")
    assert body(ed.finish()) == ["a = Relu(x) {}", "y = Add(a, a) {activation=None}"]


def test_bypass_of_a_graph_output_lets_the_producer_write_it() -> None:
    b = Builder()
    a = b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "a")
    b.node("Identity", (a,), IdentityAttrs(), "y")
    b.node("Abs", (a,), UnaryAttrs(), "z")
    ed = Editor(b.graph("y", "z"))
    (node,) = [n for n in ed.nodes() if n.op == "Identity"]
    assert ed.bypass(node, "a")
    assert body(ed.finish()) == ["y = Relu(x) {}", "z = Abs(y) {}"]


def test_bypass_refuses_an_input_as_output() -> None:
    b = Builder()
    b.node("Identity", (b.input("x", (2,)),), IdentityAttrs(), "y")
    graph = b.graph("y")
    ed = Editor(graph)
    (node,) = ed.nodes()
    assert not ed.bypass(node, "x")
    assert ed.finish() is graph


def test_bypass_refuses_another_quantization() -> None:
    b = Builder()
    a = b.node("Relu", (b.input("x", (2,)),), UnaryAttrs(), "a")
    b.node("Identity", (a,), IdentityAttrs(), "c")
    b.node("Relu", ("c",), UnaryAttrs(), "y")
    for name, scale in (("a", 1.0), ("c", 2.0)):
        b.with_quant(name, QuantParams(np.float32(scale)[...], np.int32(0)[...]))
    ed = Editor(Graph("g", tuple(b.nodes), b.tensors, ("x",), ("y",)))
    (node,) = [n for n in ed.nodes() if n.op == "Identity"]
    assert not ed.bypass(node, "a")


def test_producers_that_nobody_reads_go() -> None:
    ed = Editor(_chain())
    add = ed.producer("y")
    assert add is not None
    ed.replace((add,), (add.replace(inputs=("x", "x")),))
    assert ops(ed.finish()) == ["Add"]


def test_the_order_is_restored() -> None:
    ed = Editor(_chain())
    add = ed.producer("y")
    assert add is not None
    new = ed.emit("Relu", ("c",), UnaryAttrs(), near=add)
    ed.replace((add,), (add.replace(inputs=("a", new)),))
    assert ops(ed.finish()) == ["Relu", "Identity", "Relu", "Add"]


def test_a_cycle_is_our_fault() -> None:
    ed = Editor(_chain())
    relu = ed.producer("a")
    assert relu is not None
    ed.replace((relu,), (relu.replace(inputs=("c",)),))
    with pytest.raises(InternalError, match="cycle"):
        ed.finish()


def test_a_second_writer_is_our_fault() -> None:
    ed = Editor(_chain())
    with pytest.raises(InternalError, match="in the graph already"):
        ed.replace((), (Node("Relu", "new", ("x",), ("a",), UnaryAttrs()),))


def test_a_stale_node_is_our_fault() -> None:
    ed = Editor(_chain())
    add = ed.producer("y")
    assert add is not None
    ed.redirect("c", "a")
    with pytest.raises(InternalError, match="not in the graph any more"):
        ed.replace((add,), ())


def test_setting_an_unknown_tensor_is_our_fault() -> None:
    graph = _chain()
    ed = Editor(graph)
    with pytest.raises(InternalError, match="no tensor 'nothing'"):
        ed.set_tensor(graph["x"].replace(name="nothing"))


def test_names_are_fresh() -> None:
    ed = Editor(_chain())
    assert ed.fresh("a") == "a__2"
    assert ed.fresh("/y") == "/y__2"
    assert ed.fresh("new") == "new"


def test_origins_are_merged_in_order() -> None:
    graph = _chain()
    assert origins(*graph.nodes, graph.nodes[0]) == ("/a", "/c", "/y")


def test_evaluate_by_semantics() -> None:
    graph = _chain()
    result = evaluate(graph.nodes[0], [np.array([-1.0, 2.0], np.float32)])
    assert result is not None
    assert result[0].tolist() == [0.0, 2.0]
