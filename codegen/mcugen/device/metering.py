"""Windows of inferences beside a meter: how they are run, and where their marks are found.

- no meter: the board prints its own times;
- a meter that sees the trigger pin: energy mode, marks are the recording's falling edges;
- a meter on the board's clock: the board runs it, or its marks are taken as they are printed;
- a meter on the host's clock: marks are the arrivals of the board's lines.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from mcugen.device.energy import Span
from mcugen.device.meters.base import BOARD_CLOCK, PIN, BoardMeter, Meter, Recording
from mcugen.device.protocol import Board
from mcugen.device.replies import Laps
from mcugen.errors import DeviceError

_SETTLE_S = 0.2
"""Of recording before the first mark and behind the last."""
_TOLERANCE, _TOLERANCE_S = 0.1, 0.3
"""How far a window by the pin may be from the same one by the host: serial lines come late."""
_LATE_S = 0.05
"""The most by which the host's lines make a window longer than it was: two pulses, a line at
9600 baud, the timer of a USB bridge."""


@dataclass(frozen=True)
class Metered:
    """What a run of windows left.

    Attributes:
        spans: of the windows, in order.
        idle: a stretch without inferences; None without a meter.
        recording: None without a meter.
    """

    spans: tuple[Span, ...]
    idle: Span | None
    recording: Recording | None

    def from_zero(self) -> Metered:
        """The same with the recording's first sample at 0 s."""
        rec = self.recording
        if rec is None or len(rec.time_s) == 0:
            return self
        zero = float(rec.time_s[0])
        return Metered(
            spans=tuple(s.moved(-zero) for s in self.spans),
            idle=None if self.idle is None else self.idle.moved(-zero),
            recording=replace(
                rec,
                time_s=rec.time_s - zero,
                edges_s=None if rec.edges_s is None else rec.edges_s - zero,
            ),
        )


class Metering(Protocol):
    """Windows beside one kind of meter; `finish` once, whatever happened before.

    Attributes:
        late_s: by how much a window may be shorter than `window` says.
    """

    late_s: float

    def begin(self) -> None:
        """Starts the meter."""

    def idle(self, seconds: float) -> None:
        """The board sleeps."""

    def window(self, count: int, warmup: int, limit_s: float) -> float:
        """Seconds of `count` inferences between two marks."""

    def discard(self) -> None:
        """The last window does not count."""

    def finish(self, *, early: bool = False) -> Metered:
        """Stops the meter and finds the marks; `early` after an error in a window."""


def metering(board: Board, meter: Meter | None) -> Metering:
    """The kind that fits the meter."""
    if meter is None:
        return _Unmetered(board)
    if meter.marks == PIN:
        return _ByPin(board, meter)
    if meter.marks == BOARD_CLOCK:
        return _ByBoard(board, cast(BoardMeter, meter))
    return _ByHost(board, meter)


@dataclass
class _Unmetered:
    board: Board
    spans: list[Span] = field(default_factory=list)
    late_s: float = 0.0

    def begin(self) -> None:
        """Nothing."""

    def idle(self, seconds: float) -> None:
        """Nothing: idle power is what the board sleeps for."""

    def window(self, count: int, warmup: int, limit_s: float) -> float:
        """One `infer`."""
        self.spans.append(_span(self.board.infer(count, warmup, limit_s)))
        return self.spans[-1].seconds

    def discard(self) -> None:
        """Forgets it."""
        self.spans.pop()

    def finish(self, *, early: bool = False) -> Metered:
        """The times."""
        return Metered(tuple(self.spans), None, None)


def _span(laps: Laps) -> Span:
    return Span(laps.board_s[0], laps.board_s[-1], laps.inferences, laps.seconds)


@dataclass
class _ByBoard:
    board: Board
    meter: BoardMeter
    spans: list[Span] = field(default_factory=list)
    still: Span | None = None
    late_s: float = 0.0

    def begin(self) -> None:
        self.meter.start()

    def idle(self, seconds: float) -> None:
        start, end = self.meter.idle(self.board, seconds)
        self.still = Span(start, end, 0, end - start)

    def window(self, count: int, warmup: int, limit_s: float) -> float:
        self.spans.append(_span(self.meter.run(self.board, count, warmup, limit_s)))
        return self.spans[-1].seconds

    def discard(self) -> None:
        self.spans.pop()

    def finish(self, *, early: bool = False) -> Metered:
        return Metered(tuple(self.spans), self.still, self.meter.stop())


@dataclass
class _ByHost:
    board: Board
    meter: Meter
    spans: list[Span] = field(default_factory=list)
    still: Span | None = None
    late_s: float = 0.0

    def begin(self) -> None:
        self.meter.start()
        time.sleep(_SETTLE_S)

    def idle(self, seconds: float) -> None:
        start = time.monotonic()
        self.board.sleep(seconds)
        end = time.monotonic()
        self.still = Span(start, end, 0, end - start)
        self.meter.check()

    def window(self, count: int, warmup: int, limit_s: float) -> float:
        laps = self.board.infer(count, warmup, limit_s)
        self.spans.append(Span(laps.host_s[0], laps.host_s[-1], count, laps.seconds))
        self.meter.check()
        return laps.seconds

    def discard(self) -> None:
        self.spans.pop()

    def finish(self, *, early: bool = False) -> Metered:
        time.sleep(_SETTLE_S)
        return Metered(tuple(self.spans), self.still, self.meter.stop())


@dataclass
class _ByPin:
    board: Board
    meter: Meter
    laps: list[Laps] = field(default_factory=list)
    discarded: set[int] = field(default_factory=set)
    still_s: float | None = None
    late_s: float = _LATE_S

    def begin(self) -> None:
        self.board.mode(energy=True)
        self.meter.start()
        time.sleep(_SETTLE_S)

    def idle(self, seconds: float) -> None:
        self.board.timestamp()
        self.board.sleep(seconds)
        self.board.timestamp()
        self.still_s = seconds
        self.meter.check()

    def window(self, count: int, warmup: int, limit_s: float) -> float:
        laps = self.board.infer(count, warmup, limit_s)
        self.laps.append(laps)
        self.meter.check()
        return laps.around_s[1] - laps.around_s[0]

    def discard(self) -> None:
        self.discarded.add(len(self.laps) - 1)  # its marks are in the recording all the same

    def finish(self, *, early: bool = False) -> Metered:
        time.sleep(_SETTLE_S)
        with suppress(DeviceError):  # a board that is gone is known to be
            self.board.mode(energy=False)
        recording = self.meter.stop()
        edges = [] if recording.edges_s is None else [float(e) for e in recording.edges_s]
        idles = 0 if self.still_s is None else 1
        wanted = 2 * (idles + len(self.laps))
        if not (early and len(edges) > wanted):  # the window that broke off has marks too
            self._require(wanted, len(edges))
        pairs = list(zip(edges[:wanted:2], edges[1:wanted:2], strict=True))
        spans = [
            Span(start, end, laps.inferences, end - start)
            for (start, end), laps in zip(pairs[idles:], self.laps, strict=True)
        ]
        still = Span(*pairs[0], 0, pairs[0][1] - pairs[0][0]) if idles else None
        if still is not None and self.still_s is not None:
            _require_alike("the idle stretch", still, self.still_s)
        for number, (span, lap) in enumerate(zip(spans, self.laps, strict=True), 1):
            _require_alike(f"window {number}", span, lap.around_s[1] - lap.around_s[0])
        counted = tuple(s for i, s in enumerate(spans) if i not in self.discarded)
        return Metered(counted, still, recording)

    def _require(self, wanted: int, found: int) -> None:
        if found != wanted:
            raise DeviceError(
                f"the meter {self.meter.title} saw {found} marks, {wanted} were given: "
                f"two for idle and two a window",
                hint="wire the board's trigger pin to the meter's first digital input, and their "
                "grounds; docs/MEASURING.md shows it. --meter none measures times alone",
            )


def _require_alike(what: str, span: Span, seen_s: float) -> None:
    """That a stretch by the pin is about as long as the host saw it: no stray edges."""
    if abs(span.seconds - seen_s) > _TOLERANCE * seen_s + _TOLERANCE_S:
        raise DeviceError(
            f"{what} is {span.seconds:.3f} s long by the meter's marks and {seen_s:.3f} s by the "
            "serial port: the marks are others",
            hint="is another signal on the meter's digital input, or a recording of another "
            "run in the file?",
        )
