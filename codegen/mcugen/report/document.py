"""What a report says, before it is Markdown, a terminal or a page: said once, formatted thrice."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.report.drawing import Drawing


@dataclass(frozen=True)
class Banner:
    """What a reader must see first.

    Attributes:
        kind: "simulated", "partial", "bad" or "good".
        title: one or two words.
        text: the sentence.
    """

    kind: str
    title: str
    text: str


@dataclass(frozen=True)
class Fact:
    """A figure of the summary: what it is, its value, and what else belongs to it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of text under column titles.

    Attributes:
        columns: titles; one that ends in ">" is of numbers, to the right.
        rows: cells, one a column.
        bars: per row the lengths of its bars, 0 to 1, or nothing at all.
        bold: rows that stand out.
        legend: what each of a row's bars is, where there are several.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[tuple[float, ...], ...] = ()
    bold: frozenset[int] = frozenset()
    legend: tuple[str, ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The columns' titles without their marks."""
        return tuple(c.removesuffix(">") for c in self.columns)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns are of numbers."""
        return tuple(c.endswith(">") for c in self.columns)

    @property
    def is_prose(self) -> bool:
        """Whether its values are long texts, which may break anywhere on a narrow screen."""
        return len(self.columns) == 2 and not any(self.numeric)

    def without_empty(self) -> Table:
        """The same without the columns in which no row has anything."""
        kept = [
            i
            for i in range(len(self.columns))
            if not self.rows or any(row[i] not in ("", "-") for row in self.rows)
        ]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        columns = tuple(self.columns[i] for i in kept)
        return Table(columns, rows, self.bars, self.bold, self.legend)


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes:
        title: of it.
        text: paragraphs.
        drawings: for the page alone.
        table: below them.
        is_wide: whether its table is too wide for a terminal, and left out there.
    """

    title: str
    text: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    table: Table | None = None
    is_wide: bool = False


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    subtitle: str
    banners: tuple[Banner, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
