"""Machines of QEMU, and whole programs for them: start-up, self-test, output and end of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

import pytest

from mcugen.compiler import Compiled
from mcugen.emulate.cross import Image, Toolchain, build_image, find_toolchain
from mcugen.host import runtime_headers, runtime_sources, standin_files
from mcugen.kernels import PORTABLE
from mcugen.samples import Sample
from mcugen.selftest import make_selftest, selftest_files
from mcugen.targets import CrossCompiler, Memory, load_target

SOURCES = Path(__file__).with_name("qemu")
TIMEOUT_S = 120
FAULT_STATUS = 99
NO_FILES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Machine:
    """A machine of QEMU with the compiler for its core.

    Attributes:
        name: for the tests.
        command: QEMU, and what chooses the machine.
        cc: a GCC; None for zig.
        compiler: flags.
        memory: where a program lies.
        start: the file of its start-up.
    """

    name: str
    command: tuple[str, ...]
    cc: str | None
    compiler: CrossCompiler
    memory: Memory
    start: str = "start_arm.c"


def _of_board(board: str) -> CrossCompiler:
    return load_target(board).compiler


def _arm(name: str, machine: str, compiler: CrossCompiler, memory: Memory, *more: str) -> Machine:
    command = ("qemu-system-arm", "-M", machine, *more)
    return Machine(name, command, "arm-none-eabi-gcc", compiler, memory)


def _riscv(name: str, cc: str | None, board: str, extensions: str) -> Machine:
    command = ("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-cpu", extensions)
    memory = Memory(0x8000_0000, 16 << 20, 0x8400_0000, 16 << 20)
    return Machine(name, command, cc, _of_board(board), memory, "start_riscv.c")


def _plain(cpu: str, *flags: str, optimize: str = "-O2") -> CrossCompiler:
    return CrossCompiler((), (f"-mcpu={cpu}", "-mthumb", *flags), optimize, exact=True)


_MPS2 = Memory(0, 4 << 20, 0x2000_0000, 4 << 20)

MACHINES = (
    # more flash and RAM than the micro:bit has; the core is the one that faults as ARMv6-M does
    _arm(
        "cortex-m0", "microbit", _of_board("pico_w"), Memory(0, 1 << 20, 0x2000_0000, 256 << 10),
        "-global", "nrf51-soc.flash-size=0x100000", "-global", "nrf51-soc.sram-size=0x40000",
    ),
    _arm("cortex-m3", "mps2-an385", _plain("cortex-m3"), _MPS2),
    _arm("cortex-m4f", "mps2-an386", _of_board("nucleo_f446"), _MPS2),
    _arm("cortex-m7", "mps2-an500", _of_board("nucleo_h743"), _MPS2),
    _arm(
        "cortex-m33", "mps2-an505", _of_board("pico2_w"),
        Memory(0x1000_0000, 4 << 20, 0x3800_0000, 2 << 20),
    ),
    _arm(
        "cortex-m55", "mps3-an547", _plain("cortex-m55", "-mfloat-abi=hard", optimize="-O3"),
        Memory(0, 512 << 10, 0x2000_0000, 512 << 10),
    ),
    _riscv("rv32imc", "riscv64-unknown-elf-gcc", "esp32c3", "rv32,a=false,f=false,d=false"),
    _riscv("rv32imac-zig", None, "esp32c6", "rv32,f=false,d=false"),
)  # fmt: skip
"""All that programs run on; the compilers' flags are those of boards where a board has the core."""


def machine(name: str) -> Machine:
    """The machine of a name."""
    return next(m for m in MACHINES if m.name == name)


def require(*commands: str) -> None:
    """Skip the test where a command is not installed."""
    missing = [c for c in commands if shutil.which(c) is None]
    if missing:
        cannot_run(f"not installed: {', '.join(missing)}")


def cannot_run(why: str) -> NoReturn:
    """Skip the test; with MCUGEN_QEMU=required, as in CI, fail instead."""
    if os.environ.get("MCUGEN_QEMU") == "required":
        pytest.fail(why)
    pytest.skip(why)


def require_machine(one: Machine) -> Toolchain:
    """Its compiler; skips the test where that or the emulator is missing."""
    require(one.command[0], *([one.cc] if one.cc else []))
    return find_toolchain(one.name, one.compiler, one.cc)


def program(
    one: Machine,
    toolchain: Toolchain,
    files: Mapping[str, str],
    main: str,
    defines: Sequence[str] = (),
    entries: Sequence[str] = (),
) -> Image:
    """An image with start-up; `main` defines `qemu_main`."""
    own = {n: (SOURCES / n).read_text() for n in ("semihost.h", "semihost.c", one.start)}
    return build_image(
        {**own, **files, "main.c": main},
        toolchain,
        one.memory,
        ["Reset", "vectors", *entries] if one.start == "start_arm.c" else ["Reset", *entries],
        [f"-DSTACK_END={one.memory.ram_end:#x}", *defines],
    )


def model_program(
    one: Machine,
    compiled: Compiled,
    sample: Sample,
    main: str,
    defines: Sequence[str] = (),
    changed: Mapping[str, str] = NO_FILES,
) -> Image:
    """An image of a model and its self-test's data.

    Args:
        one: the machine.
        compiled: the model.
        sample: what the self-test runs.
        main: the file with `qemu_main`; MODEL in it is the model's prefix.
        defines: macros, `-D...`.
        changed: files to take instead of those of the same name.
    """
    files = {**runtime_headers(), **compiled.files}
    for library in compiled.model.libraries:
        files |= {} if library == PORTABLE else standin_files(library)
    files |= runtime_sources()
    files |= selftest_files(compiled.model, make_selftest(compiled, sample))
    files |= changed
    text = (SOURCES / main).read_text().replace("MODEL", compiled.model.prefix)
    return program(one, require_machine(one), files, text, defines)


def run(
    one: Machine, image: Image, folder: Path, more: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """What the program printed (semihosting's console is QEMU's standard error) and its status."""
    path = folder / "program.elf"
    path.write_bytes(image.elf)
    command = [
        *one.command, *more, "-nographic", "-monitor", "none", "-serial", "none",
        "-semihosting-config", "enable=on,target=native", "-kernel", str(path),
    ]  # fmt: skip
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
