"""What the lines of the serial protocol say, as values; docs/PROTOCOL.md describes them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array


class ReplyError(Exception):
    """A line, or its absence, that the protocol does not allow; str() says which."""


@dataclass(frozen=True)
class Line:
    """A line of an answer.

    Attributes:
        text: without its end.
        at_s: when it came, by the host's monotonic clock.
    """

    text: str
    at_s: float


@dataclass(frozen=True)
class Laps:
    """The marks of one `infer`.

    Attributes:
        inferences: between the last two marks (the inner two with phases).
        board_s: marks by the board's clock; empty in energy mode.
        host_s: when their lines came here.
        around_s: when the lines before and after the inferences came here.
    """

    inferences: int
    board_s: tuple[float, ...]
    host_s: tuple[float, ...]
    around_s: tuple[float, float]

    @property
    def seconds(self) -> float:
        """Of the inferences, by the board's clock."""
        return self.board_s[-1] - self.board_s[0]


@dataclass(frozen=True, eq=False)
class Readings:
    """Raw registers of a meter on the board's bus.

    Attributes:
        time_s: of the board's clock.
        shunt, bus: registers, 0 to 65535.
    """

    time_s: Array
    shunt: Array
    bus: Array

    def first(self) -> Readings:
        """The one ahead of the inferences alone."""
        return Readings(self.time_s[:1], self.shunt[:1], self.bus[:1])


@dataclass(frozen=True)
class LayerTime:
    """One layer, summed over inferences; `cycles` is 0 without a counter."""

    op: str
    name: str
    us: int
    cycles: int


def info(lines: Iterable[Line]) -> dict[str, str]:
    """Key -> value of `info`."""
    pattern = re.compile(r"m-info-([a-z0-9-]+?)-\[(.*)\]")
    return {m[1]: m[2] for m in _matches(pattern, "m-info-", lines)}


def laps(lines: Sequence[Line], inferences: int, *, printed: bool) -> Laps:
    """The marks of an `infer` or a `power` command.

    Args:
        lines: its answer.
        inferences: how many were asked for.
        printed: whether marks are lines; in energy mode they are pulses of a pin.
    """
    around = (_require(lines, f"m-infer-start-{inferences}"), _require(lines, "m-infer-done"))
    marks = [line for line in lines if line.text.startswith("m-lap-us-")]
    if len(marks) != (2 if printed else 0):
        raise ReplyError(f"{len(marks)} lines m-lap-us-N, expected {2 if printed else 0}")
    found = [int(m[1]) / 1e6 for m in _matches(re.compile(r"m-lap-us-(\d+)"), "m-lap-us-", marks)]
    if found != sorted(found):
        raise ReplyError(f"marks at {found[0]:.6f} s and {found[1]:.6f} s of the board's clock")
    return Laps(inferences, tuple(found), tuple(line.at_s for line in marks), around)


def timestamp(lines: Sequence[Line]) -> float:
    """Seconds of `timestamp`; NaN in energy mode, which prints nothing."""
    found = [int(m[1]) / 1e6 for m in _matches(re.compile(r"m-lap-us-(\d+)"), "m-lap-us-", lines)]
    return found[0] if found else float("nan")


def each(lines: Sequence[Line], count: int) -> Array:
    """Microseconds of single inferences, float64[count]."""
    _require(lines, f"m-each-done-{count}")
    pattern = re.compile(r"m-each-\[(\d+(?:,\d+)*)\]")
    data = [line for line in lines if not line.text.startswith("m-each-done")]
    found = [int(v) for m in _matches(pattern, "m-each-", data) for v in m[1].split(",")]
    if len(found) != count:
        raise ReplyError(f"{len(found)} times in m-each-[...], expected {count}")
    return np.asarray(found, np.float64)


def layers(lines: Sequence[Line], count: int) -> tuple[LayerTime, ...]:
    """Times of the layers, in order."""
    _require(lines, f"m-layers-done-{count}")
    pattern = re.compile(r'm-layer-(\d+)-(\d+)-(\d+)-\[(\S+) "(.*)"\]')
    found = list(_matches(pattern, "m-layer-", lines))
    if [int(m[1]) for m in found] != list(range(len(found))):
        raise ReplyError("layers are missing: " + ", ".join(m[1] for m in found))
    return tuple(LayerTime(m[4], m[5], int(m[2]), int(m[3])) for m in found)


def output(lines: Sequence[Line], index: int, count: int) -> bytes:
    """The bytes of an output; checked by their CRC-32."""
    pattern = re.compile(rf"m-output-{index}-(\d+)-\[([0-9a-fA-F]*)\]")
    body = [line for line in lines if not line.text.startswith("m-output-done")]
    data = b""
    for match in _matches(pattern, "m-output-", body):
        if int(match[1]) != len(data) or len(match[2]) % 2:
            raise ReplyError(f"output {index}: a line at byte {match[1]}, expected {len(data)}")
        data += bytes.fromhex(match[2])
    done = [line.text for line in lines if line.text.startswith("m-output-done-")]
    if len(data) != count or len(done) != 1:
        raise ReplyError(f"output {index}: {len(data)} bytes came, expected {count}")
    if done[0].lower() != f"m-output-done-{zlib.crc32(data):08x}":
        raise ReplyError(f"output {index}: the bytes do not fit their checksum {done[0][14:]}")
    return data


def readings(lines: Sequence[Line]) -> Readings:
    """The raw readings of a `power` command, in the order of time."""
    pattern = re.compile(r"m-power-(\d+)-(\d+)-(\d+)")
    found = np.asarray(
        [[int(m[1]), int(m[2]), int(m[3])] for m in _matches(pattern, "m-power-", lines)], np.int64
    ).reshape(-1, 3)
    if len(found) < 2:
        raise ReplyError(f"{len(found)} lines m-power-US-SHUNT-BUS, expected one before and after")
    if np.any(np.diff(found[:, 0]) < 0) or np.any(found[:, 1:] > 0xFFFF):
        raise ReplyError("readings m-power-US-SHUNT-BUS go back in time or exceed 16 bits")
    return Readings(found[:, 0] / 1e6, found[:, 1], found[:, 2])


def selftest(lines: Sequence[Line]) -> str:
    """The result of `selftest`: "pass", "fail" or "none"."""
    pattern = re.compile(r"m-selftest-\[(pass|fail|none)\]")
    found = [m[1] for m in _matches(pattern, "m-selftest-", lines)]
    if len(found) != 1:
        raise ReplyError(f"{len(found)} lines m-selftest-[...], expected 1")
    return found[0]


def _matches(
    pattern: re.Pattern[str], prefix: str, lines: Iterable[Line]
) -> Iterable[re.Match[str]]:
    """Matches of the lines with the prefix; such a line that does not match is an error."""
    for line in lines:
        if line.text.startswith(prefix):
            match = pattern.fullmatch(line.text)
            if match is None:
                raise ReplyError(f"the line '{line.text[:120]}'")
            yield match


def _require(lines: Sequence[Line], text: str) -> float:
    """When the line came."""
    for line in lines:
        if line.text == text:
            return line.at_s
    raise ReplyError(f"no line '{text}'")
