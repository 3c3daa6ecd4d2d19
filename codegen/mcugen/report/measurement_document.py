"""A Measurement as a Document: the figures, windows, charts, layers and the set-up."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from mcugen.device.measurement import BoardUnderTest, Measurement, MeterUsed, Window
from mcugen.report.charts import histogram_chart, trace_chart
from mcugen.report.document import Banner, Document, Fact, Section, Table
from mcugen.report.quantity import count, duration, quantity, rate, share, size
from mcugen.report.raw_data import RawData
from mcugen.report.text import short_name

_WHOLE_RUN = 5
_MIN_WINDOW_S = 10.0
"""MLPerf Tiny's run: five windows of at least ten seconds each."""


def measurement_document(m: Measurement, raw: RawData) -> Document:
    """The report of one run."""
    sections = [
        _windows(m),
        *_latency(m, raw),
        *_trace(m, raw),
        *_layers(m),
        _set_up(m),
        *_files(m, raw),
    ]
    started = f"started {m.started.replace('T', ' ')}" if m.started else ""
    parts = (m.model, m.board.title, started)
    return Document(
        title=f"{m.title}{simulated_mark(m.simulated)}",
        subtitle=", ".join(part for part in parts if part),
        banners=banners(m),
        facts=_facts(m),
        sections=tuple(sections),
    )


def simulated_mark(simulated: bool) -> str:
    """What titles of invented figures end with."""
    return " (simulated)" if simulated else ""


def banners(m: Measurement) -> tuple[Banner, ...]:
    """What must not be missed: simulated parts, an early end, outputs or a self-test that fail."""
    found = []
    if m.partial:
        why = m.error or "no reason is given"
        found.append(
            Banner("partial", "Partial run", f"It ended early: {why}. What it had stands below.")
        )
    if m.simulated:
        found.append(Banner("simulated", "Simulated", simulated_text(m)))
    if m.selftest == "fail":
        text = "The board's layers differ from the host's: its figures are of other results."
        found.append(Banner("bad", "Self-test failed", text))
    if m.accuracy is not None and m.accuracy.equal < m.accuracy.samples:
        a = m.accuracy
        text = f"{a.samples - a.equal:,} of {a.samples:,} samples differ from the host's outputs"
        where = f"; first: {a.first_difference}" if a.first_difference else ""
        found.append(Banner("bad", "Outputs differ", f"{text}{where}."))
    return tuple(found)


def simulated_text(m: Measurement) -> str:
    """Which part of a run was no hardware, in words."""
    board, meter = m.board.title, m.meter
    if not m.board.simulated:
        name = "" if meter is None else f" ({meter.title})"
        return f"The meter{name} invents currents and energy; times are the board's own."
    if meter is not None and meter.simulated:
        who = f"Neither the board ({board}) nor the meter ({meter.title}) is real"
    else:
        who = f"The board ({board}) is not real"
    return f"{who}: no figure here was measured on the hardware that is named."


def throughput(windows: Sequence[Window]) -> float | None:
    """Median inferences a second over the windows."""
    if not windows:
        return None
    return statistics.median(w.inferences / w.seconds for w in windows)


def _facts(m: Measurement) -> tuple[Fact, ...]:
    found = []
    if m.latency is not None:
        lat = m.latency
        p99, most, median = (duration(v * 1e-6) for v in (lat.p99_us, lat.max_us, lat.median_us))
        note = f"p99 {p99}, max {most}, jitter {_us(lat.jitter_us, 3)}, of {lat.count:,}"
        found.append(Fact("Latency, median", median, note))
    if m.windows:
        note = f"median of {_counted(len(m.windows), 'window')}"
        found.append(Fact("Throughput", rate(throughput(m.windows), "inf/s"), note))
    if m.power is not None:
        p = m.power
        net = f"{quantity(p.net_energy_j, 'J')} net of idle"
        found += [
            Fact("Energy per inference", quantity(p.energy_j, "J"), net),
            Fact("Peak current", quantity(p.peak_a, "A"), f"at {quantity(p.voltage_v, 'V', 3)}"),
            Fact("Power, active", quantity(p.active_w, "W"), f"idle {quantity(p.idle_w, 'W')}"),
        ]
    return (*found, *_correctness(m), *_memory(m))


def _correctness(m: Measurement) -> list[Fact]:
    found = []
    a = m.accuracy
    if a is not None and a.labelled:
        note = f"{a.correct:,} of {a.labelled:,} labelled samples"
        found.append(Fact("Accuracy on the board", share(a.correct / a.labelled), note))
    if a is not None and a.samples:
        word = "yes" if a.equal == a.samples else "NO"
        note = f"{a.equal:,} of {a.samples:,} samples, every byte"
        found.append(Fact("Outputs equal the host's", word, note))
    if m.selftest:
        found.append(Fact("Self-test", m.selftest, "every layer's checksum, on the board"))
    return found


def _memory(m: Measurement) -> list[Fact]:
    if m.arena_bytes is None and m.flash_bytes is None:
        return []
    return [Fact("Arena", size(m.arena_bytes), f"flash {size(m.flash_bytes)}, code and weights")]


def _us(value: float, digits: int = 4) -> str:
    return quantity(value * 1e-6, "s", digits)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _windows(m: Measurement) -> Section:
    """The windows and their median; a run that is not MLPerf Tiny's shape says so."""
    title = f"Windows{simulated_mark(m.simulated)}"
    if not m.windows:
        return Section(title, ("The run ended before its first window.",))
    rows = [_window_row(str(k), w) for k, w in enumerate(m.windows, 1)]
    times = [w.seconds / w.inferences for w in m.windows]
    energies = [w.energy_j / w.inferences for w in m.windows if w.energy_j is not None]
    nets = [w.net_energy_j / w.inferences for w in m.windows if w.net_energy_j is not None]
    rows.append(("median", "", "", _median(times, "s"), _median(energies, "J"), _median(nets, "J")))
    rows.append(("spread", "", "", _spread(times), _spread(energies), _spread(nets)))
    columns = ("window", "inferences>", "time>", "each>", "energy each>", "net of idle>")
    bold = frozenset({len(m.windows)})
    return Section(
        title, _window_text(m), table=Table(columns, tuple(rows), bold=bold).without_empty()
    )


def _window_text(m: Measurement) -> tuple[str, ...]:
    warm = f"{_counted(m.warmup, 'inference')} before each window warm up and are not counted."
    short = sum(w.seconds < _MIN_WINDOW_S for w in m.windows)
    if len(m.windows) >= _WHOLE_RUN and not short:
        return (warm,)
    asked = f"MLPerf Tiny asks for {_WHOLE_RUN} windows of at least {_MIN_WINDOW_S:.0f} s"
    number = len(m.windows)
    which = f"{short} of this run's {number} are shorter" if short else f"this run has {number}"
    return (f"{warm} {asked}; {which}.",)


def _window_row(name: str, w: Window) -> tuple[str, ...]:
    def each(total: float | None) -> str:
        return "-" if total is None else quantity(total / w.inferences, "J")

    time = quantity(w.seconds, "s")
    mean = quantity(w.seconds / w.inferences, "s")
    return (name, count(w.inferences), time, mean, each(w.energy_j), each(w.net_energy_j))


def _median(values: Sequence[float], unit: str) -> str:
    return quantity(statistics.median(values), unit) if values else "-"


def _spread(values: Sequence[float]) -> str:
    """Largest less smallest, as a part of the median."""
    middle = statistics.median(values) if values else 0
    return share((max(values) - min(values)) / middle) if middle > 0 else "-"


def _latency(m: Measurement, raw: RawData) -> list[Section]:
    if raw.latency_us is None or not raw.latency_us.size:
        return []
    title = f"Times of single inferences{simulated_mark(m.board.simulated)}"
    label = f"Histogram of {len(raw.latency_us):,} single inferences"
    label += simulated_mark(m.board.simulated)
    return [Section(title, drawings=(histogram_chart(raw.latency_us, label),))]


def _trace(m: Measurement, raw: RawData) -> list[Section]:
    """The trace, and what its marks are: two for idle and two a window, where none is lost."""
    trace = raw.trace
    if trace is None or trace.time_s.size < 2:
        return []
    marks = int(trace.mark.sum())
    text = f"{trace.time_s.size:,} samples; {_counted(marks, 'mark')} for "
    text += f"{_counted(len(m.windows), 'window')}."
    others = marks - 2 * len(m.windows)
    if others < 0:
        text += " Each window needs two: marks are missing, do not trust its energy."
    if others >= 2:
        text += " The first two are those of idle."
        others -= 2
    if others > 0:
        text += (
            f" {others} more: of windows that came out too short and were repeated, or broke off."
        )
    mark = simulated_mark(m.simulated)
    drawing = trace_chart(trace, m.windows, f"Current over time{mark}")
    return [Section(f"Current{mark}", (text,), (drawing,))]


def _layers(m: Measurement) -> list[Section]:
    """Time and energy by layer, the bars of time."""
    if not m.layers:
        return []
    whole = sum(layer.us for layer in m.layers) or 1.0
    longest = max(layer.us for layer in m.layers) or 1.0
    rows = tuple(
        (
            short_name(layer.name),
            layer.op,
            _us(layer.us),
            count(layer.cycles),
            quantity(layer.energy_j, "J"),
            share(layer.us / whole),
        )
        for layer in m.layers
    )
    bars = tuple((layer.us / longest,) for layer in m.layers)
    columns = ("layer", "op", "time>", "cycles>", "energy>", "share>")
    text = [f"Together {_us(whole)}, mean of one inference."]
    if any(layer.energy_j is not None for layer in m.layers):
        text.append("The inference's energy is split over the layers by their time.")
    return [
        Section(
            f"Layers{simulated_mark(m.simulated)}",
            (" ".join(text),),
            table=Table(columns, rows, bars).without_empty(),
        )
    ]


def _set_up(m: Measurement) -> Section:
    """Everything that someone needs who wants to see the same figures again."""
    rows = [("model", f"{m.model}, SHA-256 {m.model_hash}")]
    rows += _board_rows(m.board)
    rows += _meter_rows(m.meter)
    rows += list(m.conditions.items())
    return Section("Set-up", table=Table(("what", "value"), tuple(rows)))


def _board_rows(board: BoardUnderTest) -> list[tuple[str, str]]:
    clock = f"{board.clock_hz / 1e6:g} MHz, core {board.core}" if board.clock_hz else ""
    rows = [
        ("board", f"{board.title} ({board.name}) at {board.port}"),
        ("clock", clock),
        ("compiler", board.compiler),
        ("flags", board.flags),
        ("kernels", board.kernels),
        ("memory", board.memory),
        ("mcugen", board.generator),
    ]
    return [row for row in rows if row[1]]


def _meter_rows(meter: MeterUsed | None) -> list[tuple[str, str]]:
    if meter is None:
        return [("meter", "none: times only")]
    step = f", steps of {quantity(meter.step_a, 'A', 3)}" if meter.step_a else ""
    samples = f", {rate(meter.rate_hz, 'samples/s')}" if meter.rate_hz else ""
    rows = [("meter", f"{meter.title}{step}{samples}"), ("marks", f"from {meter.marks}")]
    return [*rows, *(("meter's limit", note) for note in meter.notes)]


def _files(m: Measurement, raw: RawData) -> list[Section]:
    if not m.files:
        return []
    rows = tuple(
        (kind, name, "not beside the JSON: not shown here" if name in raw.missing else "")
        for kind, name in sorted(m.files.items())
    )
    columns = ("what", "file", "remark")
    return [Section("Raw data", table=Table(columns, rows).without_empty())]
