"""A linked RP2040 program -> ELF and UF2 files that a board boots.

    python mcugen_uf2.py LINKED NAME      writes NAME.elf and NAME.uf2

Puts the CRC-32 that the boot ROM asks for behind the second stage at the start of flash. The UF2
file is what the board takes when it is copied onto the drive that it shows in BOOTSEL mode. Needs
nothing but Python; mcugen wrote it, it is yours to change.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

FLASH, FLASH_BYTES = 0x1000_0000, 2 * 1024 * 1024
BOOT2_BYTES = 256
SECTOR_BYTES = 4096
"""What flash is erased by. The boot ROM wants whole ones: RP2040 datasheet, erratum RP2040-E14."""
BLOCK_BYTES = 256
FAMILY_RP2040 = 0xE48B_FF56

_ERASED = b"\xff"
_UF2_START, _UF2_END = (0x0A32_4655, 0x9E5D_5157), 0x0AB1_6F30
_UF2_FAMILY_GIVEN = 0x2000
_EM_ARM, _PT_LOAD = 40, 1


class ImageError(Exception):
    """The program is none that an RP2040 boots from flash."""


def segments(elf: bytes) -> Iterator[tuple[int, int, int]]:
    """What is loaded: (address in flash, offset in the file, bytes).

    Raises:
        ImageError: it is no 32-bit Arm ELF file.
    """
    if elf[:7] != b"\x7fELF\x01\x01\x01" or struct.unpack_from("<H", elf, 18)[0] != _EM_ARM:
        raise ImageError("not a 32-bit Arm ELF file")
    start = struct.unpack_from("<I", elf, 28)[0]
    entry_bytes, count = struct.unpack_from("<HH", elf, 42)
    for at in range(start, start + count * entry_bytes, entry_bytes):
        kind, offset, _, address, size = struct.unpack_from("<5I", elf, at)
        if kind == _PT_LOAD and size:
            yield address, offset, size


def boot2_crc(code: bytes) -> int:
    """CRC-32 as the boot ROM computes it: polynomial 04C11DB7, no bit reversed, not inverted."""
    crc = 0xFFFF_FFFF
    for byte in code:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (0x04C1_1DB7 if crc & 0x8000_0000 else 0)
            crc &= 0xFFFF_FFFF
    return crc


def signed(elf: bytes) -> bytes:
    """The program with the CRC behind its second stage.

    Raises:
        ImageError: no second stage lies at the start of flash, or one that is too long.
    """
    for address, offset, size in segments(elf):
        if address == FLASH and size >= BOOT2_BYTES:
            end = offset + BOOT2_BYTES - 4
            if any(elf[end : end + 4]):
                raise ImageError(f"the second stage has more than {BOOT2_BYTES - 4} bytes")
            crc = struct.pack("<I", boot2_crc(elf[offset:end]))
            return elf[:end] + crc + elf[end + 4 :]
    raise ImageError(f"no second stage of {BOOT2_BYTES} bytes lies at {FLASH:#x}")


def flash_image(elf: bytes) -> bytes:
    """Flash from its start on, whole sectors; what nothing is loaded to is as if erased.

    Raises:
        ImageError: something lies outside of flash, or two parts overlap.
    """
    image, end = bytearray(), FLASH
    for address, offset, size in sorted(segments(elf)):
        if address < FLASH or address + size > FLASH + FLASH_BYTES:
            raise ImageError(
                f"{size} bytes at {address:#x} do not lie in the {FLASH_BYTES} bytes of flash "
                f"at {FLASH:#x}"
            )
        if address < end:
            raise ImageError(f"two parts overlap at {address:#x}")
        image += _ERASED * (address - end) + elf[offset : offset + size]
        end = address + size
    return bytes(image + _ERASED * (-len(image) % SECTOR_BYTES))


def uf2(image: bytes, address: int = FLASH) -> bytes:
    """The blocks of a UF2 file (https://github.com/microsoft/uf2) for an RP2040."""
    count = len(image) // BLOCK_BYTES
    blocks = []
    for index in range(count):
        at = index * BLOCK_BYTES
        header = struct.pack(
            "<8I",
            *_UF2_START,
            _UF2_FAMILY_GIVEN,
            address + at,
            BLOCK_BYTES,
            index,
            count,
            FAMILY_RP2040,
        )
        data = image[at : at + BLOCK_BYTES].ljust(476, b"\0")
        blocks.append(header + data + struct.pack("<I", _UF2_END))
    return b"".join(blocks)


def main(arguments: list[str]) -> int:
    """Exit code of the program."""
    if len(arguments) != 2:
        print("usage: mcugen_uf2.py LINKED NAME", file=sys.stderr)
        return 2
    linked, name = Path(arguments[0]), arguments[1]
    try:
        elf = signed(linked.read_bytes())
        image = flash_image(elf)
    except (OSError, ImageError, struct.error) as error:
        print(f"error: {linked}: {error}", file=sys.stderr)
        return 1
    Path(f"{name}.elf").write_bytes(elf)
    Path(f"{name}.uf2").write_bytes(uf2(image))
    print(f"{name}.uf2: {len(image)} of {FLASH_BYTES} bytes of flash")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
