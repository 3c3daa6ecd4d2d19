"""The processor cores that can be emulated: data for the emulator and for counting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mcugen.emulate import instructions
from mcugen.emulate.instructions import BlockCost


@dataclass(frozen=True)
class Core:
    """A processor core.

    Attributes:
        name: as in a board's `[emulator]` table.
        title: what its maker calls it.
        is_arm: Arm (Thumb state) or RISC-V (32 bits).
        model: the emulator's constant for it; "" where the architecture says enough.
        aligned_only: whether it faults on data that is not aligned to its size.
        cost: code of a block -> instructions and cycles.
    """

    name: str
    title: str
    is_arm: bool
    model: str
    aligned_only: bool
    cost: Callable[[bytes], BlockCost]


@dataclass(frozen=True)
class QemuCore:
    """A processor core that no package on PyPI emulates; QEMU does, without any time.

    Attributes:
        name: as in a board's `[emulator]` table.
        title: what is emulated.
        caveat: what a figure of it does not say.
    """

    name: str
    title: str
    caveat: str


_ALL: tuple[Core | QemuCore, ...] = (
    Core("cortex-m0plus", "Cortex-M0+", True, "CORTEX_M0", True, instructions.armv6m),
    Core("cortex-m3", "Cortex-M3", True, "CORTEX_M3", False, instructions.thumb),
    Core("cortex-m4f", "Cortex-M4F", True, "CORTEX_M4", False, instructions.thumb),
    Core("cortex-m7", "Cortex-M7", True, "CORTEX_M7", False, instructions.thumb),
    Core("cortex-m33", "Cortex-M33", True, "CORTEX_M33", False, instructions.thumb),
    Core("rv32imc", "RISC-V RV32IMC", False, "", True, instructions.riscv),
    Core("rv32imac", "RISC-V RV32IMAC", False, "", True, instructions.riscv),
    QemuCore(
        "xtensa",
        "Xtensa (QEMU)",
        "Xtensa ISA pass: not the ESP32-S3's pipeline, no PIE, no MULSH, no zero-overhead loops; "
        "unverified on hardware",
    ),
)

CORES: Mapping[str, Core | QemuCore] = MappingProxyType({core.name: core for core in _ALL})
"""Every core by name."""
