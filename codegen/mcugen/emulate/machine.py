"""One ELF image in the Unicorn emulator: calls a function, counts what it executes, catches faults.

Unicorn runs instructions, not a board: there are no peripherals, interrupts or wait states.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

from mcugen.elf import read_segments, read_symbols
from mcugen.emulate.cores import Core
from mcugen.emulate.counter import FULL, LIMIT, UNALIGNED, Block, Count, Counter, total
from mcugen.emulate.cross import END, MARK
from mcugen.emulate.instructions import BlockCost, is_double_precision
from mcugen.errors import MissingExtraError, UsageError
from mcugen.targets import EMULATED_PAGE_BYTES, Memory

_PAINT = 0xA5
_ENTRY_ALIGN = 16
"""Of the stack where a function is entered, by both architectures' calling conventions."""


class FaultError(Exception):
    """What the program did that a board would not survive, or that never ends."""


def require_emulator() -> None:
    """Raise MissingExtraError when the emulator's package is not installed."""
    if importlib.util.find_spec("unicorn") is None:
        raise MissingExtraError("emulating a board", "unicorn", "bench")


class Machine:
    """A core with flash and RAM, loaded with an image."""

    def __init__(self, core: Core, memory: Memory, image: bytes, limit: int):
        """Load an image.

        Args:
            core: the processor.
            memory: where flash and RAM are; the image lies in them.
            image: a linked ELF file.
            limit: instructions between two marks after which a call is stopped.

        Raises:
            MissingExtraError: the emulator is not installed.
        """
        require_emulator()
        self._unicorn = _module("unicorn")
        self.symbols = read_symbols(image)
        self._core, self._memory, self._limit = core, memory, limit
        self._engine = self._make_engine()
        self._registers = _registers(core)
        self._costs: dict[tuple[int, int], BlockCost] = {}
        self._bad_access = ""
        self._load(image)
        self._hook()

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into memory."""
        self._engine.mem_write(address, data)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of memory."""
        return bytes(self._engine.mem_read(address, size))

    @property
    def stack_bytes(self) -> int:
        """Most bytes of stack that calls have used so far: what is no longer painted."""
        data = self.read(self._static_end, self._memory.ram_end - self._static_end)
        return len(data.lstrip(bytes([_PAINT])))

    def call(self, function: str, mark: str = MARK, end: str = END) -> Iterator[Count]:
        """Call a function; yields what was executed up to every mark, and up to its return.

        Args:
            function: symbol of a function without arguments.
            mark: symbol of the function whose calls are the marks; it is not run.
            end: symbol of a function that stands for the return address.

        Raises:
            UsageError: the emulator does not have an instruction that the core has.
            FaultError: an access that is not aligned or to memory that is not there, an
                instruction that the core does not have, a stack that meets static data, or more
                instructions than the limit.
        """
        marks, back = self.symbols[mark].address, self.symbols[end].address
        engine, registers = self._engine, self._registers
        engine.ctl_exits_enabled(True)
        engine.ctl_set_exits([marks, back])
        engine.reg_write(registers["SP"], self._memory.ram_end // _ENTRY_ALIGN * _ENTRY_ALIGN)
        engine.reg_write(registers["LR"], back | self._core.is_arm)
        at = self.symbols[function].address
        while True:
            yield self._run(at)
            if engine.reg_read(registers["PC"]) & ~1 == back:
                return
            at = engine.reg_read(registers["LR"])

    def _run(self, at: int) -> Count:
        self._counter.start(2 * self._limit)  # most instructions take two bytes
        self._bad_access = ""
        error = ""
        try:
            self._engine.emu_start(at | self._core.is_arm, 0)
        except self._unicorn.UcError as found:
            error = str(found)
        self._check(error)
        try:
            return total(self._counter.blocks(), self._cost)
        except ValueError as unknown:
            raise FaultError(str(unknown)) from unknown

    def _check(self, error: str) -> None:
        """Raise FaultError for whatever ended the emulation, unless it was a mark or the end."""
        reason, where = self._counter.reason, self._where()
        if reason == UNALIGNED:
            address, size = self._counter.access
            raise FaultError(f"unaligned access of {size} bytes at {address:#x} in {where}")
        if error and self._stopped_at_double():
            raise UsageError(
                f"Unicorn emulates no double-precision instructions, and there is one in {where}",
                hint="double-precision arithmetic runs on the board and not in its emulation",
            )
        if error:
            raise FaultError(f"{self._bad_access or error} in {where}")
        if reason == LIMIT:
            raise FaultError(f"still running after {self._limit:,} instructions, in {where}")
        if reason == FULL:
            raise FaultError("more distinct blocks of code than can be counted")
        if self.read(self._static_end, 1)[0] != _PAINT:
            raise FaultError("the stack meets static data")

    def _stopped_at_double(self) -> bool:
        at = self._engine.reg_read(self._registers["PC"]) & ~1
        memory = self._memory
        is_code = memory.flash_origin <= at <= memory.flash_end - 4
        return self._core.is_arm and is_code and is_double_precision(self.read(at, 4))

    def _where(self) -> str:
        place = self._counter.place
        for name, symbol in self.symbols.items():
            if symbol.is_function and symbol.address <= place < symbol.address + symbol.size:
                return name
        return f"code at {place:#x}"

    def _cost(self, block: Block) -> BlockCost:
        key = (block.address, block.size)
        if key not in self._costs:
            self._costs[key] = self._core.cost(self.read(*key))
        return self._costs[key]

    def _make_engine(self) -> Any:
        names = self._unicorn
        if not self._core.is_arm:
            return names.Uc(names.UC_ARCH_RISCV, names.UC_MODE_RISCV32)
        engine = names.Uc(names.UC_ARCH_ARM, names.UC_MODE_THUMB | names.UC_MODE_MCLASS)
        model = getattr(_module("unicorn.arm_const"), f"UC_CPU_ARM_{self._core.model}")
        engine.ctl_set_cpu_model(model)
        return engine

    def _load(self, image: bytes) -> None:
        memory, engine, names = self._memory, self._engine, self._unicorn
        code, data = names.UC_PROT_READ | names.UC_PROT_EXEC, names.UC_PROT_READ
        engine.mem_map(memory.flash_origin, _pages(memory.flash_bytes), code)
        engine.mem_map(memory.ram_origin, _pages(memory.ram_bytes), data | names.UC_PROT_WRITE)
        end = memory.ram_origin
        for segment in read_segments(image):
            self.write(segment.address, segment.data)
            if memory.ram_origin <= segment.address < memory.ram_end:
                end = max(end, segment.address + segment.size)
        self._static_end = end
        self.write(end, bytes([_PAINT]) * (memory.ram_end - end))

    def _hook(self) -> None:
        """Attach the counting hooks, in C, and one in Python that names invalid accesses."""
        names = self._unicorn
        stop = ctypes.cast(_library().uc_emu_stop, ctypes.c_void_p)
        self._counter = Counter(stop.value or 0)
        self._attach(names.UC_HOOK_BLOCK, self._counter.block_hook)
        if self._core.aligned_only:
            accesses = names.UC_HOOK_MEM_READ | names.UC_HOOK_MEM_WRITE
            self._attach(accesses, self._counter.access_hook)
        self._engine.hook_add(names.UC_HOOK_MEM_INVALID, self._note_invalid)
        self._engine.ctl_flush_tb()  # without, hooks that come after code has run see nothing

    def _attach(self, kind: int, function: ctypes.c_void_p) -> None:
        """Hook a C function: the package's own `hook_add` takes Python ones alone."""
        status = _library().uc_hook_add(
            self._engine._uch,
            ctypes.byref(ctypes.c_size_t()),
            kind,
            function,
            self._counter.user,
            ctypes.c_uint64(1),  # from 1 to 0 means at all addresses
            ctypes.c_uint64(0),
        )
        assert status == 0, status

    def _note_invalid(
        self, engine: Any, kind: int, address: int, size: int, value: int, user: Any
    ) -> bool:
        del engine, kind, value, user
        self._bad_access = f"invalid access of {size} bytes at {address:#x}"
        return False


def _pages(size: int) -> int:
    return -(-size // EMULATED_PAGE_BYTES) * EMULATED_PAGE_BYTES


def _module(name: str) -> Any:
    """A module of the emulator's package, imported where it is needed."""
    return importlib.import_module(name)


def _library() -> Any:
    """The emulator's C library as its package has loaded it."""
    return _module("unicorn.unicorn_py3.unicorn").uclib


def _registers(core: Core) -> dict[str, int]:
    family = "arm" if core.is_arm else "riscv"
    constants = _module(f"unicorn.{family}_const")
    names = {"SP": "SP", "LR": "LR" if core.is_arm else "RA", "PC": "PC"}
    return {k: getattr(constants, f"UC_{family.upper()}_REG_{v}") for k, v in names.items()}
