"""Trilu, OneHot and BitCast: import, meaning, refusals."""

from __future__ import annotations

import numpy as np
import onnx.defs
import pytest
from onnx import TensorProto

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType
from mcugen.ops.bitcast import BitCastAttrs
from mcugen.ops.one_hot import OneHotAttrs
from mcugen.ops.trilu import TriluAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 2, 4, 5)
OFF_ON = np.float32([-1, 3])


def scalar(value: int) -> Array:
    return np.array(value, np.int64)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [None, 0, 2, -1, 7, -7])
def test_trilu(upper: int, k: int | None) -> None:
    inputs = (X,) if k is None else (X, scalar(k))
    assert_as_ort("Trilu", inputs, opset=14, constant=(1,), upper=upper)


def test_trilu_attributes() -> None:
    graph = imported("Trilu", (X, scalar(-2)), opset=14, constant=(1,), upper=0)
    assert graph.nodes[0].attrs == TriluAttrs(False, -2)
    assert imported("Trilu", (X,), opset=14).nodes[0].attrs == TriluAttrs()


def test_trilu_refuses() -> None:
    with pytest.raises(UnsupportedModelError, match="must have at least 2 dimensions, got 1"):
        imported("Trilu", (X[0, 0],), opset=14)
    with pytest.raises(UnsupportedModelError, match="k must be constant"):
        imported("Trilu", (X, scalar(1)), opset=14)


@pytest.mark.parametrize("axis", [-1, 0, 1, -2])
def test_one_hot(axis: int) -> None:
    indices = np.array([[0, 2, 9], [-1, -3, -4]], np.int64)
    assert_as_ort("OneHot", (indices, scalar(3), OFF_ON), constant=(1,), axis=axis)


def test_one_hot_of_floats() -> None:
    inputs = (np.float32([0, 1.9, -1]), np.array(3, np.float32), np.int64([4, 7]))
    y = meaning("OneHot", inputs, constant=(1,))
    assert y.tolist() == [[7, 4, 4], [4, 7, 4], [4, 4, 7]]
    graph = imported("OneHot", inputs, constant=(1,))
    assert [n.op for n in graph.nodes] == ["Cast", "OneHot"]
    assert graph.nodes[1].attrs == OneHotAttrs(1, 3)


@pytest.mark.parametrize(
    ("depth", "values", "reason"),
    [
        (np.float32([2.5]), OFF_ON, "depth must be a whole number in .*, got 2.5"),
        (np.int64([-1]), OFF_ON, "depth must be a whole number in .*, got -1"),
        (np.int64([3]), np.float32([1, 2, 3]), "values must be .off, on., got shape .3."),
    ],
)
def test_one_hot_refuses(depth: Array, values: Array, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("OneHot", (np.int64([0]), depth, values), constant=(1,))


def test_one_hot_depth_must_be_constant() -> None:
    with pytest.raises(UnsupportedModelError, match="depth must be constant"):
        imported("OneHot", (np.int64([0]), scalar(3), OFF_ON))


BITCAST_OPSET = 26
needs_bitcast = pytest.mark.skipif(
    onnx.defs.onnx_opset_version() < BITCAST_OPSET, reason="this onnx has no BitCast"
)


@needs_bitcast
def test_bitcast() -> None:
    x = np.float32([1, -0.0, np.nan])
    y = meaning("BitCast", (x,), opset=BITCAST_OPSET, to=TensorProto.INT32)
    assert y.tolist() == x.view(np.int32).tolist()
    graph = imported("BitCast", (x,), opset=BITCAST_OPSET, to=TensorProto.UINT32)
    assert graph.nodes[0].attrs == BitCastAttrs(DType.UINT32)


@needs_bitcast
@pytest.mark.parametrize(
    ("x", "to", "reason"),
    [
        (X, TensorProto.INT64, "must have the same size, got float32 and int64"),
        (np.uint8([1]), TensorProto.BOOL, "must not be bool, which .*, got bool of uint8"),
        (X, TensorProto.STRING, "to must be an integer, float or bool type, got string"),
    ],
)
def test_bitcast_refuses(x: Array, to: int, reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("BitCast", (x,), opset=BITCAST_OPSET, to=to)
