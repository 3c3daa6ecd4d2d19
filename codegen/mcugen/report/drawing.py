"""Drawings as data: SVG elements with their coordinates, which one template writes into a page.

Own SVG, not a plotting library's: pages of exported projects need the core packages only, have the
same bytes everywhere, and their text and colours follow the page (light, dark, printed, a phone).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mcugen.report.quantity import prefix_of

WIDTH, HEIGHT = 720.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 92.0, 16.0, 40.0, 56.0
"""Units around the plot: labels have room in the larger type of narrow screens too."""


@dataclass(frozen=True)
class Element:
    """One SVG element.

    Attributes:
        tag: rect, line, path, circle or text.
        attributes: of SVG, coordinates included, in order.
        text: between its tags.
        tip: what a pointer on it shows.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart.

    Attributes:
        label: what it shows, for those who do not see it, and above it.
        elements: from back to front.
        legend: (class of its colour, what it is).
        width: of the coordinates.
        height: of them.
    """

    label: str
    elements: tuple[Element, ...]
    legend: tuple[tuple[str, str], ...] = ()
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True)
class Axis:
    """A linear axis: values from `low` to `high` lie between two coordinates.

    Attributes:
        low: value at `start`.
        high: value at `end`.
        start: coordinate.
        end: coordinate; below `start` on an axis that goes up.
        title: with the unit.
        factor: what a value is divided by for its label.
        step: between two ticks.
        names: (value, text) of the ticks instead, where they are no round numbers.
    """

    low: float
    high: float
    start: float
    end: float
    title: str
    factor: float
    step: float
    names: tuple[tuple[float, str], ...] = ()

    def at(self, value: float) -> float:
        """The coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The values that are labelled, ascending."""
        if self.names:
            return [value for value, _ in self.names]
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        return [index * self.step for index in range(first, last + 1)]

    def label(self, value: float) -> str:
        """A tick's text: as many decimals as the step has."""
        if self.names:
            return dict(self.names)[value]
        step = self.step / self.factor
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{value / self.factor:,.{decimals}f}"


def x_axis(low: float, high: float, name: str, unit: str) -> Axis:
    """A horizontal axis over the plot's width."""
    return _axis(low, high, LEFT, WIDTH - RIGHT, name, unit, 6)


def y_axis(low: float, high: float, name: str, unit: str, height: float = HEIGHT) -> Axis:
    """A vertical axis over the plot's height."""
    return _axis(low, high, height - BOTTOM, TOP, name, unit, 4)


def _axis(
    low: float, high: float, start: float, end: float, name: str, unit: str, ticks: int
) -> Axis:
    """An axis whose prefix and step make labels short; equal ends are set apart."""
    if high <= low:
        spread = abs(low) * 0.01 or 1.0
        low, high = low - spread, high + spread
    step = nice_step((high - low) / ticks)
    factor, prefix = prefix_of(max(abs(low), abs(high))) if unit else (1.0, "")
    title = f"{name}, {prefix}{unit}" if unit else name
    return Axis(low, high, start, end, title, factor, step)


def nice_step(raw: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below the raw step."""
    power = 10.0 ** math.floor(math.log10(raw))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= raw * (1 - 1e-9))


def rounded_up(value: float, ticks: int = 4) -> float:
    """The first whole step above the value: where an axis from zero ends."""
    if value <= 0:
        return 1.0
    step = nice_step(value / ticks)
    return math.ceil(value / step - 1e-9) * step


def frame(x: Axis, y: Axis) -> list[Element]:
    """Grid lines, tick labels and titles; every second label goes on narrow screens."""
    found = []
    for index, value in enumerate(y.ticks()):
        at = y.at(value)
        found += [
            line("grid", x.start, at, x.end, at),
            text(f"tick{_minor(index)}", x.start - 8, at + 4, y.label(value), "end"),
        ]
    for index, value in enumerate(x.ticks()):
        at = x.at(value)
        found += [
            line("axis", at, y.start, at, y.start + 5),
            text(f"tick{_minor(index)}", at, y.start + 20, x.label(value), "middle"),
        ]
    found += [
        line("axis", x.start, y.start, x.end, y.start),
        text("title", x.end, y.start + 44, x.title, "end"),
        text("title", 4, 18, y.title, "start"),
    ]
    return found


def _minor(index: int) -> str:
    return " minor" if index % 2 else ""


def line(style: str, x1: float, y1: float, x2: float, y2: float, tip: str = "") -> Element:
    """A straight line."""
    ends = (("x1", n(x1)), ("y1", n(y1)), ("x2", n(x2)), ("y2", n(y2)))
    return Element("line", (("class", style), *ends), tip=tip)


def rect(style: str, x: float, y: float, width: float, height: float, tip: str = "") -> Element:
    """A rectangle."""
    box = (("x", n(x)), ("y", n(y)), ("width", n(width)), ("height", n(height)))
    return Element("rect", (("class", style), *box), tip=tip)


def circle(style: str, x: float, y: float, radius: float, tip: str = "") -> Element:
    """A circle."""
    return Element(
        "circle", (("class", style), ("cx", n(x)), ("cy", n(y)), ("r", n(radius))), "", tip
    )


def text(style: str, x: float, y: float, value: str, anchor: str) -> Element:
    """A line of text; `anchor` is SVG's start, middle or end."""
    return Element(
        "text", (("class", style), ("x", n(x)), ("y", n(y)), ("text-anchor", anchor)), value
    )


def path(style: str, points: Sequence[tuple[float, float]], *, closed: bool = False) -> Element:
    """Straight lines from point to point."""
    steps = "L".join(f"{n(x)} {n(y)}" for x, y in points)
    return Element("path", (("class", style), ("d", f"M{steps}{'Z' if closed else ''}")))


def n(value: float) -> str:
    """A coordinate: a tenth of a unit is less than anyone sees."""
    return f"{value:.1f}".removesuffix(".0")
