"""The firmware application of every kind of export, of broken ones, and against noise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from appboard import booted, build, joined, laps, load, outputs, random_inputs, running
from c.test_exported_project import corrupt_first_weight
from exported import example, write_for, write_project
from mcugen import api, resources
from onnx_models import FLOAT, INT8, INT64, model, node, value

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)


def test_a_wrong_weight_is_found(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    layer = corrupt_first_weight(folder)
    program = build(folder)
    with running(program) as found:
        assert f'"{layer}" output 0: CRC-32 got' in found.read_until(r"m-init-done\r\nm-ready\r\n")
        lines = found.ask("selftest")
        assert lines[-1] == "m-selftest-[fail]"
        assert any(x.startswith("FAIL: layer 1 ") and f'"{layer}"' in x for x in lines)
    done = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 1


def two_and_three() -> onnx.ModelProto:
    """Two inputs and three outputs of other types, one an input that is passed on."""
    nodes = [
        node("Add", ["a", "a"], ["sum"]),
        node("Add", ["b", "b"], ["twice"]),
        node("Cast", ["sum"], ["cut"], to=INT8),
    ]
    inputs = [value("a", [1, 3]), value("b", [5], INT64)]
    results = [value("cut", [1, 3], INT8), value("twice", [5], INT64), value("sum", [1, 3], FLOAT)]
    return model(nodes, inputs, results)


def no_inputs() -> onnx.ModelProto:
    nodes = [node("Add", ["c", "c"], ["y"])]
    return model(nodes, [], [value("y", [2])], {"c": np.array([1.25, -0.0625], np.float32)})


MODELS = {"two": two_and_three, "none": no_inputs}


def compiled(name: str, folder: Path, **options: str) -> api.Model:
    if name in MODELS:
        path = folder / f"{name}.onnx"
        path.write_bytes(MODELS[name]().SerializeToString())
        return api.compile(path, **options)
    return api.compile(resources.examples() / "digits" / f"{name}.onnx", **options)


@pytest.mark.parametrize(
    ("name", "options", "level"),
    [
        ("digits", {}, "crc"),
        ("digits_int8", {"io": "quantized"}, "crc"),
        ("digits_int8", {"io": "quantized", "io_buffers": "caller"}, "none"),
        ("digits_int8", {"arena": "caller"}, "none"),
        ("digits_int8", {"arena": "caller", "io_buffers": "caller"}, "full"),
        ("digits_int8", {"io_layout": "nhwc"}, "crc"),
        ("two", {}, "full"),
        ("two", {"io_buffers": "caller"}, "crc"),
        ("two", {"arena": "caller"}, "none"),
        ("none", {}, "crc"),
        ("none", {"io_buffers": "caller"}, "none"),
    ],
)
def test_every_export(tmp_path: Path, name: str, options: dict[str, str], level: str) -> None:
    found = compiled(name, tmp_path, **options)
    program = build(write_project(found, tmp_path / "out", level))
    feeds = random_inputs(found, 11)
    wanted = list(found(*feeds).values())
    with booted(program) as port:
        assert port.ask("selftest")[-1] == f"m-selftest-[{'none' if level == 'none' else 'pass'}]"
        if feeds:
            load(port, joined(feeds))
        else:
            refusal = "e-[db load: the model has no inputs, or the program no buffer]"
            assert port.ask("db load 1") == [refusal]
            assert port.ask("db print") == []
        lines = port.ask("infer 2 1")
        assert "m-infer-done" in lines
        for got, array in zip(outputs(port, found), wanted, strict=True):
            assert got.tobytes() == array.tobytes()
        numbers = [float(v) for v in lines[-1][len("m-results-[") : -1].split(",")]
        assert numbers == pytest.approx(real_values(found, wanted), abs=0.00051, rel=1e-6)
        assert port.ask("layers")[-1] == "m-layers-done-1"


def real_values(found: api.Model, arrays: list[np.ndarray]) -> list[float]:
    graph = found.compiled.graph
    values: list[float] = []
    for name, array in zip(graph.outputs, arrays, strict=True):
        quant = graph[name].quant
        real = array.astype(np.float64)
        if quant is not None:
            real = (real - float(quant.zero_point)) * float(quant.scale)
        values += real.reshape(-1).tolist()
    return values


def test_without_the_buffer(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out", level="full")
    program = build(folder, "CFLAGS=-O1 -DMCUGEN_APP_BUFFER=0")
    test = example().selftest("full")
    with booted(program) as port:
        refusal = "e-[db load: the model has no inputs, or the program no buffer]"
        assert port.ask("db load 256") == [refusal]
        assert port.ask("db print") == []
        assert port.ask("infer 1 1")[-2] == "m-infer-done"
        assert outputs(port, example())[0].tobytes() == test.expected[0].tobytes()


def test_without_traces(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("-DDIGITS_INT8_TRACE", ""))
    with booted(build(folder)) as port:
        assert port.ask("layers") == ["e-[layers: the program was built without -DNAME_TRACE]"]
        assert port.ask("infer 1 1")[-2] == "m-infer-done"


def test_it_may_start_in_energy_mode(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    program = build(folder, "CFLAGS=-O1 -DMCUGEN_APP_ENERGY=1")
    with running(program) as port:
        assert port.read_until(r"m-ready\r\n").startswith("m-timestamp-mode-energy\r\n")
        assert laps(port.ask("infer 1 0")) == []


def test_noise_does_no_harm(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    program = build(folder, f"CFLAGS={flags}")
    rng = np.random.default_rng(1)
    words = ["db", "load", "print", "infer", "results", "output", "each", "layers", "core"]
    words += ["phases", "mode", "0", "1", "7", "99", "zz"]
    with booted(program) as port:
        for _ in range(60):
            raw = bytes(rng.integers(1, 256, int(rng.integers(0, 200))).astype(np.uint8))
            port.send(raw.decode("latin-1").replace("%", "") + "%")
            port.read_until(r"m-ready\r\n")
        for _ in range(120):
            command = " ".join(rng.choice(words, int(rng.integers(1, 6))).tolist())
            port.ask(command)
        assert port.ask("name") == ["m-name-dut-[host]"]
        assert port.ask("selftest")[-1] == "m-selftest-[pass]"
