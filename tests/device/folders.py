"""Exported projects, serial ports and tools that are not there: what tests of boards share."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from exported import example, write_project
from mcugen import api
from mcugen.device import build
from mcugen.device.project_folder import ProjectFolder, open_project
from mcugen.targets import load_target

REPORT = {"stack_bytes": 700, "flash_bytes": 30_000, "selftest_bytes": 500}


def exported(folder: Path, board: str = "pico_w", report: object = REPORT) -> ProjectFolder:
    """A project for a board, with round figures in its report."""
    model = api.Model(example().compiled, load_target(board))
    path = write_project(model, folder / board)
    (path / "report.json").write_text(json.dumps(report))
    return open_project(path)


def changed(project: ProjectFolder, **device: object) -> ProjectFolder:
    """The project with other entries in its device table, as its folder tells them."""
    path = project.path / ".mcugen.json"
    mark = json.loads(path.read_text())
    mark["device"] |= device
    path.write_text(json.dumps(mark))
    return open_project(project.path)


def tool_that_prints(folder: Path, text: str, code: int = 1) -> list[str]:
    """A command that prints the text and ends with the code, whatever its arguments."""
    script = folder / "tool.py"
    script.write_text(f"import sys\nsys.stdout.write({text!r})\nsys.exit({code})\n")
    return [sys.executable, str(script)]


def replace_platformio(monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    """Runs the command in place of PlatformIO."""
    monkeypatch.setattr(build, "platformio", lambda: command)


def make_command(command: list[str]) -> str:
    """The command as a device table has it."""
    return shlex.join(command)
