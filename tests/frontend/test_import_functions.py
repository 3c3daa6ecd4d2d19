"""Model-local functions are inlined, ONNX's own definitions too, and constant If branches."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mcugen import semantics
from mcugen.errors import ModelError, UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.ir import Array, Graph
from onnx_models import STUBS, model, node, value

X = value("x", [3])
DATA = np.array([-1, 0, 2], np.float32)
LOCAL = {"local": 1}


def function(
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    nodes: Sequence[onnx.NodeProto],
    attributes: Sequence[str] = (),
    opsets: Mapping[str, int] | None = None,
) -> onnx.FunctionProto:
    imports = {"": 13, "local": 1} if opsets is None else opsets
    return helper.make_function(
        "local", name, inputs, outputs, nodes,
        [helper.make_opsetid(d, v) for d, v in imports.items()], attributes,
    )  # fmt: skip


def call(
    name: str, inputs: list[str], outputs: list[str], label: str = "", **attributes: object
) -> onnx.NodeProto:
    return node(name, inputs, outputs, name=label, domain="local", **attributes)


def loaded(proto: onnx.ModelProto) -> Graph:
    return load_model(proto, **STUBS).graph


def computed(proto: onnx.ModelProto, data: Array = DATA) -> Array:
    return semantics.run(loaded(proto), {"x": data}, specs=STUBS["specs"])["y"]


def refused(proto: onnx.ModelProto) -> str:
    with pytest.raises(ModelError) as caught:
        loaded(proto)
    return caught.value.message


RELU_ADD = function(
    "ReluAdd",
    ["a", "b"],
    ["c"],
    [node("Relu", ["a"], ["t"]), node("Add", ["t", "b"], ["c"], name="add")],
)


def test_a_call_becomes_the_body() -> None:
    proto = model(
        [call("ReluAdd", ["x", "x"], ["y"], "f")], [X], ["y"], domains=LOCAL, functions=[RELU_ADD]
    )
    graph = loaded(proto)
    assert [(n.op, n.inputs, n.outputs) for n in graph.nodes] == [
        ("Relu", ("x",), ("f/t",)),
        ("Add", ("f/t", "x"), ("y",)),
    ]
    assert [n.name for n in graph.nodes] == ["Relu_f/t", "f/add"]
    np.testing.assert_array_equal(computed(proto), [-1, 0, 4])


def test_two_calls_have_values_of_their_own() -> None:
    nodes = [call("ReluAdd", ["x", "x"], ["t"]), call("ReluAdd", ["t", "x"], ["y"])]
    proto = model(nodes, [X], ["y"], domains=LOCAL, functions=[RELU_ADD])
    np.testing.assert_array_equal(computed(proto), [-1, 0, 6])
    assert set(loaded(proto).tensors) == {"x", "t/t", "t", "y/t", "y"}


def test_inner_names_avoid_the_models() -> None:
    nodes = [node("Relu", ["x"], ["f/t"]), call("ReluAdd", ["f/t", "x"], ["y"], "f")]
    graph = loaded(model(nodes, [X], ["y"], domains=LOCAL, functions=[RELU_ADD]))
    assert set(graph.tensors) == {"x", "f/t", "f/t__2", "y"}


def test_functions_call_functions() -> None:
    outer = function(
        "Outer",
        ["p"],
        ["q"],
        [call("ReluAdd", ["p", "p"], ["m"], "in"), node("Add", ["m", "p"], ["q"])],
    )
    proto = model(
        [call("Outer", ["x"], ["y"], "out")], [X], ["y"], domains=LOCAL, functions=[outer, RELU_ADD]
    )
    assert "out/in/t" in loaded(proto).tensors
    np.testing.assert_array_equal(computed(proto), [-2, 0, 6])


def test_bodies_are_sorted_and_inputs_may_be_left_out() -> None:
    body = [node("Add", ["t", "a"], ["c"]), node("Relu", ["a"], ["t"])]
    swapped = function(
        "Swapped", ["a", "unused"], ["c", "also"], [*body, node("Relu", ["a"], ["also"])]
    )
    proto = model([call("Swapped", ["x"], ["y"])], [X], ["y"], domains=LOCAL, functions=[swapped])
    np.testing.assert_array_equal(computed(proto), [-1, 0, 4])


def test_an_input_that_is_an_output() -> None:
    through = function("Through", ["a"], ["a"], [])
    proto = model([call("Through", ["x"], ["y"])], [X], ["y"], domains=LOCAL, functions=[through])
    np.testing.assert_array_equal(computed(proto), DATA)


def with_reference(default: bool = False) -> onnx.FunctionProto:
    transpose = node("Transpose", ["a"], ["b"])
    transpose.attribute.add(name="perm", ref_attr_name="order", type=onnx.AttributeProto.INTS)
    made = function("T", ["a"], ["b"], [transpose], [] if default else ["order"])
    if default:
        made.attribute_proto.append(helper.make_attribute("order", [0, 2, 1]))
    return made


@pytest.mark.parametrize(
    ("default", "given", "shape"),
    [
        (False, {"order": [1, 0, 2]}, (3, 2, 4)),
        (False, {}, (4, 3, 2)),
        (True, {}, (2, 4, 3)),
        (True, {"order": [1, 0, 2]}, (3, 2, 4)),
    ],
)
def test_attribute_references(
    default: bool, given: dict[str, list[int]], shape: tuple[int, ...]
) -> None:
    proto = model(
        [call("T", ["x"], ["y"], **given)], [value("x", [2, 3, 4])], ["y"],
        domains=LOCAL, functions=[with_reference(default)],
    )  # fmt: skip
    assert loaded(proto)["y"].shape == shape


def test_a_function_may_stand_for_an_onnx_operator() -> None:
    override = function("Sinh", ["a"], ["b"], [node("Relu", ["a"], ["b"])])
    override.domain = ""
    proto = model([node("Sinh", ["x"], ["y"])], [X], ["y"], functions=[override])
    np.testing.assert_array_equal(computed(proto), [0, 0, 2])


def test_a_function_has_opsets_of_its_own() -> None:
    old = function("Old", ["a"], ["b"], [node("Relu", ["a"], ["b"])], opsets={"": 5})
    proto = model([call("Old", ["x"], ["y"])], [X], ["y"], domains=LOCAL, functions=[old])
    assert "opset 5 is not supported" in refused(proto)


def test_a_body_does_not_see_the_callers_values() -> None:
    peeking = function("Peek", ["a"], ["b"], [node("Add", ["a", "x"], ["b"])])
    proto = model([call("Peek", ["x"], ["y"], "p")], [X], ["y"], domains=LOCAL, functions=[peeking])
    assert "reads 'p/x', which nothing produces" in refused(proto)


def test_recursion_is_named() -> None:
    one = function("One", ["a"], ["b"], [call("Two", ["a"], ["b"])])
    two = function("Two", ["a"], ["b"], [call("One", ["a"], ["b"])])
    proto = model([call("One", ["x"], ["y"])], [X], ["y"], domains=LOCAL, functions=[one, two])
    assert "function 'One' calls itself" in refused(proto)


def nested(levels: int, calls: int) -> onnx.ModelProto:
    """f0 calls f1 `calls` times, f1 calls f2 ...: calls ** levels nodes."""
    functions = []
    for level in range(levels):
        names = ["a", *(f"t{i}" for i in range(1, calls)), "b"]
        op = f"f{level + 1}" if level + 1 < levels else None
        functions.append(
            function(
                f"f{level}", ["a"], ["b"],
                [
                    call(op, [p], [q]) if op else node("Relu", [p], [q])
                    for p, q in itertools.pairwise(names)
                ],
            )
        )  # fmt: skip
    return model([call("f0", ["x"], ["y"])], [X], ["y"], domains=LOCAL, functions=functions)


def test_deep_nesting_is_bounded() -> None:
    assert len(loaded(nested(20, 1)).nodes) == 1
    assert "nested more than 32 deep" in refused(nested(40, 1))


def test_multiplication_is_bounded() -> None:
    assert "more than 100000 nodes, functions inlined" in refused(nested(20, 4))


@pytest.mark.parametrize(
    ("made", "inputs", "problem"),
    [
        (
            RELU_ADD,
            ["x", "x", "x"],
            "local::ReluAdd 'f' has 3 inputs or outputs, its function has 2",
        ),
        (function("F", ["a"], ["b"], []), ["x"], "'y', which nothing produces"),
        (function("F", ["a"], ["b"], [node("Relu", ["b"], ["a"])]), ["x"], "redefines its input"),
        (
            function("F", ["a"], ["b"], [node("Relu", ["a"], ["b"]), node("Relu", ["a"], ["b"])]),
            ["x"],
            "value 'y' is defined twice",
        ),
    ],
)
def test_a_body_that_is_wrong(made: onnx.FunctionProto, inputs: list[str], problem: str) -> None:
    proto = model(
        [call(made.name, inputs, ["y"], "f")], [X], ["y"], domains=LOCAL, functions=[made]
    )
    assert problem in refused(proto)


def test_a_function_defined_twice() -> None:
    proto = model([], [X], ["x"], domains=LOCAL, functions=[RELU_ADD, RELU_ADD])
    assert "function 'ReluAdd' is defined twice" in refused(proto)


def test_a_graph_for_an_attribute() -> None:
    body = helper.make_graph([], "g", [], [])
    proto = model(
        [call("ReluAdd", ["x", "x"], ["y"], g=body)],
        [X],
        ["y"],
        domains=LOCAL,
        functions=[RELU_ADD],
    )
    assert "function 'ReluAdd' has a graph for an attribute" in refused(proto)


def test_onnx_defines_operators_by_others() -> None:
    importers = {**STUBS["importers"], "HardSigmoid": STUBS["importers"]["Relu"]}
    proto = model([node("HardSwish", ["x"], ["y"], name="s")], [X], ["y"], opset=18)
    graph = load_model(proto, importers=importers, specs=STUBS["specs"]).graph
    assert [(n.op, n.inputs) for n in graph.nodes] == [("Relu", ("x",)), ("Mul", ("x", "s/HS_X"))]
    np.testing.assert_array_equal(
        semantics.run(graph, {"x": DATA}, specs=STUBS["specs"])["y"], [0, 0, 4]
    )


def test_a_definition_that_needs_the_unsupported_names_it() -> None:
    proto = model([node("Mish", ["x"], ["y"])], [X], ["y"], opset=18)
    with pytest.raises(UnsupportedModelError) as caught:
        loaded(proto)
    (found,) = caught.value.unsupported
    assert (found.op, found.name) == ("Mish", "y")
    assert "not supported itself; in its definition by ONNX, " in found.reason


def branches(then: onnx.NodeProto, other: onnx.NodeProto, **more: object) -> onnx.NodeProto:
    graphs = [helper.make_graph([n], "b", [], [value(n.output[0], [3])]) for n in (then, other)]
    return node("If", ["c"], ["y"], name="if", then_branch=graphs[0], else_branch=graphs[1], **more)


@pytest.mark.parametrize(("condition", "wanted"), [(True, [0, 0, 2]), (False, [-2, 0, 4])])
def test_a_constant_condition_takes_its_branch(condition: bool, wanted: list[float]) -> None:
    chosen = branches(node("Relu", ["x"], ["r"]), node("Add", ["x", "x"], ["r"]))
    proto = model([chosen], [X], ["y"], {"c": np.array(condition)})
    np.testing.assert_array_equal(computed(proto), wanted)


def test_a_branch_has_initializers_and_nested_branches() -> None:
    inner = branches(node("Mul", ["x", "k"], ["z"]), node("Relu", ["x"], ["z"]))
    inner.output[0] = "w"
    graph = helper.make_graph(
        [inner], "outer", [], [value("w", [3])],
        [helper.make_tensor("k", TensorProto.FLOAT, [1], [3.0])],
    )  # fmt: skip
    other = helper.make_graph([node("Relu", ["x"], ["z"])], "e", [], [value("z", [3])])
    proto = model(
        [node("If", ["c"], ["y"], then_branch=graph, else_branch=other)],
        [X, value("k", [1])], ["y"], {"c": np.array([True])},
    )  # fmt: skip
    np.testing.assert_array_equal(
        semantics.run(
            loaded(proto), {"x": DATA, "k": np.zeros(1, np.float32)}, specs=STUBS["specs"]
        )["y"],
        [-3, 0, 6],
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("then_branch", "required attribute 'then_branch' is missing"),
        ("outputs", "'then_branch' has 0 outputs, If has 1"),
    ],
)
def test_a_branch_that_is_not_there(change: str, problem: str) -> None:
    chosen = branches(node("Relu", ["x"], ["r"]), node("Relu", ["x"], ["r"]))
    if change == "outputs":
        del chosen.attribute[0].g.output[:]
        del chosen.attribute[1].g.output[:]
    else:
        kept = [a for a in chosen.attribute if a.name != change]
        del chosen.attribute[:]
        chosen.attribute.extend(kept)
    assert problem in refused(model([chosen], [X], ["y"], {"c": np.array(True)}))


def test_a_branch_that_gives_an_initializer_twice() -> None:
    chosen = branches(node("Relu", ["x"], ["r"]), node("Relu", ["x"], ["r"]))
    for attribute in chosen.attribute:
        attribute.g.initializer.extend([helper.make_tensor("k", TensorProto.FLOAT, [1], [3.0])] * 2)
    proto = model([chosen], [X], ["y"], {"c": np.array(True)})
    assert "'if/then_branch' gives an initializer twice" in refused(proto)


def test_a_definition_beyond_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcugen.frontend.functions.MAX_NODES", 2)
    assert "its definition by ONNX: more than 2 nodes" in refused(
        model([node("HardSwish", ["x"], ["y"])], [X], ["y"], opset=18)
    )


def test_a_branch_in_a_function_sees_the_functions_values_and_attributes() -> None:
    transpose = node("Transpose", ["t"], ["r"])
    transpose.attribute.add(name="perm", ref_attr_name="order", type=onnx.AttributeProto.INTS)
    taken = helper.make_graph([transpose], "then", [], [value("r", None)])
    other = helper.make_graph([node("Relu", ["a"], ["r"])], "else", [], [value("r", None)])
    body = [
        node("Constant", [], ["c"], value_int=1),
        node("Relu", ["a"], ["t"]),
        node("If", ["c"], ["b"], name="if", then_branch=taken, else_branch=other),
    ]
    made = function("F", ["a"], ["b"], body, ["order"])
    proto = model(
        [call("F", ["x"], ["y"], "f", order=[1, 0])], [value("x", [2, 3])], ["y"],
        domains=LOCAL, functions=[made],
    )  # fmt: skip
    graph = loaded(proto)
    assert [(n.op, n.inputs, n.outputs) for n in graph.nodes] == [
        ("Relu", ("x",), ("f/t",)),
        ("Transpose", ("f/t",), ("f/if/then_branch/r",)),
        ("Identity", ("f/if/then_branch/r",), ("y",)),
    ]
    assert graph["y"].shape == (3, 2)


def test_unsupported_nodes_of_a_branch_are_listed_by_name() -> None:
    chosen = branches(node("Sinh", ["x"], ["r"], name="deep"), node("Relu", ["x"], ["r"]))
    with pytest.raises(UnsupportedModelError) as caught:
        loaded(model([chosen], [X], ["y"], {"c": np.array(True)}))
    assert [(u.op, u.name) for u in caught.value.unsupported] == [("Sinh", "if/then_branch/deep")]


def test_a_computed_condition_is_refused() -> None:
    chosen = branches(node("Relu", ["x"], ["r"]), node("Relu", ["x"], ["r"]))
    proto = model([chosen], [X, value("c", [], TensorProto.BOOL)], ["y"])
    assert "If 'if' (<model>): the condition must be constant, got 'c'" in refused(proto)


def test_loops_are_refused_with_a_hint() -> None:
    body = helper.make_graph(
        [node("Identity", ["c"], ["d"])], "b",
        [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL)],
        [value("d", [], TensorProto.BOOL)],
    )  # fmt: skip
    loop = node("Loop", ["n", ""], ["y"], name="loop", body=body)
    proto = model([loop], [X], ["y"], {"n": np.array(3)})
    with pytest.raises(UnsupportedModelError) as caught:
        loaded(proto)
    (found,) = caught.value.unsupported
    assert (found.name, found.op) == ("loop", "Loop")
    assert found.hint == "unroll the loop when exporting the model"
