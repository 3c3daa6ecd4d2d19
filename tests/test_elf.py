"""Section sizes of object files, against what is in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mcugen.elf import object_sizes, read_sections, read_segments, read_symbols
from mcugen.toolchain import zig_command

SOURCE = """
const unsigned char table[1000] = {1};
unsigned char zeros[500];
int start = 7;
int get(int i) { return table[i] + zeros[i] + start; }
"""

needs_zig = pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")


@needs_zig
@pytest.mark.parametrize(
    "target",
    [
        ["--target=thumb-freestanding-eabi", "-mcpu=cortex_m0plus"],
        ["--target=riscv32-freestanding"],
        ["--target=x86_64-linux-gnu"],
    ],
    ids=lambda t: t[0].split("=")[1],
)
def test_sizes(tmp_path: Path, target: list[str]) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    zig = [sys.executable, "-m", "ziglang", "cc", *target, "-Os", "-g"]
    flags = ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-sanitize=undefined"]
    subprocess.run([*zig, *flags, "-c", "a.c", "-o", "a.o"], cwd=tmp_path, check=True, timeout=120)
    sizes = object_sizes((tmp_path / "a.o").read_bytes())
    assert sizes.zero_bytes == 500
    assert 1004 < sizes.flash_bytes < 1100


@pytest.mark.parametrize("data", [b"", b"MZ" + bytes(100), b"\x7fELF\x02\x02" + bytes(100)])
def test_other_files(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a little-endian ELF file"):
        object_sizes(data)


LINKED = """
const unsigned char table[1000] = {1};
unsigned char zeros[500];
int start = 7;
int _start(void) { return table[start] + zeros[start]; }
"""


@needs_zig
@pytest.mark.parametrize("arm", [True, False], ids=["arm", "riscv"])
def test_a_linked_program(tmp_path: Path, arm: bool) -> None:
    (tmp_path / "a.c").write_text(LINKED)
    core = ("--target=thumb-freestanding-eabi", "-mcpu=cortex_m0plus")
    target = core if arm else ("--target=riscv32-freestanding",)
    zig = [sys.executable, "-m", "ziglang", "cc", *target, "-Os", "-fno-sanitize=undefined"]
    subprocess.run(
        [*zig, "-g", "-nostdlib", "a.c", "-o", "a.elf"], cwd=tmp_path, check=True, timeout=120
    )
    data = (tmp_path / "a.elf").read_bytes()
    symbols = read_symbols(data)
    assert symbols["table"].size == 1000 and not symbols["table"].is_function
    assert symbols["_start"].is_function and symbols["_start"].address % 2 == 0
    segments = read_segments(data)
    zeros, start = symbols["zeros"].address, symbols["start"].address
    assert any(s.address + len(s.data) <= zeros < s.address + s.size for s in segments)
    (home,) = (s for s in segments if s.address <= start < s.address + len(s.data))
    assert home.data[start - home.address] == 7
    assert {".text", ".rodata", ".bss"} <= {s.name for s in read_sections(data)}


def test_a_64_bit_program_is_not_for_a_board() -> None:
    wide = b"\x7fELF\x02\x01" + bytes(100)
    for read in (read_symbols, read_segments):
        with pytest.raises(ValueError, match="not a 32-bit ELF file"):
            read(wide)
