"""Input shapes: symbols resolved by --dim, a leading one by 1, everything else refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mcugen.errors import ModelError, UnsupportedModelError, UsageError
from mcugen.frontend import Imported, load_model
from onnx_models import STUBS, Shape, model, node, untyped, value


def relu(shape: Shape | None, kind: int = TensorProto.FLOAT) -> onnx.ModelProto:
    return model([node("Relu", ["x"], ["y"])], [value("x", shape, kind)], ["y"])


def loaded(proto: onnx.ModelProto, **dims: Any) -> Imported:
    return load_model(proto, dims=dims, **STUBS)


def test_a_static_shape_needs_nothing() -> None:
    found = loaded(relu([2, 3]))
    assert found.graph["x"].shape == (2, 3)
    assert found.notices == ()


@pytest.mark.parametrize(
    ("leading", "notice"),
    [
        ("N", 'batch dimension "N" of input x set to 1'),
        (None, "unnamed leading dimension of input x set to 1"),
    ],
)
def test_an_open_leading_dimension_becomes_1(leading: str | None, notice: str) -> None:
    found = loaded(relu([leading, 3]))
    assert found.graph["x"].shape == (1, 3)
    assert found.notices == (notice,)


def test_a_given_symbol_needs_no_notice() -> None:
    found = loaded(relu(["N", 3]), N=5)
    assert found.graph["x"].shape == (5, 3)
    assert found.notices == ()


def test_a_dimension_by_its_place() -> None:
    found = loaded(relu(["N", None, "W"]), **{"x:1": 7, "x:2": 8})
    assert found.graph["x"].shape == (1, 7, 8)


def test_input_names_may_hold_colons() -> None:
    proto = model([node("Relu", ["in:0"], ["y"])], [value("in:0", ["N", None])], ["y"])
    assert loaded(proto, **{"in:0:1": 4}).graph["in:0"].shape == (1, 4)


def test_one_symbol_has_one_value_everywhere() -> None:
    proto = model(
        [node("Add", ["a", "b"], ["y"])], [value("a", ["N", 3]), value("b", [3, "N"])], ["y"]
    )
    found = loaded(proto)
    assert [found.graph[n].shape for n in "ab"] == [(1, 3), (3, 1)]
    assert found.notices == ('batch dimension "N" of input a set to 1',)
    assert loaded(proto, N=3).graph["b"].shape == (3, 3)


def test_every_open_dimension_is_listed_with_its_option() -> None:
    with pytest.raises(ModelError) as caught:
        loaded(relu(["N", None, "H", "W"]))
    assert caught.value.message.endswith(
        "dimensions without a value: 'x:1' (axis 1 of x), 'H' (axis 2 of x), 'W' (axis 3 of x)"
    )
    assert caught.value.hint == "give --dim x:1=INT --dim H=INT --dim W=INT"


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError) as caught:
        loaded(relu(["N", "height"]), heigth=4)
    assert caught.value.message == "the model has no dimension 'heigth'; it has: N, height"
    assert caught.value.hint == "did you mean 'height'?"


def test_an_unknown_name_where_all_is_fixed() -> None:
    with pytest.raises(UsageError, match="it has: none, all its dimensions are fixed"):
        loaded(relu([1, 2]), N=1)


@pytest.mark.parametrize("number", [0, -1, 1.5, "2", True, None])
def test_a_value_must_be_a_positive_integer(number: Any) -> None:
    with pytest.raises(UsageError, match="'N' must be an integer of at least 1"):
        loaded(relu(["N"]), N=number)


def test_a_fixed_dimension_cannot_be_changed() -> None:
    assert loaded(relu([2, 3]), **{"x:0": 2}).graph["x"].shape == (2, 3)
    with pytest.raises(UsageError, match="dimension 'x:0' is 2 in the model, got 4"):
        loaded(relu([2, 3]), **{"x:0": 4})


def test_a_negative_dimension() -> None:
    with pytest.raises(ModelError, match="input 'x' has a negative dimension: -1 on axis 1"):
        loaded(relu([1, -1]))
    assert loaded(relu([1, -1]), **{"x:1": 4}).graph["x"].shape == (1, 4)


def test_zero_sizes_are_kept() -> None:
    assert loaded(relu([1, 0])).graph["y"].shape == (1, 0)


def test_rank_0() -> None:
    assert loaded(relu([])).graph["y"].shape == ()


def test_an_input_without_a_shape() -> None:
    with pytest.raises(ModelError, match="input 'x' has no shape"):
        loaded(relu(None))


@pytest.mark.parametrize("shape", [[2**40], [2**20, 2**20], [2**62, 4]])
def test_a_huge_input(shape: list[int]) -> None:
    with pytest.raises(ModelError, match="input 'x' is too large"):
        loaded(relu(shape))


def test_more_dimensions_than_numpy_has() -> None:
    with pytest.raises(ModelError, match="input 'x' has 40 dimensions"):
        loaded(relu([1] * 40))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (TensorProto.FLOAT16, "float16"),
        (TensorProto.BFLOAT16, "bfloat16"),
        (TensorProto.STRING, "string"),
        (TensorProto.COMPLEX128, "complex128"),
        (TensorProto.UINT4, "uint4"),
        (77, "type 77"),
    ],
)
def test_an_input_of_a_type_that_no_kernel_has(kind: int, name: str) -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        loaded(relu([1], kind))
    assert caught.value.unsupported[0].reason.startswith(f"input 'x' is a tensor of {name}, ")


@pytest.mark.parametrize("kind", ["a sequence", "an optional"])
def test_an_input_that_is_no_tensor(kind: str) -> None:
    proto = relu([1])
    element = helper.make_tensor_type_proto(TensorProto.FLOAT, [1])
    make = (
        helper.make_sequence_type_proto if kind == "a sequence" else helper.make_optional_type_proto
    )
    proto.graph.input[0].type.CopyFrom(make(element))
    with pytest.raises(UnsupportedModelError, match=f"input 'x' is {kind}, "):
        loaded(proto)


def test_an_input_without_a_type() -> None:
    proto = relu([1])
    proto.graph.input[0].CopyFrom(untyped("x"))
    with pytest.raises(UnsupportedModelError, match="input 'x' is a value without a type"):
        loaded(proto)


def test_a_foreign_input_straight_to_an_output() -> None:
    with pytest.raises(ModelError, match="input 's' is a tensor of string"):
        loaded(model([], [value("s", [1], TensorProto.STRING)], ["s"]))


def test_an_unused_input_stays() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [value("x", [1]), value("z", ["N", 2])], ["y"])
    assert loaded(proto).graph.inputs == ("x", "z")


def test_an_initializer_among_the_inputs_is_a_constant() -> None:
    proto = model(
        [node("Add", ["x", "w"], ["y"])],
        [value("x", [2]), value("w", [2])],
        ["y"],
        {"w": np.ones(2, np.float32)},
        ir=3,
    )
    graph = loaded(proto).graph
    assert graph.inputs == ("x",)
    assert graph["w"].is_constant
