"""The charts of measurements: current over time, a histogram of times, a Pareto front."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.device.measurement import Window
from mcugen.device.raw_csv import Trace
from mcugen.ir import Array
from mcugen.report.drawing import (
    Axis,
    Drawing,
    Element,
    circle,
    frame,
    line,
    path,
    rect,
    rounded_up,
    text,
    x_axis,
    y_axis,
)
from mcugen.report.quantity import duration, quantity

COLUMNS = 600
"""Columns of a trace: about one a pixel, so that a page stays small however long the run was."""
_MOST_BINS = 40


@dataclass(frozen=True)
class Envelope:
    """A trace by columns of equal duration, those without a sample left out.

    Attributes:
        time_s: middle of each column.
        low: smallest value in it.
        high: largest: no spike is lost.
        mean: of the column.
    """

    time_s: Array
    low: Array
    high: Array
    mean: Array


def envelope(time_s: Array, values: Array, columns: int = COLUMNS) -> Envelope:
    """Least, largest and mean value by column; a trace of few samples comes back as it is."""
    if len(time_s) <= columns:
        return Envelope(time_s, values, values, values)
    begin, end = float(time_s[0]), float(time_s[-1])
    width = (end - begin) / columns or 1.0
    column = np.minimum(((time_s - begin) / width).astype(np.int64), columns - 1)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    counts = np.diff(np.append(first, len(column)))
    return Envelope(
        begin + (column[first] + 0.5) * width,
        np.minimum.reduceat(values, first),
        np.maximum.reduceat(values, first),
        np.add.reduceat(values, first) / counts,
    )


def trace_chart(trace: Trace, windows: Sequence[Window], label: str) -> Drawing:
    """Current over time: the windows shaded and numbered, the marks below, range and mean."""
    seen = envelope(trace.time_s, trace.current_a)
    x = x_axis(float(trace.time_s[0]), float(trace.time_s[-1]), "time", "s")
    top = rounded_up(float(seen.high.max()))
    y = y_axis(min(0.0, float(seen.low.min())), top, "current", "A")
    xs = [x.at(t) for t in seen.time_s]
    high = [(a, y.at(v)) for a, v in zip(xs, seen.high, strict=True)]
    low = [(a, y.at(v)) for a, v in zip(xs, seen.low, strict=True)]
    mean = [(a, y.at(v)) for a, v in zip(xs, seen.mean, strict=True)]
    elements = [
        *_window_shades(windows, x, y),
        *frame(x, y),
        path("band", [*high, *reversed(low)], closed=True),
        path("mean", mean),
        *_mark_ticks(trace, x, y),
    ]
    legend = (("window", "timed window"), ("band", "least to most"), ("mean", "mean"))
    return Drawing(label, tuple(elements), (*legend, ("mark", "mark")))


def _window_shades(windows: Sequence[Window], x: Axis, y: Axis) -> list[Element]:
    found = []
    for number, window in enumerate(windows, 1):
        if window.start_s is None or window.end_s is None:
            continue
        left = max(x.at(window.start_s), x.start)
        right = min(x.at(window.end_s), x.end)
        if right > left:
            tip = f"window {number}: {window.inferences:,} in {quantity(window.seconds, 's')}"
            found += [
                rect("window", left, y.end, right - left, y.start - y.end, tip),
                text("number", (left + right) / 2, y.end - 6, str(number), "middle"),
            ]
    return found


def _mark_ticks(trace: Trace, x: Axis, y: Axis) -> list[Element]:
    """One tick for the marks of one tenth of a unit: they could not be told apart."""
    at = {round(x.at(t), 1) for t in trace.time_s[trace.mark > 0]}
    return [line("mark", a, y.start - 14, a, y.start) for a in sorted(at)]


def histogram_chart(times_us: Array, label: str) -> Drawing:
    """How often an inference took how long, with the median and the 99th percentile."""
    seconds = np.sort(times_us) / 1e6
    bins = int(min(_MOST_BINS, max(1, np.ceil(2 * np.sqrt(len(seconds))))))
    x = x_axis(float(seconds[0]), float(seconds[-1]), "time of one inference", "s")
    counts, edges = np.histogram(seconds, bins, (x.low, x.high))
    y = y_axis(0.0, rounded_up(1.2 * float(counts.max())), "inferences", "")
    bars = []
    for number, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        if number:
            tip = f"{number} between {quantity(low, 's', 5)} and {quantity(high, 's', 5)}"
            left, width = x.at(low), x.at(high) - x.at(low)
            bars.append(rect("bar", left, y.at(number), width, y.start - y.at(number), tip))
    median, p99 = nearest_rank(seconds, 50), nearest_rank(seconds, 99)
    return Drawing(
        label,
        (
            *frame(x, y),
            *bars,
            *_percentile("median", f"median {duration(median)}", median, x, y, 0),
            *_percentile("p99", f"p99 {duration(p99)}", p99, x, y, 1),
        ),
    )


def nearest_rank(ordered: Array, percent: int) -> float:
    """The percentile of ascending values that is one of them."""
    rank = -(-len(ordered) * percent // 100)
    return float(ordered[max(rank, 1) - 1])


def _percentile(style: str, label: str, value: float, x: Axis, y: Axis, row: int) -> list[Element]:
    """A vertical line with its label on the side that has room, each in a row of its own."""
    at = x.at(value)
    is_right = at > (x.start + x.end) / 2
    away = at - 6 if is_right else at + 6
    top = y.end + 18 * row
    return [
        line(style, at, top - 8, at, y.start),
        text(f"value {style}", away, top, label, "end" if is_right else "start"),
    ]


@dataclass(frozen=True)
class Point:
    """One variant in the plane of two costs.

    Attributes:
        number: of the variant in the tables.
        x: one cost, in the axis's unit.
        y: the other.
        tip: the variant's title.
        on_front: whether no other is as good in both and better in one.
    """

    number: int
    x: float
    y: float
    tip: str
    on_front: bool


def pareto_chart(
    points: Sequence[Point], x_name: tuple[str, str], y_name: tuple[str, str], label: str
) -> Drawing:
    """The variants as numbered points; the front is filled and joined by steps.

    Args:
        points: the variants; less is better on both axes.
        x_name: what the horizontal axis shows, and its unit.
        y_name: the vertical one.
        label: of the chart.
    """
    x = x_axis(0.0, rounded_up(1.05 * max(p.x for p in points), 6), *x_name)
    y = y_axis(0.0, rounded_up(1.05 * max(p.y for p in points)), *y_name)
    front = sorted((p for p in points if p.on_front), key=lambda p: (p.x, -p.y))
    corners = [(x.at(front[0].x), y.at(front[0].y))]
    for before, after in itertools.pairwise(front):
        corners += [(x.at(after.x), y.at(before.y)), (x.at(after.x), y.at(after.y))]
    elements = [*frame(x, y), path("front", corners)]
    for p in points:
        style = "point on" if p.on_front else "point"
        elements += [
            circle(style, x.at(p.x), y.at(p.y), 12, p.tip),
            text(f"{style} name", x.at(p.x), y.at(p.y) + 4.5, str(p.number), "middle"),
        ]
    legend = (("on", "on the front"), ("off", "another is as good in both and better in one"))
    return Drawing(label, tuple(elements), legend)
