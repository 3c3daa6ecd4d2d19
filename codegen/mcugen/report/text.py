"""A ModelReport as a terminal table (rich) and as REPORT.md."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mcugen.names import shortened
from mcugen.report.model_report import ModelReport, NodeRow
from mcugen.report.onnx_text import onnx_lines


def summary_rows(report: ModelReport) -> list[tuple[str, str]]:
    """(label, value) lines that both forms print."""
    bound = report.arena_lower_bound_bytes
    optimal = "optimal: the lower bound is met" if report.arena_optimal else f"bound {bound:,}"
    stack = report.footprint.stack_bytes
    return [
        ("board", f"{report.board} ({report.board_title})"),
        ("arithmetic", report.arithmetic),
        ("MACs", f"{report.macs:,}"),
        ("arena", f"{report.arena_bytes:,} bytes ({optimal})"),
        ("application", _application_text(report)),
        ("stack", "unknown" if stack is None else f"at most {stack:,} bytes"),
        ("weights", f"{report.weights_bytes:,} bytes"),
        ("flash", f"{report.flash_bytes:,} bytes ({report.footprint.flash_source})"),
        ("self-test", f"{report.footprint.selftest_bytes:,} bytes of flash, apart"),
        ("fits", _fits_text(report)),
    ]


def _application_text(report: ModelReport) -> str:
    found = report.application
    buffer = f"{found.buffer_bytes:,} of them the buffer of `db`"
    without = f"without the {found.buffer_bytes:,} of the buffer of `db`"
    return f"{found.ram_bytes:,} bytes of RAM, {buffer if found.has_buffer else without}"


def _fits_text(report: ModelReport) -> str:
    fit = report.fit
    word = "yes" if fit.fits else "NO"
    return f"{word} (RAM {fit.ram_margin_bytes:+,}, flash {fit.flash_margin_bytes:+,} bytes left)"


_NARROWEST_NAME = 16
_NARROW_COLUMNS = ("node", "kernel", "output", "MACs")
_COLUMNS = ("node", "op", "kernel", "library", "output", "MACs")


def short_name(name: str, width: int = 40) -> str:
    """A node's name for a table cell: fused names counted, long ones cut in front."""
    first, *others = name.split(" + ")
    more = f" (+{len(others)})" if others else ""
    return shortened(first, width - len(more)) + more


def _cells(row: NodeRow) -> tuple[str, ...]:
    return (short_name(row.name), row.op, row.kernel, row.library, row.outputs, f"{row.macs:,}")


def remarks(report: ModelReport) -> list[str]:
    """Notices, refusals, float nodes and advice, one line each."""
    lines = [*report.notices, *_refusals(report)]
    lines += [
        f"{row.op} '{short_name(row.name)}' runs in float: {row.float_reason}"
        for row in report.nodes
        if row.float_reason
    ]
    return lines + list(report.fit.advice)


def _refusals(report: ModelReport) -> list[str]:
    """One line per library and reason, with the nodes."""
    nodes: dict[tuple[str, str], list[str]] = {}
    for row in report.nodes:
        for refusal in row.refused.items():
            nodes.setdefault(refusal, []).append(f"{row.op} '{short_name(row.name)}'")
    return [
        f"{names[0]}: {library} refused: {why}"
        if len(names) == 1
        else f"{library} refused {len(names)} nodes: {why}: {', '.join(names)}"
        for (library, why), names in nodes.items()
    ]


_FULL_WIDTH = 110
"""Characters of a terminal that has room for the operator beside the kernel."""


def _terminal_cells(row: NodeRow, wide: bool, name_chars: int) -> tuple[str, ...]:
    kernel = row.kernel if row.library == "portable" else f"{row.library}/{row.kernel}"
    middle = (row.op, kernel) if wide else (kernel,)
    shape = row.outputs.replace(", ", "x").replace("[", " ").replace("]", "")
    return (short_name(row.name, name_chars), *middle, shape, f"{row.macs:,}")


def print_report(report: ModelReport, console: Console) -> None:
    """The report on a terminal: the nodes' names get the room that is left."""
    wide = console.width >= _FULL_WIDTH
    titles = ("node", "op", "kernel", "output", "MACs") if wide else _NARROW_COLUMNS
    rows = [_terminal_cells(r, wide, 40) for r in report.nodes]
    used = sum(max((len(r[c]) for r in rows), default=0) + 2 for c in range(1, len(titles)))
    room = max(_NARROWEST_NAME, min(40, console.width - used))
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right" if title == "MACs" else "left", no_wrap=True)
    for row in report.nodes:
        table.add_row(*(escape(c) for c in _terminal_cells(row, wide, room)))
    console.print(table)
    console.print()
    for label, value in summary_rows(report):
        console.print(f"[bold]{label:<11}[/bold] {escape(value)}")
    for line in onnx_lines(report.onnx):
        console.print(line, markup=False)
    for line in remarks(report):
        console.print(f"- {escape(line)}")


def shorten_names(table: Table, width: int) -> None:
    """Makes the first column take what `width` leaves: no other is ever cut."""
    first, *others = table.columns
    for column in others:
        column.min_width = max(len(str(c)) for c in (column.header, *column.cells))
    gaps = 2 * len(table.columns)
    room = width - gaps - sum(column.min_width or 0 for column in others)
    first.max_width = max(_NARROWEST_NAME, room)


def markdown(report: ModelReport) -> str:
    """REPORT.md."""
    lines = [f"# {report.prefix}: {report.model}", ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {label} | {_cell(value)} |" for label, value in summary_rows(report)]
    lines += ["", "Inputs and outputs:", ""]
    lines += [f"- in `{t}`" for t in report.inputs] + [f"- out `{t}`" for t in report.outputs]
    lines += ["", "## Nodes, in the order they run", ""]
    lines.append("| " + " | ".join(_COLUMNS) + " |")
    lines.append("|" + "---|" * len(_COLUMNS))
    lines += ["| " + " | ".join(_cell(c) for c in _cells(r)) + " |" for r in report.nodes]
    lines += ["", "## Arena", "", "```", report.arena_map.rstrip("\n"), "```"]
    found = remarks(report)
    if found:
        lines += ["", "## Remarks", "", *(f"- {line}" for line in found)]
    distance = onnx_lines(report.onnx)
    if distance:
        samples = f"{report.onnx.samples} samples" if report.onnx.samples > 1 else "one sample"
        lines += ["", f"## Distance to ONNX, over {samples}", "", *(f"- {t}" for t in distance)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
