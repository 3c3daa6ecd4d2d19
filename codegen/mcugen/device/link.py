"""Bytes to and from a board: a serial port, or whatever stands for one."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, Protocol

from mcugen.device.ports import permission_hint
from mcugen.errors import DeviceError, MissingExtraError

BAUD = 115_200
ENERGY_BAUD = 9_600
_WRITE_LIMIT_S = 10.0


class Link(Protocol):
    """A way to a board.

    Attributes:
        port: what the user calls it.
        title: of the board behind it; "" where the board itself says.
        simulated: whether no hardware is behind it.
        clock_counts: whether the clock that the firmware states is the one it runs at.
        real_time: whether the board's clock goes as this computer's does.
    """

    port: str
    title: str
    simulated: bool
    clock_counts: bool
    real_time: bool

    def clock(self) -> float:
        """Seconds for time limits: of the board's clock where that is another than ours."""

    def write(self, data: bytes) -> None:
        """Sends bytes. Raises DeviceError when the port is gone."""

    def read(self, limit_s: float) -> bytes:
        """What came, after at most `limit_s` of `clock`; b"" for nothing. Raises likewise."""

    def set_baud(self, baud: int) -> None:
        """Changes the speed; nothing where there is none."""

    def edges(self) -> tuple[float, ...] | None:
        """Falling edges of the trigger pin in seconds of the board's clock; None on hardware."""

    def close(self) -> None:
        """Ends what was opened; never raises."""


class SerialLink:
    """A serial port, the path of a pseudo-terminal, or a URL that pyserial knows."""

    def __init__(self, port: str, baud: int = BAUD) -> None:
        """Opens it.

        Raises:
            DeviceError: it is not there, not allowed, or in use.
            MissingExtraError: pyserial is not installed.
        """
        self.port = port
        self.title = ""
        self.simulated = False
        self.clock_counts = True
        self.real_time = True
        self._serial = _open(port, baud)

    def clock(self) -> float:
        """Seconds of this computer's clock."""
        return time.monotonic()

    def write(self, data: bytes) -> None:
        """Sends bytes."""
        try:
            self._serial.write(data)
            self._serial.flush()
        except OSError as error:
            raise self._gone(error) from error

    def read(self, limit_s: float) -> bytes:
        """What came."""
        try:
            self._serial.timeout = limit_s
            first = bytes(self._serial.read(1))
            return first + bytes(self._serial.read(self._serial.in_waiting)) if first else b""
        except OSError as error:  # serial.SerialException is one
            raise self._gone(error) from error

    def set_baud(self, baud: int) -> None:
        """Changes the speed."""
        try:
            self._serial.baudrate = baud
        except OSError as error:
            raise self._gone(error) from error

    def edges(self) -> tuple[float, ...] | None:
        """None: only a meter sees the pin."""
        return None

    def close(self) -> None:
        """Closes the port, which may be gone."""
        with suppress(OSError):
            self._serial.close()

    def _gone(self, error: OSError) -> DeviceError:
        return DeviceError(
            f"port {self.port} vanished: {error}",
            hint="look at cable and supply: a board that draws too much, or resets, drops its port",
        )


def _open(port: str, baud: int) -> Any:
    try:
        import serial
    except ImportError as error:
        raise MissingExtraError("talking to a board", "pyserial", "device") from error
    try:
        return serial.serial_for_url(
            port, baudrate=baud, timeout=0, write_timeout=_WRITE_LIMIT_S, exclusive=True
        )
    except (OSError, ValueError) as error:
        raise DeviceError(
            f"port {port} cannot be opened: {error}", hint=_hint(port, error)
        ) from error


def _hint(port: str, error: Exception) -> str:
    text = str(error).lower()
    if "busy" in text or "exclusively lock" in text or "access is denied" in text:
        return "another program holds it: close serial monitors"
    if "permission" in text or "errno 13" in text:
        return permission_hint(port)
    if "inappropriate ioctl" in text:
        return "that is a file or a device of another kind, no serial port"
    return "is the board plugged in? `python -m serial.tools.list_ports -v` lists the ports"
