"""`mcugen boards`: the boards as a table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mcugen.emulate.cores import CORES
from mcugen.targets import Target


def print_boards(targets: Iterable[Target], console: Console) -> None:
    """One row a board; RAM and flash are what the model and its application may use."""
    table = Table(box=None, header_style="bold")
    for column in ("board", "what it is", "processor"):
        table.add_column(column, no_wrap=True)
    for column in ("clock", "RAM", "PSRAM", "flash"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("kernels", "emulator"):
        table.add_column(column, no_wrap=True)
    for target in targets:
        table.add_row(*(escape(cell) for cell in _cells(target)))
    console.print(table)


def _cells(target: Target) -> tuple[str, ...]:
    cpu = target.emulator.cpu
    libraries = [target.kernels, *(n for n in target.libraries if n != target.kernels)]
    is_host = not target.compiler.zig
    return (
        target.name,
        target.title,
        target.processor,
        "-" if is_host else f"{target.clock_hz / 1e6:g} MHz",
        "-" if is_host else _size(target.ram_bytes),
        _size(target.psram_bytes) if target.psram_bytes else "-",
        "-" if is_host else _size(target.flash_bytes),
        ", ".join(libraries),
        CORES[cpu].title if cpu in CORES else "-",
    )


def _size(count: int) -> str:
    return f"{count // 1024:,} KB"
