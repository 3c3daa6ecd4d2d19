"""Nodes: checked against their schema, folded when constant, listed when not supported."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mcugen.errors import InternalError, ModelError, Unsupported, UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.ir import Array, DType, Graph
from mcugen.ops.spec import ImportContext, OpSpec, TensorType
from onnx_models import IMPORTERS, SPECS, STUBS, NoAttrs, chain, model, node, value

X = value("x", [2, 3])
ONES = np.ones((2, 3), np.float32)


def loaded(proto: onnx.ModelProto) -> Graph:
    return load_model(proto, **STUBS).graph


def unsupported(proto: onnx.ModelProto, **more: Any) -> tuple[Unsupported, ...]:
    with pytest.raises(UnsupportedModelError) as caught:
        load_model(proto, **{**STUBS, **more})
    return caught.value.unsupported


def reason(*nodes: onnx.NodeProto, opset: int = 13, **constants: Array) -> str:
    (found,) = unsupported(model(nodes, [X], [nodes[-1].output[0]], constants, opset=opset))
    return found.reason


# --- what is not supported ---------------------------------------------------------------------


def test_all_unsupported_nodes_are_listed_at_once() -> None:
    nodes = [
        node("Sinh", ["x"], ["a"], name="first"),
        node("Relu", ["a"], ["b"]),
        node("Cosh", ["b"], ["c"]),
        node("Foo", ["x"], ["d"], domain="ai.onnx.ml", name="tree"),
        node("Mystery", ["x"], ["e"]),
    ]
    found = unsupported(model(nodes, [X], ["c", "d", "e"], domains={"ai.onnx.ml": 3}))
    assert [(u.name, u.op, u.reason) for u in found] == [
        ("first", "Sinh", "this operator is not supported"),
        ("c", "Cosh", "this operator is not supported"),
        ("tree", "ai.onnx.ml::Foo", "operators of domain 'ai.onnx.ml' are not supported"),
        ("e", "Mystery", "opset 13 of ONNX has no such operator"),
    ]


def test_the_error_names_model_node_and_rule() -> None:
    proto = model([node("Relu", ["x"], ["y"], name="r")], [value("x", [1] * 5)], ["y"])
    with pytest.raises(UnsupportedModelError) as caught:
        load_model(proto, path="a/m.onnx", **STUBS)
    assert caught.value.message == (
        "Relu 'r' (a/m.onnx): The input must have at most 4 dimensions, got 5"
    )


def test_nodes_after_one_without_importer_are_checked() -> None:
    nodes = [
        node("LRN", ["x"], ["a"], size=3),
        node("Add", ["a", "w"], ["y"], name="bad"),
    ]
    found = unsupported(model(nodes, [X], ["y"], {"w": np.zeros(5, np.float32)}))
    assert [u.name for u in found] == ["a", "bad"]
    assert found[1].reason == "shapes (2, 3) and (5,) do not broadcast"


def test_nodes_after_a_refused_one_are_checked() -> None:
    nodes = [node("Relu", ["x"], ["a"]), node("Add", ["a", "w"], ["y"], name="bad")]
    proto = model(nodes, [value("x", [1] * 4 + [2])], ["y"], {"w": np.zeros(5, np.float32)})
    assert [(u.name, u.reason[:30]) for u in unsupported(proto)] == [
        ("a", "The input must have at most 4 "),
        ("bad", "shapes (1, 1, 1, 1, 2) and (5,"),
    ]


def test_declared_shapes_serve_where_inference_cannot() -> None:
    nodes = [
        node("Foo", ["x"], ["a"], domain="nowhere"),
        node("Add", ["a", "w"], ["y"], name="bad"),
    ]
    proto = model(nodes, [X], ["y"], {"w": np.zeros(5, np.float32)}, domains={"nowhere": 1})
    assert [u.name for u in unsupported(proto)] == ["a"]
    proto.graph.value_info.append(value("a", [2, 4]))
    assert [u.name for u in unsupported(proto)] == ["a", "bad"]


def test_operators_that_nobody_imports_are_listed_even_where_no_type_is_known() -> None:
    nodes = [
        node("Foo", ["x"], ["a"], domain="nowhere", name="foo"),
        node("Relu", ["a"], ["b"], name="fine"),
        node("Mish", ["b"], ["c"], name="defined"),
        node("Sinh", ["c"], ["y"], name="sinh"),
    ]
    proto = model(nodes, [X], ["y"], opset=18, domains={"nowhere": 1})
    assert [u.name for u in unsupported(proto)] == ["foo", "sinh"]


def test_the_list_instead_of_an_error() -> None:
    nodes = [node("Relu", ["x"], ["a"]), node("Sinh", ["a"], ["y"], name="s")]
    found = load_model(model(nodes, [X], ["y"]), allow_unsupported=True, **STUBS)
    assert [u.name for u in found.unsupported] == ["s"]
    assert [n.op for n in found.graph.nodes] == ["Relu"]


def test_dead_nodes_need_no_support() -> None:
    nodes = [node("Relu", ["x"], ["y"]), node("Sinh", ["x"], ["unread"])]
    assert len(loaded(model(nodes, [X], ["y"])).nodes) == 1


def test_outputs_can_avoid_an_unsupported_tail() -> None:
    nodes = [node("Relu", ["x"], ["a"]), node("Sinh", ["a"], ["y"])]
    proto = model(nodes, [X], ["y"])
    assert load_model(proto, outputs=["a"], **STUBS).graph.outputs == ("a",)


# --- the schema ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "opset", "problem"),
    [
        ([node("Add", ["x"], ["y"])], 13, "it must have 2 inputs, got 1"),
        ([node("Relu", ["x", "x"], ["y"])], 13, "it must have 1 inputs, got 2"),
        ([node("Relu", ["x"], ["y", "z"])], 13, "it must have 1 outputs, got 2"),
        ([node("Add", ["x", ""], ["y"])], 13, "required input 'B' is missing"),
        ([node("Relu", ["x"], ["y"], alpha=1.0)], 13, "it has no attribute 'alpha' in opset 13"),
        ([node("Transpose", ["x"], ["y"], perm=1)], 13, "attribute 'perm' must be ints, got int"),
        ([node("Upsample", ["x", "x"], ["y"])], 13, "it was removed from ONNX"),
        ([node("Concat", ["x"], ["y"])], 13, "required attribute 'axis' is missing"),
    ],
)
def test_a_node_against_its_schema(nodes: list[onnx.NodeProto], opset: int, problem: str) -> None:
    importers = {**IMPORTERS, "Upsample": IMPORTERS["Relu"], "Concat": IMPORTERS["Relu"]}
    proto = model(nodes, [X], ["y"], opset=opset)
    (found,) = unsupported(proto, importers=importers)
    assert found.reason.startswith(problem)


def test_a_type_that_the_operator_does_not_take() -> None:
    text = reason(node("Relu", ["w"], ["y"]), w=np.array([True]))
    assert text.startswith("input 'X' cannot be bool, it must be bfloat16, double, float, ")
    text = reason(node("Relu", ["w"], ["y"]), opset=7, w=np.int8([1]))
    assert text == "input 'X' cannot be int8, it must be double, float, float16"


def test_two_inputs_of_different_types() -> None:
    text = reason(node("Add", ["x", "w"], ["y"]), w=np.int32([1]))
    assert text == "inputs 'x' (float32) and 'w' (int32) must have the same type"


def test_an_operator_without_a_schema_is_taken_as_it_is() -> None:
    proto = model(
        [node("DoubleRelu", ["x"], ["y"], name="d", domain="com.microsoft")], [X], ["y"],
        domains={"com.microsoft": 1},
    )  # fmt: skip
    graph = loaded(proto)
    assert [(n.op, n.name, n.inputs, n.outputs, n.origin) for n in graph.nodes] == [
        ("Relu", "d/Relu", ("x",), ("d/Relu",), ("d",)),
        ("Mul", "d", ("d/Relu", "d/two"), ("y",), ("d",)),
    ]
    assert graph["d/Relu"].source is None


def test_a_fault_of_an_operators_file_is_ours() -> None:
    def broken(ctx: ImportContext) -> None:
        raise IndexError("oops")

    with pytest.raises(InternalError, match="importing Relu 'relu_h1' failed: IndexError: oops"):
        load_model(chain(), importers={"Relu": broken}, specs=SPECS)


def test_an_operator_that_nobody_registered_is_our_fault() -> None:
    with pytest.raises(InternalError, match="operator Relu is not registered"):
        load_model(chain(), importers=IMPORTERS, specs={})


def test_unused_optional_outputs_are_not_asked_for() -> None:
    seen = []

    def dropout(ctx: ImportContext) -> None:
        seen.append(ctx.outputs)
        ctx.emit("Identity", ctx.inputs[:1], NoAttrs(), ctx.outputs)

    importers = {**IMPORTERS, "Dropout": dropout}
    nodes = [node("Dropout", ["x"], ["y", "mask"])]
    graph = load_model(model(nodes, [X], ["y"]), importers=importers, specs=SPECS).graph
    assert seen == [("y", "")]
    assert graph.nodes[0].outputs == ("y",)
    (found,) = unsupported(model(nodes, [X], ["y", "mask"]), importers=importers)
    assert found.reason == "output 'mask' is not supported"


def test_a_context_says_what_is_missing() -> None:
    def second(ctx: ImportContext) -> None:
        ctx.tensor(1)

    (found,) = unsupported(chain(1), importers={"Relu": second})
    assert found.reason == "input 1 is missing"


def test_trailing_absent_inputs_are_left_out() -> None:
    seen = []

    def clip(ctx: ImportContext) -> None:
        seen.append(ctx.inputs)
        ctx.emit("Identity", ctx.inputs, NoAttrs(), ctx.outputs)

    proto = model([node("Clip", ["x", "", ""], ["y"])], [X], ["y"])
    load_model(proto, importers={"Clip": clip}, specs=SPECS)
    assert seen == [("x",)]


def test_an_importer_that_forgets_its_output() -> None:
    def forgetful(ctx: ImportContext) -> None:
        ctx.emit("Relu", ctx.inputs, NoAttrs())

    (found,) = unsupported(chain(1), importers={"Relu": forgetful})
    assert found.reason == "output 'y' is not supported"


def test_an_importer_that_gives_its_output_twice() -> None:
    def twice(ctx: ImportContext) -> None:
        for _ in range(2):
            ctx.emit("Relu", ctx.inputs, NoAttrs(), ctx.outputs)

    with pytest.raises(InternalError, match="tensor 'y' is added twice by the importer"):
        load_model(chain(1), importers={"Relu": twice}, specs=SPECS)


@pytest.mark.parametrize(
    ("shape", "problem"),
    [((1,) * 33, "its result has 33 dimensions"), ((2, -1), "a negative dimension: [2,-1]")],
)
def test_a_shape_that_cannot_be(shape: tuple[int, ...], problem: str) -> None:
    wrong = OpSpec("Relu", lambda attrs, inputs: (TensorType(shape, DType.FLOAT32),))
    (found,) = unsupported(chain(1), specs={"Relu": wrong})
    assert problem in found.reason


def test_a_refused_node_that_infer_cannot_take() -> None:
    def never(attrs: Any, inputs: Any) -> tuple[TensorType, ...]:
        raise ZeroDivisionError

    def rule(attrs: Any, inputs: Any) -> str | None:
        """It must not be."""
        return "it is"

    refusing = OpSpec("Relu", never, constraints=(rule,))
    found = unsupported(chain(2), specs={"Relu": refusing})
    assert [u.reason for u in found] == ["It must not be, got it is"]


def test_too_few_inputs_without_a_schema() -> None:
    short = node("DoubleRelu", [], ["y"], domain="com.microsoft")
    (found,) = unsupported(model([short], [X], ["y"], domains={"com.microsoft": 1}))
    assert found.reason == "it must have at least 1 inputs, got 0"


def test_an_operator_that_onnx_got_later_is_checked_by_its_later_schema() -> None:
    importers = {"HardSwish": IMPORTERS["Relu"]}
    nodes = [node("HardSwish", ["x"], ["y"])]
    assert load_model(model(nodes, [X], ["y"]), importers=importers, specs=SPECS).graph.nodes
    nodes = [node("HardSwish", ["x", "x"], ["y"])]
    (found,) = unsupported(model(nodes, [X], ["y"]), importers=importers)
    assert found.reason == "it must have 1 inputs, got 2"


@pytest.mark.parametrize("declared", [value("a", ["N"]), value("a", None), value("a", [2], 77)])
def test_a_declared_type_that_says_too_little(declared: onnx.ValueInfoProto) -> None:
    nodes = [node("Sinh", ["x"], ["a"]), node("Add", ["a", "x"], ["y"])]
    proto = model(nodes, [X], ["y"])
    proto.graph.value_info.append(declared)
    assert [u.name for u in unsupported(proto)] == ["a"]


# --- attributes ----------------------------------------------------------------------------------


def attribute_reason(attribute: onnx.AttributeProto) -> str:
    def read(ctx: ImportContext) -> None:
        ctx.emit("Relu", ctx.inputs, NoAttrs(), ctx.outputs)
        assert ctx.attr("a") is not None

    proto = onnx.NodeProto(op_type="Do", domain="com.microsoft", input=["x"], output=["y"])
    proto.attribute.append(attribute)
    with pytest.raises(ModelError) as caught:
        load_model(
            model([proto], [X], ["y"], domains={"com.microsoft": 1}),
            importers={"com.microsoft::Do": read}, specs=SPECS,
        )  # fmt: skip
    return caught.value.message


def test_attributes_that_cannot_be_read() -> None:
    graph = helper.make_attribute("a", helper.make_graph([], "g", [], []))
    assert "attribute 'a' of kind graph is not supported" in attribute_reason(graph)
    foreign = helper.make_attribute("a", helper.make_tensor("t", TensorProto.BFLOAT16, [1], [1.0]))
    assert "attribute 'a' has type bfloat16" in attribute_reason(foreign)
    binary = onnx.AttributeProto(name="a", type=onnx.AttributeProto.STRING, s=b"\xff")
    assert "attribute text b'\\xff' is not valid UTF-8" in attribute_reason(binary)
