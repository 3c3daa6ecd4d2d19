from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcugen.device.raw_csv import Trace, read_latency, read_trace, write_latency, write_trace
from mcugen.errors import ModelError

TRACE = Trace(
    np.array([0.0, 0.001, 0.002]),
    np.array([0.0081, 0.1287, 1e-7]),
    np.array([3.3, 3.29, 3.3]),
    np.array([0, 1, 0]),
)


def test_a_trace_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    write_trace(path, TRACE)
    assert path.read_text().splitlines()[:3] == [
        "time_s,current_a,voltage_v,mark",
        "0,0.0081,3.3,0",
        "0.001,0.1287,3.29,1",
    ]
    again = read_trace(path)
    np.testing.assert_array_equal(again.time_s, TRACE.time_s)
    np.testing.assert_array_equal(again.current_a, TRACE.current_a)
    np.testing.assert_array_equal(again.voltage_v, TRACE.voltage_v)
    np.testing.assert_array_equal(again.mark, TRACE.mark)


def test_latencies_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "latency.csv"
    write_latency(path, [86300.0, 86301.5])
    assert path.read_text() == "us\n86300\n86301.5\n"
    assert read_latency(path).tolist() == [86300.0, 86301.5]


def test_a_run_without_a_sample(tmp_path: Path) -> None:
    write_latency(tmp_path / "latency.csv", [])
    assert read_latency(tmp_path / "latency.csv").size == 0
    (tmp_path / "trace.csv").write_text("time_s,current_a,voltage_v,mark\n")
    assert read_trace(tmp_path / "trace.csv").time_s.size == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("time,current\n", "the first line must be 'time_s,current_a,voltage_v,mark', got 'time,"),
        ("", "the first line must be"),
        ("time_s,current_a,voltage_v,mark\n0,1,2,x\n", "not numbers"),
        ("time_s,current_a,voltage_v,mark\n0,1,2\n", "lines must have 4 values, got 3"),
        ("time_s,current_a,voltage_v,mark\n0,1,2,0\n0,1,2\n", "not numbers"),
        ("time_s,current_a,voltage_v,mark\n0,1,2,0\n1,nan,2,0\n", "line 3: values must be finite"),
        ("time_s,current_a,voltage_v,mark\n0,1,2,0\n2,1,2,0\n1,1,2,0\n", "line 4: time_s goes"),
    ],
)
def test_a_damaged_trace_is_named(tmp_path: Path, text: str, wanted: str) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"trace\.csv") as raised:
        read_trace(path)
    assert wanted in raised.value.message


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        read_latency(tmp_path / "latency.csv")
    (tmp_path / "latency.csv").write_bytes(b"us\n\xff\xfe\n")
    with pytest.raises(ModelError, match="not numbers"):
        read_latency(tmp_path / "latency.csv")
