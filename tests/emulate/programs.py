"""Small C programs, cross-compiled for emulated cores."""

from __future__ import annotations

import pytest

from mcugen.emulate.cores import CORES
from mcugen.emulate.counter import Count
from mcugen.emulate.cross import END, MARK, build_image, find_toolchain
from mcugen.emulate.machine import Machine
from mcugen.targets import Memory, load_target
from mcugen.toolchain import zig_command

MEMORY = Memory(0x1000_0000, 64 << 10, 0x2000_0000, 16 << 10)

BOARDS = {"cortex-m0plus": "pico_w", "cortex-m4f": "nucleo_f446", "rv32imc": "esp32c3"}
"""Core -> a board with it."""


def require_packages() -> None:
    pytest.importorskip("unicorn", reason="the package unicorn is missing")
    if zig_command() is None:
        pytest.skip("the package ziglang is missing")


def image_for(source: str, core: str = "cortex-m0plus") -> bytes:
    """An ELF file with the function `probe` of the source."""
    require_packages()
    target = load_target(BOARDS[core])
    toolchain = find_toolchain(target.title, target.compiler)
    return build_image({"probe.c": source}, toolchain, MEMORY, ["probe"]).elf


def machine_for(source: str, core: str = "cortex-m0plus", limit: int = 1_000_000) -> Machine:
    return Machine(CORES[core], MEMORY, image_for(source, core), limit)


def counts(machine: Machine) -> list[Count]:
    """Of calling `probe`: up to each mark, and up to the end."""
    return list(machine.call("probe", MARK, END))
