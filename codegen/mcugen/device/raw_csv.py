"""The raw data of a run as CSV: the meter's trace and the times of single inferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcugen.errors import ModelError
from mcugen.ir import Array

TRACE_COLUMNS = ("time_s", "current_a", "voltage_v", "mark")
LATENCY_COLUMNS = ("us",)


@dataclass(frozen=True)
class Trace:
    """What a meter saw: arrays of one length, float64.

    Attributes:
        time_s: of each sample, ascending, on the time of the windows' `start_s` and `end_s`.
        current_a: amperes.
        voltage_v: volts.
        mark: how many marks fell since the sample before: 0, mostly.
    """

    time_s: Array
    current_a: Array
    voltage_v: Array
    mark: Array


def write_trace(path: Path, trace: Trace) -> None:
    """Writes trace.csv: one line a sample, nine significant digits."""
    columns = [trace.time_s, trace.current_a, trace.voltage_v, trace.mark]
    _write(path, TRACE_COLUMNS, np.column_stack(columns), ["%.9g", "%.9g", "%.9g", "%d"])


def write_latency(path: Path, latency_us: Array | Sequence[float]) -> None:
    """Writes latency.csv: one line an inference, microseconds, in the order they ran."""
    _write(path, LATENCY_COLUMNS, np.asarray(latency_us, np.float64).reshape(-1, 1), ["%.9g"])


def read_trace(path: Path) -> Trace:
    """The samples of a trace.csv.

    Raises:
        ModelError: the file is missing, has other columns, or a value is no number.
    """
    table = _read(path, TRACE_COLUMNS)
    if np.any(np.diff(table[:, 0]) < 0):
        row = int(np.argmax(np.diff(table[:, 0]) < 0)) + 3
        raise ModelError(f"{path}, line {row}: time_s goes back", hint="sort the file by time_s")
    return Trace(*table.T)


def read_latency(path: Path) -> Array:
    """Microseconds of single inferences, from a latency.csv.

    Raises:
        ModelError: the file is missing, has other columns, or a value is no number.
    """
    return _read(path, LATENCY_COLUMNS)[:, 0]


def _write(path: Path, columns: Sequence[str], table: Array, formats: Sequence[str]) -> None:
    np.savetxt(path, table, fmt=",".join(formats), header=",".join(columns), comments="")


def _read(path: Path, columns: Sequence[str]) -> Array:
    """Table [lines, columns] of finite numbers."""
    try:
        with path.open(encoding="utf-8", newline=None) as file:
            head = file.readline().strip()
            if head != ",".join(columns):
                raise ModelError(
                    f"{path}: the first line must be '{','.join(columns)}', got '{head[:80]}'"
                )
            lines = file.readlines()
        table = np.loadtxt(lines, delimiter=",", ndmin=2, comments=None) if lines else None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ModelError(f"{path} holds a line that is not numbers: {error}") from error
    if table is None:
        return np.empty((0, len(columns)))
    if table.shape[1] != len(columns):
        raise ModelError(f"{path}: lines must have {len(columns)} values, got {table.shape[1]}")
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(axis=1))) + 2
        raise ModelError(f"{path}, line {row}: values must be finite")
    return table
