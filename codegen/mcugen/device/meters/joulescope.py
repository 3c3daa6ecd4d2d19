"""Joulescope JS220 and JS110 by `pyjoulescope_driver`, the trigger pin on input 0.

All signals come at one rate: 50 us a sample shows the pin's pulses of a millisecond, and a run of
a minute stays small.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from mcugen.device.meters.base import PIN, MeterOptions, Recording, failures
from mcugen.device.meters.edges import falling_edges
from mcugen.errors import DeviceError, MissingExtraError
from mcugen.ir import Array

_RATE_HZ = 20_000
_SILENCE_S = 2.0
_CURRENT, _VOLTAGE, _INPUT = "s/i/!data", "s/v/!data", "s/gpi/0/!data"
_SWITCHES = ("s/i/ctrl", "s/v/ctrl", "s/gpi/0/ctrl")


class JoulescopeMeter:
    """The only Joulescope, or the one with a serial number (`joulescope:000123`)."""

    simulated = False
    marks = PIN

    def __init__(self, options: MeterOptions) -> None:
        self.name = "joulescope"
        self.title = "Joulescope"
        self.step_a = 0.0
        self.notes = (f"filtered by the instrument to {_RATE_HZ:,} samples a second",)
        self._serial = options.argument
        self._driver: Any = None
        self._path = ""
        self._lock = threading.Lock()
        self._blocks: dict[str, list[tuple[Array, Array]]] = {}
        self._last = 0.0

    def open(self) -> None:
        """Opens the instrument: ranges by itself, all three signals at one rate."""
        try:
            from pyjoulescope_driver import Driver
        except ImportError as error:
            raise MissingExtraError(
                "the meter Joulescope", "pyjoulescope_driver", "joulescope"
            ) from error
        with failures(self.title):
            self._driver = Driver()
            self._path = _only(self._driver.device_paths(), self._serial)
            self.title = f"Joulescope {self._path.removeprefix('u/')}"
            self._driver.open(self._path, mode="defaults")
            older = "js110" in self._path
            self._publish("s/i/range/select" if older else "s/i/range/mode", "auto")
            self._publish(
                "s/v/range/select" if older else "s/v/range/mode", "15 V" if older else "auto"
            )
            self._publish("h/fs", _RATE_HZ)

    def start(self) -> None:
        """Subscribes to the samples and switches them on."""
        with self._lock:
            self._blocks = {topic: [] for topic in (_CURRENT, _VOLTAGE, _INPUT)}
            self._last = time.monotonic()
        with failures(self.title):
            for topic in self._blocks:
                self._driver.subscribe(f"{self._path}/{topic}", "pub", self._take)
            for topic in _SWITCHES:
                self._publish(topic, 1)

    def check(self) -> None:
        """Raises when the samples have stopped."""
        if time.monotonic() - self._last > _SILENCE_S:
            raise DeviceError(
                f"the meter {self.title} sends no samples any more", hint="look at its USB cable"
            )

    def stop(self) -> Recording:
        """The samples; missing currents (a range changes) are those of before."""
        self.check()
        with failures(self.title):
            for topic in _SWITCHES:
                self._publish(topic, 0)
            self._driver.unsubscribe_all(self._take)
            with self._lock:
                return _recording(self._blocks)

    def close(self) -> None:
        """Lets go of the instrument."""
        if self._driver is not None:
            try:
                self._driver.close(self._path)
                self._driver.finalize()
            except Exception:  # the instrument may be gone: what was recorded is kept
                self._driver = None

    def _publish(self, topic: str, value: str | int) -> None:
        self._driver.publish(f"{self._path}/{topic}", value)

    def _take(self, topic: str, value: Any) -> None:
        """Called by the driver's thread with a block of samples of one signal."""
        signal = topic.removeprefix(f"{self._path}/")
        data = np.asarray(value["data"])
        if signal == _INPUT:  # eight samples a byte, the first in the lowest bit
            data = np.unpackbits(data.astype(np.uint8), bitorder="little")
        step = value["decimate_factor"] / value["sample_rate"]
        time_s = value["sample_id"] / value["sample_rate"] + np.arange(len(data)) * step
        with self._lock:
            if signal in self._blocks:
                self._blocks[signal].append((time_s, data))
                self._last = time.monotonic()


def _recording(blocks: dict[str, list[tuple[Array, Array]]]) -> Recording:
    def joined(signal: str) -> tuple[Array, Array]:
        found = blocks.get(signal, [])
        if not found:
            return np.empty(0), np.empty(0)
        return np.concatenate([t for t, _ in found]), np.concatenate([d for _, d in found])

    time_s, current = joined(_CURRENT)
    volt_time, volts = joined(_VOLTAGE)
    pin_time, pin = joined(_INPUT)
    if len(time_s) == 0 or len(volt_time) == 0:
        raise DeviceError("the meter Joulescope sent no samples")
    start = float(time_s[0])
    current, clipped = _filled(current.astype(np.float64))
    return Recording(
        time_s=time_s - start,
        current_a=current,
        voltage_v=np.interp(time_s, volt_time, volts.astype(np.float64)),
        edges_s=falling_edges(pin_time - start, pin),
        overflow=clipped,
    )


def _filled(current: Array) -> tuple[Array, bool]:
    """(samples without NaN, whether more than 1 % were: the instrument cut the current off)."""
    missing = np.isnan(current)
    if not missing.any():
        return current, False
    known = np.flatnonzero(~missing)
    if len(known) == 0:
        return np.zeros(len(current)), True
    before = known[np.maximum(np.searchsorted(known, np.arange(len(current)), "right") - 1, 0)]
    return current[before], bool(missing.mean() > 0.01)


def _only(paths: list[str], serial: str) -> str:
    fitting = [p for p in paths if p.lower().endswith(serial.lower())]
    if len(fitting) != 1:
        found = ", ".join(paths) or "none"
        wanted = f" with the serial number {serial}" if serial else ""
        raise DeviceError(
            f"Joulescopes that are plugged in: {found}; one{wanted} is needed",
            hint="plug it in, or name its serial number: --meter joulescope:NUMBER",
        )
    return fitting[0]
