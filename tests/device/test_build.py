"""Building and flashing with tools that print what PlatformIO would."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from device.fake_ports import plug_in, port, usb_device
from device.folders import (
    changed,
    exported,
    make_command,
    replace_platformio,
    tool_that_prints,
)
from mcugen.device import build
from mcugen.device.build import Built, build_project, flash_project
from mcugen.device.output_filter import Kind, Seen
from mcugen.device.project_folder import ProjectFolder
from mcugen.device.run_tool import Limits
from mcugen.errors import DeviceError, DoesNotFitError, MissingExtraError, UsageError

SIZES = (
    "Checking size .pio/build/x/firmware.elf\n"
    "RAM:   [=         ]   5.1% (used 13260 bytes from 262144 bytes)\n"
    "Flash: [=         ]   7.7% (used 161232 bytes from 2097152 bytes)\n"
)
ECHO = "import sys; print('arguments:', *sys.argv[1:])"


def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PlatformIO prints what it was asked for."""
    script = tmp_path / "echo.py"
    script.write_text(ECHO)
    replace_platformio(monkeypatch, [sys.executable, str(script)])


def flashed(project: ProjectFolder, wanted: str | None = None) -> tuple[Built, str]:
    seen: list[Seen] = []
    built = flash_project(project, seen.append, port=wanted)
    return built, " ".join(s.text for s in seen)


def test_a_build_gives_sizes_and_a_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replace_platformio(monkeypatch, tool_that_prints(tmp_path, SIZES, code=0))
    project, seen = exported(tmp_path), list[Seen]()
    built = build_project(project, seen.append)
    assert [use.used_bytes for use in built.sizes] == [13_260, 161_232]
    assert built.log.read_text() == SIZES and built.place == "" and built.seconds > 0
    assert [s.text for s in seen] == SIZES.splitlines()


def test_what_platformio_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    commands(monkeypatch, tmp_path)
    project, seen = exported(tmp_path), list[Seen]()
    build_project(project, seen.append, env="pico_w")
    assert seen[0].text == f"arguments: run -d {project.path} -e pico_w"


def test_a_failure_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replace_platformio(monkeypatch, tool_that_prints(tmp_path, "HTTPClientError: \n"))
    seen: list[Seen] = []
    with pytest.raises(DeviceError, match="no network") as caught:
        build_project(exported(tmp_path), seen.append)
    assert "mcugen-build.log" in caught.value.hint and seen[0].kind is Kind.ERROR
    text = "Error: The program size (9 bytes) is greater than maximum allowed (8 bytes)\n"
    replace_platformio(monkeypatch, tool_that_prints(tmp_path, text))
    with pytest.raises(DoesNotFitError, match="takes 9 bytes of flash"):
        build_project(exported(tmp_path / "large"), seen.append)


def test_a_build_that_stands_still_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "slow.py"
    script.write_text("import time; time.sleep(60)")
    replace_platformio(monkeypatch, [sys.executable, str(script)])
    with pytest.raises(DeviceError, match=r"said nothing for 0\.5 s"):
        build_project(exported(tmp_path), lambda seen: None, limits=Limits(0.5, 20))


def test_platformio_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "_installed", lambda name: name != "platformio")
    with pytest.raises(MissingExtraError, match="needs the package 'platformio'") as caught:
        build_project(exported(tmp_path), lambda seen: None)
    assert "pip install 'mcugen[device]'" in caught.value.hint


def test_a_board_with_a_makefile(tmp_path: Path) -> None:
    command = make_command(tool_that_prints(tmp_path, "PASS: all\n", code=0))
    project, seen = changed(exported(tmp_path, "host"), build=command), list[Seen]()
    built = build_project(project, seen.append)
    assert built.sizes == () and seen[0].stage == "self-test: PASS: all"
    with pytest.raises(UsageError, match="this computer is not flashed") as caught:
        flash_project(project, seen.append)
    assert "mcugen build" in caught.value.hint
    fails = make_command(tool_that_prints(tmp_path, "FAIL: layer 3\nmake: *** Error 1\n"))
    with pytest.raises(DeviceError, match="the self-test failed: layer 3"):
        build_project(changed(project, build=fails), seen.append)


def test_the_port_that_a_board_is_flashed_through(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands(monkeypatch, tmp_path)
    tty = tmp_path / "ttyUSB0"
    tty.touch()
    plug_in(monkeypatch, port(tty, "10c4:ea60"))
    built, said = flashed(exported(tmp_path, "esp32s3"))
    assert built.place == str(tty) and said.endswith(f"-t upload --upload-port {tty}")
    plug_in(monkeypatch)
    with pytest.raises(DeviceError, match="no ESP32-S3-DevKitC-1 N8 found"):
        flashed(exported(tmp_path / "none", "esp32s3"))


def test_a_board_that_waits_for_firmware_needs_no_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands(monkeypatch, tmp_path)
    project = exported(tmp_path)
    plug_in(monkeypatch, usb_folder=usb_device(tmp_path / "usb", "2e8a:0003"))
    assert flashed(project)[1].endswith("-t upload")
    plug_in(monkeypatch)  # not Linux: whether a board waits cannot be seen
    assert flashed(project)[1].endswith("-t upload")
    plug_in(monkeypatch, usb_folder=usb_device(tmp_path / "hub", "1d6b:0002"))
    with pytest.raises(DeviceError, match="no Raspberry Pi Pico W found"):
        flashed(project)


def test_a_running_board_is_brought_there_through_its_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands(monkeypatch, tmp_path)
    tty = tmp_path / "ttyACM0"
    tty.touch()
    plug_in(monkeypatch, port(tty, "2e8a:f00a"))
    assert flashed(exported(tmp_path))[1].endswith(f"--upload-port {tty}")
    other = port("/dev/ttyACM1", "2e8a:f00a")
    plug_in(monkeypatch, port(tty, "2e8a:f00a"), other)
    with pytest.raises(DeviceError, match="several ports may be"):
        flashed(exported(tmp_path / "two"))
    assert flashed(exported(tmp_path / "chosen"), str(tty))[0].place == str(tty)


def test_a_board_with_a_debug_probe_has_no_upload_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands(monkeypatch, tmp_path)
    plug_in(monkeypatch)
    project = exported(tmp_path, "nucleo_f446")
    assert flashed(project)[1].endswith("-t upload")
    with pytest.raises(UsageError, match="is not flashed through a serial port") as caught:
        flashed(project, "/dev/ttyACM0")
    assert "mcugen monitor" in caught.value.hint
