"""An Otii against fakes with the interfaces of otii-tcp-client."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from mcugen.device.meters.otii import OtiiMeter
from mcugen.errors import DeviceError, MissingExtraError
from meter_libraries import install, options


class FakeRecording:
    channels: dict[str, Any] = {}  # noqa: RUF012 - of the test

    def get_channel_data_count(self, device: str, channel: str) -> int:
        return len(self.channels[channel]["values"])

    def get_channel_data(self, device: str, channel: str, index: int, count: int) -> Any:
        found = self.channels[channel]
        part = {**found, "values": found["values"][index : index + count]}
        if "interval" in found:
            part["timestamp"] = found["timestamp"] + index * found["interval"]
        return part


class FakeArc:
    def __init__(self, name: str) -> None:
        self.type, self.id, self.name = "Arc", f"id-{name}", name
        self.calls: list[Any] = []
        self.on, self.connected = False, True

    def __getattr__(self, name: str) -> Any:
        known = ("set_main_voltage", "set_max_current", "set_exp_voltage", "enable_channel")
        if name not in known:
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))

    def set_main(self, on: bool) -> None:
        self.on = on

    def get_main(self) -> bool:
        return self.on

    def is_connected(self) -> bool:
        return self.connected


class FakeOtii:
    """OtiiClient, its connection and its project in one."""

    devices: list[FakeArc] = []  # noqa: RUF012 - of the test
    recording: FakeRecording | None = FakeRecording()
    calls: list[Any] = []  # noqa: RUF012 - of the test

    def connect(self, *, try_for_seconds: int) -> FakeOtii:
        return self

    def get_devices(self, timeout: int) -> list[FakeArc]:
        return self.devices

    def create_project(self) -> FakeOtii:
        return self

    def start_recording(self) -> None:
        self.calls.append("start")

    def stop_recording(self) -> None:
        self.calls.append("stop")

    def get_last_recording(self) -> FakeRecording | None:
        return self.recording

    def close(self, force: bool = False) -> None:
        self.calls.append("close")

    def disconnect(self) -> None:
        self.calls.append("disconnect")


@pytest.fixture
def otii(monkeypatch: pytest.MonkeyPatch) -> FakeArc:
    install(monkeypatch, "otii_tcp_client.otii_client", OtiiClient=FakeOtii)
    arc = FakeArc("Arc I")
    monkeypatch.setattr(FakeOtii, "devices", [arc])
    monkeypatch.setattr(FakeOtii, "calls", [])
    monkeypatch.setattr(FakeOtii, "recording", FakeRecording())
    channels = {
        "mc": {"timestamp": 0.0, "interval": 0.00025, "values": [0.02] * 400},
        "mv": {"timestamp": 0.0, "interval": 0.001, "values": [3.3] * 101},
        "i1": {
            "values": [
                {"timestamp": 0.0, "value": False},
                {"timestamp": 0.001, "value": True},
                {"timestamp": 0.050, "value": False},
                {"timestamp": 0.051, "value": True},
            ]
        },
    }
    monkeypatch.setattr(FakeRecording, "channels", channels)
    return arc


def test_otii_samples_and_edges(otii: FakeArc) -> None:
    meter = OtiiMeter(options("Arc I"))
    meter.open()
    assert meter.title == "Otii Arc Arc I" and otii.on
    assert ("set_main_voltage", 3.3) in otii.calls
    assert [c for c in otii.calls if c[0] == "enable_channel"] == [
        ("enable_channel", c, True) for c in ("mc", "mv", "i1")
    ]
    meter.start()
    meter.check()
    found = meter.stop()
    meter.close()
    assert len(found.time_s) == 400 and found.rate_hz == pytest.approx(4000)
    assert set(found.current_a) == {0.02} and set(found.voltage_v) == {3.3}
    assert found.edges_s is not None and found.edges_s.tolist() == [0.05]
    assert not found.overflow
    assert FakeOtii.calls == ["start", "stop", "close", "disconnect"]


def test_otii_faults(otii: FakeArc, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match="software sees: Arc I; one called Ace is needed"):
        OtiiMeter(options("Ace")).open()
    meter = OtiiMeter(options())
    meter.open()
    meter.start()
    otii.on = False  # it cut the board off
    cut = meter.stop()
    assert cut.overflow and "cut the supply off" in cut.notes[0]
    monkeypatch.setattr(FakeOtii, "recording", None)
    with pytest.raises(DeviceError, match="has no recording"):
        meter.stop()
    otii.connected = False
    with pytest.raises(DeviceError, match="was unplugged"):
        meter.check()

    def refuse(self: Any, **named: Any) -> Any:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(FakeOtii, "connect", refuse)
    with pytest.raises(DeviceError, match=r"Otii failed: .*refused") as found:
        OtiiMeter(options()).open()
    assert "otii-server" in found.value.hint
    monkeypatch.setitem(sys.modules, "otii_tcp_client.otii_client", None)
    with pytest.raises(MissingExtraError) as missing:
        OtiiMeter(options()).open()
    assert missing.value.hint == "pip install 'mcugen[otii]'"


def test_the_fakes_have_the_interfaces_of_the_library() -> None:
    arc = pytest.importorskip("otii_tcp_client.arc")
    recording = pytest.importorskip("otii_tcp_client.recording")
    project = pytest.importorskip("otii_tcp_client.project")
    used = ("set_main_voltage", "set_max_current", "set_exp_voltage", "enable_channel", "set_main",
            "get_main", "is_connected")  # fmt: skip
    assert [n for n in used if not hasattr(arc.Arc, n)] == []
    used = ("get_channel_data_count", "get_channel_data")
    assert [n for n in used if not hasattr(recording.Recording, n)] == []
    used = ("start_recording", "stop_recording", "get_last_recording", "close")
    assert [n for n in used if not hasattr(project.Project, n)] == []
