from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.device.raw_csv import Trace
from mcugen.report.charts import (
    COLUMNS,
    Point,
    envelope,
    histogram_chart,
    nearest_rank,
    pareto_chart,
    trace_chart,
)
from mcugen.report.drawing import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Drawing,
    Element,
    nice_step,
    rounded_up,
    x_axis,
    y_axis,
)
from measured import WINDOWS, latencies, trace


def of_class(drawing: Drawing, name: str, tag: str) -> list[Element]:
    return [
        e for e in drawing.elements if e.tag == tag and name in dict(e.attributes)["class"].split()
    ]


def number(element: Element, name: str) -> float:
    return float(dict(element.attributes)[name])


def test_axes_have_round_ticks_within_the_plot() -> None:
    y = y_axis(0.0, 0.15, "current", "A")
    assert y.title == "current, mA"
    assert [y.label(v) for v in y.ticks()] == ["0", "50", "100", "150"]
    assert (y.at(0.0), y.at(0.15)) == (HEIGHT - BOTTOM, TOP)
    x = x_axis(2.0, 61.0, "time", "s")
    assert [x.label(v) for v in x.ticks()] == ["10", "20", "30", "40", "50", "60"]
    assert (x.at(2.0), x.at(61.0)) == (LEFT, WIDTH - RIGHT)
    fine = x_axis(0.0863, 0.0865, "time", "s")
    assert fine.label(fine.ticks()[0]) == "86.30"


def test_an_axis_of_one_value_has_that_value_in_its_middle() -> None:
    x = x_axis(5.0, 5.0, "time", "s")
    assert x.at(5.0) == pytest.approx((LEFT + WIDTH - RIGHT) / 2)


@pytest.mark.parametrize(("raw", "step"), [(0.7, 1), (1.0, 1), (1.1, 2), (30, 50), (0.06, 0.1)])
def test_steps_are_one_two_or_five(raw: float, step: float) -> None:
    assert nice_step(raw) == pytest.approx(step)
    assert rounded_up(0.1287) == pytest.approx(0.15)
    assert rounded_up(0.0) == 1.0


def test_a_long_trace_loses_no_spike() -> None:
    time = np.arange(1_000_000) / 1e5
    current = np.full(time.shape, 0.01)
    current[777_777] = 0.2
    current[123_456] = -0.001
    seen = envelope(time, current)
    assert len(seen.time_s) == COLUMNS
    assert seen.high.max() == 0.2 and seen.low.min() == -0.001
    assert int(seen.high.argmax()) == 777_777 * COLUMNS // 1_000_000
    assert seen.mean.sum() * len(time) / COLUMNS == pytest.approx(current.sum(), rel=1e-3)
    assert np.all(np.diff(seen.time_s) > 0)


def test_a_short_trace_is_drawn_as_it_is() -> None:
    time = np.array([0.0, 1.0, 2.0])
    seen = envelope(time, np.array([1.0, 5.0, 2.0]))
    assert seen.time_s.tolist() == [0.0, 1.0, 2.0]
    assert seen.low.tolist() == seen.high.tolist() == seen.mean.tolist() == [1.0, 5.0, 2.0]


def test_gaps_in_a_trace_are_columns_left_out() -> None:
    time = np.concatenate([np.arange(1000) / 1000, 9 + np.arange(1000) / 1000])
    seen = envelope(time, np.ones(2000), 100)
    assert np.all((seen.time_s < 1.1) | (seen.time_s > 8.9))


def test_the_trace_shows_windows_and_marks_where_they_were() -> None:
    drawing = trace_chart(trace(), WINDOWS, "Current")
    shades = of_class(drawing, "window", "rect")
    assert len(shades) == 5
    x = x_axis(0.0, 59.9, "time", "s")
    assert WINDOWS[2].start_s is not None
    assert number(shades[2], "x") == pytest.approx(x.at(WINDOWS[2].start_s), abs=0.06)
    assert [e.text for e in of_class(drawing, "number", "text")] == ["1", "2", "3", "4", "5"]
    assert len(of_class(drawing, "mark", "line")) == 10
    assert "116 in 10.01 s" in shades[0].tip


def test_a_window_outside_the_trace_is_not_drawn() -> None:
    short = Trace(np.array([0.0, 1.0]), np.array([0.1, 0.1]), np.array([3.3, 3.3]), np.zeros(2))
    assert of_class(trace_chart(short, WINDOWS, "Current"), "window", "rect") == []


def test_the_histogram_counts_every_inference() -> None:
    times = np.array(latencies())
    drawing = histogram_chart(times, "Histogram")
    counted = [int(e.tip.split()[0]) for e in of_class(drawing, "bar", "rect")]
    assert sum(counted) == 100
    labels = [e.text for e in of_class(drawing, "value", "text")]
    ordered = np.sort(times) / 1e6
    assert labels == [
        f"median {1e3 * ordered[49]:.2f} ms",
        f"p99 {1e3 * ordered[98]:.2f} ms",
    ]


def test_equal_times_are_one_bar() -> None:
    drawing = histogram_chart(np.full(20, 500.0), "Histogram")
    bars = of_class(drawing, "bar", "rect")
    assert [e.tip.split()[0] for e in bars] == ["20"]


@pytest.mark.parametrize(("percent", "wanted"), [(50, 2.0), (99, 4.0), (25, 1.0), (1, 1.0)])
def test_percentiles_are_by_nearest_rank(percent: int, wanted: float) -> None:
    assert nearest_rank(np.array([1.0, 2.0, 3.0, 4.0]), percent) == wanted


def test_the_front_steps_from_point_to_point() -> None:
    shown = [
        Point(1, 0.2, 10.0, "slow", True),
        Point(2, 0.1, 20.0, "fast", True),
        Point(3, 0.3, 30.0, "worse", False),
    ]
    drawing = pareto_chart(shown, ("latency", "s"), ("energy", "J"), "Front")
    assert len(of_class(drawing, "point", "circle")) == 3
    assert [e.tip for e in of_class(drawing, "on", "circle")] == ["slow", "fast"]
    (front,) = of_class(drawing, "front", "path")
    x = {p.number: number(c, "cx") for p, c in zip(shown, circles(drawing), strict=True)}
    y = {p.number: number(c, "cy") for p, c in zip(shown, circles(drawing), strict=True)}
    steps = [(x[2], y[2]), (x[1], y[2]), (x[1], y[1])]
    assert dict(front.attributes)["d"] == "M" + "L".join(f"{a:g} {b:g}" for a, b in steps)


def circles(drawing: Drawing) -> list[Any]:
    return [e for e in drawing.elements if e.tag == "circle"]
