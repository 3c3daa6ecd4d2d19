"""Meters for tests of whole runs, on the fake board's pulses: what they do well and badly."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from fake_board import FakeBoard
from mcugen.device.meters.base import HOST_CLOCK, PIN, MeterOptions, Recording
from mcugen.errors import DeviceError


@dataclass
class PinMeter:
    """20 mA at 3 V, 50 mA in inferences, exactly; edges are the board's pulses.

    Attributes:
        lost: how many of the last edges it does not see.
        extra: edges that are none of the board's, seconds after the start.
        overflow: as in Recording.
        unplugged_at: which `check` raises.
        cut_s: by how much the samples end too early.
    """

    options: MeterOptions
    marks: str = PIN
    lost: int = 0
    extra: tuple[float, ...] = ()
    overflow: bool = False
    unplugged_at: int = 0
    cut_s: float = 0.0
    name: str = "fake"
    title: str = "fake meter, simulated"
    simulated: bool = True
    step_a: float = 0.001
    notes: tuple[str, ...] = ("a fake",)
    calls: list[str] = field(default_factory=list)

    def open(self) -> None:
        self.calls.append("open")

    def start(self) -> None:
        self.calls.append("start")
        self._start = time.monotonic()

    def check(self) -> None:
        self.calls.append("check")
        if self.calls.count("check") == self.unplugged_at:
            raise DeviceError("the meter fake failed: unplugged", hint="plug it in")

    def stop(self) -> Recording:
        self.calls.append("stop")
        link = self.options.link
        assert isinstance(link, FakeBoard)
        time_s = np.arange(self._start, time.monotonic() - self.cut_s, 0.0005)
        pulses = link.pulses[: len(link.pulses) - self.lost]
        edges = np.sort([*pulses, *(self._start + e for e in self.extra)])
        current = np.full(len(time_s), 0.020)
        for start, end in zip(pulses[2::2], pulses[3::2], strict=False):
            current[(time_s >= start) & (time_s <= end)] = 0.050
        return Recording(
            time_s, current, np.full(len(time_s), 3.0),
            edges if self.marks == PIN else None, self.overflow, ("of this recording",),
        )  # fmt: skip

    def close(self) -> None:
        self.calls.append("close")


def host_clock(options: MeterOptions) -> PinMeter:
    """The same without the pin, its clock the host's."""
    return PinMeter(options, marks=HOST_CLOCK)
