"""Lengths of instructions, and cycles of those of the Cortex-M0+, without a disassembler."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

TAKEN_CYCLES = 1
"""What a conditional branch of the Cortex-M0+ costs more when it is taken."""

_WIDE_THUMB = (0b11101, 0b11110, 0b11111)
"""First five bits of a Thumb instruction of two halfwords."""


@dataclass(frozen=True)
class BlockCost:
    """One run through a block of instructions that is entered at its first.

    Attributes:
        instructions: how many.
        cycles: without the cost of a taken branch at its end; None where they are not modelled.
        conditional: whether a conditional branch ends it.
    """

    instructions: int
    cycles: int | None = None
    conditional: bool = False


def thumb(code: bytes) -> BlockCost:
    """A block of Thumb-2 code: Cortex-M3 and above, cycles not modelled."""
    return BlockCost(sum(1 for _ in _halfwords(code)))


def riscv(code: bytes) -> BlockCost:
    """A block of RISC-V code with compressed instructions, cycles not modelled."""
    count = at = 0
    while at < len(code):
        at += 4 if code[at] & 3 == 3 else 2
        count += 1
    return BlockCost(count)


def armv6m(code: bytes) -> BlockCost:
    """A block of Cortex-M0+ code, memory without wait states, single-cycle multiplier.

    Source: Cortex-M0+ Technical Reference Manual r0p1, table 3-1.

    Raises:
        ValueError: there is an instruction that the core does not have.
    """
    count = cycles = 0
    last = 0
    for first, second in _halfwords(code):
        cycles += _wide_cycles(first, second) if second is not None else _cycles(first)
        count += 1
        last = first if second is None else 0
    return BlockCost(count, cycles, _is_conditional(last))


def _halfwords(code: bytes) -> Iterator[tuple[int, int | None]]:
    """(first halfword, second halfword or None) of each Thumb instruction."""
    at = 0
    while at < len(code):
        first = int.from_bytes(code[at : at + 2], "little")
        wide = first >> 11 in _WIDE_THUMB
        yield first, int.from_bytes(code[at + 2 : at + 4], "little") if wide else None
        at += 4 if wide else 2


def _is_conditional(halfword: int) -> bool:
    return halfword >> 12 == 0xD and (halfword >> 8) & 0xF < 0xE


def _wide_cycles(first: int, second: int) -> int:
    """BL, and the system instructions MRS, MSR, DMB, DSB, ISB: three cycles each."""
    is_call = first >> 11 == 0b11110 and second >> 14 == 0b11 and second & 0x1000
    is_system = first & 0xFFE0 in (0xF380, 0xF3A0, 0xF3E0) and second & 0xD000 == 0x8000
    if not is_call and not is_system:
        raise ValueError(f"{first:04x} {second:04x} is no instruction of ARMv6-M")
    return 3


def _cycles(halfword: int) -> int:
    if _is_not_armv6m(halfword):
        raise ValueError(f"{halfword:04x} is no instruction of ARMv6-M")
    many = _list_cycles(halfword)
    if many:
        return many
    is_load_or_store = halfword >> 12 in (0x5, 0x6, 0x7, 0x8, 0x9) or halfword >> 11 == 0b01001
    return 2 if is_load_or_store or _jumps(halfword) else 1


def _list_cycles(halfword: int) -> int:
    """PUSH, POP, LDM, STM: 1 + N, and 2 more for a POP that returns; 0 for anything else."""
    registers = (halfword & 0xFF).bit_count()
    if halfword >> 12 == 0xC:
        return 1 + registers
    with_link = registers + (halfword >> 8 & 1)
    if halfword >> 9 == 0b1011010:
        return 1 + with_link
    if halfword >> 9 == 0b1011110:
        return 1 + with_link + 2 * (halfword >> 8 & 1)
    return 0


def _jumps(halfword: int) -> bool:
    """B, BX, BLX, and ADD or MOV that writes the program counter."""
    writes_pc = halfword & 0xFD00 == 0x4400 and (halfword & 7) | (halfword >> 4 & 8) == 15
    return halfword >> 11 == 0b11100 or halfword >> 8 == 0x47 or writes_pc


def _is_not_armv6m(halfword: int) -> bool:
    """CBZ and CBNZ, and IT: 16-bit instructions that came with ARMv7-M."""
    is_compare_branch = halfword & 0xF500 == 0xB100
    is_it = halfword >> 8 == 0xBF and halfword & 0xF != 0
    return is_compare_branch or is_it


def is_double_precision(code: bytes) -> bool:
    """Whether code begins with arithmetic of a Cortex-M's FPU on 64 bits (coprocessor 11)."""
    first, second = (int.from_bytes(code[i : i + 2], "little") for i in (0, 2))
    return (first & 0xEF00) == 0xEE00 and (second & 0x0F00) == 0x0B00
