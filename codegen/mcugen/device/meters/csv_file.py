"""A recording that any logger exported as CSV: columns are found by their names.

Time, current, voltage (or --supply-v) and the trigger pin, each with its unit: `Timestamp(ms)`,
`Current(uA)`, `voltage_v`, `D0`. A column `D0-D7` holds the eight levels as text, D0 first, as
nRF Connect exports them. mcugen's own trace.csv is taken too.
"""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcugen.device.meters.base import PIN, MeterOptions, Recording
from mcugen.device.meters.edges import falling_edges
from mcugen.device.raw_csv import TRACE_COLUMNS, read_trace
from mcugen.errors import DeviceError, ModelError, UsageError
from mcugen.ir import Array

_TIME = r"time|timestamp|t"
_CURRENT = r"current|main current|i|amps?"
_VOLTAGE = r"voltage|main voltage|v|volts?"
_PIN = r"d0|d0-d7|gpi ?[01]|gpi\[0\]|input 0|i1|trigger|pin|digital ?0"
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "": 1.0}
_AMPERES = {"a": 1.0, "ma": 1e-3, "ua": 1e-6, "µa": 1e-6, "na": 1e-9, "": 1.0}
_VOLTS = {"v": 1.0, "mv": 1e-3, "": 1.0}
_SETTLED_S = 1.0


class CsvMeter:
    """`csv:FILE`: the logger runs by itself, and its recording is read when the run is over."""

    name = "csv"
    simulated = False
    step_a = 0.0
    marks = PIN

    def __init__(self, options: MeterOptions) -> None:
        if not options.argument:
            raise UsageError("--meter csv:FILE needs the file that the logger will export")
        self._path = Path(options.argument)
        self._options = options
        self._started = 0.0
        self.title = f"recording {self._path.name}"
        self.notes: tuple[str, ...] = ()

    def open(self) -> None:
        """Sees to it that the file can come to be.

        Raises:
            UsageError: its folder is missing.
        """
        if not self._path.absolute().parent.is_dir():
            raise UsageError(f"--meter csv:{self._path}: there is no folder {self._path.parent}")

    def start(self) -> None:
        """Asks for the logger to be started."""
        self._started = time.time()
        self._options.say(f"record with the logger from now on; export to {self._path} at the end")

    def check(self) -> None:
        """Nothing: the logger is on its own."""

    def stop(self) -> Recording:
        """The recording, once the file is there and newer than the start."""
        self._options.say(f"stop the logger and export its recording to {self._path}")
        deadline = time.monotonic() + self._options.patience_s
        while not self._is_ready():
            if time.monotonic() >= deadline:
                raise DeviceError(
                    f"there is no recording {self._path} that is newer than the run",
                    hint="export the logger's recording to this file while mcugen waits",
                )
            time.sleep(min(0.5, max(0.0, deadline - time.monotonic())))
        return read_recording(self._path, self._options.supply_v)

    def close(self) -> None:
        """Nothing."""

    def _is_ready(self) -> bool:
        """Whether the file is of this run and was not written to just now."""
        try:
            changed = self._path.stat().st_mtime
        except OSError:
            return False
        settled = time.time() - changed >= _SETTLED_S or self._options.patience_s == 0
        return changed >= self._started - 1.0 and settled


def read_recording(path: Path, supply_v: float) -> Recording:
    """The recording in a CSV file; without a column of voltages it is `supply_v`.

    Raises:
        ModelError: it cannot be read, or a column is missing.
    """
    header, rows = _read(path)
    if tuple(header) == TRACE_COLUMNS:
        trace = read_trace(path)
        edges = np.repeat(trace.time_s, trace.mark.astype(np.int64))
        return Recording(trace.time_s, trace.current_a, trace.voltage_v, edges)
    time_s = _numbers(path, header, rows, _TIME, _SECONDS)
    current = _numbers(path, header, rows, _CURRENT, _AMPERES)
    if time_s is None or current is None:
        raise ModelError(
            f"{path}: no column of {'times' if time_s is None else 'currents'} among "
            f"{', '.join(header)[:200]}",
            hint="name the columns as in 'time_s,current_a,voltage_v,d0'",
        )
    if np.any(np.diff(time_s) < 0):
        raise ModelError(f"{path}: the times go back at line {int(np.argmin(np.diff(time_s))) + 3}")
    volts = _numbers(path, header, rows, _VOLTAGE, _VOLTS)
    pin = _levels(header, rows)
    return Recording(
        time_s=time_s,
        current_a=current,
        voltage_v=np.full(len(time_s), supply_v) if volts is None else volts,
        edges_s=np.empty(0) if pin is None else falling_edges(time_s, pin),
        notes=(f"{supply_v:g} V is what --supply-v says",) if volts is None else (),
    )


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    """(names, rows of as many texts); the delimiter is the header's."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            delimiter = max(";\t,", key=first.count)
            header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
            rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path} is not a CSV file: {error}") from error
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ModelError(
                f"{path}, line {number}: {len(row)} values, the first line names {len(header)}"
            )
    return header, rows


def _column(header: Sequence[str], names: str) -> tuple[int, str] | None:
    """(index, unit) of the first column of these names."""
    pattern = re.compile(rf"(?:{names})(?:[ _]?[(\[]?([munµ]?[asv])[)\]]?)?", re.IGNORECASE)
    for index, name in enumerate(header):
        match = pattern.fullmatch(name.strip())
        if match:
            return index, (match[1] or "").lower()
    return None


def _numbers(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], names: str,
    units: dict[str, float],
) -> Array | None:  # fmt: skip
    found = _column(header, names)
    if found is None:
        return None
    index, unit = found
    if unit not in units:
        raise ModelError(
            f"{path}: '{header[index]}' has no unit of {', '.join(filter(None, units))}"
        )
    try:
        values = np.asarray([float(row[index].replace(",", ".")) for row in rows])
    except ValueError as error:
        raise ModelError(f"{path}, column '{header[index]}': {error}") from error
    if not np.isfinite(values).all():
        raise ModelError(f"{path}, column '{header[index]}': values must be finite")
    return values * units[unit]


def _levels(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Array | None:
    """Levels of the trigger pin: the first character says it in `D0-D7`, too."""
    found = _column(header, _PIN)
    if found is None:
        return None
    texts = [row[found[0]].strip().lower() for row in rows]
    return np.asarray([text[:1] not in ("", "0", "f", "l") for text in texts], np.int64)
