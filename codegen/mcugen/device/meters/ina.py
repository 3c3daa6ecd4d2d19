"""INA219 and INA226: registers to amperes and volts, and a recording over an I2C bus or the board.

Registers: Texas Instruments SBOS448 (INA219) and SBOS547 (INA226).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.device.meters import i2c_bus
from mcugen.device.meters.base import BOARD_CLOCK, HOST_CLOCK, MeterOptions, Recording, failures
from mcugen.device.protocol import Board, RefusedError
from mcugen.device.replies import Laps, Readings
from mcugen.errors import DeviceError, UsageError
from mcugen.ir import Array

ADDRESS = 0x40
"""Both address pins to ground."""
_CONFIG, _SHUNT, _BUS = 0x00, 0x01, 0x02
_BOARD_EVERY_US = 5_000
"""A reading is a line of about 35 characters: 3 ms at 115200 baud."""
_IDLE_READINGS, _LEAST_READINGS = 40, 5
_IDLE_EVERY_US = 1_000_000
_ONE_LIMIT_S = 120.0
"""For one inference, of whose time nothing is known here."""
_JOIN_LIMIT_S = 5.0


@dataclass(frozen=True)
class InaChip:
    """What differs between the two.

    Attributes:
        name: of the option `--meter`.
        config: continuous conversion of both voltages; about 1.1 ms for a pair.
        shunt_step_v: of the shunt voltage register, signed.
        shunt_limit: largest register value of the range that `config` chooses.
        bus_step_v: of the bus voltage register after the shift.
        bus_shift: bits below the voltage in the bus voltage register.
        overflow_bit: of the bus voltage register; 0 where it has none.
    """

    name: str
    config: int
    shunt_step_v: float
    shunt_limit: int
    bus_step_v: float
    bus_shift: int
    overflow_bit: int

    @property
    def title(self) -> str:
        """What a person calls it."""
        return self.name.upper()


# +-40 mV, 16 V, 12 bits of both in 532 us each, continuously
INA219 = InaChip("ina219", 0x019F, 10e-6, 4000, 4e-3, 3, 1)
# 588 us of both, no averages, continuously; +-81.92 mV always
INA226 = InaChip("ina226", 0x40DF, 2.5e-6, 32767, 1.25e-3, 0, 0)


def shunt_volts(chip: InaChip, register: Array) -> Array:
    """Volts over the shunt, of raw 16-bit registers in two's complement."""
    raw = np.asarray(register, np.int64)
    return np.where(raw >= 0x8000, raw - 0x10000, raw) * chip.shunt_step_v


def bus_volts(chip: InaChip, register: Array) -> Array:
    """Volts between the load's side of the shunt and ground, of raw 16-bit registers."""
    return (np.asarray(register, np.int64) >> chip.bus_shift) * chip.bus_step_v


def overflowed(chip: InaChip, shunt: Array, bus: Array) -> bool:
    """Whether a reading is at an end of the range, or the chip says so itself."""
    raw = np.asarray(shunt, np.int64)
    signed = np.where(raw >= 0x8000, raw - 0x10000, raw)
    at_end = np.any(signed >= chip.shunt_limit) or np.any(signed <= -chip.shunt_limit)
    return bool(at_end or np.any(np.asarray(bus, np.int64) & chip.overflow_bit))


def recording(chip: InaChip, found: Sequence[Readings], shunt_ohm: float) -> Recording:
    """The samples of raw readings, in order."""
    time_s, shunt, bus = (
        np.concatenate([np.asarray(getattr(r, name)) for r in found] or [np.empty(0)])
        for name in ("time_s", "shunt", "bus")
    )
    return Recording(
        time_s=np.asarray(time_s, np.float64),
        current_a=shunt_volts(chip, shunt) / shunt_ohm,
        voltage_v=bus_volts(chip, bus),
        overflow=overflowed(chip, shunt, bus),
    )


class InaMeter:
    """One of the chips on a bus of the host's (`ina219:usb`, `ina219:/dev/i2c-1`)."""

    simulated = False
    marks = HOST_CLOCK

    def __init__(self, chip: InaChip, options: MeterOptions) -> None:
        self._chip = chip
        self._options = options
        self.name = chip.name
        self.title = f"{chip.title} on {options.argument}, {options.shunt_ohm:g} Ohm"
        self.step_a = chip.shunt_step_v / options.shunt_ohm
        self.notes = (
            f"steps of {self.step_a * 1e3:g} mA: currents of milliamperes in long windows, "
            "no microamperes",
            "marks are by the host's clock: a serial line comes up to 16 ms late",
        )
        self._bus: i2c_bus.Bus | None = None
        self._readings: list[tuple[float, int, int]] = []
        self._error: Exception | None = None
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Opens the bus and configures the chip."""
        with failures(self.title, i2c_bus.HINT):
            self._bus = i2c_bus.open_bus(self._options.argument)
            self._bus.write(ADDRESS, _CONFIG, self._chip.config)
            found = self._bus.read(ADDRESS, _CONFIG)
        if found != self._chip.config:
            raise DeviceError(
                f"the meter {self.title} holds configuration 0x{found:04x}, "
                f"0x{self._chip.config:04x} was written",
                hint=i2c_bus.HINT,
            )

    def start(self) -> None:
        """Reads in a thread, as fast as the bus goes."""
        self._readings, self._error = [], None
        self._end.clear()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raises what the thread met."""
        if self._error is not None:
            with failures(self.title, i2c_bus.HINT):
                raise self._error

    def stop(self) -> Recording:
        """The samples, on the host's monotonic clock."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(_JOIN_LIMIT_S)
        self.check()
        table = np.asarray(self._readings, np.float64).reshape(-1, 3)
        found = Readings(table[:, 0], table[:, 1], table[:, 2])
        return recording(self._chip, [found], self._options.shunt_ohm)

    def close(self) -> None:
        """Closes the bus."""
        self._end.set()
        if self._bus is not None:
            self._bus.close()

    def _read(self) -> None:
        bus = self._bus
        assert bus is not None
        try:
            while not self._end.is_set():
                before = time.monotonic()
                shunt, volts = bus.read(ADDRESS, _SHUNT), bus.read(ADDRESS, _BUS)
                self._readings.append(((before + time.monotonic()) / 2, shunt, volts))
        except Exception as error:  # the adapters' libraries raise what they like
            self._error = error


class BoardIna:
    """One of the chips on the board's own bus (a BoardMeter): each window is a command `power`."""

    marks = BOARD_CLOCK

    def __init__(self, chip: InaChip, options: MeterOptions) -> None:
        self._chip = chip
        self._shunt_ohm = options.shunt_ohm
        self._readings: list[Readings] = []
        self.name = chip.name
        self.simulated = options.link.simulated
        word = "simulated " if self.simulated else ""
        self.title = f"{word}{chip.title} on the board's I2C bus, {options.shunt_ohm:g} Ohm"
        self.step_a = chip.shunt_step_v / options.shunt_ohm
        self.notes = (
            f"steps of {self.step_a * 1e3:g} mA: currents of milliamperes in long windows, "
            "no microamperes",
            "the other core reads the meter and prints meanwhile: all but idle power contains that",
        )

    def open(self) -> None:
        """Nothing: the board has the meter."""

    def start(self) -> None:
        """Forgets earlier readings."""
        self._readings = []

    def check(self) -> None:
        """Nothing: a reading that fails is an error of the board's answer."""

    def stop(self) -> Recording:
        """The samples, on the board's clock."""
        return recording(self._chip, self._readings, self._shunt_ohm)

    def close(self) -> None:
        """Nothing."""

    def run(self, board: Board, count: int, warmup: int, limit_s: float) -> Laps:
        """A window: the marks, while readings are kept."""
        found, readings = self._power(board, count, warmup, _BOARD_EVERY_US, limit_s)
        self._readings.append(readings)
        return found

    def idle(self, board: Board, seconds: float) -> tuple[float, float]:
        """(start, end) of an idle stretch, on the board's clock.

        The board cannot read while it sleeps. The reading ahead of each `power` is of an idle
        board; what comes behind it still holds a conversion from the inference.
        """
        seen = board.said.get("meter", "none")
        if seen != self.name:
            raise DeviceError(
                f"the board sees no {self._chip.title} on its bus but: {seen}", hint=i2c_bus.HINT
            )
        deadline = board.link.clock() + 5 * seconds
        found: list[Readings] = []
        while len(found) < _LEAST_READINGS or (
            len(found) < _IDLE_READINGS and board.link.clock() < deadline
        ):
            _, readings = self._power(board, 1, 0, _IDLE_EVERY_US, _ONE_LIMIT_S)
            found.append(readings.first())
        self._readings += found
        return float(found[0].time_s[0]), float(found[-1].time_s[0])

    def _power(
        self, board: Board, count: int, warmup: int, every_us: int, limit_s: float
    ) -> tuple[Laps, Readings]:
        try:
            return board.power(count, warmup, every_us, limit_s)
        except RefusedError as error:
            raise DeviceError(
                f"the meter {self.title} cannot be read: {error.message}",
                hint=f"{i2c_bus.HINT}; --meter {self.name}:usb takes an adapter's bus instead",
            ) from error


def make_ina(chip: InaChip) -> Callable[[MeterOptions], InaMeter | BoardIna]:
    """What makes the meter from its options: on the board's bus, or on one of the host's."""

    def make(options: MeterOptions) -> InaMeter | BoardIna:
        if options.shunt_ohm <= 0:
            raise UsageError(f"--shunt-ohm must be above 0, got {options.shunt_ohm:g}")
        if options.argument in ("", "board"):
            return BoardIna(chip, options)
        return InaMeter(chip, options)

    return make
