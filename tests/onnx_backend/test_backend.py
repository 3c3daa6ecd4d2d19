"""The ONNX backend interface."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.backend.base import Backend, BackendRep

from mcugen import onnx_backend
from mcugen.errors import ModelError, UnsupportedModelError, UsageError
from onnx_models import INT64, chain, model, node, value

X = np.float32([[-1, 2, -3, 4]])


def two_outputs() -> onnx.ModelProto:
    return model(
        [node("Sub", ["a", "b"], ["a-b"]), node("Neg", ["b"], ["0"])],
        [value("a", [2]), value("b", [2])],
        ["a-b", "0"],
    )


def test_a_tool_finds_the_functions_in_the_module() -> None:
    module = importlib.import_module("mcugen.onnx_backend")
    assert issubclass(module.HostBackend, Backend)
    assert module.supports_device("CPU") and module.supports_device("CPU:0")
    assert not module.supports_device("CUDA")
    (y,) = module.run_model(chain(), [X])
    np.testing.assert_array_equal(y, [[0, 2, 0, 4]])


def test_a_prepared_model_runs_again() -> None:
    prepared = onnx_backend.prepare(chain(), "CPU")
    assert isinstance(prepared, BackendRep)
    for x in (X, 2 * X):
        for inputs in ([x], (x,), x, {"x": x}):
            np.testing.assert_array_equal(prepared.run(inputs)[0], np.maximum(x, 0))


def test_outputs_are_found_by_position_and_by_name() -> None:
    a, b = np.float32([5, 6]), np.float32([1, 2])
    outputs = onnx_backend.run_model(two_outputs(), {"b": b, "a": a})
    assert len(outputs) == 2
    np.testing.assert_array_equal(outputs[0], [4, 4])
    np.testing.assert_array_equal(outputs["a-b"], [4, 4])
    np.testing.assert_array_equal(outputs["0"], [-1, -2])


@pytest.mark.parametrize(
    "inputs",
    [[], [X, X], {"y": X}, {"x": X, "y": X}, [X.astype(np.float64)], [X.reshape(4)]],
    ids=["none", "two", "name", "one-too-many", "dtype", "shape"],
)
def test_wrong_inputs_are_refused(inputs: object) -> None:
    with pytest.raises(UsageError):
        onnx_backend.prepare(chain()).run(inputs)


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="device must be CPU, got 'CUDA'"):
        onnx_backend.prepare(chain(), "CUDA")
    with pytest.raises(UsageError, match="arithmetic must be one of"):
        onnx_backend.prepare(chain(), arithmetic="float")
    with pytest.raises(UsageError, match="run has no option 'fast'"):
        onnx_backend.prepare(chain()).run([X], fast=True)


def test_compatible_is_what_can_be_generated() -> None:
    unknown = model([node("Unique", ["x"], ["y"])], [value("x", [4])], ["y"])
    assert onnx_backend.is_compatible(chain())
    assert not onnx_backend.is_compatible(chain(), "CUDA")
    assert not onnx_backend.is_compatible(unknown)
    assert not onnx_backend.is_compatible(onnx.ModelProto())
    with pytest.raises(UnsupportedModelError, match="Unique"):
        onnx_backend.prepare(unknown)
    with pytest.raises(ModelError):
        onnx_backend.prepare(onnx.ModelProto())


def test_symbolic_dimensions_are_set() -> None:
    proto = model([node("Relu", ["x"], ["y"])], [value("x", ["N", "T"])], [value("y", ["N", "T"])])
    assert onnx_backend.is_compatible(proto, dims={"N": 1, "T": 4})
    assert not onnx_backend.is_compatible(proto)
    (y,) = onnx_backend.run_model(proto, [X], dims={"N": 1, "T": 4})
    np.testing.assert_array_equal(y, [[0, 2, 0, 4]])


@pytest.mark.parametrize(("arithmetic", "wanted"), [("onnx", 0), ("tflite", 1)])
def test_arithmetic_is_chosen(arithmetic: str, wanted: int) -> None:
    """0.5 lies between: ONNX rounds it to even, fixed point away from zero."""
    nodes = [
        node("DequantizeLinear", ["a", "s", "z"], ["fa"]),
        node("DequantizeLinear", ["b", "s", "z"], ["fb"]),
        node("Add", ["fa", "fb"], ["f"]),
        node("QuantizeLinear", ["f", "one", "z"], ["y"]),
    ]
    kind = onnx.TensorProto.INT8
    constants = {"s": np.float32(0.5), "one": np.float32(1), "z": np.int8(0)}
    ins = [value("a", [1], kind), value("b", [1], kind)]
    proto = model(nodes, ins, ["y"], {n: np.asarray(a) for n, a in constants.items()})
    (y,) = onnx_backend.run_model(proto, [np.int8([1]), np.int8([0])], arithmetic=arithmetic)
    assert y.tolist() == [wanted]


def test_one_node_runs() -> None:
    (y,) = onnx_backend.run_node(node("Sub", ["a", "b"], ["y"]), [X, X])
    np.testing.assert_array_equal(y, np.zeros((1, 4)))
    (y,) = onnx_backend.run_node(node("Add", ["a", "a"], ["y"]), X, opset_version=7)
    np.testing.assert_array_equal(y, 2 * X)


def test_one_node_takes_what_must_be_constant_from_its_inputs() -> None:
    reshape = node("Reshape", ["x", "shape"], ["y"])
    (y,) = onnx_backend.run_node(reshape, {"shape": np.int64([2, 2]), "x": X})
    np.testing.assert_array_equal(y, X.reshape(2, 2))
    clip = node("Clip", ["x", "", "high"], ["y"])
    (y,) = onnx_backend.run_node(clip, [X, np.float32(1)])
    np.testing.assert_array_equal(y, np.minimum(X, 1))


def test_one_node_with_wrong_inputs_is_refused() -> None:
    clip = node("Clip", ["x", "", "high"], ["y"])
    with pytest.raises(UsageError, match="Clip has 2 inputs, got 1"):
        onnx_backend.run_node(clip, [X])
    with pytest.raises(UsageError, match="inputs of Clip are x, high; got x, low"):
        onnx_backend.run_node(clip, {"x": X, "low": X})
    with pytest.raises(UnsupportedModelError, match="Unique"):
        onnx_backend.run_node(node("Unique", ["x"], ["y"]), [X])


def test_external_data_is_not_read_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proto = model([node("Add", ["x", "w"], ["y"])], [value("x", [1])], ["y"], {"w": np.ones(1)})
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    (tmp_path / "w.bin").write_bytes(bytes(8))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="external data"):
        onnx_backend.prepare(proto)


def test_integers_pass() -> None:
    proto = model([node("Neg", ["x"], ["y"])], [value("x", [2], INT64)], ["y"])
    (y,) = onnx_backend.run_model(proto, [np.int64([3, -(2**40)])])
    assert (y.dtype, y.tolist()) == (np.int64, [-3, 2**40])
