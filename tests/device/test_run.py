"""The windows of a run: as long as they must be, whatever the board's speed does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exported import example
from fake_board import FakeBoard
from fake_meters import PinMeter
from mcugen.device import metering
from mcugen.device.measure import Measured, MeasureOptions, measure_on
from mcugen.device.measured_project import load_project
from mcugen.device.meters import registry
from mcugen.device.raw_csv import read_trace
from mcugen.device.run import RunOptions

QUICK = RunOptions(windows=5, window_s=0.06, runs=20, warmup=2)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "digits"
    example(board="pico_w").export(folder)
    return folder


def run(
    project: Path, link: FakeBoard, meter: str = "none", options: RunOptions = QUICK
) -> Measured:
    wanted = MeasureOptions(meter=meter, run=options)
    return measure_on(load_project(project), link, wanted, lambda text: None, lambda text: None)


class Faster(FakeBoard):
    """Windows go faster than the inferences that timed them, by `factor`, or more each time."""

    factor = 1.5
    ever = False

    def _do_infer(self, arguments: list[str]) -> list[str]:
        calls = self._calls["infer"]
        if calls == 3 or (self.ever and calls > 3):  # two time one inference
            self.each_s /= self.factor
        return super()._do_infer(arguments)


def board(project: Path, kind: type[FakeBoard], **changes: Any) -> Any:
    loaded = load_project(project)
    host = example(board="pico_w").host
    return kind(host, loaded.model_hash, said=dict(loaded.said), **changes)


def test_a_window_that_comes_out_too_short_is_repeated(project: Path) -> None:
    link = board(project, Faster)
    done = run(project, link)
    assert done.good, done.error
    assert [w.seconds >= QUICK.window_s for w in done.measurement.windows] == [True] * 5
    assert link._calls["infer"] == 2 + 1 + 5 + 1  # timing, the short one, windows, a sample


def test_marks_of_a_repeated_window_are_none_of_a_window(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metering, "_LATE_S", 0.0)
    monkeypatch.setitem(registry.METERS, "ppk2", PinMeter)
    done = run(project, board(project, Faster), "ppk2")
    assert done.good, done.error
    assert len(done.measurement.windows) == 5
    assert read_trace(done.folder / "trace.csv").mark.sum() == 14
    assert all(w.seconds >= QUICK.window_s for w in done.measurement.windows)
    text = (done.folder / "REPORT.md").read_text()
    assert "14 marks for 5 windows. The first two are those of idle. 2 more: of windows" in text


def test_windows_that_stay_too_short_end_the_run(project: Path) -> None:
    link = board(project, Faster)
    link.ever = True
    done = run(project, link)
    assert done.error is not None
    assert "window 1 of 5 stays too short: 0.0" in done.error.message
    assert "in the last of 5 attempts" in done.error.message and "clock" in done.error.hint
    assert done.measurement.windows == () and done.measurement.partial


def test_inferences_shorter_than_a_microsecond(project: Path) -> None:
    link = board(project, FakeBoard, each_s=2e-7)
    done = run(project, link, options=RunOptions(2, 0.05, 5, 0))
    assert done.good, done.error
    for window in done.measurement.windows:
        assert window.seconds / window.inferences == pytest.approx(2e-7, rel=0.05)
        assert window.seconds >= 0.05


def test_a_clock_that_stands_still(project: Path) -> None:
    done = run(project, board(project, FakeBoard, each_s=0.0))
    assert done.error is not None and "clock stands still" in done.error.message
    assert "timer" in done.error.hint
