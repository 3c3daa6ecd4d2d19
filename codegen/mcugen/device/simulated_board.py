"""The exported model as a program of this computer, behind a pseudo-terminal: a simulated board.

The C is the project's own, but for its `main` and the board's functions.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mcugen import __version__, resources
from mcugen.device.link import SerialLink
from mcugen.device.measured_project import MeasuredProject, application_files, standins
from mcugen.errors import DeviceError, UsageError
from mcugen.render import environment
from mcugen.toolchain import build

PORT = "simulated"
_START_LIMIT_S = 10.0
_OPTIMIZE = "-O2"


def build_program(project: MeasuredProject) -> Path:
    """The program, in the cache of compiled C.

    Raises:
        UsageError: this computer has no pseudo-terminals, or a file of the project is missing.
    """
    if sys.platform == "win32":
        raise UsageError("--port simulated needs pseudo-terminals, which Windows has not")
    hal = resources.firmware() / "hal" / "host"
    main = (resources.targets() / "host" / "main.c.j2").read_text(encoding="utf-8")
    values = {"m": {"prefix": project.prefix, "version": __version__}}
    files = {
        **application_files(project),
        **standins(project),
        **{p.name: p.read_text(encoding="utf-8") for p in sorted(hal.iterdir())},
        "main.c": environment().from_string(main).render(values),
    }
    flags = (
        _OPTIMIZE,
        f"-D{project.prefix.upper()}_TRACE",
        f'-DMCUGEN_APP_FLAGS="{_OPTIMIZE} -ffp-contract=off, for this computer"',
    )
    return build(files, flags=flags, link_flags=("-pthread",), suffix="")


class SimulatedBoard(SerialLink):
    """The running program and the way to it."""

    def __init__(self, project: MeasuredProject, ina: str = "") -> None:
        """Builds and starts it.

        Args:
            project: what it runs.
            ina: ina219 or ina226 for an invented one on its bus.
        """
        program = build_program(project)
        self._folder = tempfile.TemporaryDirectory(prefix="mcugen-")
        self._marks = Path(self._folder.name, "marks")
        names = {"MCUGEN_HOST_MARKS": str(self._marks)} | (
            {"MCUGEN_HOST_METER": ina} if ina else {}
        )
        self._process = subprocess.Popen(
            [program, "--pty"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **names},
        )
        try:
            super().__init__(_first_line(self._process))
        except BaseException:
            self._end()
            raise
        self.port = PORT
        self.title = f"{project.folder.title}, simulated by a program of this computer"
        self.simulated = True
        self.clock_counts = False

    def edges(self) -> tuple[float, ...] | None:
        """Falling edges of the trigger pin so far, in seconds of the program's clock."""
        found = [line.split() for line in self._marks.read_text().splitlines()]
        return tuple(int(item[0]) / 1e6 for item in found if len(item) == 2 and item[1] == "0")

    def close(self) -> None:
        """Ends the program."""
        super().close()
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()


def _first_line(process: subprocess.Popen[bytes]) -> str:
    """The path of the pseudo-terminal, which the program prints first."""
    assert process.stdout is not None
    deadline = time.monotonic() + _START_LIMIT_S
    text = b""
    while b"\n" not in text:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, left))
        data = os.read(process.stdout.fileno(), 4096) if ready else b""
        if not data:
            raise DeviceError("the simulated board does not start: no pseudo-terminal")
        text += data
    return text.decode().splitlines()[0].strip()
