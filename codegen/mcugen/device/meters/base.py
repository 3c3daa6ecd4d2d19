"""What all meters have in common: the interface, and what they record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mcugen.device.link import Link
from mcugen.device.protocol import Board
from mcugen.device.replies import Laps
from mcugen.errors import DeviceError, McugenError
from mcugen.ir import Array

PIN, BOARD_CLOCK, HOST_CLOCK = "pin", "board clock", "host clock"
"""What says when inferences ran: edges that the meter sees; the board's times, of which the
recording's clock is the same; the host's."""


@dataclass(frozen=True, eq=False)
class Recording:
    """What a meter saw from start to stop.

    Attributes:
        time_s: of each sample, ascending, float64; of the meter's clock unless `marks` of the
            meter says otherwise.
        current_a: amperes.
        voltage_v: volts.
        edges_s: falling edges of the trigger pin, ascending; None where the meter sees no pin.
        overflow: whether the current left the meter's range.
        notes: what a reader must know of this recording.
    """

    time_s: Array
    current_a: Array
    voltage_v: Array
    edges_s: Array | None = None
    overflow: bool = False
    notes: tuple[str, ...] = ()

    @property
    def rate_hz(self) -> float:
        """Samples a second, as they came: by the median distance."""
        if len(self.time_s) < 2:
            return 0.0
        step = float(np.median(np.diff(self.time_s)))
        return 1.0 / step if step > 0 else 0.0


@dataclass(frozen=True)
class MeterOptions:
    """How a meter is used.

    Attributes:
        argument: what followed the colon in `--meter NAME:ARGUMENT`.
        supply_v: supply voltage, for meters that do not measure it, or that are the supply.
        shunt_ohm: of an INA219 or INA226.
        link: the way to the board.
        patience_s: how long a person may take for what the meter asks of them.
        say: shows a line to that person.
    """

    argument: str
    supply_v: float
    shunt_ohm: float
    link: Link
    patience_s: float
    say: Callable[[str], None]


class Meter(Protocol):
    """A meter. Every method may raise DeviceError, none hangs."""

    @property
    def name(self) -> str:
        """Of the option `--meter`."""

    @property
    def title(self) -> str:
        """What a person calls it; contains "simulated" where it is."""

    @property
    def simulated(self) -> bool:
        """Whether its figures are invented."""

    @property
    def step_a(self) -> float:
        """Smallest current step, amperes; 0 where unknown."""

    @property
    def marks(self) -> str:
        """PIN, BOARD_CLOCK or HOST_CLOCK."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Limits that a reader must know."""

    def open(self) -> None:
        """Finds the meter and sets it up; switches the board on where the meter supplies it."""

    def start(self) -> None:
        """Begins to record."""

    def check(self) -> None:
        """Raises when the recording broke off."""

    def stop(self) -> Recording:
        """Ends the recording."""

    def close(self) -> None:
        """Lets go of the meter; never raises."""


class BoardMeter(Meter, Protocol):
    """A meter whose recording is on the board's clock, since the board runs it or marks it."""

    def run(self, board: Board, count: int, warmup: int, limit_s: float) -> Laps:
        """A window of inferences; its marks are on the recording's clock."""

    def idle(self, board: Board, seconds: float) -> tuple[float, float]:
        """(start, end) of an idle stretch, on the recording's clock."""


@contextmanager
def failures(title: str, hint: str = "") -> Iterator[None]:
    """Turns whatever a meter's library raises into a DeviceError that names the meter.

    The libraries raise exceptions of their own, of pyserial, of sockets and bare `Exception`.
    """
    try:
        yield
    except McugenError:
        raise
    except Exception as error:
        text = str(error) or type(error).__name__
        raise DeviceError(
            f"the meter {title} failed: {text}",
            hint=hint or "is it plugged in, and is no other program using it?",
        ) from error
