"""C for Xtensa: compiled by an LLVM that has the processor, linked by GNU's linker for it.

Neither comes from PyPI; Debian has both. clang's assembly is assembled in a step of its own: in one
step it places literals where no instruction reaches them (LLVM 22).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from mcugen import resources
from mcugen.emulate.cross import FLAGS, GCC_FLAGS, Image, Toolchain, build_image
from mcugen.errors import InternalError, UsageError
from mcugen.targets import Memory
from mcugen.toolchain import Compiler, ForeignSources, describe

MARK, IDLE, START = "mcugen_xtensa_mark", "mcugen_xtensa_idle", "mcugen_xtensa_start"
"""Functions of firmware/xtensa: called between layers, before and after the model's function, and
where the program starts."""

QEMU = "qemu-xtensa"
CPU = "de233_fpu"
"""The one of QEMU's cores with windows, little-endian, and a floating-point unit."""

_LINKER = "xtensa-lx106-elf-ld"
_CLANGS = ("clang-22", "clang-23", "clang-24", "clang")
_FEATURES = (
    "windowed", "density", "mul32", "div32", "mac16", "fp", "bool", "sext", "nsa", "minmax",
    "clamps", "threadptr", "exception",
)  # fmt: skip
"""Of the processor: what the ESP32-S3 and the emulated core both have."""

_HINT = "on Debian: apt-get install clang-22 binutils-xtensa-lx106 qemu-user"
_TARGET = "--target=xtensa"


def require_xtensa() -> str:
    """The clang that compiles for Xtensa.

    Raises:
        UsageError: it, the linker or the emulator is not installed.
    """
    clang = _find_clang()
    wanted = {"clang with Xtensa (clang-22)": clang, _LINKER: _LINKER, QEMU: QEMU}
    missing = [what for what, name in wanted.items() if not name or shutil.which(name) is None]
    if missing or clang is None:
        raise UsageError(f"emulating Xtensa needs {', '.join(missing)}: not installed", hint=_HINT)
    return clang


def find_xtensa_toolchain(optimize: str) -> Toolchain:
    """The compiler for Xtensa.

    Args:
        optimize: optimisation flag of the exported project.

    Raises:
        UsageError: something that it needs is not installed.
    """
    clang = require_xtensa()
    described, linker = describe((clang,)), describe((_LINKER,))
    features = (word for f in _FEATURES for word in ("-Xclang", "-target-feature", f"-Xclang +{f}"))
    command = (clang, _TARGET, *(part for word in features for part in word.split()))
    # the assembler's core only has to know every instruction that the compiler may emit
    assembler = (clang, _TARGET, "-mcpu=esp32")
    version = f"{described.version}; {linker.version}"
    title = f"{described.version}, {_TARGET} {'+'.join(_FEATURES)} {optimize}"
    return Toolchain(
        Compiler(command, version, assembler, (_LINKER,)),
        title,
        flags=(*FLAGS, *GCC_FLAGS, optimize),
        link_flags=("--no-relax", "-z", "noexecstack"),
        chosen=False,
        own_stack=True,
    )


def build_xtensa_image(
    files: Mapping[str, str],
    toolchain: Toolchain,
    memory: Memory,
    entries: Sequence[str],
    defines: Sequence[str] = (),
    foreign: ForeignSources | None = None,
) -> Image:
    """`build_image` for Xtensa, with the start of a program that is driven from outside.

    Raises:
        UsageError: the C calls a function that no library for Xtensa has here.
        ForeignBuildError: C of others does not compile.
    """
    folder = resources.firmware() / "xtensa"
    own = {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.iterdir())}
    header = ("-include", "mcugen_xtensa.h")
    try:
        return build_image(
            {**own, **files}, toolchain, memory, (START, *entries), (*header, *defines), foreign
        )
    except InternalError as error:
        unknown = sorted(set(re.findall(r"undefined reference to `(\w+)'", error.message)))
        if not unknown:
            raise
        raise UsageError(
            f"emulating Xtensa: the model calls {', '.join(unknown)}, which no package here has",
            hint="double-precision arithmetic runs on the board and not in its emulation",
        ) from error


def _find_clang() -> str | None:
    for name in _CLANGS:
        if shutil.which(name) is None:
            continue
        done = subprocess.run(
            [name, "--print-targets"], capture_output=True, text=True, timeout=60, check=False
        )
        if "xtensa" in done.stdout:
            return name
    return None
