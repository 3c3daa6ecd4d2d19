"""A Joulescope against a fake with the interface of pyjoulescope_driver."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from mcugen.device.meters.joulescope import JoulescopeMeter
from mcugen.errors import DeviceError, MissingExtraError
from meter_libraries import install, options


class FakeDriver:
    """Driver of pyjoulescope_driver 2: topics, and blocks of samples by callbacks."""

    paths: tuple[str, ...] = ("u/js220/000123",)
    made: list[FakeDriver] = []  # noqa: RUF012 - of the test

    def __init__(self) -> None:
        self.published: list[tuple[str, Any]] = []
        self.callbacks: dict[str, Any] = {}
        self.calls: list[Any] = []
        FakeDriver.made.append(self)

    def device_paths(self) -> list[str]:
        return list(self.paths)

    def open(self, path: str, mode: str | None = None) -> None:
        self.calls.append(("open", path, mode))

    def close(self, path: str) -> None:
        self.calls.append(("close", path))

    def finalize(self) -> None:
        self.calls.append("finalize")

    def publish(self, topic: str, value: Any) -> None:
        self.published.append((topic, value))

    def subscribe(self, topic: str, flags: str, function: Any) -> None:
        assert flags == "pub"
        self.callbacks[topic] = function

    def unsubscribe_all(self, function: Any) -> None:
        self.callbacks.clear()

    def send(self, signal: str, data: Any, at: int, *, rate: int = 1_000_000, by: int = 50) -> None:
        topic = f"{self.paths[0]}/s/{signal}/!data"
        block = {"sample_id": at, "sample_rate": rate, "decimate_factor": by, "data": data}
        self.callbacks[topic](topic, block)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> type[FakeDriver]:
    install(monkeypatch, "pyjoulescope_driver", Driver=FakeDriver)
    monkeypatch.setattr(FakeDriver, "made", [])
    return FakeDriver


def test_joulescope_samples_and_edges(driver: type[FakeDriver]) -> None:
    meter = JoulescopeMeter(options())
    meter.open()
    found = driver.made[0]
    assert meter.title == "Joulescope js220/000123"
    assert ("u/js220/000123/s/i/range/mode", "auto") in found.published
    assert ("u/js220/000123/h/fs", 20_000) in found.published
    meter.start()
    assert ("u/js220/000123/s/gpi/0/ctrl", 1) in found.published
    current = np.full(64, 0.05, np.float32)
    current[3] = np.nan  # a range changes
    found.send("i", current, 5_000_000)
    found.send("i", np.full(64, 0.05, np.float32), 5_000_000 + 64 * 50)
    found.send("v", np.full(128, 3.3, np.float32), 5_000_000)
    pin = np.ones(128, np.uint8)
    pin[40:60] = 0
    found.send("gpi/0", np.packbits(pin, bitorder="little"), 5_000_000)
    recording = meter.stop()
    meter.close()
    assert len(recording.time_s) == 128 and recording.time_s[0] == 0
    assert recording.rate_hz == pytest.approx(20_000)
    assert recording.current_a.tolist() == pytest.approx([0.05] * 128)
    assert recording.voltage_v.tolist() == pytest.approx([3.3] * 128)
    assert recording.edges_s is not None
    assert recording.edges_s.tolist() == pytest.approx([40 * 50e-6])
    assert not recording.overflow
    assert found.calls[-2:] == [("close", "u/js220/000123"), "finalize"]


def test_joulescope_js110_has_other_names_for_ranges(
    driver: type[FakeDriver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeDriver, "paths", ("u/js110/002",))
    JoulescopeMeter(options()).open()
    assert ("u/js110/002/s/i/range/select", "auto") in driver.made[0].published
    assert ("u/js110/002/s/v/range/select", "15 V") in driver.made[0].published


def test_joulescope_faults(driver: type[FakeDriver], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match="plugged in: u/js220/000123; one with the serial"):
        JoulescopeMeter(options("999")).open()
    monkeypatch.setattr(FakeDriver, "paths", ())
    with pytest.raises(DeviceError, match="plugged in: none; one is needed"):
        JoulescopeMeter(options()).open()
    monkeypatch.setattr(FakeDriver, "paths", ("u/js220/1",))
    meter = JoulescopeMeter(options("1"))
    meter.open()
    meter.start()
    with pytest.raises(DeviceError, match="sent no samples"):
        meter.stop()
    meter.start()
    meter._last -= 10
    with pytest.raises(DeviceError, match="no samples any more") as found:
        meter.check()
    assert "USB" in found.value.hint
    meter.start()
    cut = np.full(64, np.nan, np.float32)
    cut[0] = 10.0
    driver.made[-1].send("i", cut, 0)
    driver.made[-1].send("v", np.ones(64, np.float32), 0)
    assert meter.stop().overflow

    def broken(self: Any) -> list[str]:
        raise RuntimeError("jsdrv failed 9")

    monkeypatch.setattr(FakeDriver, "device_paths", broken)
    with pytest.raises(DeviceError, match="Joulescope failed: jsdrv failed 9"):
        JoulescopeMeter(options()).open()
    monkeypatch.setitem(sys.modules, "pyjoulescope_driver", None)
    with pytest.raises(MissingExtraError) as missing:
        JoulescopeMeter(options()).open()
    assert missing.value.hint == "pip install 'mcugen[joulescope]'"
