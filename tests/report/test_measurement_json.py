from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from mcugen.errors import ModelError
from mcugen.report.json_text import json_text
from mcugen.report.measurement_json import read_measurement
from measured import MEASUREMENT


def written(folder: Path, value: Any) -> Path:
    path = folder / "measurement.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_a_measurement_comes_back_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path, json_text(MEASUREMENT.to_json()))
    assert read_measurement(path) == MEASUREMENT


def test_a_partial_run_comes_back_as_it_was(tmp_path: Path) -> None:
    cut = dataclasses.replace(
        MEASUREMENT, meter=None, windows=(), latency=None, layers=(), power=None, accuracy=None,
        partial=True, error="the port vanished", arena_bytes=None,
    )  # fmt: skip
    assert read_measurement(written(tmp_path, json_text(cut.to_json()))) == cut


def test_keys_of_later_versions_are_passed_over_and_optional_ones_may_be_missing(
    tmp_path: Path,
) -> None:
    value = MEASUREMENT.to_json()
    value["humidity"] = 0.4
    value["board"]["colour"] = "black"
    del value["arena_bytes"], value["partial"]
    found = read_measurement(written(tmp_path, value))
    assert found == dataclasses.replace(MEASUREMENT, arena_bytes=None)


def changed(*keys: str | int, to: Any) -> dict[str, Any]:
    """The JSON with one value replaced."""
    value: Any = json.loads(json.dumps(MEASUREMENT.to_json()))
    inner = value
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = to
    return dict(value)


def without(*keys: str | int) -> dict[str, Any]:
    value: Any = json.loads(json.dumps(MEASUREMENT.to_json()))
    inner = value
    for key in keys[:-1]:
        inner = inner[key]
    del inner[keys[-1]]
    return dict(value)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "must hold a JSON object, got []"),
        (changed("kind", to="bench"), "kind must be 'measurement', got \"bench\""),
        (changed("schema", to=2), "schema must be 1, got 2"),
        (without("board"), "the key 'board' is missing"),
        (without("board", "clock_hz"), "the key 'board.clock_hz' is missing"),
        (without("windows", 3, "seconds"), "the key 'windows[3].seconds' is missing"),
        (changed("board", to=5), "board must be an object, got 5"),
        (changed("board", "clock_hz", to=1.5), "board.clock_hz must be a whole number, got 1.5"),
        (changed("board", "simulated", to="no"), 'board.simulated must be true or false, got "no"'),
        (changed("latency", "p99_us", to=None), "latency.p99_us must be a number, got null"),
        (changed("latency", "p99_us", to=True), "latency.p99_us must be a number, got true"),
        (changed("latency", "p99_us", to=-1), "latency.p99_us must not be negative, got -1"),
        (changed("latency", "p99_us", to=1e400), "latency.p99_us must be finite"),
        (changed("latency", "p99_us", to=float("nan")), "latency.p99_us must be finite"),
        (changed("layers", to={}), "layers must be a list, got {}"),
        (changed("layers", 1, "name", to=7), "layers[1].name must be a text, got 7"),
        (changed("conditions", to=[]), "conditions must be an object, got []"),
        (changed("conditions", "supply", to=3.3), "conditions.supply must be a text, got 3.3"),
        (changed("title", to=["x" * 100]), 'title must be a text, got ["xxx'),
        (changed("windows", 0, "inferences", to=0), "windows[0] must hold an inference"),
        (changed("windows", 0, "seconds", to=0), "windows[0] must hold an inference"),
        (changed("files", "trace", to="../t.csv"), "files.trace must be a file's name, got"),
        (changed("files", "trace", to="C:\\t.csv"), "files.trace must be a file's name, got"),
        (changed("files", "trace", to=""), "files.trace must be a file's name, got"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(tmp_path: Path, value: Any, wanted: str) -> None:
    path = written(tmp_path, value)
    with pytest.raises(ModelError) as raised:
        read_measurement(path)
    assert str(path) in raised.value.message and wanted in raised.value.message
    assert len(raised.value.message) < 400


def test_noise_may_make_net_energy_negative(tmp_path: Path) -> None:
    found = read_measurement(written(tmp_path, changed("power", "net_energy_j", to=-0.001)))
    assert found.power is not None and found.power.net_energy_j == -0.001


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        read_measurement(tmp_path / "measurement.json")
    (tmp_path / "m.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ModelError, match="is not JSON"):
        read_measurement(tmp_path / "m.json")
