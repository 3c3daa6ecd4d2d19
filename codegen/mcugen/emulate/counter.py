"""The counting hooks, C built for this machine, and what they counted."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcugen import resources
from mcugen.emulate.instructions import TAKEN_CYCLES, BlockCost
from mcugen.toolchain import build

_PLACES = 1 << 15
"""Of the table of blocks: twice what any layer of a model is made of."""

LIMIT, UNALIGNED, FULL = 1, 2, 3
"""Why the hooks stop an emulation: as in mcugen_counter.h."""


class _Block(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_uint64),
        ("runs", ctypes.c_uint64),
        ("jumps", ctypes.c_uint64),
        ("bytes", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    )


class _State(ctypes.Structure):
    _fields_ = (
        ("blocks", ctypes.POINTER(_Block)),
        ("last", ctypes.POINTER(_Block)),
        ("stop", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("limit_bytes", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("capacity", ctypes.c_uint32),
        ("used", ctypes.c_uint32),
        ("access_bytes", ctypes.c_uint32),
        ("reason", ctypes.c_uint32),
    )


@dataclass(frozen=True)
class Block:
    """A block of code that ran `runs` times, `jumps` of them without going on behind its end."""

    address: int
    size: int
    runs: int
    jumps: int


@dataclass(frozen=True)
class Count:
    """What was executed; `cycles` is None where they are not modelled."""

    instructions: int
    cycles: int | None


class Counter:
    """The state that the hooks change, and their addresses for the emulator."""

    def __init__(self, stop: int) -> None:
        """`stop` is the address of the emulator's function that ends an emulation."""
        folder = resources.firmware() / "emulate"
        files = {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.iterdir())}
        library = ctypes.CDLL(str(build(files)))
        self.block_hook = ctypes.cast(library.mcugen_counter_block, ctypes.c_void_p)
        self.access_hook = ctypes.cast(library.mcugen_counter_access, ctypes.c_void_p)
        self._library = library
        self._blocks = (_Block * _PLACES)()
        self._state = _State(
            blocks=ctypes.cast(self._blocks, ctypes.POINTER(_Block)), stop=stop, capacity=_PLACES
        )

    @property
    def user(self) -> ctypes.c_void_p:
        """What the emulator hands to the hooks."""
        return ctypes.cast(ctypes.byref(self._state), ctypes.c_void_p)

    def start(self, limit_bytes: int) -> None:
        """Count from zero; stop after this many bytes of instructions."""
        ctypes.memset(self._blocks, 0, ctypes.sizeof(self._blocks))
        self._state.last = None
        self._state.used = self._state.bytes = self._state.reason = 0
        self._state.limit_bytes = limit_bytes

    @property
    def reason(self) -> int:
        """0, or why the hooks stopped the emulation."""
        return int(self._state.reason)

    @property
    def access(self) -> tuple[int, int]:
        """(address, bytes) of the access that stopped it."""
        return int(self._state.address), int(self._state.access_bytes)

    @property
    def place(self) -> int:
        """Address of the block that ran last; 0 before the first."""
        return int(self._state.last.contents.address) if self._state.last else 0

    def blocks(self) -> list[Block]:
        """Every block that ran since `start`."""
        rows = np.ctypeslib.as_array(self._blocks)
        return [
            Block(int(b["address"]), int(b["bytes"]), int(b["runs"]), int(b["jumps"]))
            for b in rows[rows["runs"] > 0]
        ]


def total(blocks: list[Block], cost: Callable[[Block], BlockCost]) -> Count:
    """Instructions and cycles of blocks."""
    instructions = cycles = 0
    modelled = True
    for block in blocks:
        each = cost(block)
        instructions += each.instructions * block.runs
        modelled = modelled and each.cycles is not None
        cycles += (each.cycles or 0) * block.runs
        if each.conditional:
            cycles += TAKEN_CYCLES * block.jumps
    return Count(instructions, cycles if modelled else None)
