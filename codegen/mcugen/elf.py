"""Reads ELF files: sections, what a loader loads, symbols; no package is needed for that."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_MAGIC = b"\x7fELF"
_SYMTAB = 2
_NOBITS = 8
_ALLOC = 0x2
_PROGBITS = 1
_LOAD = 1
_OBJECT, _FUNCTION = 1, 2


@dataclass(frozen=True)
class ObjectSizes:
    """Bytes of an object file.

    Attributes:
        flash_bytes: what is stored: code, constants, initial values of variables.
        zero_bytes: variables that start as zero; they take RAM only.
    """

    flash_bytes: int
    zero_bytes: int


@dataclass(frozen=True)
class Section:
    """A section; `kind` and `flags` are sh_type and sh_flags, `link` the section it refers to."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Segment:
    """What a loader puts into memory: `data` at `address`, then zeros up to `size` bytes."""

    address: int
    data: bytes
    size: int


@dataclass(frozen=True)
class Symbol:
    """A function or a variable."""

    address: int
    size: int
    is_function: bool


def object_sizes(data: bytes) -> ObjectSizes:
    """Sizes of a little-endian 32- or 64-bit ELF file (System V ABI, "Section Header Table").

    Exception and unwind tables of the processor's own section types do not count: firmware
    drops them.

    Raises:
        ValueError: it is no such file.
    """
    found = [s for s in read_sections(data) if s.flags & _ALLOC]
    return ObjectSizes(
        sum(s.size for s in found if s.kind == _PROGBITS),
        sum(s.size for s in found if s.kind == _NOBITS),
    )


def read_sections(data: bytes) -> tuple[Section, ...]:
    """All sections of a little-endian 32- or 64-bit ELF file, in order.

    Raises:
        ValueError: it is no such file.
    """
    wide = _is_wide(data)
    start = struct.unpack_from("<Q", data, 40)[0] if wide else struct.unpack_from("<I", data, 32)[0]
    entry_bytes, count, names = struct.unpack_from("<HHH", data, 58 if wide else 46)
    rows = []
    for index in range(count):
        at = start + index * entry_bytes
        layout = "<IIQQQQI" if wide else "<IIIIIII"
        rows.append(struct.unpack_from(layout, data, at))
    base = rows[names][4] if names < len(rows) else 0
    return tuple(Section(_text(data, base + row[0]), *row[1:]) for row in rows)


def read_segments(data: bytes) -> tuple[Segment, ...]:
    """What a loader loads of a little-endian 32-bit ELF file.

    Raises:
        ValueError: it is no such file.
    """
    if _is_wide(data):
        raise ValueError("not a 32-bit ELF file")
    start = struct.unpack_from("<I", data, 28)[0]
    entry_bytes, count = struct.unpack_from("<HH", data, 42)
    found = []
    for index in range(count):
        kind, offset, address, _, stored, size = struct.unpack_from(
            "<IIIIII", data, start + index * entry_bytes
        )
        if kind == _LOAD and size:
            found.append(Segment(address, data[offset : offset + stored], size))
    return tuple(found)


def read_symbols(data: bytes) -> dict[str, Symbol]:
    """Functions and variables of a little-endian 32-bit ELF file, local ones too.

    The lowest bit of a Thumb function's address, which says that it is one, is cleared.

    Raises:
        ValueError: it is no such file.
    """
    if _is_wide(data):
        raise ValueError("not a 32-bit ELF file")
    return dict(_symbols(data))


def _symbols(data: bytes) -> Iterator[tuple[str, Symbol]]:
    sections = read_sections(data)
    for table in sections:
        if table.kind != _SYMTAB:
            continue
        strings = sections[table.link].offset
        for at in range(table.offset, table.offset + table.size, 16):
            name, address, size, info = struct.unpack_from("<IIIB", data, at)
            kind = info & 0xF
            if kind == _FUNCTION:
                yield _text(data, strings + name), Symbol(address & ~1, size, True)
            elif kind == _OBJECT:
                yield _text(data, strings + name), Symbol(address, size, False)


def _is_wide(data: bytes) -> bool:
    """Whether the file is a 64-bit one."""
    if data[:4] != _MAGIC or data[4] not in (1, 2) or data[5] != 1:
        raise ValueError("not a little-endian ELF file")
    return data[4] == 2


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
