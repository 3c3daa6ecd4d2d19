"""C cross-compiled and linked for a board's processor: with zig from PyPI, or another compiler."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mcugen import resources
from mcugen.elf import read_sections
from mcugen.errors import InternalError, McugenError, MissingExtraError, UsageError
from mcugen.render import environment
from mcugen.targets import CrossCompiler, Memory
from mcugen.toolchain import (
    BASE_FLAGS,
    Compiler,
    ForeignSources,
    build,
    cache_dir,
    describe,
    zig_command,
)

MARK, END = "mcugen_bare_mark", "mcugen_bare_end"
"""Functions of firmware/bare: called between layers, and what a function returns to."""

_ROOM_BYTES = 0x0400_0000
"""Of the linker's flash and RAM: more than any board has, less than lies between the two."""

FLAGS = (
    "-w",
    "-g0",
    "-fno-pic",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)
"""For compiling, whatever the compiler."""

GCC_FLAGS = (
    # headers of the compiler itself alone: a cross-compiler may come without a C library; a memcpy
    # becomes a load all the same, as it does in the firmware's build
    "-ffreestanding",
    "-fbuiltin",
)
"""For compiling by any but zig."""

_ZIG_FLAGS = (
    # zig takes a target without an operating system for one without a C library: then no memcpy
    # would become a load, as it does in the firmware's build
    "-fhosted",
    "-fomit-frame-pointer",
    "-fno-sanitize=undefined",
    "-fno-stack-protector",
)


@dataclass(frozen=True)
class Toolchain:
    """A cross-compiler with the flags for a core.

    Attributes:
        compiler: command and version; the flags that choose the core are in the command.
        title: compiler and flags, as every figure names them.
        flags: for compiling.
        link_flags: for linking, without the linker script.
        chosen: whether the user named the compiler.
        own_stack: whether a program must ask for the RAM behind its variables: an operating
            system runs it, or what emulates one.
    """

    compiler: Compiler
    title: str
    flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    chosen: bool
    own_stack: bool = False


@dataclass(frozen=True)
class Image:
    """A linked program.

    Attributes:
        elf: the file.
        text_bytes: code, of the runtime library too.
        rodata_bytes: constants.
        static_bytes: variables, the arena among them.
    """

    elf: bytes
    text_bytes: int
    rodata_bytes: int
    static_bytes: int


def find_toolchain(board: str, wanted: CrossCompiler, cc: str | None = None) -> Toolchain:
    """The cross-compiler for a board: zig, or the GCC-like command `cc`.

    Raises:
        MissingExtraError: ziglang is not installed.
        UsageError: `cc` cannot be run, or target.toml has no flags for it or wrong ones for zig.
    """
    if cc is None:
        zig = zig_command()
        if zig is None:
            raise MissingExtraError(f"cross-compiling for {board}", "ziglang", "bench")
        try:
            compiler = describe((*zig, *wanted.zig))
        except McugenError as error:
            raise UsageError(f"'zig' in compiler of {board}: {error.message}") from error
        core = [f for f in wanted.zig if f.startswith(("-m", "--target"))]
        title = f"zig cc, {compiler.version}, {' '.join((*core, wanted.optimize))}"
        return Toolchain(
            compiler,
            title,
            flags=(*FLAGS, *_ZIG_FLAGS, wanted.optimize),
            link_flags=(
                *BASE_FLAGS,
                "-nostdlib",
                "-rtlib=compiler-rt",
                "-g",
            ),  # -g: no symbol is stripped
            chosen=False,
        )
    if not wanted.gcc:
        raise UsageError(f"--cc: the board file of {board} has no flags for such a compiler")
    try:
        compiler = describe((*shlex.split(cc), *wanted.gcc))
    except (McugenError, ValueError) as error:  # ValueError: a quotation without its end
        raise UsageError(f"--cc: '{cc}' cannot be run as a C compiler") from error
    title = f"{compiler.version}, {' '.join((*wanted.gcc, wanted.optimize))}"
    return Toolchain(
        compiler,
        title,
        flags=(*FLAGS, *GCC_FLAGS, wanted.optimize),
        link_flags=(*BASE_FLAGS, "-nostartfiles", "-nolibc"),
        chosen=True,
    )


def build_image(
    files: Mapping[str, str],
    toolchain: Toolchain,
    memory: Memory,
    entries: Sequence[str],
    defines: Sequence[str] = (),
    foreign: ForeignSources | None = None,
) -> Image:
    """Compile and link C for a core; what `entries` do not reach is left out.

    Args:
        files: relative path -> text of sources and headers.
        toolchain: the compiler.
        memory: where the program lies.
        entries: symbols of functions to keep.
        defines: macros, `-D...`.
        foreign: C of others to link with.

    Raises:
        InternalError: zig cannot compile the generated C.
        UsageError: the user's compiler cannot.
        ForeignBuildError: C of others does not compile.
    """
    if foreign is not None:
        headers = {n: t for n, t in _support().items() if n.endswith(".h")}
        foreign = replace(
            foreign,
            files={**headers, **foreign.files},
            flags=(*foreign.flags, *toolchain.flags),
        )
    script = _script(memory, (*entries, MARK, END), toolchain.own_stack)
    header = ("-include", "mcugen_bare.h")
    try:
        path = build(
            {**_support(), **files},
            compiler=toolchain.compiler,
            flags=(*toolchain.flags, *header, *defines),
            link_flags=(*toolchain.link_flags, *_script_flags(toolchain, script)),
            suffix=".elf",
            foreign=foreign,
        )
    except InternalError as error:
        if not toolchain.chosen:
            raise
        raise UsageError(f"--cc: {toolchain.title}: {error.message}") from error
    elf = path.read_bytes()
    sizes = {s.name: s.size for s in read_sections(elf)}
    return Image(
        elf,
        text_bytes=sizes.get(".text", 0),
        rodata_bytes=sizes.get(".rodata", 0),
        static_bytes=sizes.get(".data", 0) + sizes.get(".bss", 0),
    )


def _script_flags(toolchain: Toolchain, script: str) -> tuple[str, ...]:
    if toolchain.compiler.linker:
        return "--gc-sections", "-T", script
    return "-Wl,--gc-sections", f"-Wl,-T,{script}"


def _support() -> dict[str, str]:
    """What stands in for a C library: headers, and functions that compilers call."""
    folders = (resources.firmware() / "bare", resources.firmware() / "freestanding")
    paths = [p for folder in folders for p in sorted(folder.iterdir())]
    return {p.name: p.read_text(encoding="utf-8") for p in paths}


def _script(memory: Memory, entries: Sequence[str], own_stack: bool) -> str:
    """Path of the linker script, named after its content."""
    text = (
        environment()
        .get_template("bare/link.ld.j2")
        .render(memory=memory, entries=entries, room=_ROOM_BYTES, own_stack=own_stack)
    )
    path = cache_dir() / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.ld"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(path)
