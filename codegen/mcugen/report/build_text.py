"""`mcugen build` and `mcugen flash` on the terminal and as JSON: progress, sizes, the plan."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from mcugen.device.build import Built
from mcugen.device.output_filter import Kind, Seen
from mcugen.device.sizes import MemoryUse, reserve_warnings
from mcugen.report.model_report import SCHEMA

_STYLES = {Kind.ERROR: "red", Kind.WARNING: "yellow"}


class BuildView:
    """Shows a tool's output while it runs: what matters as lines, the rest as a state.

    The state shows on a terminal only. With `verbose` every line is shown and no state.
    """

    def __init__(self, console: Console, title: str, *, verbose: bool = False) -> None:
        self._console, self._verbose = console, verbose
        self._status: Status | None = None
        if console.is_terminal and not verbose:
            self._status = console.status(escape(title))

    def __enter__(self) -> BuildView:
        """Starts the state."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Ends it."""
        if self._status is not None:
            self._status.stop()

    def __call__(self, seen: Seen) -> None:
        """Shows the next line of output, or does not."""
        if self._status is not None and seen.stage:
            self._status.update(escape(seen.stage))
        if self._verbose or seen.kind in _STYLES:
            style = _STYLES.get(seen.kind)
            self._console.print(seen.text, style=style, markup=False, highlight=False)
        elif seen.kind is Kind.NOTE:
            self._console.print(seen.stage, markup=False, highlight=False)


def print_built(built: Built, console: Console) -> None:
    """The sizes against the plan, what it was written to, and where the log is."""
    if built.sizes:
        console.print(_table(built.sizes))
        stack = built.project.plan.stack_bytes if built.project.plan else None
        if stack is not None:
            text = (
                "the model's RAM is its arena and the application's buffers; its stack takes up "
                f"to {stack:,} bytes more"
            )
            console.print(text, markup=False, highlight=False)
    for warning in reserve_warnings(built.sizes):
        console.print(f"warning: {warning}", style="yellow", markup=False, highlight=False)
    console.print(f"log: {built.log}", markup=False, highlight=False)


def _table(sizes: Sequence[MemoryUse]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("bytes", no_wrap=True)
    columns = ["used", "of board", "planned", "difference", "= model", "+ reserve"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for use in sizes:
        table.add_row(
            use.name,
            f"{use.used_bytes:,}",
            f"{use.used_bytes / use.total_bytes:.1%}" if use.total_bytes else "-",
            *_number(use.planned_bytes),
            "-" if use.difference_bytes is None else f"{use.difference_bytes:+,}",
            *_number(use.model_bytes),
            *_number(use.reserve_bytes),
        )
    return table


def _number(value: int | None) -> tuple[str]:
    return ("-" if value is None else f"{value:,}",)


def build_json(built: Built) -> dict[str, Any]:
    """The keys of `build --json` and `flash --json`."""
    project = built.project
    return {
        "schema": SCHEMA,
        "kind": "build",
        "model": project.model,
        "board": project.board,
        "seconds": round(built.seconds, 3),
        "port": built.place or None,
        "memory": {use.name.lower(): _use_json(use) for use in built.sizes},
        "warnings": list(reserve_warnings(built.sizes)),
        "log": str(built.log),
    }


def _use_json(use: MemoryUse) -> dict[str, Any]:
    return {
        "used_bytes": use.used_bytes,
        "total_bytes": use.total_bytes,
        "planned_bytes": use.planned_bytes,
        "difference_bytes": use.difference_bytes,
        "model_bytes": use.model_bytes,
        "reserve_bytes": use.reserve_bytes,
        "within_plan": use.within_plan,
    }
