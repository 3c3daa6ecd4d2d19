"""A PPK2 against a fake with the interface of ppk2-api."""

from __future__ import annotations

import sys
import time
import types
from typing import Any

import numpy as np
import pytest

from mcugen.device.meters.ppk2 import Ppk2Meter
from mcugen.errors import DeviceError, MissingExtraError, UsageError
from meter_libraries import install, options


class FakePpk2:
    """PPK2_API of ppk2-api 0.9: four bytes a sample; here D0 is bit 24, microamperes 0 to 23."""

    ports: tuple[str, ...] = ("/dev/ttyACM0",)
    answers = True
    made: list[FakePpk2] = []  # noqa: RUF012 - of the test

    def __init__(self, port: str, **kwargs: Any) -> None:
        assert kwargs == {"timeout": 1, "write_timeout": 1, "exclusive": True}
        self.port, self.calls = port, list[Any]()
        self.pending = b""
        self.failure: Exception | None = None
        self.ser = types.SimpleNamespace(close=lambda: self.calls.append("close"))
        self.remainder = {"sequence": b"", "len": 0}
        FakePpk2.made.append(self)

    @staticmethod
    def list_devices() -> list[str]:
        return list(FakePpk2.ports)

    def get_modifiers(self) -> bool | None:
        return True if self.answers else None

    def __getattr__(self, name: str) -> Any:
        known = (
            "use_ampere_meter", "use_source_meter", "set_source_voltage", "toggle_DUT_power",
            "start_measuring", "stop_measuring",
        )  # fmt: skip
        if name not in known:
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))

    def get_data(self) -> bytes:
        if self.failure is not None:
            raise self.failure
        data, self.pending = self.pending, b""
        return data

    def get_samples(self, buffer: bytes) -> tuple[list[float], list[int]]:
        words = np.frombuffer(buffer, "<u4")
        return [float(w & 0xFFFFFF) for w in words], [int(w >> 24) for w in words]


@pytest.fixture
def ppk2(monkeypatch: pytest.MonkeyPatch) -> type[FakePpk2]:
    install(monkeypatch, "ppk2_api.ppk2_api", PPK2_API=FakePpk2)
    monkeypatch.setattr(FakePpk2, "made", [])
    return FakePpk2


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_ppk2_samples_and_edges(ppk2: type[FakePpk2]) -> None:
    meter = Ppk2Meter(options())
    meter.open()
    device = ppk2.made[0]
    assert device.port == "/dev/ttyACM0"
    assert device.calls == [
        ("use_ampere_meter",), ("set_source_voltage", 3300), ("toggle_DUT_power", "ON"),
    ]  # fmt: skip
    level = np.full(3000, 0xFF)
    level[1000:1100] = 0xFE  # a millisecond low at 10 ms
    raw = (np.full(3000, 20_000) | (level << 24)).astype("<u4").tobytes()
    meter.start()
    device.pending = raw[:5]  # a sample cut in two by the port
    wait_until(lambda: not device.pending)
    device.pending = raw[5:]
    wait_until(lambda: not device.pending)
    meter.check()
    found = meter.stop()
    meter.close()
    assert len(found.time_s) == 300 and found.rate_hz == pytest.approx(10_000)
    assert set(found.current_a.round(9)) == {0.02} and set(found.voltage_v) == {3.3}
    assert found.edges_s is not None and found.edges_s.tolist() == [0.01]
    assert not found.overflow
    assert device.calls[-1] == "close" and ("stop_measuring",) in device.calls
    assert "--supply-v" in meter.notes[0]


def test_ppk2_as_the_supply_at_a_port(ppk2: type[FakePpk2]) -> None:
    meter = Ppk2Meter(options("source:/dev/ttyACM7", 1.8))
    meter.open()
    assert ppk2.made[0].port == "/dev/ttyACM7"
    assert ppk2.made[0].calls[:2] == [("use_source_meter",), ("set_source_voltage", 1800)]
    assert meter.title == "Nordic PPK2, source"
    with pytest.raises(UsageError, match=r"takes 0\.8 to 5 V, got 12"):
        Ppk2Meter(options("", 12.0))


def test_ppk2_beyond_its_range(ppk2: type[FakePpk2]) -> None:
    meter = Ppk2Meter(options())
    meter.open()
    meter.start()
    ppk2.made[0].pending = np.full(100, 1_100_000, "<u4").tobytes()
    wait_until(lambda: not ppk2.made[0].pending)
    assert meter.stop().overflow


def test_ppk2_faults(ppk2: type[FakePpk2], monkeypatch: pytest.MonkeyPatch) -> None:
    for ports, message in (((), "plugged in: none"), (("a", "b"), "plugged in: a, b")):
        monkeypatch.setattr(FakePpk2, "ports", ports)
        with pytest.raises(DeviceError, match=message) as found:
            Ppk2Meter(options()).open()
        assert "--meter ppk2:PORT" in found.value.hint
    monkeypatch.setattr(FakePpk2, "ports", ("a",))
    monkeypatch.setattr(FakePpk2, "answers", False)
    with pytest.raises(DeviceError, match="on a does not answer as a PPK2"):
        Ppk2Meter(options()).open()
    monkeypatch.setattr(FakePpk2, "answers", True)
    meter = Ppk2Meter(options())
    meter.open()
    meter.start()
    ppk2.made[-1].failure = OSError("device disconnected")
    wait_until(lambda: meter._error is not None)
    with pytest.raises(DeviceError, match="PPK2, ampere meter failed: device disconnected"):
        meter.check()
    with pytest.raises(DeviceError, match="device disconnected"):
        meter.stop()
    meter.close()
    silent = Ppk2Meter(options())
    silent.open()
    silent.start()
    silent._last -= 10
    with pytest.raises(DeviceError, match="sends no samples any more"):
        silent.check()
    silent.close()
    monkeypatch.setitem(sys.modules, "ppk2_api.ppk2_api", None)
    with pytest.raises(MissingExtraError) as missing:
        Ppk2Meter(options()).open()
    assert missing.value.hint == "pip install 'mcugen[ppk2]'"


def test_the_fake_has_the_interface_of_the_library() -> None:
    ppk2_api = pytest.importorskip("ppk2_api.ppk2_api")
    used = (
        "list_devices", "get_modifiers", "use_ampere_meter", "use_source_meter", "get_samples",
        "set_source_voltage", "toggle_DUT_power", "start_measuring", "stop_measuring", "get_data",
    )  # fmt: skip
    assert [n for n in used if not hasattr(ppk2_api.PPK2_API, n)] == []


def test_the_ppk2s_own_decoder_takes_what_is_given_to_it() -> None:
    ppk2_api = pytest.importorskip("ppk2_api.ppk2_api")
    device = ppk2_api.PPK2_API.__new__(ppk2_api.PPK2_API)
    device.ser = None
    original = ppk2_api.serial.Serial
    ppk2_api.serial.Serial = lambda *a, **k: types.SimpleNamespace(baudrate=0, close=lambda: None)
    try:
        device.__init__("none")
    finally:
        ppk2_api.serial.Serial = original
    device.current_vdd = 3300
    # range 4 (0.043 Ohm), ADC 1000 of 1.8 V / 163840, D0 high in one and low in the other
    word = 1000 | (4 << 14)
    raw = np.array([word | (1 << 24), word], "<u4").tobytes()
    meter = Ppk2Meter(options())
    meter._device, meter._chunks = device, [raw]
    current, pin = meter._decoded()
    assert pin.tolist() == [1, 0]
    ideal = 4000 * 1.8 / 163840 / 0.043
    assert current[0] == pytest.approx(ideal * (ideal + 1), rel=1e-6)  # both its gains are 1
