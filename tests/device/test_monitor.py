"""The monitor: lines of a pseudo-terminal in place of a board's port."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from device.fake_ports import plug_in, port
from device.folders import changed, exported
from mcugen.device import monitor
from mcugen.device.link import SerialLink
from mcugen.device.monitor import stream_lines, watch_on_terminal
from mcugen.device.project_folder import ProjectFolder
from mcugen.errors import DeviceError, UsageError

pty, tty = pytest.importorskip("pty"), pytest.importorskip("tty")


@dataclass
class FakeBoard:
    """The other end of a port."""

    master: int
    path: str

    def say(self, text: bytes, after_s: float = 0.4) -> None:
        threading.Timer(after_s, os.write, (self.master, text)).start()

    def vanish(self, after_s: float = 0.4) -> None:
        threading.Timer(after_s, os.close, (self.master,)).start()


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBoard]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    plug_in(monkeypatch, port(path, "2e8a:f00a"))
    yield FakeBoard(master, path)
    os.close(slave)
    try:
        os.close(master)
    except OSError:
        return  # it has vanished


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    return exported(tmp_path)


def stream(project: ProjectFolder, seconds: float = 20, until: str | None = None) -> list[str]:
    seen: list[str] = []
    stream_lines(project, seen.append, port=None, env=None, seconds=seconds, until=until)
    return seen


def test_lines_until_a_text(project: ProjectFolder, board: FakeBoard) -> None:
    board.say(b"m-init-done\r\nlay")
    board.say(b"er 0: 5 us\r\nPASS: 8 layers\r\nmore\r\n", 0.8)
    assert stream(project, until="PASS") == ["m-init-done", "layer 0: 5 us", "PASS: 8 layers"]


def test_a_text_that_does_not_come(project: ProjectFolder, board: FakeBoard) -> None:
    board.say(b"FAIL: layer 3\r\n")
    started = time.monotonic()
    with pytest.raises(DeviceError, match=r"'PASS' did not come within 1 s") as caught:
        stream(project, 1, "PASS")
    assert time.monotonic() - started < 5
    assert "  FAIL: layer 3" in caught.value.message
    assert f"{board.path} at 115200 baud" in caught.value.hint


def test_silence(project: ProjectFolder, board: FakeBoard) -> None:
    with pytest.raises(DeviceError, match="nothing came"):
        stream(project, 0.3, "PASS")


def test_lines_until_the_time_is_over(project: ProjectFolder, board: FakeBoard) -> None:
    board.say(b"one\r\nand no end \xff")
    seen = stream(project, 1)
    assert seen[0] == "one" and seen[1].startswith("and no end ")


def test_bytes_without_an_end_are_shown(
    project: ProjectFolder, board: FakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "_LONGEST_LINE_BYTES", 50)
    board.say(b"\x80" * 200)
    assert sum(len(line) for line in stream(project, 1)) == 200


def test_a_port_that_vanishes(project: ProjectFolder, board: FakeBoard) -> None:
    board.vanish()
    with pytest.raises(DeviceError, match="vanished"):
        stream(project, 20, "PASS")


def test_a_port_that_another_program_has(project: ProjectFolder, board: FakeBoard) -> None:
    other = SerialLink(board.path)
    with pytest.raises(DeviceError, match="cannot be opened") as caught:
        stream(project)
    other.close()
    assert caught.value.hint == "another program holds it: close serial monitors"


def test_no_board_and_no_port(
    project: ProjectFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch)
    with pytest.raises(DeviceError, match="no Raspberry Pi Pico W found"):
        stream(project)
    with pytest.raises(UsageError, match="this computer has no serial port") as caught:
        stream(exported(tmp_path, "host"))
    assert "mcugen build" in caught.value.hint


def test_the_monitor_on_a_terminal(
    project: ProjectFolder, board: FakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    codes = [0, 0, 1]

    def call(command: list[str], cwd: Path) -> int:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        called.append(command)
        return codes[len(called) - 1]

    monkeypatch.setattr(subprocess, "call", call)
    before = signal.getsignal(signal.SIGINT)
    watch_on_terminal(project, port=None, env=None)
    assert signal.getsignal(signal.SIGINT) is before
    assert called[0][1:] == [
        "-m", "platformio", "device", "monitor", "-d", str(project.path), "-e", "pico_w",
        "--port", board.path,
    ]  # fmt: skip
    watch_on_terminal(changed(project, build="make"), port=None, env=None)
    assert called[1][1:] == ["-m", "serial.tools.miniterm", board.path, "115200"]
    with pytest.raises(DeviceError, match=r"the monitor failed \(exit code 1\)") as caught:
        watch_on_terminal(project, port=None, env=None)
    assert "mcugen build" in caught.value.hint and "--seconds" in caught.value.hint
