"""The UF2 writer that exported bare projects hold, against other readings of the same formats."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mcugen import resources

SCRIPT = resources.firmware() / "rp2040" / "tools" / "mcugen_uf2.py"
FLASH = 0x1000_0000


def load() -> ModuleType:
    """The script as a module; nothing is written beside it, as an import would."""
    module = ModuleType("mcugen_uf2")
    exec(compile(SCRIPT.read_text(encoding="utf-8"), SCRIPT, "exec"), module.__dict__)
    return module


writer = load()


def elf(*parts: tuple[int, bytes], machine: int = 40) -> bytes:
    """A 32-bit little-endian ELF file that loads these parts at these physical addresses."""
    offset = 52 + 32 * len(parts)
    rows, data = b"", b""
    for address, content in parts:
        where = offset + len(data)
        size = len(content)
        rows += struct.pack("<8I", 1, where, 0x2000_0000, address, size, size, 5, 4)
        data += content
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 52, 0, 0, 52, 32, len(parts), 0, 0, 0)
    return head + rows + data


BOOT2 = bytes(range(252)) + bytes(4)


def bit_by_bit(data: bytes) -> int:
    """CRC-32/MPEG-2 by long division of the message, as its definition has it."""
    bits = [(byte >> k) & 1 for byte in data for k in range(7, -1, -1)] + [0] * 32
    for i in range(32):
        bits[i] ^= 1  # an initial value of all ones
    polynomial = [1, *((0x04C1_1DB7 >> k) & 1 for k in range(31, -1, -1))]
    for i in range(len(bits) - 32):
        if bits[i]:
            for j, bit in enumerate(polynomial):
                bits[i + j] ^= bit
    return int("".join(map(str, bits[-32:])), 2)


def test_the_crc_of_the_second_stage() -> None:
    assert writer.boot2_crc(b"123456789") == 0x0376_E6E7  # the check value of CRC-32/MPEG-2
    assert writer.boot2_crc(BOOT2[:252]) == bit_by_bit(BOOT2[:252])
    found = writer.signed(elf((FLASH, BOOT2)))
    assert found[-256:-4] == BOOT2[:252]
    assert struct.unpack("<I", found[-4:])[0] == bit_by_bit(BOOT2[:252])


def test_the_image_is_whole_sectors_and_erased_between_the_parts() -> None:
    image = writer.flash_image(elf((FLASH + 4096, b"code"), (FLASH, BOOT2), (FLASH + 256, b"v")))
    assert len(image) == 8192
    assert image[:256] == BOOT2 and image[256:258] == b"v\xff"
    assert image[4096:4101] == b"code\xff" and set(image[258:4096]) == {0xFF}


def test_the_blocks() -> None:
    image = bytes(range(256)) * 16 + b"\x01" * 4096
    blocks = writer.uf2(image)
    assert len(blocks) == 32 * 512
    for index in range(32):
        block = blocks[512 * index : 512 * (index + 1)]
        head = struct.unpack("<8I", block[:32])
        assert head[:3] == (0x0A324655, 0x9E5D5157, 0x2000)
        assert head[3:] == (FLASH + 256 * index, 256, index, 32, 0xE48BFF56)
        assert block[32:288] == image[256 * index : 256 * (index + 1)]
        assert not any(block[288:508])
        assert struct.unpack("<I", block[508:]) == (0x0AB16F30,)


FULL = 2 * 1024 * 1024


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([(FLASH, BOOT2[:100])], "no second stage of 256 bytes lies at 0x10000000"),
        ([(FLASH + 256, BOOT2)], "no second stage"),
        ([(FLASH, bytes(253) + b"xyz")], "the second stage has more than 252 bytes"),
        ([(FLASH, BOOT2), (FLASH + 200, b"x")], "two parts overlap at 0x100000c8"),
        ([(FLASH, BOOT2), (FLASH + FULL - 1, b"xy")], "2 bytes at 0x101fffff do not lie in"),
        ([(FLASH, BOOT2), (FLASH - 4, b"xxxx")], "4 bytes at 0xffffffc do not lie in"),
        ([(FLASH, BOOT2), (0x2000_0000, b"x")], "1 bytes at 0x20000000 do not lie in"),
    ],
)
def test_a_wrong_program_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    parts: list[tuple[int, bytes]],
    message: str,
) -> None:
    (tmp_path / "linked").write_bytes(elf(*parts))
    assert writer.main([str(tmp_path / "linked"), str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("out*"))


def test_what_fills_flash_to_its_end_fits() -> None:
    image = writer.flash_image(elf((FLASH, BOOT2), (FLASH + FULL - 1, b"x")))
    assert len(image) == FULL


def test_what_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for index, data in enumerate((b"", b"MZ" * 40, elf((FLASH, BOOT2), machine=62))):
        path = tmp_path / str(index)
        path.write_bytes(data)
        assert writer.main([str(path), str(tmp_path / "out")]) == 1
        assert "not a 32-bit Arm ELF file" in capsys.readouterr().err
    assert writer.main([str(tmp_path / "gone"), "out"]) == 1
    (tmp_path / "cut").write_bytes(elf((FLASH, BOOT2))[:60])
    assert writer.main([str(tmp_path / "cut"), str(tmp_path / "out")]) == 1
    assert writer.main([]) == 2
    assert "usage: mcugen_uf2.py LINKED NAME" in capsys.readouterr().err


def test_it_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "linked").write_bytes(elf((FLASH, BOOT2)))
    command = [sys.executable, "-I", str(SCRIPT), "linked", "a"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "a.uf2: 4096 of 2097152 bytes of flash\n")
    assert (tmp_path / "a.uf2").stat().st_size == 16 * 512
    assert (tmp_path / "a.elf").read_bytes() == writer.signed(elf((FLASH, BOOT2)))
