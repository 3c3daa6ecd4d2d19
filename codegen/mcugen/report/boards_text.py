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

    A terminal too narrow for all columns shows several tables, the most important columns first;
    a column that does not fit beside the name is left out.
    """
    rows = [dict(zip(_COLUMNS, _cells(target), strict=True)) for target in targets]
    for index, shown in enumerate(_groups(rows, console.width)):
        if index:
            console.print()
        console.print(_table(rows, shown))


def _table(rows: Sequence[Mapping[str, str]], shown: Sequence[str]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in shown:
        justify: JustifyMethod = "right" if column in _NUMBERS else "left"
        table.add_column(column, justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(escape(row[column]) for column in shown))
    return table


def _groups(rows: Sequence[Mapping[str, str]], width: int) -> list[list[str]]:
    """The columns of each table, in the order of the whole one; the name leads every one."""
    wide = {c: max(len(c), *(len(row[c]) for row in rows)) + _GAP for c in _COLUMNS}
    name, *others = _BY_IMPORTANCE
    room = width + _GAP - wide[name]
    groups: list[list[str]] = [[name]]
    for column in (c for c in others if wide[c] <= room):
        if sum(wide[c] for c in groups[-1][1:]) + wide[column] > room:
            groups.append([name])
        groups[-1].append(column)
    return [sorted(group, key=_COLUMNS.index) for group in groups]


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
