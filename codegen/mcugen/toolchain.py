"""Host C compilers: found, described, and run with a cache of compiled objects."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcugen.errors import InternalError, McugenError, MissingExtraError, UsageError

STRICT_WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-Wdouble-promotion",
    "-Wmissing-prototypes",
    "-Wvla",
    "-Wcast-align",
    "-Wundef",
    "-Werror",
)
"""What all generated C is clean under, with gcc and clang."""

BASE_FLAGS = ("-std=c11", "-ffp-contract=off")
"""Contraction off: a fused multiply-add would round once where the reference rounds twice."""

_TIMEOUT_S = 600
_VERSION_TIMEOUT_S = 60

CAPTURED: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace"}
"""Of compilers' messages: they may quote bytes of any encoding."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler command and what identifies its output.

    Attributes:
        command: what compiles and links.
        version: of it, and of the linker where that is another.
        assembler: makes objects of the compiler's assembly, where it cannot write them itself.
        linker: links in place of the compiler.
    """

    command: tuple[str, ...]
    version: str
    assembler: tuple[str, ...] = ()
    linker: tuple[str, ...] = ()


def zig_command() -> tuple[str, ...] | None:
    """`python -m ziglang cc`, when the package ziglang is installed."""
    if importlib.util.find_spec("ziglang") is None:
        return None
    return (sys.executable, "-m", "ziglang", "cc")


@cache
def describe(command: tuple[str, ...]) -> Compiler:
    """The compiler behind `command`, with the first line of its --version.

    Raises:
        McugenError: the command cannot be run, or does not say its version.
    """
    try:
        done = subprocess.run(
            [*command, "--version"], **CAPTURED, timeout=_VERSION_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        text = f"C compiler '{' '.join(command)}' cannot be run: {said.strip()}"
        raise McugenError(text) from error
    if not done.stdout.strip():
        raise McugenError(f"'{' '.join(command)}' is no C compiler: it says nothing to --version")
    return Compiler(command, done.stdout.strip().splitlines()[0])


def find_compiler() -> Compiler:
    """$MCUGEN_CC, else cc, gcc or clang of the PATH, else `zig cc` from PyPI.

    Raises:
        McugenError: $MCUGEN_CC is no compiler.
        MissingExtraError: there is none of them.
    """
    chosen = os.environ.get("MCUGEN_CC")
    if chosen:
        try:
            return describe(tuple(chosen.split()))
        except McugenError as error:
            hint = "set MCUGEN_CC to a C11 compiler, or unset it"
            raise McugenError(error.message, hint=hint) from error
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path:
            return describe((path,))
    zig = zig_command()
    if zig is None:
        raise MissingExtraError("building on the host (there is no C compiler)", "ziglang", "bench")
    return describe(zig)


def cache_dir() -> Path:
    """Where compiled objects are kept: $MCUGEN_CACHE or the user's cache directory.

    Raises:
        UsageError: there is no such folder that can be written.
    """
    hint = "set MCUGEN_CACHE to a folder that can be written"
    base, root = os.environ.get("MCUGEN_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        found = Path(base) if base else (Path(root) if root else Path.home() / ".cache") / "mcugen"
    except RuntimeError as error:
        raise UsageError("this user has no home folder to keep compiled C in", hint=hint) from error
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"the cache folder {found} cannot be made: {error.strerror}"
        raise UsageError(text, hint=hint) from error
    if not os.access(found, os.W_OK | os.X_OK):
        raise UsageError(f"the cache folder {found} cannot be written", hint=hint)
    return found


@dataclass(frozen=True)
class ForeignSources:
    """C that others wrote: compiled as it is, without our warnings.

    Attributes:
        title: whose it is, for messages.
        files: relative path -> text.
        includes: folders among the paths that `#include` searches, for our C as well.
        flags: for compiling it.
    """

    title: str
    files: Mapping[str, str]
    includes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class ForeignBuildError(McugenError):
    """C of others does not compile."""


def _digest(*parts: str) -> str:
    state = hashlib.sha256()
    for part in parts:
        state.update(part.encode())
        state.update(b"\0")
    return state.hexdigest()[:32]


def run_compiler(command: Sequence[str]) -> None:
    """Run a compiler's command.

    Raises:
        InternalError: it fails, or does not end.
    """
    try:
        done = subprocess.run(command, **CAPTURED, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise InternalError(
            f"compiling takes more than {_TIMEOUT_S} s: {' '.join(command)}"
        ) from error
    if done.returncode != 0:
        raise InternalError(
            f"the generated C does not compile: {' '.join(command)}\n{done.stderr[-8000:]}"
        )


def _publish(target: Path, command: Sequence[str]) -> None:
    """Run `command` + ["-o", FILE], then move FILE to `target`: safe with parallel builders."""
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=target.suffix)
    os.close(handle)
    try:
        run_compiler([*command, "-o", name])
        if not Path(name).stat().st_size:
            raise InternalError(f"the compiler wrote nothing: {' '.join(command)}")
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def _compile(target: Path, compiler: Compiler, flags: Sequence[str], source: str) -> None:
    """Publish the object of a source, by way of its assembly where the compiler needs that."""
    if not compiler.assembler:
        _publish(target, [*compiler.command, *flags, "-c", source])
        return
    assembly = f"{source}.s"
    run_compiler([*compiler.command, *flags, "-S", source, "-o", assembly])
    _publish(target, [*compiler.assembler, "-c", assembly])


def _objects(
    files: Mapping[str, str],
    compiler: Compiler,
    flags: Sequence[str],
    includes: Sequence[str] = (),
) -> list[Path]:
    """One cached object per .c file; the key is its text, all headers, flags and compiler."""
    headers = [f"{n}\n{t}" for n, t in sorted(files.items()) if not n.endswith(".c")]
    common = (*compiler.command, *compiler.assembler, compiler.version, *flags, *includes, *headers)
    objects = []
    with tempfile.TemporaryDirectory(prefix="mcugen-") as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name, text in sorted(files.items()):
            if not name.endswith(".c"):
                continue
            target = cache_dir() / f"{_digest(*common, name, text)}.o"
            if not target.exists():
                source = str(Path(folder, name))
                found = [f"-isystem{Path(folder, i)}" for i in includes]
                _compile(target, compiler, [*flags, "-I", folder, *found], source)
            objects.append(target)
    return objects


def _foreign_objects(foreign: ForeignSources, compiler: Compiler) -> list[Path]:
    flags = (*BASE_FLAGS, "-fPIC", "-O2", "-w", *foreign.flags)
    try:
        return _objects(foreign.files, compiler, flags, foreign.includes)
    except InternalError as error:
        raise ForeignBuildError(f"{foreign.title}: {error.message}") from error


def build(
    files: Mapping[str, str],
    *,
    compiler: Compiler | None = None,
    flags: Sequence[str] = ("-O2",),
    link_flags: Sequence[str] = ("-shared",),
    suffix: str = ".so",
    foreign: ForeignSources | None = None,
) -> Path:
    """Compile .c files (headers among `files` are found by `#include`) and link them.

    Args:
        files: relative path -> text of sources and headers.
        compiler: defaults to `find_compiler()`.
        flags: for compiling, besides `BASE_FLAGS` and position-independent code.
        link_flags: what to make of the objects; () links an executable.
        suffix: of the linked file.
        foreign: C of others to link with; its headers are found by `#include`.

    Returns:
        The linked file in the cache; equal inputs give the same file without any compiling.

    Raises:
        InternalError: the C does not compile; the compiler's messages are included.
        ForeignBuildError: C of others does not.
    """
    compiler = compiler or find_compiler()
    compile_flags = (*BASE_FLAGS, "-fPIC", *flags)
    if foreign is None:
        objects = _objects(files, compiler, compile_flags)
    else:
        objects = _foreign_objects(foreign, compiler)
        headers = {n: t for n, t in foreign.files.items() if not n.endswith(".c")}
        objects += _objects({**files, **headers}, compiler, compile_flags, foreign.includes)
    names = [str(o) for o in objects]
    linker = compiler.linker or compiler.command
    target = cache_dir() / f"{_digest(*linker, compiler.version, *names, *link_flags)}{suffix}"
    if not target.exists():
        sanitizers = [f for f in flags if f.startswith("-fsanitize")]
        _publish(target, [*linker, *sanitizers, *link_flags, *names])
    return target
