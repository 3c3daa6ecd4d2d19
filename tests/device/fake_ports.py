"""Serial ports in pyserial's own form, for a computer that has none."""

from __future__ import annotations

from pathlib import Path

import pytest

list_ports = pytest.importorskip("serial.tools.list_ports")
from serial.tools.list_ports_common import ListPortInfo  # noqa: E402 - after the check

from mcugen.device import ports  # noqa: E402


def port(path: str | Path, usb: str = "", product: str = "") -> ListPortInfo:
    """A port as pyserial tells it; `usb` is "VID:PID"."""
    info = ListPortInfo(str(path))
    info.description = product or "n/a"
    if usb:
        vid, pid = usb.split(":")
        info.vid, info.pid, info.product = int(vid, 16), int(pid, 16), product
    return info


def plug_in(
    monkeypatch: pytest.MonkeyPatch, *found: ListPortInfo, usb_folder: Path | None = None
) -> None:
    """Makes these all serial ports of the computer, and `usb_folder` what Linux tells of USB."""
    monkeypatch.setattr(list_ports, "comports", lambda: list(found))
    monkeypatch.setattr(ports, "_USB_DEVICES", usb_folder or Path(__file__) / "none")


def usb_device(folder: Path, usb: str) -> Path:
    """`folder` with a USB device in it, as /sys/bus/usb/devices tells it."""
    vid, pid = usb.split(":")
    place = folder / "1-4"
    place.mkdir(parents=True)
    (place / "idVendor").write_text(f"{vid}\n")
    (place / "idProduct").write_text(f"{pid}\n")
    (folder / "usb1").mkdir()
    (folder / "usb1" / "idVendor").write_text("1d6b\n")  # a hub without a product
    return folder
