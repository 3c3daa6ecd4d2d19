"""An I2C bus of the host's: a MCP2221 USB adapter, or a Linux device.

EasyMCP2221 installs by pip alone (hidapi comes as a wheel) on Linux, Windows and macOS; smbus2
reaches whatever Linux has a driver for, CH341 and FT260 adapters and single-board computers too.
Both have the same SMBus interface. pi-ina219 would need Adafruit-GPIO, which is archived.
"""

from __future__ import annotations

from typing import Any

from mcugen.errors import MissingExtraError, UsageError

HINT = "look at SDA, SCL, ground and the supply of the meter's board; its address is 0x40"


class Bus:
    """16-bit registers, the high byte first."""

    def __init__(self, smbus: Any) -> None:
        self._smbus = smbus

    def read(self, address: int, register: int) -> int:
        """The register's value, 0 to 65535."""
        high, low = self._smbus.read_i2c_block_data(address, register, 2)
        return (int(high) << 8) | int(low)

    def write(self, address: int, register: int, value: int) -> None:
        """Sets a register."""
        self._smbus.write_i2c_block_data(address, register, [value >> 8, value & 0xFF])

    def close(self) -> None:
        """Lets go of the bus."""
        self._smbus.close()


def open_bus(where: str) -> Bus:
    """The bus `usb`, or a Linux device such as /dev/i2c-1.

    Raises:
        MissingExtraError: the package for it is not installed.
        UsageError: neither.
    """
    if where == "usb":
        try:
            from EasyMCP2221 import SMBus as UsbBus
        except ImportError as error:
            raise MissingExtraError("an I2C adapter MCP2221", "EasyMCP2221", "ina") from error
        return Bus(UsbBus(clock=400_000))
    if where.startswith("/dev/"):
        try:
            from smbus2 import SMBus as LinuxBus
        except ImportError as error:
            raise MissingExtraError(f"the I2C bus {where}", "smbus2", "ina") from error
        return Bus(LinuxBus(where))
    raise UsageError(f"the meter's bus must be 'board', 'usb' or /dev/i2c-N, got '{where}'")
