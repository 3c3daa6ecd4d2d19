"""Nordic PPK2 by `ppk2-api`: 100,000 samples a second, the trigger pin on its input D0.

Bytes are collected in a thread, since the kernel's buffer holds a fraction of a second, and
decoded by the library only at the end, since it takes longer than the samples do to come.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from mcugen.device.meters.base import PIN, MeterOptions, Recording, failures
from mcugen.device.meters.edges import falling_edges, thinned
from mcugen.errors import DeviceError, MissingExtraError, UsageError

RATE_HZ = 100_000
_KEPT_HZ = 10_000
_SAMPLE_BYTES = 4
_CHUNK_BYTES = RATE_HZ * _SAMPLE_BYTES
_SILENCE_S = 2.0
_LIMIT_A = 1.0
"""The largest current that it is made for."""
_JOIN_LIMIT_S = 5.0
_SUPPLY_MV = (800, 5000)


class Ppk2Meter:
    """A PPK2 as an ampere meter (`ppk2`), or as the board's supply too (`ppk2:source`)."""

    simulated = False
    marks = PIN

    def __init__(self, options: MeterOptions) -> None:
        mode, _, port = options.argument.partition(":")
        self._source = mode == "source"
        self._port = port if self._source else options.argument
        self._mv = round(options.supply_v * 1000)
        if not _SUPPLY_MV[0] <= self._mv <= _SUPPLY_MV[1]:
            raise UsageError(f"--supply-v: the PPK2 takes 0.8 to 5 V, got {options.supply_v:g}")
        self.name = "ppk2"
        self.title = "Nordic PPK2, " + ("source" if self._source else "ampere meter")
        self.step_a = 0.0
        self.notes = (
            f"it does not measure the voltage: {options.supply_v:g} V is what --supply-v says",
            f"the trace holds means over {RATE_HZ // _KEPT_HZ} samples",
        )
        self._device: Any = None
        self._chunks: list[bytes] = []
        self._error: Exception | None = None
        self._last = 0.0
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Finds the device and sets its mode; a source switches the board on."""
        try:
            from ppk2_api.ppk2_api import PPK2_API
        except ImportError as error:
            raise MissingExtraError("the meter PPK2", "ppk2-api", "ppk2") from error
        with failures(self.title):
            port = self._port or _only(PPK2_API.list_devices())
            self._device = PPK2_API(port, timeout=1, write_timeout=1, exclusive=True)
            if not self._device.get_modifiers():
                raise DeviceError(
                    f"the device on {port} does not answer as a PPK2 does",
                    hint="unplug it, plug it in again; close nRF Connect's Power Profiler",
                )
            if self._source:
                self._device.use_source_meter()
            else:
                self._device.use_ampere_meter()
            self._device.set_source_voltage(self._mv)
            self._device.toggle_DUT_power("ON")

    def start(self) -> None:
        """Starts the samples and the thread that collects them."""
        self._chunks, self._error, self._last = [], None, time.monotonic()
        self._end.clear()
        with failures(self.title):
            self._device.start_measuring()
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raises when the samples have stopped."""
        with failures(self.title):
            if self._error is not None:
                raise self._error
            if time.monotonic() - self._last > _SILENCE_S:
                raise DeviceError(f"the meter {self.title} sends no samples any more")

    def stop(self) -> Recording:
        """The samples at 10 kHz; edges of D0 at 100 kHz."""
        self.check()
        self._end.set()
        if self._thread is not None:
            self._thread.join(_JOIN_LIMIT_S)
        with failures(self.title):
            self._device.stop_measuring()
            current, pin = self._decoded()
        time_s = np.arange(len(current)) / RATE_HZ
        kept_time, kept = thinned(time_s, current, RATE_HZ // _KEPT_HZ)
        return Recording(
            time_s=kept_time,
            current_a=kept,
            voltage_v=np.full(len(kept), self._mv / 1000),
            edges_s=falling_edges(time_s, pin),
            overflow=bool(np.any(current > _LIMIT_A)),
        )

    def close(self) -> None:
        """Stops and lets go of the port; a source leaves the board switched on."""
        self._end.set()
        if self._device is not None:
            try:
                self._device.stop_measuring()
                self._device.ser.close()
            except Exception:  # the device may be gone: what was recorded is kept
                self._device = None

    def _collect(self) -> None:
        try:
            while not self._end.is_set():
                data = self._device.get_data()
                if data:
                    self._chunks.append(data)
                    self._last = time.monotonic()
                else:
                    time.sleep(0.002)
        except Exception as error:  # pyserial's, or what a library makes of it
            self._error = error

    def _decoded(self) -> tuple[Any, Any]:
        """(amperes, levels of D0), a second of samples at a time."""
        raw = b"".join(self._chunks)
        raw = raw[: len(raw) // _SAMPLE_BYTES * _SAMPLE_BYTES]
        currents, bits = [np.empty(0)], [np.empty(0, np.int64)]
        self._device.remainder = {"sequence": b"", "len": 0}
        for at in range(0, len(raw), _CHUNK_BYTES):
            microamperes, digital = self._device.get_samples(raw[at : at + _CHUNK_BYTES])
            currents.append(np.asarray(microamperes, np.float64) * 1e-6)
            bits.append(np.asarray(digital, np.int64) & 1)
        return np.concatenate(currents), np.concatenate(bits)


def _only(ports: list[str]) -> str:
    if len(ports) != 1:
        found = ", ".join(ports) or "none"
        raise DeviceError(
            f"PPK2 meters that are plugged in: {found}",
            hint="plug one in, or name its port: --meter ppk2:PORT",
        )
    return ports[0]
