from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mcugen.device.meters.base import MeterOptions
from mcugen.device.meters.csv_file import CsvMeter, read_recording
from mcugen.errors import DeviceError, ModelError, UsageError


def options(path: object, say: Callable[[str], None] = lambda text: None) -> MeterOptions:
    return MeterOptions(str(path), 3.3, 0.1, None, 0.0, say)  # type: ignore[arg-type]


def written(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode(encoding))
    return path


FORMS = {
    "plain": "time_s,current_a,voltage_v,d0\n0,0.02,3.0,1\n0.001,0.05,3.0,0\n0.002,0.05,3.0,1\n",
    "nRF Connect": "Timestamp(ms),Current(uA),D0-D7\n"
    "0,20000,11111111\n1,50000,01111111\n2,50000,11111111\n",
    "semicolons": "Time [ms];Current [mA];Voltage [V];Trigger\n"
    "0,0;20,0;3,0;high\n1,0;50,0;3,0;low\n2,0;50,0;3,0;high\n",
    "tabs and a mark": "\ufefft\ti\tv\tpin\n0\t0.02\t3\ttrue\n0.001\t0.05\t3\tfalse\n"
    "0.002\t0.05\t3\ttrue\n",
}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_columns_are_found_by_their_names(tmp_path: Path, form: str) -> None:
    found = read_recording(written(tmp_path, FORMS[form]), 3.0)
    assert found.time_s.tolist() == pytest.approx([0, 0.001, 0.002])
    assert found.current_a.tolist() == pytest.approx([0.02, 0.05, 0.05])
    assert found.voltage_v.tolist() == pytest.approx([3, 3, 3])
    assert found.edges_s is not None and found.edges_s.tolist() == pytest.approx([0.001])
    assert bool(found.notes) == (form == "nRF Connect")


def test_mcugens_own_trace_is_taken(tmp_path: Path) -> None:
    text = "time_s,current_a,voltage_v,mark\n0,0.02,3,0\n0.001,0.05,3,1\n0.002,0.05,3,2\n"
    found = read_recording(written(tmp_path, text), 9.9)
    assert found.edges_s is not None and found.edges_s.tolist() == [0.001, 0.002, 0.002]


WRONG = {
    "no currents": ("time,power\n0,1\n", "no column of currents among time, power"),
    "no times": ("current\n0\n", "no column of times among current"),
    "text": ("time,current\n0,x\n", "column 'current': could not convert"),
    "not finite": ("time,current\n0,nan\n", "column 'current': values must be finite"),
    "back in time": ("time,current\n0,1\n2,1\n1,1\n", "the times go back at line 4"),
    "a value lost": ("time,current\n0,1\n2\n", "line 3: 1 values, the first line names 2"),
    "a unit of another kind": ("time_v,current\n0,1\n", "'time_v' has no unit of s, ms"),
    "empty": ("", "no column of times"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_files_that_are_no_recording(tmp_path: Path, name: str) -> None:
    text, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        read_recording(written(tmp_path, text), 3.3)
    with pytest.raises(ModelError, match="is not a CSV file"):
        read_recording(written(tmp_path, "time,current\n0,µ\n", "latin-1"), 3.3)
    with pytest.raises(ModelError, match="cannot be read"):
        read_recording(tmp_path, 3.3)


def test_the_recording_is_read_when_the_run_is_over(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "log.csv"

    def say(text: str) -> None:
        said.append(text)
        if text.startswith("stop"):
            path.write_text(FORMS["plain"])

    meter = CsvMeter(options(path, say))
    meter.open()
    meter.start()
    meter.check()
    assert len(meter.stop().time_s) == 3
    meter.close()
    assert len(said) == 2 and str(path) in said[0]


def test_a_file_of_another_run_or_none_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, FORMS["plain"])
    os.utime(path, (time.time() - 60, time.time() - 60))
    for where in (path, tmp_path / "none.csv"):
        meter = CsvMeter(options(where))
        meter.open()
        meter.start()
        with pytest.raises(DeviceError, match=r"no recording .* newer than the run") as found:
            meter.stop()
        assert "export" in found.value.hint
    with pytest.raises(UsageError, match="there is no folder"):
        CsvMeter(options(tmp_path / "no" / "x.csv")).open()
    with pytest.raises(UsageError, match="needs the file"):
        CsvMeter(options(""))


def test_many_samples_are_read_in_moderate_time(tmp_path: Path) -> None:
    rows = "\n".join(f"{k / 1000},0.02,3.3,1" for k in range(100_000))
    found = read_recording(written(tmp_path, f"time_s,current_a,voltage_v,d0\n{rows}\n"), 3.3)
    assert len(found.time_s) == 100_000 and np.all(found.current_a == 0.02)
