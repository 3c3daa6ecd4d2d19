"""Constants: computed while importing, within bounds; types that the IR lacks are widened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mcugen.errors import InternalError, ModelError, Unsupported, UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.frontend.import_only import IMPORT_ONLY
from mcugen.ir import Array, DType, Graph
from mcugen.ops import registry
from mcugen.ops.spec import ImportContext, OpSpec, TensorType
from onnx_models import IMPORTERS, SPECS, STUBS, NoAttrs, model, node, value

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


def folded(
    nodes: Sequence[onnx.NodeProto], opset: int = 13, **constants: Array | float | Sequence[int]
) -> Array:
    arrays = {name: np.asarray(array) for name, array in constants.items()}
    data = loaded(model(nodes, [X], [nodes[-1].output[0]], arrays, opset=opset))["y"].data
    assert data is not None
    return data


# --- folding -------------------------------------------------------------------------------------


def test_constants_are_computed() -> None:
    nodes = [node("Add", ["a", "b"], ["c"]), node("Mul", ["c", "c"], ["y"])]
    np.testing.assert_array_equal(
        folded(nodes, a=np.float32([1, 2]), b=np.float32([[3], [4]])), [[16, 25], [25, 36]]
    )


def test_folding_keeps_the_onnx_name() -> None:
    nodes = [node("Add", ["a", "a"], ["c"]), node("Add", ["x", "c"], ["y"])]
    graph = loaded(model(nodes, [X], ["y"], {"a": ONES}))
    assert [n.op for n in graph.nodes] == ["Add"]
    assert (graph["c"].is_constant, str(graph["c"].source and graph["c"].source.name)) == (
        True,
        "c",
    )
    assert "a" not in graph.tensors


def test_dequantized_weights_are_not_computed() -> None:
    nodes = [
        node("DequantizeLinear", ["w", "s"], ["d"]),
        node("Transpose", ["d"], ["t"]),
        node("Add", ["x", "t"], ["y"]),
    ]
    weights = {"w": np.zeros((3, 2), np.int8), "s": np.float32(1)}
    graph = loaded(model(nodes, [X], ["y"], weights))
    assert [n.op for n in graph.nodes] == ["DequantizeLinear", "Transpose", "Add"]


def test_a_large_constant_is_not_computed() -> None:
    w = np.zeros(2**13, np.float32)
    text = reason(node("Add", ["a", "b"], ["y"]), a=w, b=w.reshape(-1, 1))
    assert text == "it computes a constant of 268435456 bytes, the limit is 67108864"


def test_all_constants_together_are_bounded() -> None:
    nodes = [node("Add", ["a", "b"], [f"c{i}"]) for i in range(9)]
    w = np.zeros(2**12, np.float32)
    proto = model(nodes, [X], [f"c{i}" for i in range(9)], {"a": w, "b": w.reshape(-1, 1)})
    (found,) = unsupported(proto)
    assert found.name == "c8"
    assert found.reason == "the constants computed so far exceed 536870912 bytes together"


def test_a_huge_result_is_refused() -> None:
    nodes = [node("Add", ["a", "b"], ["y"])]
    proto = model(nodes, [value("a", [2**20]), value("b", [2**20, 1])], ["y"])
    (found,) = unsupported(proto)
    assert found.reason.startswith("its result [1048576,1048576] needs 4398046511104 bytes")


def test_float16_results_and_outputs_are_refused() -> None:
    half = model([node("Add", ["a", "a"], ["y"])], [], ["y"], {"a": np.float16([1.5])})
    with pytest.raises(ModelError, match="output 'y' is a tensor of float16"):
        loaded(half)
    narrow = OpSpec("Narrow", lambda attrs, inputs: (TensorType((2, 3), DType.FLOAT16),))

    def relu(ctx: ImportContext) -> None:
        ctx.emit("Narrow", ctx.inputs, NoAttrs(), ctx.outputs)

    proto = model([node("Relu", ["x"], ["y"])], [X], ["y"])
    (found,) = unsupported(proto, importers={"Relu": relu}, specs={**SPECS, "Narrow": narrow})
    assert found.reason == "float16 is supported for constants only"


def test_semantics_that_contradict_infer_are_our_fault() -> None:
    lying = OpSpec("Relu", SPECS["Relu"].infer, lambda a, x: (np.zeros(7, np.float32),))
    proto = model([node("Relu", ["w"], ["y"])], [], ["y"], {"w": ONES})
    with pytest.raises(InternalError, match="Relu: semantics gave"):
        load_model(proto, importers=IMPORTERS, specs={**SPECS, "Relu": lying})


# --- operators that exist only while importing ---------------------------------------------------


def test_nobody_else_imports_them() -> None:
    assert not set(IMPORT_ONLY) & set(registry.importers())


CONSTANTS = {
    "value": (numpy_helper.from_array(np.int8([[1, 2]])), np.int8([[1, 2]])),
    "value_float": (1.5, np.float32(1.5)),
    "value_floats": ([1.5, 2.5], np.float32([1.5, 2.5])),
    "value_int": (7, np.int64(7)),
    "value_ints": ([7, 8], np.int64([7, 8])),
}


@pytest.mark.parametrize("kind", CONSTANTS)
def test_constant(kind: str) -> None:
    written, wanted = CONSTANTS[kind]
    got = folded([node("Constant", [], ["y"], **{kind: written})])
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        ({}, "exactly one value attribute, got 0"),
        ({"value_int": 1, "value_float": 2.0}, "exactly one value attribute, got 2"),
        ({"value_string": "a"}, "attribute 'value_string' is not supported"),
        ({"value_strings": ["a"]}, "attribute 'value_strings' is not supported"),
    ],
)
def test_a_constant_that_is_none(attributes: dict[str, Any], problem: str) -> None:
    assert problem in reason(node("Constant", [], ["y"], **attributes))


def test_non_zero() -> None:
    assert folded([node("NonZero", ["w"], ["y"])], w=np.float32([[1, 0], [2, 3]])).tolist() == [
        [0, 1, 1],
        [0, 0, 1],
    ]
    assert folded([node("NonZero", ["w"], ["y"])], w=np.float32(3)).shape == (0, 1)
    assert "must be constant" in reason(node("NonZero", ["x"], ["y"]))


# --- constants of types that the IR lacks --------------------------------------------------------


def test_a_foreign_constant_node_is_noted_until_it_is_read() -> None:
    half = helper.make_tensor("t", TensorProto.BFLOAT16, [2], [1.5, 2.0])
    nodes = [node("Constant", [], ["w"], value=half), node("Cast", ["w"], ["y"], to=1)]

    def cast(ctx: ImportContext) -> None:
        ctx.emit("Identity", ctx.inputs, NoAttrs(), ctx.outputs)

    proto = model(nodes, [], ["y"])
    graph = load_model(proto, importers={"Cast": cast}, specs=SPECS).graph
    np.testing.assert_array_equal(graph["y"].data, np.float32([1.5, 2]))
    nodes[1] = node("Relu", ["w"], ["y"])
    (found,) = unsupported(model(nodes, [], ["y"]))
    assert found.reason == "constant 'w' is a tensor of bfloat16, which is not supported"


def test_int4_weights_are_widened_for_dequantize_linear() -> None:
    weights = helper.make_tensor("w", TensorProto.INT4, [3], [-8, 0, 7])
    proto = model(
        [node("DequantizeLinear", ["w", "s"], ["y"])], [], ["y"], {"s": np.float32(1)}, opset=21
    )
    proto.graph.initializer.append(weights)
    graph = loaded(proto)
    assert graph.nodes[0].inputs == ("w/int8", "s")
    np.testing.assert_array_equal(graph["w/int8"].data, np.int8([-8, 0, 7]))
    assert graph["w/int8"].bits == 4
    assert graph["w/int8"].to_text().endswith(" const 4 bits")
