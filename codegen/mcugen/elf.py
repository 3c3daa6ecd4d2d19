"""Sizes of the sections of an ELF object file: all that measuring needs, without a package."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_MAGIC = b"\x7fELF"
_NOBITS = 8
_ALLOC = 0x2
_PROGBITS = 1


@dataclass(frozen=True)
class ObjectSizes:
    """Bytes of an object file.

    Attributes:
        flash_bytes: what is stored: code, constants, initial values of variables.
        zero_bytes: variables that start as zero; they take RAM only.
    """

    flash_bytes: int
    zero_bytes: int


def object_sizes(data: bytes) -> ObjectSizes:
    """Sizes of a little-endian 32- or 64-bit ELF file (System V ABI, "Section Header Table").

    Exception and unwind tables of the processor's own section types do not count: firmware
    drops them.

    Raises:
        ValueError: it is no such file.
    """
    if data[:4] != _MAGIC or data[4] not in (1, 2) or data[5] != 1:
        raise ValueError("not a little-endian ELF file")
    wide = data[4] == 2
    start = struct.unpack_from("<Q", data, 40)[0] if wide else struct.unpack_from("<I", data, 32)[0]
    entry_bytes, count = struct.unpack_from("<HH", data, 58 if wide else 46)
    flash = zero = 0
    for index in range(count):
        at = start + index * entry_bytes
        layout, skip = ("<QQQQ", 8) if wide else ("<IIII", 8)
        kind = struct.unpack_from("<I", data, at + 4)[0]
        flags, _address, _offset, size = struct.unpack_from(layout, data, at + skip)
        if not flags & _ALLOC:
            continue
        if kind == _NOBITS:
            zero += size
        elif kind == _PROGBITS:
            flash += size
    return ObjectSizes(flash, zero)
