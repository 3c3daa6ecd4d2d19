"""Boards that are flashed by copying a file onto their drive."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.fake_ports import plug_in, usb_device
from device.folders import changed, exported, make_command, tool_that_prints
from mcugen.device import uf2
from mcugen.device.build import flash_project
from mcugen.device.project_folder import ProjectFolder
from mcugen.device.uf2 import INFO, board_of, flash_uf2
from mcugen.errors import DeviceError

BLOCK = b"UF2\n\x57\x51\x5d\x9e" + bytes(504)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectFolder:
    """A built project whose board takes UF2 files; no board is plugged in."""
    plug_in(monkeypatch)
    folder(tmp_path / "places")
    places = tmp_path / "places"
    monkeypatch.setattr(uf2, "mount_points", lambda: iter(sorted(places.iterdir())))
    monkeypatch.setattr(uf2, "_RESTART_S", 5.0)
    command = make_command(tool_that_prints(tmp_path, "cc -c -o a.o src/a.c\n", code=0))
    device = {"flash": "uf2", "build": command, "uf2": "build/*.uf2", "uf2_board": "RPI-RP2"}
    made = changed(exported(tmp_path), **device)
    (made.path / "build").mkdir()
    (made.path / "build" / "digits.uf2").write_bytes(BLOCK * 2)
    return made


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def drive(tmp_path: Path, name: str, board: str = "RPI-RP2") -> Path:
    path = folder(tmp_path / "places" / name)
    text = f"UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: {board}\n"
    (path / INFO).write_text(text)
    return path


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Path]:
    """A drive that goes away once a firmware lies on it, as a board's does when it restarts."""
    path, ends = drive(tmp_path, "RPI-RP2"), threading.Event()

    def restart() -> None:
        while not ends.is_set():
            if any(f.stat().st_size >= 1024 for f in path.glob("*.uf2")):
                (path / INFO).unlink()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=restart)
    thread.start()
    yield path
    ends.set()
    thread.join()


def test_the_firmware_is_copied(project: ProjectFolder, board: Path, tmp_path: Path) -> None:
    folder(tmp_path / "places" / "disk")
    drive(tmp_path, "other", "RP2350")
    assert flash_uf2(project) == board
    assert (board / "digits.uf2").read_bytes() == BLOCK * 2


def test_flash_builds_first(project: ProjectFolder, board: Path) -> None:
    stages: list[str] = []
    built = flash_project(project, lambda seen: stages.append(seen.stage))
    assert built.place == str(board) and stages == ["compiling a.c (1)"]
    assert project.log("build").is_file()


def refused(project: ProjectFolder, wanted: str | None = None) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        flash_uf2(project, wanted)
    return caught.value


def test_no_board(project: ProjectFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = refused(project)
    assert "no drive of a Raspberry Pi Pico W found" in error.message
    assert "hold BOOTSEL while plugging the board in" in error.hint
    plug_in(monkeypatch, usb_folder=usb_device(tmp_path / "usb", "2e8a:0003"))
    assert "its drive is not mounted" in refused(project).message


def test_several_boards(project: ProjectFolder, tmp_path: Path) -> None:
    one, two = drive(tmp_path, "a"), drive(tmp_path, "b")
    error = refused(project)
    assert error.message.splitlines()[1:] == [f"  {one}", f"  {two}"]
    assert f"--port {one}" in error.hint


def test_a_drive_by_name(project: ProjectFolder, board: Path, tmp_path: Path) -> None:
    drive(tmp_path, "b")
    assert "is no drive of a board: it holds no INFO_UF2.TXT" in refused(project, "/dev/x").message
    assert flash_uf2(project, str(board)) == board


def test_nothing_to_copy(project: ProjectFolder, tmp_path: Path) -> None:
    drive(tmp_path, "a")
    (project.path / "build" / "digits.uf2").write_bytes(b"UF2\n")
    assert "digits.uf2 is no UF2 file" in refused(project).message
    (project.path / "build" / "digits.uf2").unlink()
    assert "there is no build/*.uf2" in refused(project).message


def test_a_board_that_does_not_take_it(
    project: ProjectFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(tmp_path, "a")
    monkeypatch.setattr(uf2, "_RESTART_S", 0.2)
    error = refused(project)
    assert "did not restart within 0.2 s" in error.message and "press reset" in error.hint


def test_a_copy_that_fails(project: ProjectFolder, tmp_path: Path) -> None:
    folder(drive(tmp_path, "a") / "digits.uf2")
    error = refused(project)
    assert "digits.uf2 could not be copied" in error.message and "mounted" in error.hint


def test_what_a_drive_says(tmp_path: Path) -> None:
    assert board_of(drive(tmp_path, "a")) == "RPI-RP2"
    assert board_of(tmp_path) is None
    (tmp_path / INFO).write_text("UF2 Bootloader v3.0\n")
    assert board_of(tmp_path) is None


def test_where_drives_are_looked_for() -> None:
    assert all(path.is_absolute() for path in uf2.mount_points())
