"""A meter that invents currents from the board's real marks, so that every path can be tried.

Idle current outside the inferences, a higher one inside, Gaussian noise on both, from a seed.
"""

from __future__ import annotations

import itertools

import numpy as np

from mcugen.device.meters.base import BOARD_CLOCK, PIN, MeterOptions, Recording
from mcugen.device.protocol import Board
from mcugen.device.replies import Laps
from mcugen.errors import UsageError
from mcugen.ir import Array

IDLE_A, ACTIVE_A, NOISE_A = 0.012, 0.038, 0.0004
_NOISE_V = 0.002
_RATE_HZ = 1000
_AROUND_S = 0.1
_MOST_SAMPLES = 2_000_000


class SimulatedMeter:
    """`simulated`, or `simulated:SEED`."""

    simulated = True

    def __init__(self, options: MeterOptions) -> None:
        if not options.argument.isdecimal() and options.argument:
            raise UsageError(f"--meter simulated:SEED takes a number, got '{options.argument}'")
        self._link = options.link
        self._supply_v = options.supply_v
        self._seed = int(options.argument or 0)
        self._before = 0
        self._pairs: list[tuple[float, float]] = []
        self.name = "simulated"
        self.title = "simulated meter"
        self.step_a = 0.0
        self.marks = BOARD_CLOCK if options.link.edges() is None else PIN
        self.notes = (
            f"simulated: {IDLE_A * 1e3:g} mA idle, {ACTIVE_A * 1e3:g} mA in inferences and "
            f"noise of {NOISE_A * 1e3:g} mA are invented; only the marks are the board's",
        )

    def open(self) -> None:
        """Nothing."""

    def start(self) -> None:
        """Forgets what was before."""
        self._before = len(self._link.edges() or ())
        self._pairs = []

    def check(self) -> None:
        """Nothing."""

    def stop(self) -> Recording:
        """The invented samples: the first pair of marks is idle, all others are inferences."""
        edges = (self._link.edges() or ())[self._before :]
        pairs = self._pairs or list(zip(edges[::2], edges[1::2], strict=False))
        time_s = _times(pairs)
        rng = np.random.default_rng(self._seed)
        current = np.full(len(time_s), IDLE_A)
        for start, end in pairs[1:]:
            current[np.searchsorted(time_s, start) : np.searchsorted(time_s, end)] = ACTIVE_A
        return Recording(
            time_s=time_s,
            current_a=current + rng.normal(0, NOISE_A, len(time_s)),
            voltage_v=self._supply_v + rng.normal(0, _NOISE_V, len(time_s)),
            edges_s=np.asarray(edges, np.float64) if self.marks == PIN else None,
        )

    def close(self) -> None:
        """Nothing."""

    def run(self, board: Board, count: int, warmup: int, limit_s: float) -> Laps:
        """A window of inferences."""
        found = board.infer(count, warmup, limit_s)
        self._pairs.append((found.board_s[0], found.board_s[-1]))
        return found

    def idle(self, board: Board, seconds: float) -> tuple[float, float]:
        """(start, end) of an idle stretch."""
        start = board.timestamp()
        board.sleep(seconds)
        self._pairs.append((start, board.timestamp()))
        return self._pairs[-1]


def _times(pairs: list[tuple[float, float]]) -> Array:
    """Sample times over all pairs; the clock may stand still between lines, never go back."""
    if not pairs:
        return np.empty(0)
    ends = list(itertools.chain.from_iterable(pairs))
    start, end = min(ends) - _AROUND_S, max(ends) + _AROUND_S
    shortest = min((b - a for a, b in pairs if b > a), default=1.0)
    rate = max(_RATE_HZ, 20 / shortest)
    count = min(int((end - start) * rate) + 2, _MOST_SAMPLES)
    return np.linspace(start, end, count)
