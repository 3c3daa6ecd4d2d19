"""An exported project's folder: what it says of its board and of the memory that was planned."""

from __future__ import annotations

import configparser
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcugen.errors import UsageError
from mcugen.project import MARK
from mcugen.targets import PLATFORMIO, Device

_HINT = "mcugen export MODEL.onnx --board NAME -o DIR makes such a folder"
_DEFAULT_BAUD = 115_200


@dataclass(frozen=True)
class Plan:
    """What was known of the memory when the project was exported, in bytes.

    Attributes:
        ram_bytes: internal RAM of the arena and the application beside it.
        stack_bytes: bound of one inference's stack; None where unknown.
        flash_bytes: the model's code and weights, and the self-test's data.
        ram_reserve_bytes: what the board's file keeps for firmware without a model, its heap and
            stacks included.
        flash_reserve_bytes: likewise for code.
        ram_total_bytes: RAM that the board's file speaks of.
        flash_total_bytes: flash, likewise.
    """

    ram_bytes: int
    stack_bytes: int | None
    flash_bytes: int
    ram_reserve_bytes: int
    flash_reserve_bytes: int
    ram_total_bytes: int
    flash_total_bytes: int


@dataclass(frozen=True)
class ProjectFolder:
    """An exported project.

    Attributes:
        path: the folder, absolute.
        model: prefix of all C names.
        board: name of its board, also the environment in platformio.ini.
        title: what a person calls the board.
        device: how it is built and flashed.
        plan: None without a report.json.
    """

    path: Path
    model: str
    board: str
    title: str
    device: Device
    plan: Plan | None

    def log(self, action: str) -> Path:
        """Where the whole output of an action is kept: a folder that git ignores."""
        return self.path / "build" / f"mcugen-{action}.log"


def open_project(folder: Path) -> ProjectFolder:
    """The project that `mcugen export` wrote to this folder.

    Raises:
        UsageError: it is no such folder, or a file of it is damaged.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", hint=_HINT)
    if not (folder / MARK).is_file():
        raise UsageError(f"{folder} is no project of mcugen: it holds no {MARK}", hint=_HINT)
    mark = _json(folder / MARK)
    if mark.get("kind") != "project":
        raise UsageError(
            f"{folder} holds the C library alone, which is no firmware", hint=f"{_HINT}, no --emit"
        )
    try:
        device = _device(mark["device"])
        plan = _plan(folder / "report.json", mark["memory"])
        model, board, title = mark["model"], mark["board"], mark["title"]
    except (KeyError, TypeError) as error:
        raise UsageError(
            f"{MARK} or report.json in {folder} lacks what this mcugen needs: {error}",
            hint="export the model again: mcugen export ... --force",
        ) from error
    return ProjectFolder(folder.resolve(), str(model), str(board), str(title), device, plan)


def _device(table: Mapping[str, Any]) -> Device:
    lists = {key: tuple(table[key]) for key in ("usb", "boot_usb")}
    return Device(**{**table, **lists})


def _plan(path: Path, memory: Mapping[str, Any]) -> Plan | None:
    if not path.is_file():
        return None
    report = _json(path)
    stack = report["stack_bytes"]
    return Plan(
        ram_bytes=int(memory["static_ram_bytes"]),
        stack_bytes=None if stack is None else int(stack),
        flash_bytes=int(report["flash_bytes"]) + int(report["selftest_bytes"]),
        ram_reserve_bytes=int(memory["ram_reserve_bytes"]),
        flash_reserve_bytes=int(memory["flash_reserve_bytes"]),
        ram_total_bytes=int(memory["ram_bytes"]),
        flash_total_bytes=int(memory["flash_bytes"]),
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is damaged: {error}", hint="export the model again") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} is damaged: no JSON object", hint="export the model again")
    return value


def environment(project: ProjectFolder, wanted: str | None) -> str:
    """The environment of platformio.ini to build: the wanted one, else the board's.

    Raises:
        UsageError: platformio.ini is missing or has no such environment, or the board has none.
    """
    if project.device.build != PLATFORMIO:
        if wanted is not None:
            raise UsageError(f"--env is for PlatformIO; {project.title} is built by another tool")
        return ""
    names = [s.removeprefix("env:") for s in _ini(project).sections() if s.startswith("env:")]
    name = wanted or project.board
    if name not in names:
        raise UsageError(
            f"{project.path / 'platformio.ini'} has no environment '{name}'; it has "
            f"{', '.join(names) or 'none'}",
            hint="" if wanted is None and not names else "--env NAME chooses one",
        )
    return name


def monitor_baud(project: ProjectFolder, env: str) -> int:
    """Baud rate of the serial monitor: `monitor_speed` of platformio.ini where it is."""
    if not env:
        return _DEFAULT_BAUD
    return _ini(project).getint(f"env:{env}", "monitor_speed", fallback=_DEFAULT_BAUD)


def _ini(project: ProjectFolder) -> configparser.ConfigParser:
    path = project.path / "platformio.ini"
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except configparser.Error as error:
        raise UsageError(f"{path} cannot be read: {error.message.splitlines()[0]}") from error
    return parser
