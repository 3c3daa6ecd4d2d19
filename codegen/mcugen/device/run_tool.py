"""Runs a tool, line by line, with a log of all it says and limits in time."""

from __future__ import annotations

import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mcugen.errors import DeviceError, UsageError

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_POLL_S = 0.2
_AFTERWARDS_S = 2.0
"""How long a child of the tool may keep its output open once the tool has ended."""
_GRACE_S = 5.0
"""From being asked to stop to being stopped."""


@dataclass(frozen=True)
class Limits:
    """Seconds: without a word, and of the whole run. A first build downloads a gigabyte."""

    silent_s: float = 900.0
    total_s: float = 7200.0


def run_tool(
    command: Sequence[str],
    *,
    folder: Path,
    log: Path,
    each: Callable[[str], None],
    limits: Limits | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """The tool's exit code.

    Args:
        command: program and arguments.
        folder: where it runs.
        log: gets every line; its folder is made.
        each: is given every line without its end; a carriage return ends one too.
        limits: in time.
        env: variables besides this process's own.

    Raises:
        DeviceError: it cannot be started, or a limit has passed and it was stopped.
        UsageError: the log cannot be written.
        KeyboardInterrupt: Ctrl-C; the tool got it too and has ended.
    """
    limits = limits or Limits()
    with _open(log) as file:
        process = _start(command, folder, env or {})
        try:
            for line in _lines(process, limits, command, log):
                file.write(f"{line}\n")
                each(line)
            return process.wait(_GRACE_S)
        except subprocess.TimeoutExpired as error:
            raise DeviceError(f"{_name(command)} closed its output and does not end") from error
        finally:
            _stop(process)


def _open(log: Path) -> IO[str]:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{log} cannot be written: {error.strerror}") from error


def _name(command: Sequence[str]) -> str:
    """What a person calls the tool."""
    return "PlatformIO" if "platformio" in command else Path(command[0]).name


def _start(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """The process, with a group of its own so that all of it can be stopped."""
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise DeviceError(
            f"'{shlex.join(command)}' cannot be run: {error.strerror}",
            hint=f"install {Path(command[0]).name}, or put it on the PATH",
        ) from error


def _lines(
    process: subprocess.Popen[bytes], limits: Limits, command: Sequence[str], log: Path
) -> Iterator[str]:
    pipe = process.stdout
    assert pipe is not None
    found: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(pipe.fileno(), found), daemon=True).start()
    started = heard = time.monotonic()
    while True:
        try:
            line = found.get(timeout=_POLL_S)
        except queue.Empty:
            line = ""
        else:
            heard = time.monotonic()
            if line is None:
                return
            yield line
        now = time.monotonic()
        if now - heard > _AFTERWARDS_S and process.poll() is not None:
            return
        if now - started > limits.total_s:
            raise _too_long(command, log, f"was not done after {limits.total_s:g} s")
        if now - heard > limits.silent_s:
            raise _too_long(command, log, f"said nothing for {limits.silent_s:g} s")


def _too_long(command: Sequence[str], log: Path, what: str) -> DeviceError:
    return DeviceError(
        f"{_name(command)} {what} and was stopped",
        hint=f"--time-limit SECONDS allows more; what it said is in {log}",
    )


def _read(descriptor: int, found: queue.Queue[str | None]) -> None:
    """Puts lines, then None."""
    rest = b""
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            data = b""
        *whole, rest = re.split(rb"\r\n|\n|\r", rest + data)
        for line in whole:
            found.put(_text(line))
        if not data:
            if rest:
                found.put(_text(rest))
            found.put(None)
            return


def _text(line: bytes) -> str:
    return _ANSI.sub("", line.decode("utf-8", "replace")).rstrip()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Asks by SIGINT, as Ctrl-C would, what still runs to end; then makes it."""
    if process.poll() is None:
        _signal(process, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """To the whole group where there are groups, else to the process alone, which then ends."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended meanwhile
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()
