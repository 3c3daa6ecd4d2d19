"""Runs to compare: what a board measured, or what an emulator counted, in one form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcugen.device.measurement import Measurement
from mcugen.errors import ModelError
from mcugen.report.bench_text import CAVEAT
from mcugen.report.measurement_document import simulated_text, throughput
from mcugen.report.measurement_json import FILE, measurement_of, read_json, record
from mcugen.report.model_report import SCHEMA

MEASURED, SIMULATED, EMULATED = "measured", "simulated", "emulated"
_EMULATED = f"{CAVEAT.removeprefix('emulated, ').capitalize()}; no energy"


@dataclass(frozen=True)
class RunLayer:
    """A layer's mean time in one inference; None where only instructions are known."""

    name: str
    op: str
    seconds: float | None


@dataclass(frozen=True)
class Run:
    """One variant; every figure is None where the run does not have it.

    Attributes:
        title: what a reader calls it.
        source: MEASURED, SIMULATED or EMULATED.
        caution: what its source leaves out, as a sentence; "" for a measured one.
        model: name of the ONNX file.
        board: name of the board.
        clock_hz: of its processor; 0 where that means nothing.
        set_up: what else may differ between runs, by name.
        latency_s: median time of an inference.
        p99_s: 99th percentile.
        throughput: inferences a second, median of the windows.
        energy_j: of an inference, nothing subtracted.
        net_energy_j: net of idle.
        peak_a: largest current.
        accuracy: share of the labelled samples.
        outputs_equal: whether all outputs are the host's in every byte.
        ram_bytes: arena, or static variables where it was emulated.
        flash_bytes: code and weights.
        layers: in order.
        error: why it ended early; "" for a whole run.
    """

    title: str
    source: str
    caution: str
    model: str
    board: str
    clock_hz: int
    set_up: dict[str, str]
    latency_s: float | None
    p99_s: float | None
    throughput: float | None
    energy_j: float | None
    net_energy_j: float | None
    peak_a: float | None
    accuracy: float | None
    outputs_equal: bool | None
    ram_bytes: int | None
    flash_bytes: int | None
    layers: tuple[RunLayer, ...]
    error: str = ""


def measurement_file(path: Path) -> Path:
    """The file that stands for a path of the user's: a folder is that of a run.

    Raises:
        ModelError: the folder is no run's; the hint lists the runs of a project.
    """
    if not path.is_dir() or (path / FILE).is_file():
        return path / FILE if path.is_dir() else path
    runs = sorted(str(found.parent) for found in path.glob(f"measurements/*/{FILE}"))
    hint = f"its runs are {', '.join(runs)}" if runs else "`mcugen measure` makes one"
    raise ModelError(f"{path}: the folder holds no {FILE}", hint=hint)


def read_runs(path: Path) -> tuple[Run, ...]:
    """The runs in a file: one measurement, or all results of a `mcugen bench --json`.

    Raises:
        ModelError: it cannot be read, is neither, or has a value that cannot be.
    """
    value = read_json(path)
    if "kind" in value:
        return (_of_measurement(measurement_of(value, path)),)
    if "cpu" in value and "instructions" in value:
        return _of_bench(value, path)
    raise ModelError(
        f"{path}: must be the JSON of `mcugen measure` or `mcugen bench`",
        hint=f"`mcugen measure` writes {FILE}, `mcugen bench --json FILE` the other",
    )


def _of_measurement(m: Measurement) -> Run:
    lat, power, acc, board = m.latency, m.power, m.accuracy, m.board
    return Run(
        title=m.title,
        source=SIMULATED if m.simulated else MEASURED,
        caution=simulated_text(m) if m.simulated else "",
        model=m.model,
        board=board.name,
        clock_hz=board.clock_hz,
        set_up=_set_up(m),
        latency_s=None if lat is None else lat.median_us * 1e-6,
        p99_s=None if lat is None else lat.p99_us * 1e-6,
        throughput=throughput(m.windows),
        energy_j=None if power is None else power.energy_j,
        net_energy_j=None if power is None else power.net_energy_j,
        peak_a=None if power is None else power.peak_a,
        accuracy=acc.correct / acc.labelled if acc is not None and acc.labelled else None,
        outputs_equal=acc.equal == acc.samples if acc is not None and acc.samples else None,
        ram_bytes=m.arena_bytes,
        flash_bytes=m.flash_bytes,
        layers=tuple(RunLayer(layer.name, layer.op, layer.us * 1e-6) for layer in m.layers),
        error=(m.error or "no reason is given") if m.partial else "",
    )


def _set_up(m: Measurement) -> dict[str, str]:
    board, meter = m.board, m.meter
    return {
        "model": f"{m.model}, SHA-256 {m.model_hash[:12]}...",
        "board": board.title,
        "clock": f"{board.clock_hz / 1e6:g} MHz" if board.clock_hz else "",
        "core": str(board.core),
        "compiler": board.compiler,
        "flags": board.flags,
        "kernels": board.kernels,
        "memory": board.memory,
        "mcugen": board.generator,
        "meter": "none" if meter is None else meter.title,
        "warm-up": f"{m.warmup}",
        "windows": f"{len(m.windows)}",
        **m.conditions,
    }


@dataclass(frozen=True)
class _BenchLayer:
    name: str
    op: str
    cycles: int | None


@dataclass(frozen=True)
class _Bench:
    """The keys of `bench --json` that are compared; they are described where it is written."""

    model: str
    board: str
    kernels: tuple[str, ...]
    cpu: str
    compiler: str
    clock_hz: int
    seconds: float | None
    text_bytes: int
    rodata_bytes: int
    ram_bytes: int
    layers: tuple[_BenchLayer, ...]
    outputs_equal: bool
    caveat: str | None = None


def _of_bench(value: dict[str, Any], path: Path) -> tuple[Run, ...]:
    if value.get("schema") != SCHEMA:
        raise ModelError(f"{path}: schema must be {SCHEMA}, got {value.get('schema')}")
    others = value.get("compared", [])
    if not isinstance(others, list):
        raise ModelError(f"{path}: compared must be a list")
    results = [record(_Bench, value, path)]
    results += [record(_Bench, o, path, f"compared[{i}]") for i, o in enumerate(others)]
    return tuple(_of_result(result) for result in results)


def _of_result(bench: _Bench) -> Run:
    kernels = " + ".join(bench.kernels)

    def seconds(cycles: int | None) -> float | None:
        return None if cycles is None or not bench.clock_hz else cycles / bench.clock_hz

    return Run(
        title=f"{Path(bench.model).stem}, {bench.board}, {kernels}",
        source=EMULATED,
        caution=". ".join(filter(None, (_EMULATED, bench.caveat))).rstrip(".") + ".",
        model=Path(bench.model).name,
        board=bench.board,
        clock_hz=bench.clock_hz,
        set_up={
            "model": Path(bench.model).name,
            "board": f"{bench.board}, emulated {bench.cpu}",
            "clock": f"{bench.clock_hz / 1e6:g} MHz" if bench.clock_hz else "",
            "compiler": bench.compiler,
            "kernels": kernels,
        },
        latency_s=bench.seconds,
        p99_s=None,
        throughput=1 / bench.seconds if bench.seconds else None,
        energy_j=None,
        net_energy_j=None,
        peak_a=None,
        accuracy=None,
        outputs_equal=bench.outputs_equal,
        ram_bytes=bench.ram_bytes,
        flash_bytes=bench.text_bytes + bench.rodata_bytes,
        layers=tuple(RunLayer(x.name, x.op, seconds(x.cycles)) for x in bench.layers),
    )
