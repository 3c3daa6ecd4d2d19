"""Our plugin for QEMU, built for this machine: counts the instructions between marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mcugen import resources
from mcugen.elf import read_sections, read_symbols
from mcugen.emulate.cross import MARK
from mcugen.toolchain import build, describe

_FIRST_WITH_API_2 = 9


@dataclass(frozen=True)
class Plugin:
    """What QEMU is to count, and where it writes it.

    Attributes:
        library: the plugin.
        image: the program; the instructions of its section .text count.
        limit: instructions between two marks after which QEMU is ended.
        log: one line a mark; "limit" is the last one where QEMU was ended.
        marks: symbols of functions, two at most.
    """

    library: Path
    image: bytes
    limit: int
    log: Path
    marks: tuple[str, ...] = (MARK,)

    def arguments(self) -> tuple[str, str]:
        """For QEMU's command line."""
        text = next(s for s in read_sections(self.image) if s.name == ".text")
        symbols = read_symbols(self.image)
        values = {
            "from": text.address,
            "to": text.address + text.size,
            "limit": self.limit,
            "log": _escaped(self.log),
        }
        marks = (f"mark={symbols[name].address}" for name in self.marks)
        others = (f"{key}={value}" for key, value in values.items())
        return "-plugin", ",".join((_escaped(self.library), *marks, *others))

    def lines(self) -> list[str]:
        """What it has written so far."""
        return self.log.read_text().splitlines() if self.log.is_file() else []


def build_plugin(qemu: str) -> Path:
    """The plugin's shared library for a QEMU, by its command.

    Raises:
        McugenError: the command cannot be run.
    """
    folder = resources.firmware() / "qemu"
    files = {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.iterdir())}
    return build(files, flags=("-O2", f"-DMCUGEN_QEMU_PLUGIN_API={_api(qemu)}"))


def _api(qemu: str) -> int:
    """The version of the interface for plugins that a QEMU takes."""
    found = re.search(r"version (\d+)", describe((qemu,)).version)
    return 2 if found and int(found[1]) >= _FIRST_WITH_API_2 else 1


def _escaped(path: Path) -> str:
    """A path in an option of QEMU's: its own comma is doubled."""
    return str(path).replace(",", ",,")
