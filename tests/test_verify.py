"""Every invariant of the IR: a graph that breaks it is named, with the pass that made it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mcugen.errors import InternalError
from mcugen.ir import DType, Graph, Node, QuantParams, Tensor
from mcugen.verify import verify
from onnx_models import SPECS, NoAttrs

F32 = DType.FLOAT32


def tensors(**changes: Tensor) -> dict[str, Tensor]:
    made = {n: Tensor(n, (2,), F32) for n in ("x", "h", "y")}
    return {**made, "w": Tensor("w", (2,), F32, data=np.zeros(2, np.float32)), **changes}


RELU = Node("Relu", "r", ("x",), ("h",), NoAttrs())
ADD = Node("Add", "a", ("h", "w"), ("y",), NoAttrs())


def graph(
    nodes: tuple[Node, ...] = (RELU, ADD),
    inputs: tuple[str, ...] = ("x",),
    outputs: tuple[str, ...] = ("y",),
    **changes: Tensor,
) -> Graph:
    return Graph("g", nodes, tensors(**changes), inputs, outputs)


def quantized(scale: Any, zero_point: Any, axis: int | None = None) -> Tensor:
    params = QuantParams(np.asarray(scale, np.float32), np.asarray(zero_point, np.int32), axis)
    return Tensor("h", (2,), DType.INT8, quant=params)


def test_a_good_graph() -> None:
    verify(graph(), "import", specs=SPECS)
    verify(graph((), ("x",), ("x", "w"), **{}).rebuild(()), "import", specs=SPECS)


BROKEN: dict[str, tuple[Callable[[], Graph], str]] = {
    "other-name": (lambda: graph(h=Tensor("z", (2,), F32)), "tensor 'h': its name is 'z'"),
    "shape-of-list": (lambda: graph(h=Tensor("h", [2], F32)), "shape [2] is no tuple of ints"),  # type: ignore[arg-type]
    "shape-of-numpy": (lambda: graph(h=Tensor("h", (np.int64(2),), F32)), "is no tuple of ints"),  # type: ignore[arg-type]
    "negative": (lambda: graph(h=Tensor("h", (-1,), F32)), "is no tuple of ints from 0"),
    "dtype": (lambda: graph(h=Tensor("h", (2,), np.float32)), "dtype <class"),  # type: ignore[arg-type]
    "data-shape": (
        lambda: graph(w=Tensor("w", (2,), F32, data=np.zeros(3, np.float32))),
        "w: float32[2] const holds float32[3]",
    ),
    "bits": (
        lambda: graph(w=Tensor("w", (2,), DType.INT8, data=np.int8([-8, 8]), bits=4)),
        "w: int8[2] const 4 bits holds more than 4 bits",
    ),
    "bits-activation": (
        lambda: graph(h=Tensor("h", (2,), DType.INT8, bits=4)),
        "h: int8[2] 4 bits holds more than 4 bits",
    ),
    "data-dtype": (
        lambda: graph(w=Tensor("w", (2,), F32, data=np.zeros(2, np.int8))),
        "holds int8[2]",
    ),
    "quantized-float": (
        lambda: graph(h=quantized(1, 0).replace(dtype=F32)),
        "tensor 'h': float32 is quantized",
    ),
    "scale-shape": (lambda: graph(h=quantized([1, 1], 0, 0)), "different shapes"),
    "scale-nan": (lambda: graph(h=quantized(np.nan, 0)), "not positive and finite"),
    "scale-zero": (lambda: graph(h=quantized(0, 0)), "not positive and finite"),
    "axis": (lambda: graph(h=quantized([1, 1], [0, 0], 1)), "quantization axis 1 of 1 axes"),
    "axis-length": (
        lambda: graph(h=quantized([1, 1, 1], [0, 0, 0], 0)),
        "scale has shape [3], must be [2]",
    ),
    "no-axis": (lambda: graph(h=quantized([1, 1], [0, 0])), "scale has shape [2], must be []"),
    "input": (lambda: graph(inputs=("x", "q")), "input 'q' does not exist"),
    "output": (lambda: graph(outputs=("q",)), "output 'q' does not exist"),
    "no-outputs": (lambda: graph(outputs=()), "no outputs"),
    "constant-input": (lambda: graph(inputs=("x", "w")), "input 'w' is constant"),
    "input-twice": (lambda: graph(inputs=("x", "x")), "an input is listed twice"),
    "order": (lambda: graph((ADD, RELU)), "node 'a' (Add): reads 'h' before it is produced"),
    "reads-nothing": (
        lambda: graph((RELU.replace(inputs=("q",)), ADD)),
        "node 'r' (Relu): reads 'q', which does not exist",
    ),
    "writes-nothing": (
        lambda: graph((RELU.replace(outputs=("q",)), ADD)),
        "writes 'q', which does not exist",
    ),
    "writes-twice": (
        lambda: graph((RELU, ADD, ADD.replace(name="b"))),
        "node 'b' (Add): writes 'y', which has a value already",
    ),
    "writes-input": (
        lambda: graph((RELU.replace(outputs=("x",)),), outputs=("x",)),
        "writes 'x', which has a value already",
    ),
    "same-output": (
        lambda: graph((RELU.replace(outputs=("h", "h")), ADD)),
        "writes 'h', which has a value already",
    ),
    "no-node-outputs": (lambda: graph((RELU, ADD, ADD.replace(outputs=()))), "has no outputs"),
    "node-name": (lambda: graph((RELU, ADD.replace(name="r"))), "two nodes are named 'r'"),
    "no-node-name": (lambda: graph((RELU, ADD.replace(name=""))), "a node has no name"),
    "unmade-output": (lambda: graph((RELU,)), "nothing produces 'y'"),
    "unmade-tensor": (lambda: graph((), outputs=("x",)), "nothing produces 'h'"),
    "operator": (lambda: graph((RELU.replace(op="No"), ADD)), "node 'r' (No): no such operator"),
    "attrs": (lambda: graph((RELU.replace(attrs={}), ADD)), "attrs are dict, no dataclass"),
    "attrs-class": (lambda: graph((RELU.replace(attrs=NoAttrs), ADD)), "attrs are type"),
    "infer": (
        lambda: graph(h=Tensor("h", (3,), F32)),
        "node 'r' (Relu): outputs are float32[3], infer says float32[2]",
    ),
    "infer-rejects": (
        lambda: graph((ADD,), ("x", "h"), h=Tensor("h", (3,), F32)).rebuild((ADD,)),
        "node 'a' (Add): shapes (3,) and (2,) do not broadcast",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_graph_is_named(case: str) -> None:
    make, problem = BROKEN[case]
    with pytest.raises(InternalError) as caught:
        verify(make(), "pass fuse_bias", specs=SPECS)
    assert caught.value.message.startswith("graph 'g' is wrong after pass fuse_bias: ")
    assert problem in caught.value.message


def test_good_quantization() -> None:
    verify(graph((), ("x",), ("h",), h=quantized_constant()).rebuild(()), "import", specs=SPECS)


def quantized_constant() -> Tensor:
    scales, zeros = np.float32([1, 2]), np.int32([0, 0])
    quant = QuantParams(scales, zeros, 0)
    return Tensor("h", (2,), DType.INT8, quant=quant, data=np.zeros(2, np.int8))


def test_an_optional_input_may_be_absent() -> None:
    good = graph((RELU.replace(inputs=("x", "")), ADD))
    verify(good, "import", specs=SPECS)


def test_registered_operators_are_the_default() -> None:
    unknown = dataclasses.replace(RELU, op="NoSuchOperator")
    with pytest.raises(InternalError, match="no such operator"):
        verify(graph((unknown, ADD)), "import")
