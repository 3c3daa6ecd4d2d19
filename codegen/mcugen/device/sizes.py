"""Flash and RAM of a built firmware, against what was planned when the project was exported."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcugen.device.project_folder import Plan, ProjectFolder
from mcugen.elf import read_sections
from mcugen.errors import DeviceError

_LINE = re.compile(r"^(RAM|Flash): .*\(used (\d+) bytes from (\d+) bytes\)")
_ALLOC, _WRITE, _PROGBITS = 0x2, 0x1, 1


@dataclass(frozen=True)
class MemoryUse:
    """One memory of a built firmware, in bytes.

    Attributes:
        name: "RAM" or "flash".
        used_bytes: by the firmware; of RAM what is static, stacks and heap apart.
        total_bytes: that the board has.
        model_bytes: what was planned for the model and what grows with it; None without a plan.
        reserve_bytes: what the board's file keeps for all else; None without a plan.
    """

    name: str
    used_bytes: int
    total_bytes: int
    model_bytes: int | None = None
    reserve_bytes: int | None = None

    @property
    def planned_bytes(self) -> int | None:
        """What was planned for the whole firmware."""
        if self.model_bytes is None or self.reserve_bytes is None:
            return None
        return self.model_bytes + self.reserve_bytes

    @property
    def difference_bytes(self) -> int | None:
        """Used less planned: negative when less was needed."""
        return None if self.planned_bytes is None else self.used_bytes - self.planned_bytes

    @property
    def within_plan(self) -> bool:
        """False when firmware without the model takes more than its reserve."""
        return (self.difference_bytes or 0) <= 0


def sizes_in_output(lines: Iterable[str], plan: Plan | None) -> tuple[MemoryUse, ...]:
    """RAM and flash as PlatformIO prints them after linking; empty where it does not."""
    found = {m[1].lower(): m for m in map(_LINE.match, lines) if m}
    return tuple(
        _use(name, int(found[name.lower()][2]), int(found[name.lower()][3]), plan)
        for name in ("RAM", "flash")
        if name.lower() in found
    )


def sizes_of_elf(data: bytes, plan: Plan) -> tuple[MemoryUse, ...]:
    """RAM and flash of a linked program.

    Raises:
        ValueError: it is no ELF file.
    """
    loaded = [s for s in read_sections(data) if s.flags & _ALLOC]
    ram = sum(s.size for s in loaded if s.flags & _WRITE)
    flash = sum(s.size for s in loaded if s.kind == _PROGBITS)
    return (
        _use("RAM", ram, plan.ram_total_bytes, plan),
        _use("flash", flash, plan.flash_total_bytes, plan),
    )


def firmware_sizes(project: ProjectFolder, output: Iterable[str]) -> tuple[MemoryUse, ...]:
    """RAM and flash of the firmware that was just built; empty where nothing tells them.

    Raises:
        DeviceError: the built file is no ELF file.
    """
    sizes = sizes_in_output(output, project.plan)
    if sizes or not project.device.firmware or project.plan is None:
        return sizes
    files = sorted(project.path.glob(project.device.firmware), key=lambda p: p.stat().st_mtime)
    if not files:
        return ()
    try:
        return sizes_of_elf(files[-1].read_bytes(), project.plan)
    except ValueError as error:
        raise DeviceError(f"{files[-1]}: {error}", hint="build again from clean") from error


def _use(name: str, used: int, total: int, plan: Plan | None) -> MemoryUse:
    if plan is None:
        return MemoryUse(name, used, total)
    if name == "RAM":
        return MemoryUse(name, used, total, plan.ram_bytes, plan.ram_reserve_bytes)
    return MemoryUse(name, used, total, plan.flash_bytes, plan.flash_reserve_bytes)


def reserve_warnings(uses: Iterable[MemoryUse]) -> tuple[str, ...]:
    """What to say of memories whose reserve in the board's file is too small."""
    found = []
    for use in uses:
        if not use.within_plan and use.model_bytes is not None:
            needed = use.used_bytes - use.model_bytes
            key = f"{use.name.lower()}_reserve_bytes"
            found.append(
                f"{use.name}: firmware without the model takes {needed:,} bytes, the board's file "
                f"reserves {use.reserve_bytes:,}: {key} is too small, and 'fits' of `mcugen "
                "export` too hopeful"
            )
    return tuple(found)
