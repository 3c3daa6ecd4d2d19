"""The raw data of a run as its reports need it: the files beside a measurement.json."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mcugen.device.measurement import Measurement
from mcugen.device.raw_csv import Trace, read_latency, read_trace
from mcugen.ir import Array

_T = TypeVar("_T")


@dataclass(frozen=True)
class RawData:
    """What lay beside the JSON.

    Attributes:
        trace: None where the run has none, or its file is not there.
        latency_us: None likewise.
        missing: files that the JSON names and that are not there.
    """

    trace: Trace | None = None
    latency_us: Array | None = None
    missing: tuple[str, ...] = ()


def read_raw(folder: Path, measurement: Measurement) -> RawData:
    """The raw data in the folder; a JSON that was passed on without it is reported all the same.

    Raises:
        ModelError: a file that is there is damaged.
    """
    missing = [n for n in measurement.files.values() if not (folder / n).is_file()]

    def read(kind: str, reader: Callable[[Path], _T]) -> _T | None:
        name = measurement.files.get(kind)
        return None if name is None or name in missing else reader(folder / name)

    return RawData(read("trace", read_trace), read("latency", read_latency), tuple(missing))
