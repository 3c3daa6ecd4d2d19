"""A board written from docs/PROTOCOL.md alone, as a Link in this process, with faults on demand.

Inferences take real time, so that clocks of board, host and meter agree as they do on hardware.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mcugen.errors import DeviceError
from mcugen.host import HostModel

_HASTE = 25.0

Edit = Callable[[list[str]], list[str]]


@dataclass
class FakeBoard:
    """Speaks the protocol for one model.

    Attributes:
        host: computes what the board answers.
        hash: of the model that it says it runs.
        each_s: of one inference.
        edit: word of a command -> what becomes of the lines of its answer.
        vanish: word of a command -> which of its calls (from 1) makes the port vanish.
        refused: word -> text of the error line.
        boot: bytes that come before the first command.
        corrupt: added to the first byte of every output.
        meter: on its bus.
        said: of `info`, instead of the usual.
    """

    host: HostModel
    hash: str
    each_s: float = 0.0005
    edit: dict[str, Edit] = field(default_factory=dict)
    vanish: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    boot: bytes = b""
    corrupt: int = 0
    meter: str = "ina219"
    said: dict[str, str] = field(default_factory=dict)
    port: str = "fake"
    title: str = "fake board, simulated"
    simulated: bool = True
    clock_counts: bool = True
    real_time: bool = True
    energy: bool = False
    bauds: list[int] = field(default_factory=list)
    pulses: list[float] = field(default_factory=list)
    closed: bool = False

    def __post_init__(self) -> None:
        self._queue: list[tuple[float, bytes]] = [(0.0, self.boot)] if self.boot else []
        self._command = ""
        self._gone = False
        self._calls: dict[str, int] = {}
        self._busy = 0.0
        self._buffer = b""
        self._outputs = [np.zeros(t.shape, t.dtype.np) for t in self.host.outputs]

    def clock(self) -> float:
        """Fast, so that time limits come soon; the board's own time is the host's."""
        return time.monotonic() * _HASTE

    def write(self, data: bytes) -> None:
        for char in data.decode("ascii"):
            if char == "%":
                self._answer(self._command.strip())
                self._command = ""
            elif char not in "\r\n":
                self._command += char

    def read(self, limit_s: float) -> bytes:
        deadline = time.monotonic() + limit_s / _HASTE
        while True:
            if self._queue and self._queue[0][0] <= time.monotonic():
                return self._queue.pop(0)[1]
            if self._gone and not self._queue:
                raise DeviceError("port fake vanished: unplugged", hint="look at the cable")
            if time.monotonic() >= deadline:
                return b""
            time.sleep(0.0005)

    def set_baud(self, baud: int) -> None:
        self.bauds.append(baud)

    def edges(self) -> tuple[float, ...] | None:
        return None

    def close(self) -> None:
        self.closed = True

    def _answer(self, command: str) -> None:
        word, *arguments = command.split() or [""]
        self._calls[word] = self._calls.get(word, 0) + 1
        if self._calls[word] == self.vanish.get(word):
            self._gone = True
        if self._gone:
            return
        self._busy = max(time.monotonic(), self._busy)
        if word in self.refused:
            lines = [f"e-[{self.refused[word]}]"]
        else:
            lines = self._lines(word, arguments)
        self._put(self.edit.get(word, list)([*lines, "m-ready"]))

    def _lines(self, word: str, arguments: list[str]) -> list[str]:
        handler = getattr(self, f"_do_{word}", None)
        try:
            return handler(arguments) if handler else [f"e-[Unknown command: {word}]"]
        except (IndexError, ValueError):
            return [f"e-[{word}: a number is wanted]"]

    def _put(self, lines: list[str]) -> None:
        self._queue.append((self._busy, "".join(f"{line}\r\n" for line in lines).encode()))

    def _do_(self, arguments: list[str]) -> list[str]:
        return []

    def _do_info(self, arguments: list[str]) -> list[str]:
        def sizes(tensors: object) -> str:
            return ",".join(f"{t.dtype.value}:{t.size}:{t.nbytes}" for t in tensors)  # type: ignore[attr-defined]

        values = {
            "generator": "0.1.0", "hash": self.hash, "model": "digits_int8", "board": "pico_w",
            "clock-hz": "133000000", "cores": "2", "core": "1", "compiler": "gcc 12.2.0",
            "flags": "-O2", "kernels": "portable", "memory": "arena: internal RAM",
            "meter": self.meter,
            "inputs": sizes(self.host.inputs), "outputs": sizes(self.host.outputs),
        }  # fmt: skip
        return [f"m-info-{key}-[{value}]" for key, value in {**values, **self.said}.items()]

    def _do_selftest(self, arguments: list[str]) -> list[str]:
        return ['mcugen 0.1.0: model "digits_int8"', "PASS: 8 layer outputs", "m-selftest-[pass]"]

    def _do_infer(self, arguments: list[str]) -> list[str]:
        count, warmup = int(arguments[0]), int(arguments[1])
        self._busy += warmup * self.each_s
        start = self._mark()
        before = [f"m-warmup-start-{warmup}", "m-warmup-done", f"m-infer-start-{count}"]
        self._put([*before, *start])
        self._busy += count * self.each_s
        self._run()
        return [*self._mark(), "m-infer-done", "m-results-[0.000]"]

    def _run(self) -> None:
        if self._buffer:
            feeds, at = {}, 0
            for t in self.host.inputs:
                raw = self._buffer[at : at + t.nbytes]
                feeds[t.name] = np.frombuffer(raw, t.dtype.np).reshape(t.shape)
                at += t.nbytes
            found = self.host.run(feeds)
            self._outputs = [found[t.name] for t in self.host.outputs]

    def _mark(self) -> list[str]:
        if self.energy:
            self.pulses.append(self._busy)
            return []
        return [f"m-lap-us-{round(self._busy * 1e6)}"]

    def _do_each(self, arguments: list[str]) -> list[str]:
        count = int(arguments[0])
        self._busy += count * self.each_s
        us = str(round(self.each_s * 1e6))
        lines = [f"m-each-[{','.join([us] * min(16, count - at))}]" for at in range(0, count, 16)]
        return [*lines, f"m-each-done-{count}"]

    def _do_layers(self, arguments: list[str]) -> list[str]:
        count = int(arguments[0])
        return [
            f'm-layer-0-{300 * count}-{3000 * count}-[QConv "/a/Conv (+1)"]',
            f'm-layer-1-{100 * count}-0-[Softmax "s"]',
            f"m-layers-done-{count}",
        ]

    def _do_db(self, arguments: list[str]) -> list[str]:
        if arguments[0] == "load":
            self._expected, self._buffer = int(arguments[1]), b""
            return [f"m-[Expecting {self._expected} bytes]"]
        self._buffer += bytes.fromhex(arguments[0])
        return ["m-load-done"] if len(self._buffer) == self._expected else []

    def _do_output(self, arguments: list[str]) -> list[str]:
        data = bytearray(self._outputs[int(arguments[0])].tobytes())
        data[0] = (data[0] + self.corrupt) % 256
        lines = [
            f"m-output-{arguments[0]}-{at}-[{data[at : at + 32].hex()}]"
            for at in range(0, len(data), 32)
        ]
        return [*lines, f"m-output-done-{zlib.crc32(data):08x}"]

    def _do_mode(self, arguments: list[str]) -> list[str]:
        self.energy = arguments[0] == "energy"
        return [f"m-timestamp-mode-{arguments[0]}"]

    def _do_timestamp(self, arguments: list[str]) -> list[str]:
        return self._mark()

    def _do_sleep(self, arguments: list[str]) -> list[str]:
        self._busy += int(arguments[0]) / 1000
        return []

    def _do_core(self, arguments: list[str]) -> list[str]:
        return [f"m-core-{arguments[0]}"]

    def _do_power(self, arguments: list[str]) -> list[str]:
        """20 mA, 100 mA during inferences, at 0.1 Ohm and 3.3 V: an INA219's registers."""
        count, every_s = int(arguments[0]), int(arguments[2]) / 1e6
        start, end = self._busy + 0.001, self._busy + 0.001 + count * self.each_s
        times = [self._busy, *np.arange(start, end, every_s), end + 0.001]
        lines = [
            f"m-power-{round(t * 1e6)}-{1000 if start <= t <= end else 200}-{(825 << 3) | 2}"
            for t in times
        ]
        self._busy = end + 0.001
        marks = [f"m-lap-us-{round(t * 1e6)}" for t in (start, end)]
        return [f"m-infer-start-{count}", *lines, *marks, "m-infer-done"]
