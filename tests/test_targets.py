"""Boards: those that come along are complete, and every fault of a board file is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcugen.emulate.cores import CORES, QemuCore
from mcugen.errors import UsageError
from mcugen.targets import PLATFORMIO, board_names, list_targets, load_target

MINIMAL = """
title = "My board"
processor = "Cortex-M4F"
clock_hz = 80_000_000
[memory]
ram_bytes = 131_072
flash_bytes = 1_048_576
[compiler]
zig = ["--target=thumb-freestanding-eabihf", "-mcpu=cortex_m4"]
exact = true
[platformio]
platform = "ststm32@19.0.0"
[files]
"src/main.c" = "main.c.j2"
"""


def board_file(folder: Path, text: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "main.c.j2").write_text("int main(void) { return 0; }\n")
    (folder / "target.toml").write_text(text)
    return str(folder / "target.toml")


def test_the_boards_that_come_along() -> None:
    assert {"esp32s3", "esp32s3_n16r8", "host", "pico_w"} <= set(board_names())
    for target in list_targets():
        assert target.ram_bytes > 0
        assert target.flash_bytes > target.ram_bytes or target.name == "host"
        assert target.clock_hz > 0
        assert target.readme.build
        if target.device.build == PLATFORMIO:
            assert "platform" in target.platformio


def test_what_is_left_for_the_application() -> None:
    assert load_target("esp32s3").ram_bytes == 262_144
    assert load_target("pico_w").ram_bytes == 188_416
    assert load_target("pico_w").flash_bytes == 1_703_936
    assert load_target("esp32s3").psram_bytes == 0


def test_what_the_reserves_are() -> None:
    assert load_target("pico_w").ram_reserve_bytes == 73_728
    assert load_target("nucleo_h743").flash_reserve_bytes == 65_536
    assert load_target("host").ram_reserve_bytes == 0


def test_how_boards_are_built_and_flashed() -> None:
    pico = load_target("pico_w").device
    assert (pico.build, pico.flash, pico.flash_port) == ("platformio", "platformio", "optional")
    assert "2e8a:f00a" in pico.usb and pico.boot_usb == ("2e8a:0003",)
    assert "BOOTSEL" in pico.boot_hint
    assert "2e8a:f00f" in load_target("pico2_w").device.usb
    assert load_target("esp32c6").device.usb == load_target("esp32s3").device.usb
    assert load_target("nucleo_h743").device.flash_port == "none"
    assert load_target("host").device.build == "make" and load_target("host").device.flash == ""
    for target in list_targets():
        assert target.device.usb or not target.device.flash, target.name


def test_every_board_is_emulated_or_says_why_not() -> None:
    for target in list_targets():
        emulator = target.emulator
        assert bool(emulator.cpu) != bool(emulator.reason), target.name
        if emulator.cpu:
            in_qemu = isinstance(CORES[emulator.cpu], QemuCore)  # which has a compiler of its own
            compiler = target.compiler
            assert in_qemu or (compiler.exact and compiler.zig and compiler.gcc)
            assert emulator.memory.ram_bytes >= target.ram_bytes
            assert emulator.memory.flash_bytes >= target.flash_bytes
            assert emulator.memory.flash_end < 1 << 32 and emulator.memory.ram_end < 1 << 32


def test_memories_of_an_emulated_board() -> None:
    memory = load_target("nucleo_h743").emulator.memory
    assert (memory.flash_origin, memory.ram_origin) == (0x0800_0000, 0x2400_0000)
    assert (memory.flash_end, memory.ram_end) == (0x0820_0000, 0x2408_0000)


def test_platforms_are_pinned() -> None:
    for target in (t for t in list_targets() if t.platformio):
        platform = str(target.platformio["platform"])
        assert platform == "native" or "@" in platform or len(platform.rpartition("#")[2]) == 40


def test_a_board_may_do_without_platformio() -> None:
    bare = load_target("pico_w_bare")
    assert bare.platformio == {}
    assert (bare.device.build, bare.device.flash) == ("make", "uf2")
    assert {b for b in board_names() if not load_target(b).platformio} == {"pico_w_bare"}


def test_what_a_whole_board_boots() -> None:
    boots = {t.name: t.emulator.boots for t in list_targets() if t.emulator.boots}
    assert boots == {"pico_w": "pico_w_bare", "pico_w_bare": "pico_w_bare"}


def test_copied_folders() -> None:
    files = load_target("pico_w_bare").copied_files()
    assert set(files) == {"include/math.h", "include/string.h", "tools/mcugen_uf2.py"}
    assert "tools" not in load_target("pico_w_bare").firmware_files()
    assert load_target("pico_w").copied_files() == {}


def test_a_base_gives_what_a_board_does_not_say() -> None:
    small, large = load_target("esp32s3"), load_target("esp32s3_n16r8")
    assert large.platformio["platform"] == small.platformio["platform"]
    assert large.ram_bytes == small.ram_bytes
    assert large.flash_bytes > 2 * small.flash_bytes
    assert large.psram_bytes == 7 * 1024 * 1024
    assert large.folders == (large.folders[0], *small.folders)


def test_external_ram_holds_what_does_not_fit_inside() -> None:
    small, large = load_target("esp32s3"), load_target("esp32s3_n16r8")
    assert large.ram_for(1000) == large.ram_bytes
    assert large.ram_for(300_000) == large.psram_bytes
    assert small.ram_for(300_000) == small.ram_bytes
    assert large.arena_section(1000) == "" == small.arena_section(300_000)
    assert large.arena_section(300_000) == ".ext_ram.bss.mcugen"


def test_an_unknown_board_lists_all() -> None:
    with pytest.raises(UsageError) as caught:
        load_target("esp32")
    assert "esp32s3, esp32s3_n16r8, host" in str(caught.value)
    assert "target.toml" in caught.value.hint
    assert caught.value.exit_code == 2


def test_a_board_of_the_user(tmp_path: Path) -> None:
    path = board_file(tmp_path / "My Board", MINIMAL)
    target = load_target(path)
    assert (target.name, target.title) == ("my_board", "My board")
    assert target.ram_bytes == 131_072
    assert target.readme.build == "pio run"
    assert load_target(str(Path(path).parent)).name == "my_board"


def test_a_board_of_the_user_on_a_base(tmp_path: Path) -> None:
    text = 'base = "pico_w"\ntitle = "Pico"\n[memory]\nram_reserve_bytes = 16_384\n'
    target = load_target(board_file(tmp_path / "pico", text))
    assert target.ram_bytes == 262_144 - 16_384
    assert target.processor == load_target("pico_w").processor
    (tmp_path / "other.toml").write_text('base = "pico/target.toml"\ntitle = "Two steps"\n')
    assert load_target(str(tmp_path / "other.toml")).name == "other"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("clock_hz = 80_000_000", "", "'clock_hz' is missing in the file"),
        ("80_000_000", '"fast"', "'clock_hz' in the file must be a whole number, got 'fast'"),
        ("80_000_000", "0", "'clock_hz' in the file must be a number of at least 1, got 0"),
        (
            "[memory]",
            '[emulator]\ncpu = "x"\nflash_origin = 2\nram_origin = 0x2000_0000\n[memory]',
            "'flash_origin' in emulator must be a multiple of 4096, got 0x2",
        ),
        (
            "[memory]",
            '[emulator]\ncpu = "x"\nram_origin = 0xffff_f000\n[memory]',
            "flash and RAM in emulator must end within 32-bit addresses",
        ),
        ("80_000_000", "true", "'clock_hz' in the file must be a number of at least 1, got True"),
        ("131_072", "-1", "'ram_bytes' in memory must be a number of at least 0, got -1"),
        ("exact = true", "exact = 1", "'exact' in compiler must be true or false, got 1"),
        ('"-mcpu=cortex_m4"', "4", "'zig' in compiler must be a list of strings"),
        ("[memory]", 'firmware = ["hal/none"]\n[memory]', "there is no firmware folder 'hal/none'"),
        ("[memory]", '[copies]\ntools = "none"\n[memory]', "there is no firmware folder 'none'"),
        ('[platformio]\nplatform = "ststm32@19.0.0"\n', "", "without platformio, device must say"),
        ("[memory]", "[memory]\nrom_bytes = 1", "unknown 'rom_bytes' in memory"),
        ("[memory]", "[memory]\nram_reserve_bytes = 200000", "ram_reserve_bytes is larger"),
        ("[memory]", "[extra]\n[memory]", "unknown 'extra' in the file"),
        ("[memory]", "[emulator]\nmhz = 1\n[memory]", "unknown 'mhz' in emulator"),
        ("[memory]", '[emulator]\ncpu = "x"\n[memory]', "flash and RAM overlap in emulator"),
        ("[files]", "[device]\nport = 1\n[files]", "unknown 'port' in device"),
        (
            "[files]",
            '[device]\nflash = "jtag"\n[files]',
            "flash in device must be one of",
        ),
        ("[files]", '[device]\nflash_port = "yes"\n[files]', "flash_port in device must be one of"),
        (
            "[files]",
            '[device]\nusb = ["2E8A:A"]\n[files]',
            "like '2e8a:000a', got '2e8a:a'",
        ),
        ("[files]", '[device]\nflash = "uf2"\n[files]', "needs 'uf2' and 'uf2_board' too"),
        ("main.c.j2", "lost.j2", "template 'lost.j2' is not in"),
        ('"ststm32@19.0.0"', "[1]", "'platform' in platformio must be a string or a whole number"),
        ("[files]", "[files", "is no TOML"),
        ("[files]", "[file]", "'files' is missing in the file"),
        ('title = "My board"', 'base = "nothing"', "unknown board 'nothing'"),
        ('title = "My board"', "base = 3", "'base' must be the name or path of a board, got 3"),
        ('title = "My board"', 'base = "../board/target.toml"', "leads back to the file itself"),
        ('title = "My board"', 'base = "../gone.toml"', "gone.toml cannot be read: No such file"),
    ],
)
def test_a_fault_in_a_board_file_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in MINIMAL
    path = board_file(tmp_path / "board", MINIMAL.replace(old, new))
    with pytest.raises(UsageError) as caught:
        load_target(path)
    assert message in str(caught.value)


def test_a_board_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"target\.toml cannot be read: No such file"):
        load_target(str(tmp_path / "target.toml"))
