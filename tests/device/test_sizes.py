"""Sizes of firmware against the plan."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from device.folders import changed, exported
from mcugen.device.project_folder import Plan
from mcugen.device.sizes import (
    MemoryUse,
    firmware_sizes,
    reserve_warnings,
    sizes_in_output,
    sizes_of_elf,
)
from mcugen.errors import DeviceError

PLAN = Plan(2000, 700, 30_500, 70_000, 300_000, 262_144, 2_097_152)
OUTPUT = [
    "Checking size .pio/build/pico_w/firmware.elf",
    "RAM:   [==        ]  20.3% (used 53260 bytes from 262144 bytes)",
    "Flash: [==        ]  17.2% (used 361232 bytes from 2097152 bytes)",
]


def test_platformio_s_lines() -> None:
    ram, flash = sizes_in_output(OUTPUT, PLAN)
    assert ram == MemoryUse("RAM", 53_260, 262_144, 2000, 70_000)
    assert (ram.planned_bytes, ram.difference_bytes) == (72_000, -18_740)
    assert flash.planned_bytes == 330_500 and flash.difference_bytes == 30_732
    assert ram.within_plan and not flash.within_plan


def test_a_reserve_that_is_too_small_is_told() -> None:
    (warning,) = reserve_warnings(sizes_in_output(OUTPUT, PLAN))
    assert warning.startswith("flash: firmware without the model takes 330,732 bytes")
    assert "reserves 300,000: flash_reserve_bytes is too small" in warning


def test_without_a_plan_only_what_is_used_is_known() -> None:
    ram, flash = sizes_in_output(OUTPUT, None)
    assert (ram.used_bytes, flash.used_bytes) == (53_260, 361_232)
    assert ram.planned_bytes is None and ram.difference_bytes is None and ram.within_plan
    assert reserve_warnings((ram, flash)) == ()


def elf(*sections: tuple[int, int, int]) -> bytes:
    """A 32-bit ELF file of sections (kind, flags, size) without content."""
    head = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, 52, 0, 52, 0, 0, 40, len(sections), 99)
    names = 52 + 40 * len(sections)
    rows = [struct.pack("<10I", 0, k, f, 0, names, s, 0, 0, 0, 0) for k, f, s in sections]
    return head + b"".join(rows) + bytes(64)


CODE, DATA, ZERO, DEBUG = (1, 0x6, 1000), (1, 0x3, 50), (8, 0x3, 400), (1, 0x0, 9000)


def test_an_elf_file() -> None:
    ram, flash = sizes_of_elf(elf(CODE, DATA, ZERO, DEBUG), PLAN)
    assert (ram.used_bytes, ram.total_bytes) == (450, 262_144)
    assert (flash.used_bytes, flash.total_bytes) == (1050, 2_097_152)


def test_a_project_that_is_not_built_by_platformio_is_read_from_its_elf_file(
    tmp_path: Path,
) -> None:
    project = changed(exported(tmp_path), firmware="build/*.elf")
    assert firmware_sizes(project, []) == ()
    (project.path / "build").mkdir()
    (project.path / "build" / "digits.elf").write_bytes(elf(CODE, ZERO))
    assert [use.used_bytes for use in firmware_sizes(project, [])] == [400, 1000]
    assert firmware_sizes(project, OUTPUT)[0].used_bytes == 53_260
    (project.path / "build" / "digits.elf").write_bytes(b"text")
    with pytest.raises(DeviceError, match=r"digits\.elf: not a little-endian ELF file"):
        firmware_sizes(project, [])
    assert firmware_sizes(exported(tmp_path, "host"), []) == ()
