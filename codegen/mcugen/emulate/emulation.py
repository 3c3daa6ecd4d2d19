"""How a core is compiled for and emulated: what a bench needs to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial

from mcugen.emulate import cross, xtensa
from mcugen.emulate.cores import Core, QemuCore
from mcugen.emulate.cross import Image, Toolchain, build_image, find_toolchain
from mcugen.emulate.inference import Machine
from mcugen.emulate.machine import Machine as UnicornMachine
from mcugen.emulate.machine import require_emulator
from mcugen.emulate.qemu import QemuMachine
from mcugen.emulate.xtensa import build_xtensa_image, find_xtensa_toolchain, require_xtensa
from mcugen.errors import UsageError
from mcugen.targets import Memory, Target
from mcugen.toolchain import ForeignSources


@dataclass(frozen=True)
class Emulation:
    """A board's core on this machine.

    Attributes:
        toolchain: its compiler.
        mark: the function to call between layers.
        link: makes a program, as `build_image` does.
        load: (image, memory, limit) -> a machine with the program in it.
    """

    toolchain: Toolchain
    mark: str
    link: Callable[..., Image]
    load: Callable[[bytes, Memory, int], AbstractContextManager[Machine]]

    def build(
        self,
        files: Mapping[str, str],
        memory: Memory,
        entries: Sequence[str],
        defines: Sequence[str],
        vendor: ForeignSources | None,
    ) -> Image:
        """A program, as `build_image` makes it."""
        return self.link(files, self.toolchain, memory, entries, defines, vendor)


def _unicorn_machine(
    core: Core, image: bytes, memory: Memory, limit: int
) -> AbstractContextManager[Machine]:
    return nullcontext(UnicornMachine(core, memory, image, limit))


def _xtensa_machine(image: bytes, memory: Memory, limit: int) -> QemuMachine:
    command = (xtensa.QEMU, "-cpu", xtensa.CPU)
    return QemuMachine(command, memory, image, (xtensa.IDLE, xtensa.MARK), limit)


def require_tools(core: Core | QemuCore) -> None:
    """Raise UsageError or MissingExtraError when what emulates the core is not installed."""
    if isinstance(core, QemuCore):
        require_xtensa()
    else:
        require_emulator()


def find_emulation(core: Core | QemuCore, target: Target, cc: str | None) -> Emulation:
    """The compiler and the emulator for a board's core.

    Args:
        core: the core.
        target: the board.
        cc: a GCC in place of zig.

    Raises:
        MissingExtraError: a package is not installed.
        UsageError: another program is not, or `cc` cannot compile for the core.
    """
    if isinstance(core, Core):
        toolchain = find_toolchain(target.title, target.compiler, cc)
        load = partial(_unicorn_machine, core)
        return Emulation(toolchain, cross.MARK, build_image, load)
    if cc is not None:
        raise UsageError(f"--cc: for {target.title} only clang's code runs in the emulator")
    toolchain = find_xtensa_toolchain(target.compiler.optimize)
    return Emulation(toolchain, xtensa.MARK, build_xtensa_image, _xtensa_machine)
