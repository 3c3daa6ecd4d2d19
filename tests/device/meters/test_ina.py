"""Registers against the figures of the data sheets, readings against fakes of the libraries."""

from __future__ import annotations

import sys
import time
import types
from typing import Any

import numpy as np
import pytest

from mcugen.device.meters.base import MeterOptions
from mcugen.device.meters.i2c_bus import open_bus
from mcugen.device.meters.ina import (
    INA219,
    INA226,
    BoardIna,
    InaMeter,
    bus_volts,
    make_ina,
    overflowed,
    shunt_volts,
)
from mcugen.errors import DeviceError, MissingExtraError, UsageError


class NoLink:
    simulated = False


def options(argument: str = "usb", shunt_ohm: float = 0.1) -> MeterOptions:
    return MeterOptions(argument, 3.3, shunt_ohm, NoLink(), 0.0, lambda text: None)  # type: ignore[arg-type]


def test_registers_of_the_data_sheets() -> None:
    # SBOS448, section "Shunt Voltage Register": -320 mV is 0x8300, 320 mV is 0x7D00
    assert shunt_volts(INA219, np.array([0x8300, 0x7D00])).tolist() == pytest.approx([-0.32, 0.32])
    # ... and its example: 20 mV over the shunt is 0x07D0; 11.98 V on the bus is 0x5D98
    assert shunt_volts(INA219, np.array([0x07D0])).tolist() == pytest.approx([0.02])
    assert bus_volts(INA219, np.array([0x5D98])).tolist() == pytest.approx([11.98], abs=0.004)
    assert bus_volts(INA219, np.array([0x1F40 << 3])).tolist() == pytest.approx([32.0])
    # SBOS547: -80 mV is 0x8300, 11.98 V is 0x2570, full scale 81.9175 mV is 0x7FFF
    assert shunt_volts(INA226, np.array([0x8300])).tolist() == pytest.approx([-0.08])
    assert shunt_volts(INA226, np.array([0x7FFF])).tolist() == pytest.approx([0.0819175])
    assert bus_volts(INA226, np.array([0x2570])).tolist() == pytest.approx([11.98])


def test_flags_do_not_count_as_volts() -> None:
    assert bus_volts(INA219, np.array([(825 << 3) | 0b11])).tolist() == pytest.approx([3.3])


def test_overflow_is_an_end_of_the_range_or_the_chips_own_flag() -> None:
    fine = (825 << 3) | 2
    assert not overflowed(INA219, np.array([3999, 0x10000 - 3999]), np.array([fine, fine]))
    assert overflowed(INA219, np.array([4000]), np.array([fine]))
    assert overflowed(INA219, np.array([0x10000 - 4000]), np.array([fine]))
    assert overflowed(INA219, np.array([10]), np.array([fine | 1]))
    assert overflowed(INA226, np.array([0x7FFF]), np.array([2640]))
    assert not overflowed(INA226, np.array([0x7FFE]), np.array([2641]))


class FakeSmbus:
    """The interface that smbus2.SMBus and EasyMCP2221.SMBus share."""

    def __init__(self, *where: object, **named: object) -> None:
        self.where = where
        self.registers = {0x00: 0x399F, 0x01: 0x0190, 0x02: (825 << 3) | 2}
        self.fail_after = 10**9
        self.reads = 0
        self.closed = False
        made.append(self)

    def read_i2c_block_data(self, address: int, register: int, length: int) -> list[int]:
        assert (address, length) == (0x40, 2)
        self.reads += 1
        if self.reads > self.fail_after:
            raise OSError(121, "Remote I/O error")
        return list(self.registers[register].to_bytes(2, "big"))

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        assert address == 0x40
        self.registers[register] = int.from_bytes(bytes(data), "big")

    def close(self) -> None:
        self.closed = True


made: list[FakeSmbus] = []


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    for name in ("EasyMCP2221", "smbus2"):
        module: Any = types.ModuleType(name)
        module.SMBus = FakeSmbus
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("where", ["usb", "/dev/i2c-1"])
def test_a_recording_over_a_bus(where: str) -> None:
    meter = make_ina(INA219)(options(where))
    assert isinstance(meter, InaMeter)
    meter.open()
    assert made[0].registers[0] == INA219.config
    assert made[0].where == (() if where == "usb" else (where,))
    before = time.monotonic()
    meter.start()
    while made[0].reads < 20:
        time.sleep(0.001)
    meter.check()
    found = meter.stop()
    meter.close()
    assert before <= found.time_s[0] <= found.time_s[-1] <= time.monotonic()
    assert set(found.current_a.round(6)) == {0.04}  # 4 mV over 0.1 Ohm
    assert set(found.voltage_v.round(6)) == {3.3}
    assert found.edges_s is None and not found.overflow and found.rate_hz > 0
    assert meter.step_a == pytest.approx(1e-4) and "0.1 mA" in meter.notes[0]
    assert made[0].closed


def test_another_shunt_gives_other_amperes() -> None:
    meter = make_ina(INA226)(options("usb", 0.01))
    assert meter.step_a == pytest.approx(2.5e-4)
    with pytest.raises(UsageError, match="--shunt-ohm must be above 0"):
        make_ina(INA219)(options("usb", 0.0))


def test_a_meter_that_is_unplugged_meanwhile() -> None:
    meter = InaMeter(INA219, options())
    meter.open()
    made[0].fail_after = 10
    meter.start()
    with pytest.raises(DeviceError, match=r"INA219 on usb.* failed: .*Remote I/O") as found:
        for _ in range(500):
            meter.check()
            time.sleep(0.001)
    assert "SDA" in found.value.hint
    with pytest.raises(DeviceError, match="Remote I/O"):
        meter.stop()


def test_a_chip_that_does_not_take_its_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSmbus, "write_i2c_block_data", lambda *a: None)
    with pytest.raises(DeviceError, match="holds configuration 0x399f, 0x019f was written"):
        InaMeter(INA219, options()).open()


def test_buses_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="must be 'board', 'usb' or /dev/i2c-N, got 'spi'"):
        InaMeter(INA219, options("spi")).open()
    for where, package in (("usb", "EasyMCP2221"), ("/dev/i2c-1", "smbus2")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingExtraError, match=f"'{package}'") as found:
            open_bus(where)
        assert found.value.hint == "pip install 'mcugen[ina]'"


def test_the_boards_own_bus_is_the_default() -> None:
    assert isinstance(make_ina(INA219)(options("")), BoardIna)
    assert isinstance(make_ina(INA219)(options("board")), BoardIna)
