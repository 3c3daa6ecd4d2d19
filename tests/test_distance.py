"""The distance of outputs to ONNX's, with what is not finite."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from mcugen import api
from mcugen.distance import OutputDistance, _add_distance, distance_to_onnx
from mcugen.samples import Sample
from onnx_models import model, node, value

NAN, INF = math.nan, math.inf


def distance(got: list[float], wanted: list[float], dtype: type = np.float32) -> OutputDistance:
    entry = OutputDistance()
    _add_distance(entry, np.array(got, dtype), np.array(wanted, dtype))
    return entry


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("got", "wanted", "differing", "max_abs", "max_relative"),
    [
        ([1, 3], [1, 4], 1, 1.0, 0.25),
        ([NAN, INF], [NAN, INF], 0, 0.0, 0.0),
        ([NAN, 2], [0, 4], 2, INF, INF),
        ([1, 2], [NAN, 4], 2, INF, INF),
        ([INF, 2], [-INF, 2], 1, INF, INF),
        ([1, 2], [0, 0], 2, 2.0, 0.0),
    ],
)
def test_floats(
    got: list[float], wanted: list[float], differing: int, max_abs: float, max_relative: float
) -> None:
    entry = distance(got, wanted)
    assert (entry.differing, entry.max_abs, entry.max_relative) == (
        differing,
        max_abs,
        max_relative,
    )
    assert entry.max_lsb is None


def test_one_number_without_axes() -> None:
    entry = OutputDistance()
    _add_distance(entry, np.array(1, np.float32), np.array(3, np.float32))
    assert (entry.differing, entry.max_abs, entry.argmax_agreement) == (1, 2.0, None)


def test_integers_are_counted_in_the_last_place() -> None:
    entry = distance([-128, 5, 7], [127, 5, 9], np.int8)
    assert (entry.differing, entry.max_lsb, entry.argmax_agreement) == (2, 255, 0.0)


def test_outputs_channels_last_are_compared_in_that_order(tmp_path: Path) -> None:
    """A square image, whose shape would hide that its axes changed places."""
    weights = np.arange(9, dtype=np.float32).reshape(3, 3, 1, 1)
    proto = model(
        [node("Conv", ["x", "w"], ["y"])], [value("x", [1, 3, 3, 3])], ["y"], {"w": weights}
    )
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    compiled = api.compile(tmp_path / "m.onnx", io_layout="nhwc").compiled
    assert compiled.graph[compiled.graph.outputs[0]].source.perm == (0, 2, 3, 1)
    x = np.random.default_rng(0).standard_normal((1, 3, 3, 3)).astype(np.float32)
    y = np.einsum("oi,bihw->bohw", weights[..., 0, 0], x).astype(np.float32)
    found = distance_to_onnx(compiled, [Sample({"x": x}, {"y": y})])
    assert found.outputs["y"].worst_float < 1.0


def test_a_stripped_output_is_compared_in_its_integers(tmp_path: Path) -> None:
    """--io quantized gives what the model would convert to floats: the same axes, in LSB."""
    constants = {
        "w": np.full((2, 3, 1, 1), 2, np.int8), "one": np.float32(1), "half": np.float32(0.5),
        "z": np.array(0, np.int8), "yz": np.array(-5, np.int8),
    }  # fmt: skip
    nodes = [
        node("QuantizeLinear", ["x", "one", "z"], ["q"]),
        node("DequantizeLinear", ["q", "one", "z"], ["r"]),
        node("DequantizeLinear", ["w", "one", "z"], ["f"]),
        node("Conv", ["r", "f"], ["c"]),
        node("QuantizeLinear", ["c", "half", "yz"], ["n"]),
        node("DequantizeLinear", ["n", "half", "yz"], ["y"]),
    ]
    proto = model(nodes, [value("x", [1, 3, 2, 2])], ["y"], constants)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2) - 6
    y = np.tile(x.sum(axis=1, keepdims=True) * 2, (1, 2, 1, 1)).astype(np.float32)
    off = np.array([[[[0.5, 0], [0, 1]]]], np.float32)
    for layout in ("onnx", "nhwc"):
        compiled = api.compile(tmp_path / "m.onnx", io="quantized", io_layout=layout).compiled
        found = distance_to_onnx(compiled, [Sample({"x": x}, {"y": y})]).outputs["y"]
        assert (found.elements, found.max_lsb, found.differing) == (8, 0, 0)
        found = distance_to_onnx(compiled, [Sample({"x": x}, {"y": y + off})])
        assert (found.outputs["y"].max_lsb, found.outputs["y"].differing) == (2, 4)
