"""Code size and stack need of a model: by a compiler for the board's core where there is one."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcugen import resources
from mcugen.compiler import Compiled
from mcugen.elf import object_sizes
from mcugen.errors import McugenError
from mcugen.host import runtime_headers, standin_files
from mcugen.report.model_report import Footprint
from mcugen.targets import Target
from mcugen.toolchain import BASE_FLAGS, describe, find_compiler, run_compiler, zig_command
from mcugen.vendor import libraries_used

OTHER_COMPILER_SHARE, OTHER_COMPILER_BYTES = 8, 128
"""An eighth, and registers that are saved otherwise, on top of the measured stack: the project may
be built by another compiler than the one that measured. Debian's arm gcc 12.2 needed up to 7.3 %
more than clang where frames are large, up to 148 bytes more where they are small (Cortex-M4F)."""
LIBRARY_STACK_BYTES = 128
"""Allowance for what generated code calls outside of it: memcpy, soft float, 64-bit division."""

_BYTES_PER_FUNCTION = 600
_BYTES_PER_CALL = 40


@dataclass(frozen=True)
class _Build:
    """A compiler command and what its result says about the board."""

    command: tuple[str, ...]
    freestanding: bool
    exact: bool


def measure_footprint(compiled: Compiled, target: Target, selftest_bytes: int = 0) -> Footprint:
    """Code size and stack bound of the model without traces, compiled as for the board.

    "measured" means the board's own instruction set; else the size of another core's code or,
    without any compiler, a rule of thumb stands in as "estimated", and the stack is unknown.
    A vendor's kernel library counts as it was measured once, so that all is "estimated" then.
    Not counted: the C library's functions, and what interrupts need of the stack.

    Raises:
        InternalError: the generated C does not compile.
    """
    build = _find_build(target)
    uses = libraries_used(compiled)
    vendor_bytes = sum(use.library.code_bytes(use.functions) for use in uses)
    if build is None:
        return Footprint(_estimate(compiled) + vendor_bytes, "estimated", None, selftest_bytes)
    with tempfile.TemporaryDirectory(prefix="mcugen-") as folder:
        flash_bytes, frames = _compile(compiled, build, target.compiler.optimize, Path(folder))
    source = "measured" if build.exact and not uses else "estimated"
    stack = stack_bound(compiled.model.prefix, frames) if build.exact else None
    if stack is not None:
        stack += max((use.library.stack_bytes(use.functions) for use in uses), default=0)
        stack += stack // OTHER_COMPILER_SHARE + OTHER_COMPILER_BYTES
    return Footprint(flash_bytes + vendor_bytes, source, stack, selftest_bytes)


def _find_build(target: Target) -> _Build | None:
    wanted = target.compiler
    zig = zig_command()
    if wanted.zig and zig is not None:
        return _Build((*zig, *wanted.zig), True, wanted.exact)
    try:
        return _Build(find_compiler().command, False, wanted.exact and not wanted.zig)
    except McugenError:
        return None


def _estimate(compiled: Compiled) -> int:
    """Bytes of code by a rule of thumb: kernels of this generator on a 32-bit core."""
    functions = len({(f.template, f.signature) for f in compiled.model.functions})
    return _BYTES_PER_FUNCTION * functions + _BYTES_PER_CALL * len(compiled.model.calls)


def _compile(
    compiled: Compiled, build: _Build, optimize: str, folder: Path
) -> tuple[int, dict[str, int]]:
    """Flash bytes of the model's own translation unit, and its functions' stack frames."""
    headers = {n: t for n, t in compiled.files.items() if n.endswith(".h")}
    source = f"{compiled.model.prefix}.c"
    for use in libraries_used(compiled):
        headers |= {n: t for n, t in standin_files(use.library.name).items() if n.endswith(".h")}
    _write(folder, {**runtime_headers(), **headers, source: compiled.files[source]})
    usage, result = folder / "model.su", folder / "model.o"
    flags = [*BASE_FLAGS, optimize, "-g0", "-w", "-I", str(folder)]
    if build.freestanding:
        flags += ["-isystem", str(resources.firmware() / "freestanding"), "-ffreestanding"]
    if _is_clang(build.command):
        flags += [
            "-fno-sanitize=undefined",
            "-fno-unwind-tables",
            "-fno-asynchronous-unwind-tables",
        ]
        flags += ["-Xclang", "-stack-usage-file", "-Xclang", str(usage)]
    else:
        flags += ["-fstack-usage", "-fno-asynchronous-unwind-tables"]
    run_compiler([*build.command, *flags, "-c", str(folder / source), "-o", str(result)])
    frames = parse_stack_usage(usage.read_text()) if usage.is_file() else {}
    return object_sizes(result.read_bytes()).flash_bytes, frames


def _is_clang(command: Sequence[str]) -> bool:
    return "clang" in describe(tuple(command)).version


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def parse_stack_usage(text: str) -> dict[str, int]:
    """Function -> bytes of its frame, from a compiler's `-fstack-usage` file.

    Parts and copies that gcc makes of a function (`name.part.0`) are added to it.
    """
    frames: dict[str, int] = {}
    for name, size in re.findall(r"^.*:(\w+)[\w.]*\t(\d+)\t", text, re.MULTILINE):
        frames[name] = frames.get(name, 0) + int(size)
    return frames


def stack_bound(prefix: str, frames: Mapping[str, int]) -> int | None:
    """Most bytes of stack that one inference takes; None when nothing is known.

    There is no recursion, and the calls are the public function, the one that calls all kernels,
    one kernel with what it has of its own, and runtime functions that the compiler kept apart:
    the sum of the largest of each, and of all runtime functions, is a bound.
    """
    public = {f"{prefix}_run", f"{prefix}_invoke"}
    chain = {f"{prefix}_run_any", f"{prefix}_steps"}
    tables = {f"{prefix}_input", f"{prefix}_output"}
    own = {n: b for n, b in frames.items() if n.startswith(f"{prefix}_")}
    if not own:
        return None
    kernels = {n: b for n, b in own.items() if n not in public | chain | tables}
    runtime = sum(b for n, b in frames.items() if n not in own)
    entry = max((own.get(n, 0) for n in public), default=0) + sum(own.get(n, 0) for n in chain)
    deepest = max((_with_parts(n, kernels) for n in kernels), default=0)
    return entry + deepest + runtime + LIBRARY_STACK_BYTES


def _with_parts(name: str, kernels: Mapping[str, int]) -> int:
    """A kernel's frame and those of functions named after it, which only it calls."""
    return kernels[name] + sum(b for n, b in kernels.items() if n.startswith(f"{name}_"))
