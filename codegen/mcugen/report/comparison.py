"""Several runs beside each other: as a Document and as JSON, each against the first."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from mcugen.report.charts import Point, pareto_chart
from mcugen.report.document import Banner, Document, Fact, Section, Table
from mcugen.report.mlperf_tiny import mlperf_json, mlperf_section
from mcugen.report.pareto import LATENCY, Plane, planes
from mcugen.report.quantity import change, points, quantity, share, size
from mcugen.report.run import MEASURED, Run
from mcugen.report.text import short_name

SCHEMA = 1
KIND = "comparison"
_RATIOS = (
    "latency_s", "p99_s", "throughput", "energy_j", "net_energy_j", "peak_a", "ram_bytes",
    "flash_bytes",
)  # fmt: skip


def comparison_json(runs: Sequence[Run]) -> dict[str, Any]:
    """The figures of all runs, their ratios to the first one's, and the fronts."""
    first = runs[0]
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "simulated": any(run.source != MEASURED for run in runs),
        "runs": [
            {
                **dataclasses.asdict(run),
                "ratios": {k: _ratio(getattr(first, k), getattr(run, k)) for k in _RATIOS},
            }
            for run in runs
        ],
        "pareto": [
            {"costs": [LATENCY.name, plane.cost.name], "front": sorted(plane.front)}
            for plane in planes(runs)
        ],
        "mlperf_tiny": mlperf_json(runs),
    }


def _ratio(base: float | None, value: float | None) -> float | None:
    return value / base if base and value is not None else None


def comparison_document(runs: Sequence[Run]) -> Document:
    """The report of several runs, or of one that has no page of its own."""
    found = planes(runs)
    sections = [_times(runs), _rest(runs, found)]
    if len(runs) > 1:
        sections += [_against(runs), *_fronts(runs, found), *_layers(runs), *_differences(runs)]
    sources = {run.source for run in runs} - {MEASURED}
    mark = f" ({', '.join(sorted(sources))})" if sources else ""
    title = runs[0].title if len(runs) == 1 else f"{len(runs)} runs compared"
    return Document(
        title=f"{title}{mark}",
        subtitle=", ".join(dict.fromkeys(run.model for run in runs)),
        banners=tuple(_banners(runs)),
        facts=_facts(runs),
        sections=(*sections, mlperf_section(runs)),
    )


def _name(index: int, run: Run) -> str:
    mark = "" if run.source == MEASURED or run.source in run.title else f" ({run.source})"
    return f"{index + 1} {run.title}{mark}"


def _banners(runs: Sequence[Run]) -> list[Banner]:
    found = []
    for index, run in enumerate(runs):
        if run.error:
            text = f"Run {index + 1}, {run.title}, ended early: {run.error}."
            found.append(Banner("partial", "Partial run", text))
        if run.outputs_equal is False:
            text = (
                f"Run {index + 1}, {run.title}: its figures are of other results than the host's."
            )
            found.append(Banner("bad", "Outputs differ", text))
    for source in sorted({run.source for run in runs} - {MEASURED}):
        which = [i for i, run in enumerate(runs) if run.source == source]
        numbers = ", ".join(str(i + 1) for i in which)
        text = f"Run{'s' if len(which) > 1 else ''} {numbers}: {runs[which[0]].caution}."
        found.append(Banner("simulated", source.capitalize(), text))
    return found


def _facts(runs: Sequence[Run]) -> tuple[Fact, ...]:
    """The best of each figure, and whose it is."""
    if len(runs) < 2:
        return ()
    choices = (
        ("Fastest", "latency_s", "s"),
        ("Least energy", "energy_j", "J"),
        ("Least RAM", "ram_bytes", "B"),
    )
    facts = []
    for label, key, unit in choices:
        known = [(getattr(r, key), i, r) for i, r in enumerate(runs) if getattr(r, key) is not None]
        if len(known) > 1:
            value, index, run = min(known, key=lambda entry: (entry[0], entry[1]))
            shown = size(value) if unit == "B" else quantity(value, unit)
            facts.append(Fact(label, shown, _name(index, run)))
    best = [(r.accuracy, i, r) for i, r in enumerate(runs) if r.accuracy is not None]
    if len(best) > 1:
        accuracy, index, run = max(best, key=lambda entry: (entry[0] or 0.0, -entry[1]))
        facts.append(Fact("Most accurate", share(accuracy), _name(index, run)))
    return tuple(facts)


def _times(runs: Sequence[Run]) -> Section:
    columns = ("run", "latency>", "p99>", "energy>", "net of idle>", "peak>")
    rows = tuple(
        (
            _name(index, run),
            quantity(run.latency_s, "s"),
            quantity(run.p99_s, "s"),
            quantity(run.energy_j, "J"),
            quantity(run.net_energy_j, "J"),
            quantity(run.peak_a, "A"),
        )
        for index, run in enumerate(runs)
    )
    figures = [("latency", [r.latency_s for r in runs]), ("energy", [r.energy_j for r in runs])]
    shown = [(name, values) for name, values in figures if any(values)]
    table = Table(columns, rows, _bars([values for _, values in shown])).without_empty()
    legend = tuple(name for name, _ in shown) if len(shown) > 1 else ()
    return Section("Time and energy", table=dataclasses.replace(table, legend=legend))


def _bars(series: Sequence[Sequence[float | None]]) -> tuple[tuple[float, ...], ...]:
    """Per row the share of each series' largest value."""
    largest = [max((v or 0.0 for v in values), default=0.0) or 1.0 for values in series]
    rows = zip(*series, strict=True)
    return tuple(tuple((v or 0.0) / m for v, m in zip(row, largest, strict=True)) for row in rows)


def _rest(runs: Sequence[Run], found: Sequence[Plane]) -> Section:
    columns = ("run", "accuracy>", "equals host>", "RAM>", "flash>", "on the front of latency and")
    words = {None: "-", True: "yes", False: "NO"}
    rows = tuple(
        (
            _name(index, run),
            share(run.accuracy),
            words[run.outputs_equal],
            size(run.ram_bytes),
            size(run.flash_bytes),
            ", ".join(p.cost.name for p in found if index in p.front),
        )
        for index, run in enumerate(runs)
    )
    return Section("Correctness and memory", table=Table(columns, rows).without_empty())


def _against(runs: Sequence[Run]) -> Section:
    first, *others = runs
    columns = ("run", "latency>", "energy>", "RAM>", "flash>", "accuracy>")
    rows = tuple(
        (
            _name(index, run),
            change(first.latency_s, run.latency_s, "faster", "slower"),
            change(first.energy_j, run.energy_j, "less", "more"),
            change(first.ram_bytes, run.ram_bytes, "less", "more"),
            change(first.flash_bytes, run.flash_bytes, "less", "more"),
            points(first.accuracy, run.accuracy),
        )
        for index, run in enumerate(others, 1)
    )
    return Section(f"Against {_name(0, first)}", table=Table(columns, rows).without_empty())


def _fronts(runs: Sequence[Run], found: Sequence[Plane]) -> list[Section]:
    """A chart for each plane; the numbers are those of the tables."""
    drawings = []
    sources = sorted({run.source for run in runs} - {MEASURED})
    mark = f" ({', '.join(sources)})" if sources else ""
    for plane in found:
        shown = [
            Point(i + 1, x, y, _name(i, runs[i]), i in plane.front)
            for i, (x, y) in plane.points.items()
        ]
        label = f"Latency and {plane.cost.title.partition(',')[0]}{mark}"
        axes = (LATENCY.title, LATENCY.unit), (plane.cost.title, plane.cost.unit)
        drawings.append(pareto_chart(shown, *axes, label))
    return [Section("Pareto front", drawings=tuple(drawings))] if drawings else []


def _layers(runs: Sequence[Run]) -> list[Section]:
    """Times of the layers that all runs have by name; how many are in some only is said."""
    tables = [{x.name: x for x in r.layers if x.seconds is not None} for r in runs]
    having = [i for i, table in enumerate(tables) if table]
    if len(having) < 2:
        return []
    shared = [name for name in tables[having[0]] if all(name in tables[i] for i in having)]
    if not shared:
        return []
    times = [[tables[i][name].seconds for name in shared] for i in having]
    rows = []
    for row, name in enumerate(shared):
        cells = [quantity(column[row], "s") for column in times]
        if len(having) == 2:
            cells.append(change(times[0][row], times[1][row], "faster", "slower"))
        rows.append((short_name(name), tables[having[0]][name].op, *cells))
    titles = [f"run {i + 1}>" for i in having] + (["change>"] if len(having) == 2 else [])
    longest = max(v or 0.0 for column in times for v in column) or 1.0
    bars = tuple(tuple((c[k] or 0.0) / longest for c in times) for k in range(len(shared)))
    legend = tuple(_name(i, runs[i]) for i in having)
    table = Table(("layer", "op", *titles), tuple(rows), bars, legend=legend)
    apart = len({n for i in having for n in tables[i]}) - len(shared)
    text = (f"{apart} layers are in some of the runs only, and not shown.",) if apart else ()
    return [Section("Layer by layer", text, table=table)]


def _differences(runs: Sequence[Run]) -> list[Section]:
    """What was not the same: a comparison is of all that differs, not of one thing alone."""
    keys = dict.fromkeys(key for run in runs for key in run.set_up)
    rows = []
    for key in keys:
        values = [run.set_up.get(key, "") or "-" for run in runs]
        if len(set(values)) > 1:
            rows.append((key, *values))
    if not rows:
        return [Section("What differs", ("Nothing of the set-up that the runs tell.",))]
    columns = ("what", *(f"run {index}" for index in range(1, len(runs) + 1)))
    return [Section("What differs", table=Table(columns, tuple(rows)))]
