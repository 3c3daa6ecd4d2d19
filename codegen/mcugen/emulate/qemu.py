"""A program in QEMU's user mode that is driven from here: see firmware/xtensa.

It stops before and after functions and at marks in them; then its memory is read and written.
Our plugin counts the instructions of the model's code in between.
"""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from mcugen.elf import read_sections, read_symbols
from mcugen.emulate.counter import Count
from mcugen.emulate.machine import FaultError
from mcugen.emulate.plugin import Plugin, build_plugin
from mcugen.targets import Memory

_IDLE, _AT_MARK = 0, 1
_GO, _READ, _WRITE = 0, 1, 2
_WORD_BYTES = 4
_PAINT = bytes([0xA5])
_IN_USE_BYTES = 128
"""Of the stack while the program waits for the first function."""
_CHUNK_BYTES = 1 << 16
_STEP_S = 600.0
"""Longest that the program may run without an answer."""
_END_S = 10.0


class QemuMachine:
    """A running program; a context manager that ends it."""

    def __init__(
        self,
        command: tuple[str, ...],
        memory: Memory,
        image: bytes,
        marks: tuple[str, str],
        limit: int,
        patience_s: float = _STEP_S,
    ) -> None:
        """Start a program.

        Args:
            command: QEMU and what chooses the core.
            memory: where flash and RAM are; the image lies in them.
            image: a linked ELF file.
            marks: symbols of the functions in which the program stops.
            limit: instructions between two stops after which it is ended.
            patience_s: time after which it is.

        Raises:
            FaultError: it does not get as far as its first stop.
        """
        self.symbols = read_symbols(image)
        self._memory, self._limit, self._patience_s = memory, limit, patience_s
        self._static_end = _static_end(image, memory)
        self._folder = tempfile.TemporaryDirectory(prefix="mcugen-")
        log = Path(self._folder.name, "counts")
        self._plugin = Plugin(build_plugin(command[0]), image, limit, log, marks)
        self._process = self._start(command, image)
        self._stops = 0
        try:
            self._wait()
            self._paint()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    @property
    def stack_bytes(self) -> int:
        """Most bytes of stack that calls have used so far: what is no longer painted."""
        data = self.read(self._static_end, self._memory.ram_end - self._static_end)
        return len(data.lstrip(_PAINT))

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into memory."""
        for at in range(0, len(data), _CHUNK_BYTES):
            part = data[at : at + _CHUNK_BYTES]
            self._send(_WRITE, address + at, len(part), part)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of memory."""
        self._send(_READ, address, size)
        return self._receive(size)

    def call(self, function: str) -> Iterator[Count]:
        """Call a function; yields what was executed up to every mark, and up to its return.

        Args:
            function: symbol of a function without arguments.

        Raises:
            FaultError: the processor faults, the stack meets static data, or it does not end.
        """
        self._send(_GO, self.symbols[function].address, 0)
        while True:
            place = self._wait()
            if self.read(self._static_end, 1) != _PAINT:
                raise FaultError("the stack meets static data")
            yield Count(int(self._plugin.lines()[self._stops - 1]), None)
            if place == _IDLE:
                return
            self._send(_GO, 0, 0)

    def _paint(self) -> None:
        top = self._memory.ram_end - _IN_USE_BYTES
        self.write(self._static_end, _PAINT * max(0, top - self._static_end))

    def _wait(self) -> int:
        """Where the program has stopped."""
        (place,) = struct.unpack("<I", self._receive(_WORD_BYTES))
        self._stops += 1
        return int(place)

    def _start(self, command: tuple[str, ...], image: bytes) -> subprocess.Popen[bytes]:
        path = Path(self._folder.name, "program.elf")
        path.write_bytes(image)
        path.chmod(0o700)
        with Path(self._folder.name, "errors").open("wb") as errors:
            return subprocess.Popen(
                [*command, *self._plugin.arguments(), str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
            )

    def _send(self, kind: int, address: int, size: int, data: bytes = b"") -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            left = memoryview(struct.pack("<III", kind, address, size) + data)
            while left:
                left = left[pipe.write(left) or 0 :]
        except BrokenPipeError as error:
            raise FaultError(self._death()) from error

    def _receive(self, size: int) -> bytes:
        """That many bytes of the program's output.

        Raises:
            FaultError: it ended, or took too long.
        """
        pipe = self._process.stdout
        assert pipe is not None
        until = time.monotonic() + self._patience_s
        found = bytearray()
        while len(found) < size:
            if not select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
                raise FaultError(f"still running after {self._patience_s:g} s")
            part = os.read(pipe.fileno(), size - len(found))
            if not part:
                raise FaultError(self._death())
            found += part
        return bytes(found)

    def _death(self) -> str:
        """Why the program ended."""
        if self._plugin.lines()[-1:] == ["limit"]:
            return f"still running after {self._limit:,} instructions"
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return "the emulator closed its output"
        text = Path(self._folder.name, "errors").read_text(errors="replace")
        signal = re.search(r"uncaught target signal \d+ \(([^)]*)\)", text)
        reason = signal[1] if signal else f"status {status}: {text.strip()[-500:]}"
        return f"the emulated program ended: {reason}"


def _static_end(image: bytes, memory: Memory) -> int:
    """Address behind the program's variables."""
    found = [s for s in read_sections(image) if s.name in (".data", ".bss") and s.size]
    return max((s.address + s.size for s in found), default=memory.ram_origin)
