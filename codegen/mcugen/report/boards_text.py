"""`mcugen boards`: the boards as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from mcugen.emulate.cores import CORES
from mcugen.targets import Target

_COLUMNS = (
    "board", "what it is", "processor", "clock", "RAM", "PSRAM", "flash", "kernels", "emulator",
)  # fmt: skip
_NUMBERS = ("clock", "RAM", "PSRAM", "flash")
_BY_IMPORTANCE = (
    "board", "kernels", "RAM", "flash", "PSRAM", "what it is", "clock", "emulator", "processor",
)  # fmt: skip
_GAP = 2


def print_boards(targets: Iterable[Target], console: Console) -> None:
    """One row a board; RAM and flash are what the model and its application may use.

    A terminal too narrow for all columns shows the most important ones, whole.
    """
    rows = [dict(zip(_COLUMNS, _cells(target), strict=True)) for target in targets]
    shown = _that_fit(rows, console.width)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in shown:
        justify: JustifyMethod = "right" if column in _NUMBERS else "left"
        table.add_column(column, justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(escape(row[column]) for column in shown))
    console.print(table)


def _that_fit(rows: Sequence[Mapping[str, str]], width: int) -> list[str]:
    """The most important columns that fit beside each other, in the order of the table."""
    chosen: set[str] = set()
    left = width + _GAP
    for column in _BY_IMPORTANCE:
        left -= max(len(column), *(len(row[column]) for row in rows)) + _GAP
        if left < 0 and chosen:
            break
        chosen.add(column)
    return [column for column in _COLUMNS if column in chosen]


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
