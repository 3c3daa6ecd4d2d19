"""The graph's form: one producer per value, no cycle, any order, awkward names, the outputs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from mcugen.errors import ModelError, UsageError
from mcugen.frontend import load_model
from mcugen.ir import Graph, Source
from onnx_models import STUBS, chain, model, node, untyped, value

X = value("x", [1, 4])


def loaded(proto: onnx.ModelProto, *outputs: str) -> Graph:
    return load_model(proto, outputs=outputs, **STUBS).graph


def refused(proto: onnx.ModelProto) -> ModelError:
    with pytest.raises(ModelError) as caught:
        loaded(proto)
    assert caught.value.message.startswith("<model>: ")
    assert "\n" not in caught.value.message
    return caught.value


def test_the_order_of_a_sorted_file_is_kept() -> None:
    nodes = [node("Relu", ["x"], [n], name=f"n_{n}") for n in "dbca"]
    nodes.append(node("Add", ["a", "b"], ["e"]))
    nodes.append(node("Add", ["c", "d"], ["f"]))
    graph = loaded(model(nodes, [X], ["f", "e"]))
    assert [n.outputs[0] for n in graph.nodes] == list("dbcaef")


def test_an_unsorted_file_is_sorted() -> None:
    proto = chain(5)
    nodes = list(proto.graph.node)
    del proto.graph.node[:]
    proto.graph.node.extend(reversed(nodes))
    assert [n.outputs[0] for n in loaded(proto).nodes] == ["h1", "h2", "h3", "h4", "y"]


def test_a_long_chain_needs_no_recursion() -> None:
    assert len(loaded(chain(3000)).nodes) == 3000


def test_tensors_remember_their_onnx_name() -> None:
    graph = loaded(chain())
    assert graph["h1"].source == Source("h1")
    assert graph.nodes[0].origin == ("relu_h1",)
    assert graph.nodes[0].name == "relu_h1"


def test_nodes_without_or_with_equal_names_get_stable_ones() -> None:
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("Relu", ["a"], ["b"], name="same"),
        node("Relu", ["b"], ["y"], name="same"),
    ]
    graph = loaded(model(nodes, [X], ["y"]))
    assert [n.name for n in graph.nodes] == ["Relu_a", "same", "same__2"]
    assert [n.origin for n in graph.nodes] == [("Relu_a",), ("same",), ("same",)]


@pytest.mark.parametrize(
    "name", ["a.b", "a/b", "a:0", "0x", "int", "main", "é", "a b", "\n", "x" * 999]
)
def test_names_stay_as_they_are(name: str) -> None:
    proto = model([node("Relu", [name], [name + "!"])], [value(name, [1])], [name + "!"])
    graph = loaded(proto)
    assert (graph.inputs, graph.outputs) == ((name,), (name + "!",))


def test_a_cycle_is_named() -> None:
    nodes = [
        node("Add", ["x", "c"], ["a"], name="first"),
        node("Relu", ["a"], ["b"]),
        node("Relu", ["b"], ["c"]),
        node("Relu", ["c"], ["y"]),
    ]
    assert (
        "the graph has a cycle: Add 'first' <- Relu 'c' <- Relu 'b' <- Add 'first'"
        in refused(model(nodes, [X], ["y"])).message
    )


def test_a_node_that_reads_itself() -> None:
    proto = model([node("Add", ["x", "y"], ["y"])], [X], ["y"])
    assert "cycle: Add 'y' <- Add 'y'" in refused(proto).message


def test_a_missing_input_is_named() -> None:
    proto = model([node("Relu", ["imput"], ["y"], name="r")], [value("input", [1])], ["y"])
    error = refused(proto)
    assert error.message == "<model>: Relu 'r' reads 'imput', which nothing produces"
    assert error.hint == "did you mean 'input'?"


def test_an_output_that_nothing_produces() -> None:
    error = refused(model([node("Relu", ["x"], ["y"])], [X], ["z"]))
    assert "the graph outputs 'z', which nothing produces" in error.message


def test_no_outputs() -> None:
    assert (
        "the graph has no outputs" in refused(model([node("Relu", ["x"], ["y"])], [X], [])).message
    )


@pytest.mark.parametrize("second", ["x", "a", "w"])
def test_a_value_is_defined_once(second: str) -> None:
    nodes = [node("Relu", ["x"], ["a"]), node("Relu", ["a"], [second])]
    proto = model(nodes, [X], ["a"], {"w": np.zeros(1, np.float32)})
    assert f"value '{second}' is defined twice" in refused(proto).message


def test_an_input_is_given_once() -> None:
    assert "input 'x' is given 2 times" in refused(model([], [X, X], ["x"])).message


def test_an_input_has_a_name() -> None:
    assert "an input has no name" in refused(model([], [value("", [1])], ["x"])).message


def test_input_straight_to_output_and_one_value_twice() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [X], ["x", "y", "y"])
    assert loaded(proto).outputs == ("x", "y", "y")


def test_a_constant_output() -> None:
    proto = model([], [], ["w"], {"w": np.ones((), np.float32)})
    assert loaded(proto)["w"].is_constant


def test_an_attribute_given_twice() -> None:
    proto = chain()
    for _ in range(2):
        proto.graph.node[0].attribute.add(name="a", type=onnx.AttributeProto.INT, i=1)
    assert "has attribute 'a' twice" in refused(proto).message


@pytest.mark.parametrize("version", [1, 6, onnx.defs.onnx_opset_version() + 1, 0, -3])
def test_an_opset_out_of_range(version: int) -> None:
    proto = chain()
    proto.opset_import[0].version = version
    error = refused(proto)
    allowed = f"7 to {onnx.defs.onnx_opset_version()} are"
    assert f"opset {version} is not supported, {allowed}" in error.message
    assert ("version_converter" in error.hint) == (version < 7)


@pytest.mark.parametrize("version", range(7, onnx.defs.onnx_opset_version() + 1))
def test_every_opset_in_range(version: int) -> None:
    proto = chain()
    proto.opset_import[0].version = version
    assert load_model(proto, **STUBS).opset == version


def test_no_opset() -> None:
    proto = chain()
    del proto.opset_import[:]
    assert "no version of the default operator set is imported" in refused(proto).message


def test_an_opset_in_two_versions() -> None:
    proto = chain()
    proto.opset_import.add(domain="ai.onnx", version=9)
    assert "operator set '' is imported in two versions" in refused(proto).message


@pytest.mark.parametrize("version", [0, 2, onnx.IR_VERSION + 1])
def test_an_ir_version_out_of_range(version: int) -> None:
    proto = chain()
    proto.ir_version = version
    assert f"IR version {version} is not supported, 3 to " in refused(proto).message


def test_outputs_cut_the_graph() -> None:
    graph = loaded(chain(4), "h2")
    assert graph.outputs == ("h2",)
    assert len(graph.nodes) == 2


def test_cut_inputs_leave_too() -> None:
    nodes = [node("Relu", ["x"], ["a"]), node("Add", ["a", "z"], ["y"])]
    proto = model(nodes, [X, value("z", ["H", "W"])], ["y"])
    assert loaded(proto, "a").inputs == ("x",)


def test_an_unknown_output_lists_close_names() -> None:
    with pytest.raises(UsageError) as caught:
        loaded(chain(4), "h22")
    assert caught.value.message == "the model has no value 'h22' to be an output"
    assert "'h2'" in caught.value.hint


def test_an_output_asked_for_twice() -> None:
    with pytest.raises(UsageError, match="an output is given twice"):
        loaded(chain(4), "h2", "h2")


def test_a_declared_output_shape_that_is_wrong_is_told() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [X], [value("y", [1, 5])])
    assert load_model(proto, **STUBS).notices == ("output y is declared [1,5], its shape is [1,4]",)
    proto = model([node("Relu", ["x"], ["y"])], [X], [value("y", ["N"])])
    assert load_model(proto, **STUBS).notices == ("output y is declared [N], its shape is [1,4]",)


@pytest.mark.parametrize("declared", [value("y", ["N", None]), value("y", [0, 4]), untyped("y")])
def test_an_open_declared_shape_is_fine(declared: onnx.ValueInfoProto) -> None:
    proto = model([node("Relu", ["x"], ["y"])], [X], [declared])
    assert load_model(proto, **STUBS).notices == ()


def test_a_declared_output_type_that_is_wrong() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [X], [value("y", [1, 4], TensorProto.INT8)])
    assert "output 'y' is declared int8, its node gives float32" in refused(proto).message
