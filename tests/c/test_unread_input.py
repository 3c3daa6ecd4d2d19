"""An input that no output depends on is no warning of the compiler."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from mcugen import api
from mcugen.host import runtime_headers
from mcugen.toolchain import STRICT_WARNINGS, build, describe, zig_command
from onnx_models import model, node, value
from together import build_together


def test_no_warning_in_any_interface(tmp_path: Path) -> None:
    path = tmp_path / "unread.onnx"
    inputs = [value("a", [3]), value("b", [3])]
    path.write_bytes(model([node("Relu", ["b"], ["y"])], inputs, ["y"]).SerializeToString())
    places = list(product(("arena", "caller"), ("static", "caller")))
    models = [
        api.compile(path, name=f"io_{io}_arena_{arena}", io_buffers=io, arena=arena).compiled
        for io, arena in places
    ]
    a, b = np.zeros(3, np.float32), np.array([1, -1, 2], np.float32)
    for host in build_together(models, "unread", flags=("-O1", *STRICT_WARNINGS)):
        np.testing.assert_array_equal(host.run({"a": a, "b": b})["y"], [1, 0, 2])
    assert [m.model.unread_inputs for m in models] == [(), (), ("in0",), ("in0",)]


def test_a_model_without_inputs_has_no_warning_of_clang_either(tmp_path: Path) -> None:
    zig = zig_command()
    if zig is None:
        pytest.skip("the package ziglang is missing")
    path = tmp_path / "fixed.onnx"
    graph = model([node("Relu", ["w"], ["y"])], [], ["y"], {"w": np.float32([-1, 2])})
    path.write_bytes(graph.SerializeToString())
    compiled = api.compile(path).compiled
    files = {**runtime_headers(), **compiled.files}
    assert build(files, compiler=describe(zig), flags=("-O1", *STRICT_WARNINGS)).is_file()
