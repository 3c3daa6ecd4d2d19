"""`mcugen measure`: a run on a board, kept in the project's folder whatever came of it."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from mcugen.device.emulated_board import PORT as EMULATED
from mcugen.device.emulated_board import EmulatedBoard
from mcugen.device.energy import latency_of, layer_costs
from mcugen.device.link import Link, SerialLink
from mcugen.device.measured_project import MeasuredProject, host_copy, load_project
from mcugen.device.measurement import BoardUnderTest, Measurement, MeterUsed
from mcugen.device.metering import Metered
from mcugen.device.meters.base import BOARD_CLOCK, Meter, MeterOptions, Recording
from mcugen.device.meters.registry import METERS, NONE, split_spec
from mcugen.device.ports import choose_port
from mcugen.device.protocol import Board
from mcugen.device.raw_csv import Trace, write_latency, write_trace
from mcugen.device.run import Findings, Run, RunOptions
from mcugen.device.run_folder import write_run
from mcugen.device.simulated_board import PORT as SIMULATED
from mcugen.device.simulated_board import SimulatedBoard
from mcugen.errors import McugenError
from mcugen.report.json_text import json_text
from mcugen.report.measurement_report import write_reports

HOST = "host"
"""The board that is this computer."""
_HARDWARE_INAS = ("ina219", "ina226")


@dataclass(frozen=True)
class MeasureOptions:
    """A measurement as the user wants it.

    Attributes:
        port: serial port, "simulated", or None for the only one that fits the board.
        meter: `NAME[:ARGUMENT]` of `meters.registry`.
        run: what is run.
        supply_v: supply voltage, for meters that do not measure it.
        shunt_ohm: of an INA219 or INA226.
        title: what a reader calls this variant; made up when "".
        conditions: what the user says of the set-up.
        patience_s: how long a person may take for what a meter asks of them.
    """

    port: str | None = None
    meter: str = NONE
    run: RunOptions = field(default_factory=RunOptions)
    supply_v: float = 3.3
    shunt_ohm: float = 0.1
    title: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)
    patience_s: float = 0.0


@dataclass(frozen=True)
class Measured:
    """What a measurement left.

    Attributes:
        folder: of the run.
        measurement: that lies in it.
        error: what ended the run early; None for a whole one.
        faults: what is wrong with the board's results.
    """

    folder: Path
    measurement: Measurement
    error: McugenError | None
    faults: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether the run is whole and the board computed what it should."""
        return self.error is None and not self.faults


class InterruptedRunError(McugenError):
    """The user pressed Ctrl-C."""

    exit_code = 130


Say = Callable[[str], None]


def _silent(text: str) -> None:
    del text


def measure(
    directory: Path, options: MeasureOptions, say: Say = _silent, ask: Say = _silent
) -> Measured:
    """Measures the project in a folder; the run is written to DIR/measurements/run-NNN.

    Args:
        directory: an exported project, flashed onto the board.
        options: port, meter and what is run.
        say: shows progress.
        ask: shows what a person has to do.

    Raises:
        McugenError: folder, port or meter cannot be used: there is nothing to keep.
    """
    project = load_project(directory)
    name, _ = split_spec(options.meter)
    return measure_on(project, open_link(project, options.port, name), options, say, ask)


def measure_on(
    project: MeasuredProject, link: Link, options: MeasureOptions, say: Say, ask: Say
) -> Measured:
    """The same through a link that is open, and that this closes."""
    log = _Log()
    try:
        meter = _open_meter(options, link, ask)
        try:
            board = Board(link, log.add)
            run = Run(project, board, meter, cache(lambda: host_copy(project)), options.run, say)
            started = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
            error = _error_of(run)
        finally:
            if meter is not None:
                meter.close()
    finally:
        link.close()
    found = run.found
    measurement = _measurement(project, options, link, meter, found, started, error)
    folder = write_run(project.folder.path, lambda f: _write(f, measurement, found, log))
    return Measured(folder, measurement, error, tuple(found.faults))


def open_link(project: MeasuredProject, port: str | None, meter: str) -> Link:
    """The way to the board."""
    if port == SIMULATED:
        return SimulatedBoard(project, meter if meter in _HARDWARE_INAS else "")
    if port == EMULATED:
        return EmulatedBoard(project.folder, lambda seen: None)
    return SerialLink(choose_port(project.folder, port))


def _open_meter(options: MeasureOptions, link: Link, ask: Say) -> Meter | None:
    name, argument = split_spec(options.meter)
    if name == NONE:
        return None
    meter = METERS[name](
        MeterOptions(
            argument=argument,
            supply_v=options.supply_v,
            shunt_ohm=options.shunt_ohm,
            link=link,
            patience_s=options.patience_s,
            say=ask,
        )
    )
    try:
        meter.open()
    except BaseException:
        meter.close()
        raise
    return meter


def _error_of(run: Run) -> McugenError | None:
    try:
        run.all_steps()
    except McugenError as error:
        return error
    except KeyboardInterrupt:
        return InterruptedRunError("interrupted by the user")
    return None


class _Log:
    """Every line to and from the board, with seconds since the start."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append(f"{time.monotonic() - self._start:10.3f} {line}")

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def _measurement(
    project: MeasuredProject,
    options: MeasureOptions,
    link: Link,
    meter: Meter | None,
    found: Findings,
    started: str,
    error: McugenError | None,
) -> Measurement:
    per_inference = None if found.power is None else found.power.energy_j
    board = _board(project, link, found, options.run.core)
    files = {"serial": "serial.log"}
    if found.times_us is not None:
        files["latency"] = "latency.csv"
    if found.metered is not None and found.metered.recording is not None:
        files["trace"] = "trace.csv"
    return Measurement(
        title=options.title or f"{project.prefix} on {project.folder.board}",
        model=project.model,
        model_hash=project.model_hash,
        board=board,
        meter=None if meter is None else _meter(meter, found.metered, board.simulated),
        warmup=options.run.warmup,
        windows=found.windows,
        latency=None if found.times_us is None else latency_of(found.times_us),
        layers=layer_costs(found.layers, found.layer_runs, per_inference),
        power=found.power,
        accuracy=found.accuracy,
        selftest=found.selftest,
        conditions=dict(options.conditions),
        started=started,
        partial=error is not None,
        error="" if error is None else _told(error),
        files=dict(sorted(files.items())),
        arena_bytes=project.arena_bytes,
        flash_bytes=project.flash_bytes,
    )


def _told(error: McugenError) -> str:
    return error.message + (f" ({error.hint})" if error.hint else "")


def _board(
    project: MeasuredProject, link: Link, found: Findings, core: int | None
) -> BoardUnderTest:
    info = found.info
    clock = info.get("clock-hz", "0")
    said = info.get("core", "0")
    name = info.get("board", project.folder.board)
    title = link.title or project.folder.title
    program = name == HOST and not link.simulated  # `make serve`: no board, whatever the port
    return BoardUnderTest(
        name=name,
        title=f"{title}, simulated board" if program else title,
        simulated=link.simulated or program,
        port=link.port,
        clock_hz=int(clock) if clock.isdecimal() and link.clock_counts else 0,
        core=int(said) if core is None and said.isdecimal() else (core or 0),
        generator=info.get("generator", ""),
        compiler=info.get("compiler", ""),
        flags=info.get("flags", ""),
        kernels=info.get("kernels", ""),
        memory=info.get("memory", ""),
    )


def _meter(meter: Meter, metered: Metered | None, simulated_board: bool) -> MeterUsed:
    invented = meter.simulated or (simulated_board and meter.marks == BOARD_CLOCK)
    word = "" if "simulated" in meter.title or not invented else "simulated "
    recording = None if metered is None else metered.recording
    return MeterUsed(
        name=meter.name,
        title=f"{word}{meter.title}",
        simulated=invented,
        step_a=meter.step_a,
        rate_hz=0.0 if recording is None else recording.rate_hz,
        marks=meter.marks,
        notes=meter.notes + (() if recording is None else recording.notes),
    )


def _write(folder: Path, measurement: Measurement, found: Findings, log: _Log) -> None:
    (folder / "measurement.json").write_text(json_text(measurement.to_json()), encoding="utf-8")
    (folder / "serial.log").write_text(log.text(), encoding="utf-8")
    if found.times_us is not None:
        write_latency(folder / "latency.csv", found.times_us)
    if found.metered is not None and found.metered.recording is not None:
        write_trace(folder / "trace.csv", _trace(found.metered, found.metered.recording))
    write_reports(folder)


def _trace(metered: Metered, recording: Recording) -> Trace:
    """The samples with the marks: edges where the meter saw them, else where the windows are."""
    if recording.edges_s is None:
        spans = [*metered.spans, *([metered.idle] if metered.idle is not None else [])]
        marks = np.asarray([t for s in spans for t in (s.start_s, s.end_s)], np.float64)
    else:
        marks = recording.edges_s
    last = max(len(recording.time_s) - 1, 0)
    at = np.minimum(np.searchsorted(recording.time_s, marks), last)
    counts = np.bincount(at, minlength=len(recording.time_s))
    return Trace(recording.time_s, recording.current_a, recording.voltage_v, counts)
