"""A bare Pico W image in the emulator rp2040py: the way to a board that runs the real firmware.

Its clock is the emulator's, which goes many times slower than this computer's.
"""

from __future__ import annotations

import time

from mcugen.device.build import Watch, build_project
from mcugen.device.project_folder import ProjectFolder
from mcugen.emulate.machine import FaultError
from mcugen.emulate.rp2040 import PicoW, emulator_title
from mcugen.errors import DeviceError, UsageError

PORT = "rp2040py"
_PATIENCE = 1000.0
"""Seconds here that count as one of the board's: 10 times what the emulator needs, so that one
that stands still runs into time limits too."""


class EmulatedBoard:
    """The emulated board and the way to its UART0."""

    port = PORT
    simulated = True
    clock_counts = False  # the emulator has one clock, whatever the firmware sets
    real_time = False

    def __init__(self, project: ProjectFolder, watch: Watch) -> None:
        """Builds the image and boots it.

        Raises:
            UsageError: the board has no image that the emulator runs.
            DeviceError: it does not build.
            MissingExtraError: the emulator is not installed.
        """
        if not project.device.uf2 or project.device.build != "make":
            raise UsageError(
                f"--port {PORT} runs a Pico W's image that needs no SDK; {project.title} has none",
                hint="mcugen export MODEL.onnx --board pico_w_bare -o DIR",
            )
        build_project(project, watch)
        images = sorted(project.path.glob(project.device.uf2))
        if len(images) != 1:
            raise DeviceError(f"{len(images)} images {project.device.uf2} in {project.path}")
        self._start = time.monotonic()
        self._board = PicoW(images[0].read_bytes())
        self.title = f"{project.title}, simulated by {emulator_title()} at 125 MHz"

    def clock(self) -> float:
        """The emulated clock, and a little of this computer's."""
        return self._board.seconds + (time.monotonic() - self._start) / _PATIENCE

    def write(self, data: bytes) -> None:
        """Sends bytes to UART0."""
        self._board.write(data)

    def read(self, limit_s: float) -> bytes:
        """What came out of UART0; runs the board until there is something, or for a while."""
        end = self.clock() + limit_s
        awake = True
        while awake and self.clock() < end:
            try:
                awake = self._board.run_on()
            except FaultError as error:
                raise DeviceError(f"the emulated board stopped: {error}") from error
            if found := self._board.read():
                return found
        return self._board.read()

    def set_baud(self, baud: int) -> None:
        """Nothing: characters come at the speed that the board is set to."""

    def edges(self) -> tuple[float, ...] | None:
        """None: nobody looks at its pins."""
        return None

    def close(self) -> None:
        """Nothing."""
