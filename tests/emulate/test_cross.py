"""The C that emulation brings along, and images linked for a board."""

from __future__ import annotations

import pytest

from emulate.programs import MEMORY, image_for, require_packages
from mcugen import resources
from mcugen.elf import read_segments, read_symbols
from mcugen.emulate.cross import build_image, find_toolchain
from mcugen.targets import load_target
from mcugen.toolchain import STRICT_WARNINGS, build


def test_the_counting_hooks_are_strict_c() -> None:
    folder = resources.firmware() / "emulate"
    files = {p.name: p.read_text() for p in folder.iterdir()}
    assert build(files, flags=("-O2", *STRICT_WARNINGS)).is_file()


@pytest.mark.parametrize("board", ["pico_w", "esp32c3"])
def test_the_c_library_is_strict_c(board: str) -> None:
    require_packages()
    target = load_target(board)
    toolchain = find_toolchain(target.title, target.compiler)
    folders = (resources.firmware() / "bare", resources.firmware() / "freestanding")
    files = {p.name: p.read_text() for folder in folders for p in folder.iterdir()}
    flags = [f for f in toolchain.flags if f != "-w"]
    object_files = build(
        files,
        compiler=toolchain.compiler,
        flags=(*flags, *STRICT_WARNINGS),
        link_flags=("-nostdlib", "-Wl,-e,memcpy"),
        suffix=".elf",
    )
    assert object_files.is_file()


def test_an_image_lies_in_flash_and_ram_and_holds_only_what_is_reached() -> None:
    source = """
        #include <stdint.h>
        const uint8_t used[100] = {1}; const uint8_t unused[5000] = {2};
        uint8_t zeros[300]; uint32_t initial = 5;
        int never(int i) { return unused[i]; }
        int probe(void) { return used[initial] + zeros[initial]; }
    """
    image = image_for(source)
    symbols = read_symbols(image)
    assert "never" not in symbols and "unused" not in symbols
    assert MEMORY.flash_origin <= symbols["probe"].address < MEMORY.flash_end
    assert MEMORY.flash_origin <= symbols["used"].address < MEMORY.flash_end
    for name in ("zeros", "initial"):
        assert MEMORY.ram_origin <= symbols[name].address < MEMORY.ram_end
    assert sum(s.size for s in read_segments(image)) < 1000


def test_sizes_by_kind() -> None:
    require_packages()
    target = load_target("pico_w")
    toolchain = find_toolchain(target.title, target.compiler)
    source = """
        const unsigned char used[100] = {1};
        unsigned char zeros[300]; unsigned initial = 5;
        int probe(void) { return used[initial] + zeros[initial]; }
    """
    image = build_image({"probe.c": source}, toolchain, MEMORY, ["probe"])
    assert image.rodata_bytes == 100
    assert image.static_bytes == 304
    assert 8 <= image.text_bytes <= 48  # neither the marks nor memcpy, which is not called
