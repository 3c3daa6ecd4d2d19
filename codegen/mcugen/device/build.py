"""Builds an exported project and writes it onto the board, by PlatformIO or the project's own."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcugen.device.failures import explain
from mcugen.device.output_filter import OutputFilter, Seen
from mcugen.device.ports import choose_port, fitting_ports, in_boot_mode
from mcugen.device.project_folder import ProjectFolder, environment
from mcugen.device.run_tool import Limits, run_tool
from mcugen.device.sizes import MemoryUse, firmware_sizes
from mcugen.device.uf2 import flash_uf2
from mcugen.errors import MissingExtraError, UsageError
from mcugen.targets import PLATFORMIO, UF2

Watch = Callable[[Seen], None]


@dataclass(frozen=True)
class Built:
    """A project that was built.

    Attributes:
        project: it.
        sizes: of the firmware; empty where nothing tells them.
        seconds: it took.
        log: the whole output.
        place: port or drive that it was written to; "" for a build alone, or where the tool found
            the board by itself.
    """

    project: ProjectFolder
    sizes: tuple[MemoryUse, ...]
    seconds: float
    log: Path
    place: str = ""


def platformio() -> list[str]:
    """The command of PlatformIO.

    Raises:
        MissingExtraError: it is not installed.
    """
    if not _installed("platformio"):
        raise MissingExtraError("building for a board", "platformio", "device")
    return [sys.executable, "-m", "platformio"]


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def build_project(
    project: ProjectFolder, watch: Watch, *, env: str | None = None, limits: Limits | None = None
) -> Built:
    """The built project.

    Raises:
        DeviceError: the build failed; known causes have a way out.
        DoesNotFitError: the firmware is too large for the board.
        MissingExtraError: PlatformIO is needed and not installed.
        UsageError: `env` is not in platformio.ini.
    """
    return _run(project, "build", _build_command(project, env), watch, limits)


def flash_project(
    project: ProjectFolder,
    watch: Watch,
    *,
    port: str | None = None,
    env: str | None = None,
    limits: Limits | None = None,
) -> Built:
    """The project, built and written onto the board.

    Args:
        project: an exported one.
        watch: is given every line of output.
        port: serial port, or the drive of a board that shows itself as one; by default the only
            one that fits.
        env: environment of platformio.ini.
        limits: in time.

    Raises:
        DeviceError: no board, several, or building or writing failed.
        DoesNotFitError, MissingExtraError, UsageError: as of `build_project`; or the board is not
            flashed at all.
    """
    how = project.device.flash
    if how == UF2:
        built = build_project(project, watch, env=env, limits=limits)
        drive = flash_uf2(project, port)
        return Built(project, built.sizes, built.seconds, built.log, str(drive))
    if how != PLATFORMIO:
        raise UsageError(
            f"{project.title} is not flashed", hint=f"mcugen build {project.path} builds and runs"
        )
    command = [*_build_command(project, env), "-t", "upload"]
    place = _upload_port(project, port)
    if place:
        command += ["--upload-port", place]
    return _run(project, "flash", command, watch, limits, place)


def _build_command(project: ProjectFolder, env: str | None) -> list[str]:
    name = environment(project, env)
    if project.device.build != PLATFORMIO:
        return shlex.split(project.device.build)
    return [*platformio(), "run", "-d", str(project.path), "-e", name]


def _upload_port(project: ProjectFolder, wanted: str | None) -> str:
    """The port to write through; "" where the tool finds the board without one."""
    use = project.device.flash_port
    if use == "none":
        if wanted is not None:
            raise UsageError(
                f"--port: {project.title} is not flashed through a serial port",
                hint="leave it out; `mcugen monitor` takes it",
            )
        return ""
    if use == "optional" and wanted is None and in_boot_mode(project) is not False:
        fitting = fitting_ports(project)
        if in_boot_mode(project) or not fitting:
            return ""
    return choose_port(project, wanted)


def _run(
    project: ProjectFolder,
    action: str,
    command: list[str],
    watch: Watch,
    limits: Limits | None,
    place: str = "",
) -> Built:
    log, output, started = project.log(action), list[str](), time.monotonic()
    lines = OutputFilter(project.path)

    def each(line: str) -> None:
        output.append(line)
        watch(lines.feed(line))

    python = {"PYTHON": os.environ.get("PYTHON", sys.executable)}  # it has the compiler's package
    code = run_tool(command, folder=project.path, log=log, each=each, limits=limits, env=python)
    if code != 0:
        tool = "PlatformIO" if project.device.build == PLATFORMIO else command[0]
        raise explain(output, project, log, tool, code)
    seconds = time.monotonic() - started
    return Built(project, firmware_sizes(project, output), seconds, log, place)
