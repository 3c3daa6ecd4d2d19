"""A board that speaks the serial protocol of docs/PROTOCOL.md: commands and typed answers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from mcugen.device import replies
from mcugen.device.link import BAUD, ENERGY_BAUD, Link
from mcugen.device.replies import Laps, LayerTime, Line, Readings, ReplyError
from mcugen.errors import DeviceError
from mcugen.ir import Array

_T = TypeVar("_T")

BOOT_S = 30.0
"""Time for the boot lines, a self-test among them."""
ANSWER_S = 5.0
"""Time for an answer, besides that of what the command does."""
_QUIET_S = 0.2
_TOLERANCE, _TOLERANCE_S = 0.1, 0.3
"""How far the two clocks may be apart: lines come late."""
_NOISE_LINES = 60
"""Lines in no form of the protocol that one answer may hold: logs of the framework."""
_LINE_BYTES = 2_000_000
"""Of a line that cannot be one, unless it is that of the results."""
_SHOWN = 6
_RESULT_CHARS = 16
"""Of one output in `m-results-[...]`, amply."""
_BITS_A_CHAR = 10
_DB_BYTES = 32
"""Of one `db HH..` command: below the 80 characters of a command."""
_MODE_HINT = "reset the board; `mcugen monitor` shows what it prints"


class RefusedError(DeviceError):
    """The board answered a command with an error line."""


class Board:
    """The board at a link.

    Args:
        link: the way to it.
        log: gets every line that is sent or comes, with "> " or "< " before it.

    `said` is what `info` gave last.
    """

    def __init__(self, link: Link, log: Callable[[str], None]) -> None:
        self.link = link
        self._log = log
        self._rest = b""
        self._last: deque[str] = deque(maxlen=_SHOWN)
        self._energy = False
        self._result_chars = 0
        self.said: dict[str, str] = {}

    def sync(self, limit_s: float = BOOT_S) -> None:
        """Finds the way in, whatever the board was doing, at either speed.

        Raises:
            DeviceError: nothing that answers as the protocol says.
        """
        deadline = self.link.clock() + limit_s
        for turn in range(1_000_000):
            self.link.set_baud(ENERGY_BAUD if turn % 4 == 3 else BAUD)
            self._send("%")
            if self._ready_within(1.0):
                self._drain()
                if turn % 4 == 3:
                    self._energy = True
                    self.mode(energy=False)
                return
            if self.link.clock() > deadline:
                break
        raise DeviceError(
            f"no board answers on {self.link.port} within {limit_s:g} s{self._shown()}",
            hint="is mcugen's firmware on it (`mcugen flash DIR`), and is the port the right one?",
        )

    def info(self) -> dict[str, str]:
        """What the firmware says of itself.

        Raises:
            DeviceError: it is other firmware.
        """
        try:
            found = self._typed("info", ANSWER_S, replies.info)
        except RefusedError as error:
            raise _other_firmware(self.link.port, error.message) from error
        if "hash" not in found:
            raise _other_firmware(self.link.port, "it gives no model hash")
        sizes = (item.split(":") for item in found.get("outputs", "").split(","))
        elements = sum(int(s[1]) for s in sizes if len(s) == 3 and s[1].isdecimal())
        self._result_chars = elements * _RESULT_CHARS
        self.said = found
        return found

    def selftest(self, limit_s: float = BOOT_S) -> tuple[str, str]:
        """("pass", "fail" or "none", the line that says why)."""
        lines = self._answer("selftest", limit_s, free=True)
        result = self._parsed("selftest", lines, replies.selftest)
        said = [line.text for line in lines if line.text.startswith(("PASS", "FAIL"))]
        return result, said[-1] if said else ""

    def infer(self, count: int, warmup: int, limit_s: float) -> Laps:
        """`count` inferences between two marks, `warmup` before them."""
        printed = not self._energy
        found = self._typed(
            f"infer {count} {warmup}",
            limit_s + self._results_s(),
            lambda lines: replies.laps(lines, count, printed=printed),
        )
        if printed and self.link.real_time:
            self._require_alike(found)
        return found

    def each(self, count: int, limit_s: float) -> Array:
        """Microseconds of single inferences, float64[count]."""
        return self._typed(f"each {count}", limit_s, lambda lines: replies.each(lines, count))

    def layers(self, count: int, limit_s: float) -> tuple[LayerTime, ...]:
        """Layers, summed over `count` inferences; none when the program cannot tell."""
        try:
            return self._typed(
                f"layers {count}", limit_s, lambda lines: replies.layers(lines, count)
            )
        except RefusedError:
            return ()

    def power(
        self, count: int, warmup: int, every_us: int, limit_s: float
    ) -> tuple[Laps, Readings]:
        """`count` inferences on one core, a meter on the board's bus read by the other."""
        command = f"power {count} {warmup} {every_us}"
        lines = self._answer(command, limit_s + self._results_s())
        return (
            self._parsed(command, lines, lambda found: replies.laps(found, count, printed=True)),
            self._parsed(command, lines, replies.readings),
        )

    def load(self, data: bytes) -> None:
        """Puts bytes into the input buffer."""
        self._answer(f"db load {len(data)}", ANSWER_S)
        lines: list[Line] = []
        for start in range(0, len(data), _DB_BYTES):
            lines = self._answer(f"db {data[start : start + _DB_BYTES].hex()}", ANSWER_S)
        if data and not any(line.text == "m-load-done" for line in lines):
            raise self._wrong("db", ReplyError("no line 'm-load-done'"))

    def output(self, index: int, count: int) -> bytes:
        """The bytes of an output of the last inference."""
        limit_s = ANSWER_S + count * 4e-3  # 3 characters a byte at 9600 baud
        return self._typed(
            f"output {index}", limit_s, lambda lines: replies.output(lines, index, count)
        )

    def mode(self, *, energy: bool) -> None:
        """Marks as pulses of the trigger pin (energy), or as printed times; changes the speed."""
        self._answer(f"mode {'energy' if energy else 'performance'}", ANSWER_S)
        self._energy = energy
        self.link.set_baud(ENERGY_BAUD if energy else BAUD)
        time.sleep(0.05)  # the board changes after it has sent its last character

    def timestamp(self) -> float:
        """One mark: seconds of the board's clock, NaN in energy mode, where it is a pulse."""
        return self._typed("timestamp", ANSWER_S, replies.timestamp)

    def sleep(self, seconds: float) -> None:
        """The board sleeps."""
        self._answer(f"sleep {round(seconds * 1000)}", seconds + ANSWER_S)

    def core(self, index: int) -> None:
        """Inferences run on this core from now on."""
        self._answer(f"core {index}", ANSWER_S)

    def close(self) -> None:
        """Ends the link."""
        self.link.close()

    def _typed(self, command: str, limit_s: float, parse: Callable[[Sequence[Line]], _T]) -> _T:
        return self._parsed(command, self._answer(command, limit_s), parse)

    def _parsed(
        self, command: str, lines: Sequence[Line], parse: Callable[[Sequence[Line]], _T]
    ) -> _T:
        try:
            return parse(lines)
        except ReplyError as error:
            raise self._wrong(command, error) from error

    def _wrong(self, command: str, error: ReplyError) -> DeviceError:
        return DeviceError(
            f"the answer to '{command}' on {self.link.port} is damaged: {error}{self._shown()}",
            hint="look at cable, ground and speed; close other programs on this port, then repeat",
        )

    def _answer(self, command: str, limit_s: float, *, free: bool = False) -> list[Line]:
        """The lines of an answer in a form of the protocol, or all with `free`.

        Raises:
            RefusedError: the board says that it cannot.
            DeviceError: it does not answer in time, or in another form.
        """
        self._send(command + "%")
        deadline = self.link.clock() + limit_s
        lines: list[Line] = []
        noise = 0
        while (line := self._line(deadline)) is not None:
            if line.text == "m-ready":
                return self._checked(command, lines)
            if free or line.text.startswith(("m-", "e-[")):
                lines.append(line)
            elif line.text and (noise := noise + 1) > _NOISE_LINES:
                raise DeviceError(
                    f"{self.link.port} sends no answer to '{command}' but other text"
                    f"{self._shown()}",
                    hint="is mcugen's firmware on the board (`mcugen flash DIR`), the speed right?",
                )
        raise DeviceError(
            f"no whole answer to '{command}' on {self.link.port} within "
            f"{limit_s:.0f} s{self._shown()}",
            hint=_MODE_HINT,
        )

    def _checked(self, command: str, lines: list[Line]) -> list[Line]:
        for line in lines:
            if line.text.startswith("e-["):
                what = line.text.removeprefix("e-[").removesuffix("]")
                raise RefusedError(f"the board refuses '{command[:40]}': {what}")
        return lines

    def _require_alike(self, laps: Laps) -> None:
        """That the board's clock goes as the host's does: else a digit was lost, or it is wrong."""
        seen = laps.host_s[1] - laps.host_s[0]
        if abs(laps.seconds - seen) > _TOLERANCE * seen + _TOLERANCE_S:
            raise DeviceError(
                f"{laps.inferences} inferences took {laps.seconds:.3f} s by the board's clock, "
                f"{seen:.3f} s by the host's{self._shown()}",
                hint="a damaged line, or the firmware's timer is set up for another clock",
            )

    def _results_s(self) -> float:
        """How long the line with the outputs may take."""
        return self._result_chars * _BITS_A_CHAR / (ENERGY_BAUD if self._energy else BAUD)

    def _send(self, text: str) -> None:
        self._log(f"> {text}")
        self.link.write(text.encode("ascii"))

    def _line(self, deadline: float) -> Line | None:
        """The next line; None when the time is up.

        Raises:
            DeviceError: what comes has no lines.
        """
        while b"\n" not in self._rest:
            left = deadline - self.link.clock()
            if left <= 0:
                return None
            if len(self._rest) > max(_LINE_BYTES, self._result_chars):
                came, self._rest = len(self._rest), b""
                raise DeviceError(
                    f"{self.link.port} sent {came:,} bytes without an end of line{self._shown()}",
                    hint="is mcugen's firmware on the board (`mcugen flash DIR`), the speed right?",
                )
            self._rest += self.link.read(min(left, 0.5))
        raw, _, self._rest = self._rest.partition(b"\n")
        text = raw.decode("ascii", "backslashreplace").strip("\r\0 ")
        text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
        self._log(f"< {text}")
        self._last.append(text[:100])
        return Line(text, time.monotonic())

    def _ready_within(self, seconds: float) -> bool:
        deadline = self.link.clock() + seconds
        while (line := self._line(deadline)) is not None:
            if line.text == "m-ready":
                return True
        return False

    def _drain(self) -> None:
        """Reads until nothing comes: answers to what was sent while the board booted."""
        deadline = self.link.clock() + 5.0
        while self.link.clock() < deadline:
            data = self.link.read(_QUIET_S)
            if not data:
                break
            self._rest += data
        for line in self._rest.splitlines():
            self._log(f"< {line.decode('ascii', 'backslashreplace')}")
        self._rest = b""

    def _shown(self) -> str:
        if not self._last:
            return "; nothing came"
        return "; the last lines were: " + " | ".join(self._last)


def _other_firmware(port: str, why: str) -> DeviceError:
    return DeviceError(
        f"the board on {port} runs other firmware: {why}",
        hint="`mcugen flash DIR` puts this project's firmware on it",
    )
