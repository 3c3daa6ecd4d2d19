"""Serial ports: which one is the board's, and what to do when none or several could be."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcugen.device.failures import UDEV_RULES
from mcugen.device.project_folder import ProjectFolder
from mcugen.errors import DeviceError, MissingExtraError

_USB_DEVICES = Path("/sys/bus/usb/devices")


@dataclass(frozen=True)
class SerialPort:
    """A serial port of this computer.

    Attributes:
        path: "/dev/ttyACM0", "COM3".
        title: what it calls itself.
        usb: "VID:PID", hexadecimal; "" where it is no USB device.
    """

    path: str
    title: str
    usb: str

    def __str__(self) -> str:
        """One line of a list."""
        return f"{self.path}  {self.usb or 'no USB'}  {self.title}".rstrip()


def serial_ports() -> tuple[SerialPort, ...]:
    """All ports, by path; on Linux those of no USB device are sockets of the mainboard: left out.

    Raises:
        MissingExtraError: pyserial is not installed.
    """
    if not _installed("serial"):
        raise MissingExtraError("finding serial ports", "pyserial", "device")
    from serial.tools import list_ports

    found = []
    for info in list_ports.comports():
        usb = "" if info.vid is None or info.pid is None else f"{info.vid:04x}:{info.pid:04x}"
        if usb or not sys.platform.startswith("linux"):
            found.append(SerialPort(info.device, info.product or info.description or "", usb))
    return tuple(sorted(found, key=lambda port: port.path))


def choose_port(project: ProjectFolder, wanted: str | None = None) -> str:
    """The wanted port if it can be used, else the only one that fits the board.

    A wanted one with "://" in it is a URL of pyserial's and taken as it is.

    Raises:
        DeviceError: there is none, there are several, or this user may not use it.
        MissingExtraError: pyserial is not installed.
    """
    if wanted is not None and "://" in wanted:
        return wanted
    ports = serial_ports()
    path = _only_fitting(project, ports) if wanted is None else _existing(wanted, ports)
    _check_access(path)
    return path


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def fitting_ports(project: ProjectFolder) -> tuple[SerialPort, ...]:
    """Ports whose USB ids are among the board's."""
    return tuple(port for port in serial_ports() if port.usb in project.device.usb)


def _only_fitting(project: ProjectFolder, ports: Sequence[SerialPort]) -> str:
    fitting = [port for port in ports if port.usb in project.device.usb]
    if len(fitting) == 1:
        return fitting[0].path
    if fitting:
        raise DeviceError(
            f"several ports may be the {project.title}:\n{_listed(fitting)}",
            hint=f"--port {fitting[0].path} chooses one",
        )
    if in_boot_mode(project):
        raise DeviceError(
            f"{project.title} waits for firmware (BOOTSEL mode) and has no serial port",
            hint=f"mcugen flash {project.path}",
        )
    hint = (
        "plug it in by a cable with data wires, on Windows install its driver; "
        "a port of another kind: --port PATH"
    )
    if ports:
        raise DeviceError(
            f"no {project.title} found; the ports here are of other devices:\n{_listed(ports)}",
            hint=f"--port {ports[0].path} takes one all the same; else {hint}",
        )
    if project.device.boot_usb and project.device.flash_port != "none":
        hint += f"; without a program it has no port: {project.device.boot_hint}, then flash it"
    raise DeviceError(f"no {project.title} found: there is no USB serial port", hint=hint)


def _existing(wanted: str, ports: Sequence[SerialPort]) -> str:
    for port in ports:
        if port.path.lower() == wanted.lower():
            return port.path
    if os.name == "posix" and Path(wanted).exists():
        return wanted  # a link, or a port that is no USB device
    raise DeviceError(
        f"there is no port {wanted}"
        + (f"; there are:\n{_listed(ports)}" if ports else ", and no other one"),
        hint="without --port the one that fits the board is taken",
    )


def _listed(ports: Iterable[SerialPort]) -> str:
    return "\n".join(f"  {port}" for port in ports)


def _check_access(path: str) -> None:
    if os.name != "posix" or os.access(path, os.R_OK | os.W_OK):
        return
    raise no_permission(path)


def no_permission(path: str) -> DeviceError:
    """The error for a port that this user may not use, with the group that may."""
    return DeviceError(f"no permission to use {path}", hint=permission_hint(path))


def permission_hint(path: str) -> str:
    """How this user gets a port's permission: the group that has it, or udev rules."""
    group = _group_of(path)
    if group in ("", "root"):
        return f"install PlatformIO's udev rules ({UDEV_RULES}), then plug the board in again"
    return f"`sudo usermod -aG {group} $USER`, then log out and in again"


def _group_of(path: str) -> str:
    """Name of the group that a device belongs to; "" where it has none."""
    if not _installed("grp"):
        return ""  # Windows has neither groups nor this module
    import grp

    try:
        return grp.getgrgid(Path(path).stat().st_gid).gr_name
    except (OSError, KeyError):
        return ""


def in_boot_mode(project: ProjectFolder) -> bool | None:
    """Whether a board of this kind waits for firmware on USB; None where that cannot be seen."""
    if not project.device.boot_usb:
        return False
    if not _USB_DEVICES.is_dir():
        return None
    return any(usb in project.device.boot_usb for usb in _usb_ids())


def _usb_ids() -> list[str]:
    found = []
    for vendor in _USB_DEVICES.glob("*/idVendor"):
        try:
            product = vendor.with_name("idProduct").read_text().strip()
            found.append(f"{vendor.read_text().strip()}:{product}".lower())
        except OSError:
            continue  # unplugged meanwhile
    return found
