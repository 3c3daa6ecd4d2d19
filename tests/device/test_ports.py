"""Which port is the board's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from device.fake_ports import plug_in, port, usb_device
from device.folders import exported
from mcugen.device import ports
from mcugen.device.ports import choose_port, in_boot_mode, serial_ports
from mcugen.device.project_folder import ProjectFolder
from mcugen.errors import DeviceError, MissingExtraError


@pytest.fixture
def project(tmp_path: Path) -> ProjectFolder:
    return exported(tmp_path)


@pytest.fixture
def tty(tmp_path: Path) -> Path:
    """A file that stands for a port's."""
    path = tmp_path / "ttyACM0"
    path.touch()
    return path


def refused(project: ProjectFolder, wanted: str | None = None) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        choose_port(project, wanted)
    return caught.value


def test_the_only_one_that_fits_is_taken(
    monkeypatch: pytest.MonkeyPatch, project: ProjectFolder, tty: Path
) -> None:
    probe, mainboard = port("/dev/ttyACM7", "2e8a:000c", "Debug Probe"), port("/dev/ttyS0")
    plug_in(monkeypatch, mainboard, probe, port(tty, "2E8A:F00A", "PicoW"))
    assert choose_port(project) == str(tty)
    if sys.platform.startswith("linux"):
        assert [p.usb for p in serial_ports()] == ["2e8a:000c", "2e8a:f00a"]


def test_several_are_listed(monkeypatch: pytest.MonkeyPatch, project: ProjectFolder) -> None:
    one, two = port("/dev/ttyACM1", "2e8a:f00a", "PicoW"), port("/dev/ttyACM0", "2e8a:000a", "Pico")
    plug_in(monkeypatch, one, two)
    error = refused(project)
    assert error.message.splitlines() == [
        "several ports may be the Raspberry Pi Pico W:",
        "  /dev/ttyACM0  2e8a:000a  Pico",
        "  /dev/ttyACM1  2e8a:f00a  PicoW",
    ]
    assert "--port /dev/ttyACM0" in error.hint


def test_none_at_all(monkeypatch: pytest.MonkeyPatch, project: ProjectFolder) -> None:
    plug_in(monkeypatch)
    error = refused(project)
    assert error.message == "no Raspberry Pi Pico W found: there is no USB serial port"
    assert "data wires" in error.hint and "hold BOOTSEL" in error.hint and "driver" in error.hint


def test_a_board_that_speaks_through_an_adapter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tty: Path
) -> None:
    project = exported(tmp_path, "pico_w_bare")
    plug_in(monkeypatch)
    assert "BOOTSEL" not in refused(project).hint
    plug_in(monkeypatch, port(tty, "2e8a:000c"), usb_folder=usb_device(tmp_path / "u", "2e8a:0003"))
    assert choose_port(project) == str(tty)


def test_ports_of_other_devices(monkeypatch: pytest.MonkeyPatch, project: ProjectFolder) -> None:
    plug_in(monkeypatch, port("/dev/ttyUSB0", "10c4:ea60", "CP2102N"))
    error = refused(project)
    assert "no Raspberry Pi Pico W found" in error.message
    assert "  /dev/ttyUSB0  10c4:ea60  CP2102N" in error.message
    assert "--port /dev/ttyUSB0" in error.hint


def test_a_board_in_bootsel_mode(
    monkeypatch: pytest.MonkeyPatch, project: ProjectFolder, tmp_path: Path
) -> None:
    plug_in(monkeypatch, usb_folder=usb_device(tmp_path / "usb", "2E8A:0003"))
    assert in_boot_mode(project) is True
    error = refused(project)
    assert "waits for firmware (BOOTSEL mode)" in error.message
    assert error.hint == f"mcugen flash {project.path}"


def test_whether_a_board_waits_for_firmware_is_not_known_everywhere(
    monkeypatch: pytest.MonkeyPatch, project: ProjectFolder, tmp_path: Path
) -> None:
    plug_in(monkeypatch)
    assert in_boot_mode(project) is None
    plug_in(monkeypatch, usb_folder=usb_device(tmp_path / "usb", "1d6b:0003"))
    assert in_boot_mode(project) is False
    assert in_boot_mode(exported(tmp_path, "nucleo_f446")) is False


def test_a_port_by_name(
    monkeypatch: pytest.MonkeyPatch, project: ProjectFolder, tty: Path, tmp_path: Path
) -> None:
    plug_in(monkeypatch, port(tty, "10c4:ea60"))
    assert choose_port(project, str(tty)) == str(tty)
    link = tmp_path / "by-id"
    link.symlink_to(tty)
    assert choose_port(project, str(link)) == str(link)
    assert choose_port(project, "socket://localhost:4000") == "socket://localhost:4000"
    error = refused(project, str(tmp_path / "gone"))
    assert f"there is no port {tmp_path / 'gone'}; there are:" in error.message
    assert str(tty) in error.message
    plug_in(monkeypatch)
    assert "and no other one" in refused(project, "COM99").message


@pytest.mark.parametrize(
    ("group", "hint"),
    [("dialout", "`sudo usermod -aG dialout $USER`"), ("root", "udev rules"), ("", "udev rules")],
)
def test_a_port_that_this_user_may_not_use(
    monkeypatch: pytest.MonkeyPatch, project: ProjectFolder, tty: Path, group: str, hint: str
) -> None:
    plug_in(monkeypatch, port(tty, "2e8a:f00a"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(ports, "_group_of", lambda path: group)
    error = refused(project)
    assert error.message == f"no permission to use {tty}" and hint in error.hint


def test_a_group_s_name(tty: Path) -> None:
    grp = pytest.importorskip("grp")
    assert ports._group_of(str(tty)) == grp.getgrgid(tty.stat().st_gid).gr_name
    assert ports._group_of(f"{tty}-gone") == ""


def test_pyserial_missing(monkeypatch: pytest.MonkeyPatch, project: ProjectFolder) -> None:
    monkeypatch.setattr(ports, "_installed", lambda name: name != "serial")
    with pytest.raises(MissingExtraError, match="needs the package 'pyserial'") as caught:
        choose_port(project)
    assert "mcugen[device]" in caught.value.hint
