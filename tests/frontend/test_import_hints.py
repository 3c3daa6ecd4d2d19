"""What the user is told to do about a node: what can help with that very node."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.frontend import load_model
from onnx_models import Shape, model, node, value

LISTS = "'mcugen ops' lists"


def hint(*nodes: onnx.NodeProto, shape: Shape = (2, 3), opset: int = 13, **constants: Any) -> str:
    """The hint about the only node that is refused."""
    proto = model(nodes, [value("x", shape)], [nodes[-1].output[0]], constants, opset=opset)
    with pytest.raises(UnsupportedModelError) as caught:
        load_model(proto)
    (found,) = caught.value.unsupported
    assert caught.value.hint == found.hint
    return found.hint


@pytest.mark.parametrize(
    "broken",
    [
        node("Relu", [], ["y"]),
        node("Relu", ["x", "x"], ["y"]),
        node("Relu", ["x"], ["y", "z"]),
        node("Relu", ["x"], ["y"], alpha=0.1),
        node("Softmax", ["x"], ["y"], axis="1"),
        node("Softmax", ["x"], ["y"], axis=7),
        node("Concat", ["x", "x"], ["y"]),
        node("Gemm", ["x", ""], ["y"]),
        node("Gather", ["x", "x"], ["y"]),
        node("Upsample", ["x", "x"], ["y"]),
        node("QLinearAdd", ["x", "x"], ["y"], domain="com.microsoft"),
    ],
    ids=lambda n: f"{n.op_type}-{len(n.input)}-{len(n.output)}-{len(n.attribute)}",
)
def test_a_broken_node_is_mended_where_it_was_made(broken: onnx.NodeProto) -> None:
    found = hint(broken)
    assert LISTS not in found
    assert "the model is not valid ONNX" in found and "onnx.checker.check_model" in found


def test_shapes_that_disagree() -> None:
    found = hint(node("MatMul", ["x", "w"], ["y"]), w=np.ones((4, 2), np.float32))
    assert LISTS not in found and "--dim" in found
    assert hint(node("Add", ["x", "w"], ["y"]), w=np.ones((2, 4), np.float32)) == found
    assert hint(node("Reshape", ["x", "s"], ["y"]), s=np.array([4, -1])) == found


def test_shapes_that_disagree_inside_onnxs_own_definition() -> None:
    loss = node("SoftmaxCrossEntropyLoss", ["x", "labels"], ["y"])
    found = hint(loss, labels=np.array([0, 1, 2]))
    assert LISTS not in found and "--dim" in found


def test_a_branch_that_is_missing() -> None:
    proto = node("If", ["c"], ["y"])
    assert "not valid ONNX" in hint(node("Relu", ["x"], ["h"]), proto, c=np.array(True))


def test_what_is_valid_but_not_supported_has_the_list() -> None:
    assert LISTS in hint(node("DFT", ["x"], ["y"]), shape=(1, 4, 1), opset=17)
    assert LISTS in hint(node("Mystery", ["x"], ["y"]))


def test_a_hint_of_the_operators_own_comes_first() -> None:
    two = np.ones(3, np.float32)
    batch = node("BatchNormalization", ["x", "a", "a", "a", "a"], ["y", "m", "v"], training_mode=1)
    assert hint(batch, opset=15, a=two) == "export the model in evaluation mode"
