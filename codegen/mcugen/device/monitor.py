"""Shows what the board prints: PlatformIO's monitor on a terminal, else lines until a limit."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing

from mcugen.device.build import platformio
from mcugen.device.link import SerialLink
from mcugen.device.ports import choose_port
from mcugen.device.project_folder import ProjectFolder, environment, monitor_baud
from mcugen.errors import DeviceError, UsageError
from mcugen.targets import PLATFORMIO

DEFAULT_SECONDS = 60.0
_POLL_S = 0.1
_KEPT_LINES = 8
_LONGEST_LINE_BYTES = 65536


def watch_on_terminal(project: ProjectFolder, *, port: str | None, env: str | None) -> None:
    """Runs PlatformIO's monitor with the project's filters, or pyserial's without PlatformIO.

    Raises:
        DeviceError: no port, several, one that this user may not use, or the monitor failed.
        MissingExtraError: PlatformIO or pyserial is not installed.
        UsageError: the board has no serial port, or no such environment.
    """
    _check(project)
    name = environment(project, env)
    path, baud = choose_port(project, port), monitor_baud(project, name)
    if project.device.build == PLATFORMIO:
        command = [*platformio(), "device", "monitor", "-d", str(project.path), "-e", name]
        command += ["--port", path]
    else:
        command = [sys.executable, "-m", "serial.tools.miniterm", path, str(baud)]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the monitor's to answer
    try:
        code = subprocess.call(command, cwd=project.path)
    finally:
        signal.signal(signal.SIGINT, before)
    if code != 0:
        raise DeviceError(
            f"the monitor failed (exit code {code})",
            hint="PlatformIO's needs the board's platform, which `mcugen build` fetches; with "
            "--seconds N lines are shown without it",
        )


def stream_lines(
    project: ProjectFolder,
    show: Callable[[str], None],
    *,
    port: str | None,
    env: str | None,
    seconds: float = DEFAULT_SECONDS,
    until: str | None = None,
) -> None:
    """Shows lines until one contains `until`, or until the time is over.

    Raises:
        DeviceError: `until` did not come, the port cannot be used, or it vanished.
        MissingExtraError, UsageError: as of `watch_on_terminal`.
    """
    _check(project)
    baud = monitor_baud(project, environment(project, env))
    path = choose_port(project, port)
    seen: list[str] = []
    with closing(SerialLink(path, baud)) as link:
        end, rest = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            *lines, rest = (rest + link.read(_POLL_S)).split(b"\n")
            if len(rest) > _LONGEST_LINE_BYTES:  # no text: another baud rate, or other firmware
                lines, rest = [rest], b""
            for line in lines:
                text = line.decode("utf-8", "replace").rstrip("\r")
                show(text)
                seen = [*seen, text][-_KEPT_LINES:]
                if until is not None and until in text:
                    return
    if rest:
        show(rest.decode("utf-8", "replace"))
    if until is not None and until not in rest.decode("utf-8", "replace"):
        raise _not_seen(until, seconds, seen, path, baud)


def _check(project: ProjectFolder) -> None:
    if not project.device.usb:
        raise UsageError(
            f"{project.title} has no serial port", hint=f"mcugen build {project.path} runs it"
        )


def _not_seen(until: str, seconds: float, seen: list[str], path: str, baud: int) -> DeviceError:
    lines = "\n".join(f"  {line}" for line in seen)
    said = f"; the last lines were:\n{lines}" if seen else "; nothing came"
    return DeviceError(
        f"'{until}' did not come within {seconds:g} s{said}",
        hint=f"{path} at {baud} baud; reset the board for its first lines, --seconds waits longer",
    )
