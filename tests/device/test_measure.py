from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exported import example
from fake_board import FakeBoard
from fake_meters import PinMeter, host_clock
from mcugen.device import measure as module
from mcugen.device import metering
from mcugen.device.measure import Measured, MeasureOptions, measure_on
from mcugen.device.measured_project import load_project
from mcugen.device.meters import registry
from mcugen.device.raw_csv import read_latency, read_trace
from mcugen.device.run import RunOptions
from mcugen.errors import DeviceError, ModelError, UsageError

QUICK = RunOptions(windows=5, window_s=0.06, runs=20, warmup=2)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "digits"
    example(board="pico_w").export(folder)
    return folder


@pytest.fixture
def project(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "digits"))


def fake(project: Path, **changes: Any) -> FakeBoard:
    loaded = load_project(project)
    said = {**loaded.said, **changes.pop("said", {})}
    return FakeBoard(example(board="pico_w").host, loaded.model_hash, said=said, **changes)


def run(project: Path, link: FakeBoard, meter: str = "none", **changes: Any) -> Measured:
    options = MeasureOptions(**{"meter": meter, "run": QUICK, **changes})
    return measure_on(load_project(project), link, options, lambda text: None, lambda text: None)


@pytest.fixture
def with_meter(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[PinMeter]]:
    """Puts a fake in the place of `--meter ppk2`; gives the list that it will be in."""

    def install(make: Callable[..., PinMeter] = PinMeter, **changes: Any) -> list[PinMeter]:
        made: list[PinMeter] = []

        def maker(options: Any) -> PinMeter:
            made.append(make(options, **changes))
            return made[-1]

        monkeypatch.setitem(registry.METERS, "ppk2", maker)  # type: ignore[arg-type]
        return made

    return install


def kept(done: Measured) -> dict[str, Any]:
    return dict(json.loads((done.folder / "measurement.json").read_text()))


def test_a_run_without_a_meter(project: Path) -> None:
    link = fake(project)
    done = run(project, link, title="int8, SRAM", conditions={"radio": "off"})
    assert done.good and done.error is None
    found = kept(done)
    assert done.folder == project.resolve() / "measurements" / "run-001"
    assert (found["schema"], found["kind"], found["title"]) == (1, "measurement", "int8, SRAM")
    assert (found["partial"], found["error"], found["selftest"]) == (False, "", "pass")
    assert found["conditions"] == {"radio": "off"}
    assert found["meter"] is None and found["power"] is None
    assert len(found["windows"]) == 5
    for window in found["windows"]:
        assert window["seconds"] == pytest.approx(window["inferences"] * link.each_s, rel=0.01)
        assert window["seconds"] >= QUICK.window_s
    assert found["latency"] == {
        "count": 20, "median_us": 500, "p99_us": 500, "min_us": 500, "max_us": 500, "jitter_us": 0,
    }  # fmt: skip
    assert [(w["name"], w["us"], w["cycles"]) for w in found["layers"]] == [
        ("/a/Conv (+1)", 300, 3000),
        ("s", 100, None),
    ]
    assert found["accuracy"] == {
        "samples": 1, "labelled": 0, "correct": 0, "equal": 1, "first_difference": "",
    }  # fmt: skip
    assert found["board"]["title"] == "fake board, simulated"
    assert (found["board"]["core"], found["board"]["clock_hz"]) == (1, 133_000_000)
    assert found["arena_bytes"] == example(board="pico_w").compiled.plan.arena_bytes
    assert found["files"] == {"latency": "latency.csv", "serial": "serial.log"}
    assert read_latency(done.folder / "latency.csv").tolist() == [500.0] * 20
    assert "< m-ready" in (done.folder / "serial.log").read_text()
    assert "simulated" in (done.folder / "REPORT.md").read_text()
    assert (done.folder / "report.html").is_file()
    assert link.closed


def test_energy_by_the_pin(project: Path, with_meter: Any) -> None:
    meters = with_meter()
    link = fake(project)
    done = run(project, link, "ppk2")
    assert done.good
    m = done.measurement
    assert m.power is not None and m.meter is not None
    assert m.power.idle_w == pytest.approx(0.060, rel=0.01)
    assert m.power.active_w == pytest.approx(0.150, rel=0.02)
    assert m.power.energy_j == pytest.approx(0.150 * link.each_s, rel=0.05)
    assert m.power.net_energy_j == pytest.approx(0.090 * link.each_s, rel=0.05)
    assert (m.power.peak_a, m.power.voltage_v) == (pytest.approx(0.05), pytest.approx(3.0))
    assert (m.meter.marks, m.meter.notes) == ("pin", ("a fake", "of this recording"))
    assert m.meter.rate_hz == pytest.approx(2000, rel=0.01)
    assert sum(layer.energy_j or 0 for layer in m.layers) == pytest.approx(m.power.energy_j)
    assert m.layers[0].energy_j == pytest.approx(0.75 * m.power.energy_j)
    trace = read_trace(done.folder / "trace.csv")
    assert trace.time_s[0] == 0 and trace.mark.sum() == 12
    for window in m.windows:
        assert window.start_s is not None and window.end_s is not None
        inside = (trace.time_s > window.start_s) & (trace.time_s < window.end_s)
        assert np.all(trace.current_a[inside] == 0.05)
    assert not link.energy, "the board is left as it was"
    assert meters[0].calls[0] == "open" and meters[0].calls[-1] == "close"
    assert "simulated" in (done.folder / "REPORT.md").read_text()


def test_energy_by_the_hosts_clock(project: Path, with_meter: Any) -> None:
    with_meter(host_clock)
    done = run(project, fake(project), "ppk2")
    assert done.good and done.measurement.power is not None
    assert done.measurement.power.active_w == pytest.approx(0.060, rel=0.01)
    assert done.measurement.meter is not None
    assert done.measurement.meter.marks == "host clock"
    assert read_trace(done.folder / "trace.csv").mark.sum() == 12


def test_energy_by_the_boards_own_meter(project: Path) -> None:
    done = run(project, fake(project), "ina219")
    assert done.good and done.measurement.power is not None and done.measurement.meter is not None
    p = done.measurement.power
    assert (p.idle_w, p.peak_a) == (pytest.approx(0.020 * 3.3), pytest.approx(0.1))
    assert p.active_w == pytest.approx(0.1 * 3.3, rel=0.06)  # 5 ms between readings of 60 ms
    assert done.measurement.meter.marks == "board clock"
    assert "simulated" in done.measurement.meter.title


def test_a_dataset_with_labels(project: Path, tmp_path: Path) -> None:
    images = np.random.default_rng(3).random((4, 1, 1, 8, 8), np.float32)
    host = example(board="pico_w").host
    right = [int(host.run({"image": i})["logits"].argmax()) for i in images]
    labels = np.array([right[0], right[1], (right[2] + 1) % 10, right[3]])
    arrays = {f"in{k}/image": image for k, image in enumerate(images)}
    np.savez(tmp_path / "data.npz", labels=labels, **arrays)
    options = RunOptions(1, 0.02, 5, 0, tmp_path / "data.npz")
    found = run(project, fake(project), run=options).measurement.accuracy
    assert found is not None
    assert (found.samples, found.labelled, found.correct, found.equal) == (4, 4, 3, 4)


def test_outputs_that_differ_are_told(project: Path) -> None:
    done = run(project, fake(project, corrupt=1))
    assert done.error is None and not done.good
    assert "outputs differ from the host's: sample 0: output 'logits', element 0" in done.faults[0]
    assert kept(done)["accuracy"]["equal"] == 0


def test_a_failing_selftest_is_told_and_the_run_goes_on(project: Path) -> None:
    def fail(lines: list[str]) -> list[str]:
        return ["FAIL: layer 3", "m-selftest-[fail]", "m-ready"]

    done = run(project, fake(project, edit={"selftest": fail}))
    assert done.error is None and not done.good
    assert done.faults == ("the board's self-test failed: FAIL: layer 3",)
    assert kept(done)["selftest"] == "fail" and len(kept(done)["windows"]) == 5


def test_a_program_without_a_buffer_compares_nothing_unless_asked(project: Path) -> None:
    def link() -> FakeBoard:
        return fake(project, refused={"db": "db load: the program has no buffer"})

    done = run(project, link())
    assert done.good and done.measurement.accuracy is None
    data = project / "data.npz"
    np.savez(data, image=np.zeros((1, 1, 8, 8), np.float32))
    done = run(project, link(), run=RunOptions(1, 0.02, 5, 0, data))
    assert done.error is not None and "has no buffer" in done.error.message


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "vanishes in a window": ({"vanish": {"infer": 5}}, "port fake vanished", "cable"),
    "vanishes in single inferences": ({"vanish": {"each": 1}}, "port fake vanished", "cable"),
    "another model": (
        {"hash": "0" * 64},
        "the board runs another model: 'digits_int8' with hash 000000000000...",
        "mcugen flash ",
    ),
    "another export": (
        {"said": {"memory": "arena: external RAM"}},
        "another export of this model: memory is 'arena: external RAM', the project's is 'arena: i",
        "mcugen flash ",
    ),
    "other firmware": (
        {"refused": {"info": "Unknown command: info"}},
        "runs other firmware",
        "mcugen flash ",
    ),
    "silent": ({"edit": {"": lambda lines: []}}, "no board answers", "mcugen flash "),
    "hangs": ({"edit": {"each": lambda lines: []}}, "no whole answer to 'each 20'", "reset"),
    "truncated": (
        {"edit": {"each": lambda lines: [lines[0][:-5], *lines[1:]]}},
        "the answer to 'each 20' on fake is damaged: the line",
        "cable",
    ),
    "garbage": ({"edit": {"each": lambda lines: ["\x11\x12"] * 99}}, "but other text", "firmware"),
    "marks missing": (
        {"edit": {"infer": lambda lines: [x for x in lines if "lap" not in x]}},
        "lines m-lap-us-N, expected 2",
        "cable",
    ),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_faults_keep_a_partial_run_and_say_what_to_do(project: Path, name: str) -> None:
    first = run(project, fake(project))
    before = {p.name: p.read_bytes() for p in first.folder.iterdir()}
    changes, message, hint = FAULTS[name]
    link = fake(project, **{k: v for k, v in changes.items() if k != "hash"})
    link.hash = changes.get("hash", link.hash)
    done = run(project, link)
    assert done.error is not None and not done.good
    assert message in done.error.message and hint in done.error.hint
    assert done.folder.name == "run-002"
    found = kept(done)
    assert found["partial"] and message in found["error"] and hint in found["error"]
    assert "Partial" in (done.folder / "REPORT.md").read_text()
    assert (done.folder / "serial.log").read_text().startswith("     0.")
    assert {p.name: p.read_bytes() for p in first.folder.iterdir()} == before
    assert sorted(p.name for p in first.folder.parent.iterdir()) == ["run-001", "run-002"]
    assert link.closed


def test_what_came_before_a_fault_is_kept(project: Path) -> None:
    done = run(project, fake(project, vanish={"infer": 5}))  # two to time it, two windows
    found = kept(done)
    assert len(found["windows"]) == 2 and found["latency"]["count"] == 20
    assert found["layers"] and found["accuracy"] is None


METER_FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "marks missing": ({"lost": 4}, "saw 8 marks, 12 were given", "trigger pin"),
    "no marks": ({"lost": 12}, "saw 0 marks, 12 were given", "trigger pin"),
    "stray marks": ({"lost": 2, "extra": (0.01, 0.02)}, "the marks are others", "another signal"),
    "overflow": ({"overflow": True}, "left the range of the meter", "smaller shunt"),
    "unplugged": ({"unplugged_at": 3}, "failed: unplugged", "plug it in"),
    "samples stop": ({"cut_s": 0.3}, "do not reach over the inferences", "unplugged"),
}


@pytest.mark.parametrize("name", sorted(METER_FAULTS))
def test_faults_of_the_meter_keep_the_rest(
    project: Path, with_meter: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metering, "_TOLERANCE_S", 0.015)  # fits these short windows
    changes, message, hint = METER_FAULTS[name]
    meters = with_meter(**changes)
    done = run(project, fake(project), "ppk2")
    assert done.error is not None
    assert message in done.error.message and hint in done.error.hint
    found = kept(done)
    assert found["partial"] and found["latency"]["count"] == 20
    if name == "unplugged":  # in the second window: the samples until then are good
        assert len(found["windows"]) == 2 and found["power"] is not None
    else:
        assert found["power"] is None and all(w["energy_j"] is None for w in found["windows"])
    assert meters[0].calls[-1] == "close"


def test_energy_of_whole_windows_is_kept_when_the_port_vanishes(
    project: Path, with_meter: Any
) -> None:
    with_meter()
    done = run(project, fake(project, vanish={"infer": 5}), "ppk2")
    assert done.error is not None and "port fake vanished" in done.error.message
    assert len(done.measurement.windows) == 2
    assert all(w.energy_j is not None for w in done.measurement.windows)
    assert done.measurement.power is not None and done.measurement.partial


def test_a_meter_on_the_board_that_is_not_there(project: Path) -> None:
    done = run(project, fake(project, meter="none"), "ina219")
    assert done.error is not None and "sees no INA219 on its bus but: none" in done.error.message
    assert "SDA" in done.error.hint
    refused = {"power": "power: a second core is needed"}
    done = run(project, fake(project, refused=refused), "ina219")
    assert done.error is not None and "a second core is needed" in done.error.message
    assert "--meter ina219:usb" in done.error.hint


def test_an_overflow_on_the_boards_own_meter(project: Path) -> None:
    def clipped(lines: list[str]) -> list[str]:
        return [line.replace("-1000-", "-4000-") for line in lines]

    done = run(project, fake(project, edit={"power": clipped}), "ina219")
    assert done.error is not None and "left the range" in done.error.message
    assert done.measurement.power is None and len(done.measurement.windows) == 5


def test_ctrl_c_keeps_what_there_is(project: Path) -> None:
    link = fake(project)
    sleep = link.read

    def interrupted(limit_s: float) -> bytes:
        if link._calls.get("infer") == 4:
            raise KeyboardInterrupt
        return sleep(limit_s)

    link.read = interrupted  # type: ignore[method-assign]
    done = run(project, link)
    assert done.error is not None and done.error.exit_code == 130
    assert kept(done)["error"] == "interrupted by the user" and link.closed


def test_a_wrong_dataset_is_told_before_the_board_is_asked(project: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", other=np.zeros(3))
    link = fake(project)
    done = run(project, link, run=RunOptions(1, 0.02, 5, 0, tmp_path / "data.npz"))
    assert isinstance(done.error, ModelError) and "no array for image" in done.error.message
    assert link._calls == {}


def test_a_meter_that_cannot_be_opened_closes_the_port(project: Path, with_meter: Any) -> None:
    def broken(options: Any) -> Any:
        meter = PinMeter(options)

        def fail() -> None:
            raise DeviceError("no meter")

        meter.open = fail  # type: ignore[method-assign]
        return meter

    meters = with_meter(broken)
    link = fake(project)
    with pytest.raises(DeviceError, match="no meter"):
        run(project, link, "ppk2")
    assert link.closed and meters[0].calls == ["close"]
    assert not (project / "measurements").exists()


def test_unknown_meters_and_foreign_folders(project: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one of none, ina219, .* simulated, got 'fluke'"):
        module.measure(project, MeasureOptions(port="simulated", meter="fluke"))
    with pytest.raises(UsageError, match="is no project of mcugen"):
        module.measure(tmp_path, MeasureOptions(port="simulated"))


def test_runs_side_by_side_take_numbers_of_their_own(project: Path) -> None:
    (project / "measurements" / "run-007").mkdir(parents=True)
    (project / "measurements" / "run-007" / "mine").write_text("x")
    names = [run(project, fake(project), run=RunOptions(1, 0.01, 1, 0)).folder.name for _ in "ab"]
    assert names == ["run-008", "run-009"]
    assert list(itertools.chain((project / "measurements").glob(".run-*"))) == []
