"""The oracle: every tensor by the ONNX meaning of its node, freed when asked."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen import semantics
from mcugen.errors import InternalError, ModelError
from mcugen.ir import DType, Graph, Node, Tensor
from mcugen.ops.spec import OpSpec
from onnx_models import SPECS, NoAttrs

F32 = DType.FLOAT32
X = np.array([-1, 2], np.float32)


def graph() -> Graph:
    names = ("x", "a", "b", "y")
    tensors = {n: Tensor(n, (2,), F32) for n in names}
    tensors["w"] = Tensor("w", (), F32, data=np.array(10, np.float32))
    nodes = (
        Node("Relu", "r", ("x",), ("a",), NoAttrs()),
        Node("Add", "s", ("a", "w"), ("b",), NoAttrs()),
        Node("Mul", "m", ("b", "x"), ("y",), NoAttrs()),
    )
    return Graph("g", nodes, tensors, ("x",), ("y",))


def test_every_tensor_is_returned() -> None:
    values = semantics.run(graph(), {"x": X}, specs=SPECS)
    assert {n: v.tolist() for n, v in values.items()} == {
        "x": [-1, 2],
        "w": 10,
        "a": [0, 2],
        "b": [10, 12],
        "y": [-10, 24],
    }


def test_only_what_is_wanted_is_kept() -> None:
    values = semantics.run(graph(), {"x": X}, keep=("a",), specs=SPECS)
    assert {n: v.tolist() for n, v in values.items()} == {"a": [0, 2], "y": [-10, 24]}
    assert set(semantics.run(graph(), {"x": X}, keep=(), specs=SPECS)) == {"y"}


def test_an_input_may_be_an_output() -> None:
    passed = Graph("g", (), {"x": Tensor("x", (2,), F32)}, ("x",), ("x",))
    assert semantics.run(passed, {"x": X}, keep=(), specs=SPECS)["x"].tolist() == [-1, 2]


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({}, "no value is given for input 'x'"),
        ({"x": X, "z": X}, "the model has no input 'z'; it has: x"),
        ({"x": X[:1]}, "input 'x' must be float32[2], got float32[1]"),
        ({"x": X.astype(np.int8)}, "input 'x' must be float32[2], got int8[2]"),
    ],
)
def test_inputs_must_fit(inputs: dict[str, np.ndarray], problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        semantics.run(graph(), inputs, specs=SPECS)
    assert caught.value.message == problem


def test_an_operator_without_semantics() -> None:
    lowered = {**SPECS, "Relu": OpSpec("Relu", SPECS["Relu"].infer)}
    with pytest.raises(InternalError, match="operator Relu of node 'r' has no semantics"):
        semantics.run(graph(), {"x": X}, specs=lowered)


def test_semantics_that_contradict_the_graph() -> None:
    wrong = OpSpec("Relu", SPECS["Relu"].infer, lambda a, x: (np.zeros(3, np.float32),))
    with pytest.raises(InternalError, match=r"Relu 'r': semantics gives float32\[3\] for a: float"):
        semantics.run(graph(), {"x": X}, specs={**SPECS, "Relu": wrong})
