"""A Document as Markdown and on a terminal; drawings are for the page alone."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from mcugen.report.document import Document, Section, Table

_STYLES = {"good": "green", "simulated": "yellow", "partial": "red", "bad": "red"}

_NARROWEST = 12
"""Characters that a column of text keeps on a narrow terminal; numbers are never broken."""


def document_markdown(document: Document) -> str:
    """The text of a Markdown file."""
    lines = [f"# {_inline(document.title)}", ""]
    lines += [_inline(document.subtitle), ""] if document.subtitle else []
    for banner in document.banners:
        lines += [f"> **{_inline(banner.title)}**: {_inline(banner.text)}", ""]
    if document.facts:
        lines += ["| | | |", "|---|---|---|"]
        lines += [_row((f.label, f.value, f.note)) for f in document.facts]
        lines.append("")
    for section in document.sections:
        lines += _section(section)
    return "\n".join(lines)


def _section(section: Section) -> list[str]:
    """Nothing of a section that only draws."""
    if not section.text and section.table is None:
        return []
    lines = [f"## {_inline(section.title)}", ""]
    for text in section.text:
        lines += [_inline(text), ""]
    if section.table is not None:
        lines += [*_table(section.table), ""]
    return lines


def _table(table: Table) -> list[str]:
    rule = "|".join("---:" if right else "---" for right in table.numeric)
    return [_row(table.titles), f"|{rule}|", *(_row(row) for row in table.rows)]


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_inline(cell).replace("|", "\\|") for cell in cells) + " |"


def _inline(text: str) -> str:
    """One line in which Markdown and the HTML within it mean nothing."""
    text = " ".join(text.split()).replace("\\", "\\\\")
    for mark in ("`", "*", "_", "[", "]"):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def print_document(document: Document, console: Console) -> None:
    """The document on a terminal."""
    console.print(f"[bold]{_shown(document.title)}[/bold]")
    if document.subtitle:
        console.print(_visible(document.subtitle), markup=False, highlight=False)
    for banner in document.banners:
        style = _STYLES[banner.kind]
        console.print(f"[{style}]{_shown(banner.title)}[/{style}]: {_shown(banner.text)}")
    if document.facts:
        console.print()
    width = max((len(_visible(f.label)) for f in document.facts), default=0)
    for fact in document.facts:
        note = f"  ({_shown(fact.note)})" if fact.note else ""
        console.print(f"[bold]{_shown(fact.label):<{width}}[/bold]  {_shown(fact.value)}{note}")
    for section in document.sections:
        if section.table is not None and not section.is_wide:
            _print_section(section, section.table, console)


def _print_section(section: Section, table: Table, console: Console) -> None:
    """The title and the table: numbers whole, texts broken where the terminal is narrow."""
    console.print(f"\n[bold]{_shown(section.title)}[/bold]")
    shown = RichTable(box=None, header_style="bold", pad_edge=False)
    for index, (title, right) in enumerate(zip(table.titles, table.numeric, strict=True)):
        widest = max(len(_visible(cell)) for cell in (title, *(row[index] for row in table.rows)))
        shown.add_column(
            _shown(title),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
            min_width=widest if right else min(widest, _NARROWEST),
        )
    for index, row in enumerate(table.rows):
        shown.add_row(*map(_shown, row), style="bold" if index in table.bold else None)
    console.print(shown)


def _shown(text: str) -> str:
    """Text from elsewhere, which is neither rich's markup nor a terminal's control codes."""
    return escape(_visible(text))


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
