"""`mcugen export`, `build` and `flash` as a user calls them, PlatformIO with stand-in platforms."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import exit_code
from device.fake_ports import plug_in, port
from mcugen.device import uf2
from mcugen.targets import load_target

standin = pytest.importorskip("e2e.standin_core")

Export = Callable[[str], Path]


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, examples_dir: Path) -> Export:
    """(board) -> its project; PlatformIO finds the board's platform in place."""

    def call(board: str) -> Path:
        folder, model = tmp_path / board, examples_dir / "digits" / "digits_int8.onnx"
        arguments = ("--board", board, "--kernels", "portable", "-o", folder)
        assert exit_code(monkeypatch, "export", model, *arguments) == 0
        core = standin.make_core(tmp_path / "core", load_target(board))
        for name, value in standin.variables(core).items():
            monkeypatch.setenv(name, value)
        return folder

    return call


@pytest.mark.parametrize("board", ["pico_w", "esp32s3"])
def test_an_exported_project_is_built_and_compared_with_the_plan(
    export: Export,
    board: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, result = export(board), tmp_path / "build.json"
    assert f"next:    mcugen build {folder}" in capsys.readouterr().out
    assert exit_code(monkeypatch, "build", folder, "--json", result) == 0
    out = capsys.readouterr().out
    assert "warning" not in out and "error" not in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert " ".join(rows["bytes"]) == "used of board planned difference = model + reserve"
    found = json.loads(result.read_text())
    report = json.loads((folder / "report.json").read_text())
    assert set(found["memory"]) == {"ram", "flash"} and found["board"] == board
    flash = found["memory"]["flash"]
    assert flash["model_bytes"] == report["flash_bytes"] + report["selftest_bytes"]
    assert rows["flash"][0] == f"{flash['used_bytes']:,}" and flash["used_bytes"] > 9080
    planned = report["arena_bytes"] + report["application_bytes"]
    assert found["memory"]["ram"]["model_bytes"] == planned
    log = Path(found["log"]).read_text()
    assert "Compiling" in log and "Compiling" not in out
    (program,) = folder.glob(".pio/build/*/firmware.elf")
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert "PASS" in ran.stdout


def test_flashing_shows_the_port_and_what_comes_next(
    export: Export,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, tty = export("esp32s3"), tmp_path / "ttyACM0"
    tty.touch()
    plug_in(monkeypatch, port(tty, "303a:1001", "USB JTAG/serial debug unit"))
    capsys.readouterr()
    assert exit_code(monkeypatch, "flash", folder) == 0
    out = capsys.readouterr().out
    assert f"port {tty}" in out and "uploading .pio/build/esp32s3/firmware.elf" in out
    assert f"written to ESP32-S3-DevKitC-1 N8, {tty}" in out
    assert f"next: mcugen monitor {folder}" in out
    assert "(simulated)" in (folder / "build" / "mcugen-flash.log").read_text()


def test_c_that_was_changed_and_does_not_compile(
    export: Export, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = export("pico_w")
    with (folder / "src" / "main.cpp").open("a") as file:
        file.write("int9 broken;\n")
    capsys.readouterr()
    assert exit_code(monkeypatch, "build", folder) == 1
    found = capsys.readouterr()
    assert "int9" in found.out and "Compiling" not in found.out
    assert "error: src/main.cpp, line" in found.err and "int9" in found.err
    assert "mcugen-build.log" in found.err


def test_without_the_platform_and_without_a_network(
    export: Export,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = export("pico_w")  # its platform is a git repository: that fails at once
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path / "empty"))
    capsys.readouterr()
    assert exit_code(monkeypatch, "build", folder) == 1
    err = capsys.readouterr().err
    assert "could not be downloaded" in err and "HTTPS_PROXY" in err and "Traceback" not in err


def test_a_board_without_platformio_is_built_by_its_makefile_and_copied_onto_its_drive(
    tmp_path: Path,
    examples_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("ziglang")
    folder, model = tmp_path / "bare", examples_dir / "digits" / "digits_int8.onnx"
    assert exit_code(monkeypatch, "export", model, "--board", "pico_w_bare", "-o", folder) == 0
    plug_in(monkeypatch)
    monkeypatch.setattr(uf2, "mount_points", lambda: iter([tmp_path]))
    capsys.readouterr()
    assert exit_code(monkeypatch, "flash", folder) == 1
    err = capsys.readouterr().err
    assert "no drive of a Raspberry Pi Pico W, bare found" in err and "hold BOOTSEL" in err
    assert exit_code(monkeypatch, "build", folder) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    report = json.loads((folder / "report.json").read_text())
    weights_and_code = report["flash_bytes"] + report["selftest_bytes"]
    used = int(rows["flash"][0].replace(",", ""))
    assert weights_and_code < used < weights_and_code + 32_768
    assert rows["RAM"][4] == f"{report['arena_bytes'] + report['application_bytes']:,}"
    assert "warning" not in rows
    assert len(list(folder.glob("build/*.uf2"))) == 1


def test_a_host_project_is_built_and_run(
    export: Export, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = export("host")
    capsys.readouterr()
    assert exit_code(monkeypatch, "build", folder, "--verbose") == 0
    out = capsys.readouterr().out
    assert "PASS: 8 layer outputs" in out and "-Wconversion" in out
