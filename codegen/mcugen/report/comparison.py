"""Several runs beside each other: as a Document and as JSON, each against the first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from mcugen.report.charts import Point, pareto_chart
from mcugen.report.document import Banner, Document, Fact, Section, Table
from mcugen.report.mlperf_tiny import mlperf_json, mlperf_section
from mcugen.report.pareto import LATENCY, Plane, planes
from mcugen.report.quantity import change, duration, points, quantity, share, size
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
    title = runs[0].title if len(runs) == 1 else f"{len(runs)} runs compared"
    return Document(
        title=f"{title}{_mark(runs)}",
        subtitle=", ".join(dict.fromkeys(run.model for run in runs)),
        banners=tuple(_banners(runs)),
        facts=_facts(runs),
        sections=(*sections, mlperf_section(runs)),
    )


def _mark(runs: Sequence[Run]) -> str:
    """What titles end with: the sources that are no measurement."""
    sources = sorted({run.source for run in runs} - {MEASURED})
    return f" ({', '.join(sources)})" if sources else ""


def _names(runs: Sequence[Run]) -> list[str]:
    """Numbered titles, with the source of each where they are not all of one."""
    is_mixed = len({run.source for run in runs}) > 1
    return [
        f"{number}: {run.title}{_mark([run]) if is_mixed else ''}"
        for number, run in enumerate(runs, 1)
    ]


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
    cautions = dict.fromkeys((run.source, run.caution) for run in runs if run.caution)
    for source, caution in cautions:
        which = [str(i) for i, run in enumerate(runs, 1) if run.caution == caution]
        text = f"Run{'s' if len(which) > 1 else ''} {', '.join(which)}: {caution}"
        found.append(Banner("simulated", source.capitalize(), text))
    return found


def _facts(runs: Sequence[Run]) -> tuple[Fact, ...]:
    """The best of each figure, and whose it is; of equal ones the first."""
    names = _names(runs)

    def best(
        label: str, values: Sequence[float | None], show: Callable[[float], str]
    ) -> list[Fact]:
        known = [(value, index) for index, value in enumerate(values) if value is not None]
        if len(known) < 2:
            return []
        value, index = min(known)
        return [Fact(label, show(value), names[index])]

    wrong = [None if r.accuracy is None else 1 - r.accuracy for r in runs]
    return (
        *best("Fastest", [r.latency_s for r in runs], duration),
        *best("Least energy", [r.energy_j for r in runs], lambda v: quantity(v, "J")),
        *best("Least RAM", [r.ram_bytes for r in runs], lambda v: size(int(v))),
        *best("Most accurate", wrong, lambda v: share(1 - v)),
    )


def _times(runs: Sequence[Run]) -> Section:
    columns = ("run", "latency>", "p99>", "energy>", "net of idle>", "peak>")
    rows = tuple(
        (
            name,
            duration(run.latency_s),
            duration(run.p99_s),
            quantity(run.energy_j, "J"),
            quantity(run.net_energy_j, "J"),
            quantity(run.peak_a, "A"),
        )
        for name, run in zip(_names(runs), runs, strict=True)
    )
    figures = [("latency", [r.latency_s for r in runs]), ("energy", [r.energy_j for r in runs])]
    shown = [(name, values) for name, values in figures if any(values)]
    table = Table(columns, rows, _bars([values for _, values in shown])).without_empty()
    legend = tuple(name for name, _ in shown) if len(shown) > 1 else ()
    return Section(f"Time and energy{_mark(runs)}", table=dataclasses.replace(table, legend=legend))


def _bars(series: Sequence[Sequence[float | None]]) -> tuple[tuple[float, ...], ...]:
    """Per row the share of each series' largest value."""
    largest = [max((v or 0.0 for v in values), default=0.0) or 1.0 for values in series]
    rows = zip(*series, strict=True)
    return tuple(tuple((v or 0.0) / m for v, m in zip(row, largest, strict=True)) for row in rows)


def _rest(runs: Sequence[Run], found: Sequence[Plane]) -> Section:
    columns = ("run", "accuracy>", "equals host>", "RAM>", "flash>", "Pareto front")
    words = {None: "-", True: "yes", False: "NO"}
    rows = tuple(
        (
            name,
            share(run.accuracy),
            words[run.outputs_equal],
            size(run.ram_bytes),
            size(run.flash_bytes),
            ", ".join(p.cost.name for p in found if index in p.front),
        )
        for index, (name, run) in enumerate(zip(_names(runs), runs, strict=True))
    )
    text = (
        "Pareto front: no other run is as good in latency and in what is named, and better in one."
    )
    return Section(
        f"Correctness and memory{_mark(runs)}",
        (text,) if found else (),
        table=Table(columns, rows).without_empty(),
    )


def _against(runs: Sequence[Run]) -> Section:
    """Ratios to the first run, with the sign of the change in words; a column for each run."""
    first, *others = runs

    def row(name: str, key: str, less: str, more: str) -> tuple[str, ...]:
        base = getattr(first, key)
        return (name, *(change(base, getattr(run, key), less, more) for run in others))

    rows = (
        row("latency", "latency_s", "faster", "slower"),
        row("p99", "p99_s", "faster", "slower"),
        row("energy", "energy_j", "less", "more"),
        row("net of idle", "net_energy_j", "less", "more"),
        row("peak current", "peak_a", "less", "more"),
        row("RAM", "ram_bytes", "less", "more"),
        row("flash", "flash_bytes", "less", "more"),
        ("accuracy", *(points(first.accuracy, run.accuracy) for run in others)),
    )
    shown = tuple(row for row in rows if any(cell != "-" for cell in row[1:]))
    columns = ("figure", *(f"run {number}>" for number in range(2, len(runs) + 1)))
    mark = "" if len({run.source for run in runs}) > 1 else _mark(runs)
    return Section(f"Against run {_names(runs)[0]}{mark}", table=Table(columns, shown))


def _fronts(runs: Sequence[Run], found: Sequence[Plane]) -> list[Section]:
    """A chart for each plane; the numbers are those of the tables."""
    drawings = []
    names = _names(runs)
    for plane in found:
        shown = [
            Point(i + 1, x, y, names[i], i in plane.front) for i, (x, y) in plane.points.items()
        ]
        label = f"Latency and {plane.cost.title.partition(',')[0]}{_mark(runs)}"
        axes = (LATENCY.title, LATENCY.unit), (plane.cost.title, plane.cost.unit)
        drawings.append(pareto_chart(shown, *axes, label))
    return [Section(f"Pareto front{_mark(runs)}", drawings=tuple(drawings))] if drawings else []


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
        ops = dict.fromkeys(tables[i][name].op for i in having)
        rows.append((short_name(name), " / ".join(ops), *cells))
    titles = [f"run {i + 1}>" for i in having] + (["change>"] if len(having) == 2 else [])
    longest = max(v or 0.0 for column in times for v in column) or 1.0
    bars = tuple(tuple((c[k] or 0.0) / longest for c in times) for k in range(len(shared)))
    legend = tuple(_names(runs)[i] for i in having)
    table = Table(("layer", "op", *titles), tuple(rows), bars, legend=legend)
    apart = len({n for i in having for n in tables[i]}) - len(shared)
    are = "layer is" if apart == 1 else "layers are"
    text = (f"{apart} {are} in some of the runs only, and not shown.",) if apart else ()
    return [Section(f"Layer by layer{_mark(runs)}", text, table=table)]


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
