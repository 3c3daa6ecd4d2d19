"""What a run on a board gave: the data that measuring makes and reports show. Schema 1."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

SCHEMA = 1
KIND = "measurement"


@dataclass(frozen=True)
class BoardUnderTest:
    """The board and its firmware, as they said of themselves.

    Attributes:
        name: board of `mcugen boards`.
        title: what a person calls it; contains "simulated" where it is.
        simulated: whether it is a program on this computer or an emulator.
        port: serial port, or what stands for it.
        clock_hz: of the processor; 0 where that means nothing.
        core: index of the core that infers.
        generator: version of mcugen.
        compiler: that built the firmware.
        flags: it was given.
        kernels: kernel libraries with versions.
        memory: where arena and weights lie.
    """

    name: str
    title: str
    simulated: bool
    port: str
    clock_hz: int
    core: int
    generator: str
    compiler: str
    flags: str
    kernels: str
    memory: str


@dataclass(frozen=True)
class MeterUsed:
    """The meter.

    Attributes:
        name: of the option `--meter`.
        title: what a person calls it; contains "simulated" where it is.
        simulated: whether its figures are invented.
        step_a: smallest current step, amperes; 0 where unknown.
        rate_hz: samples a second, as they came.
        marks: "pin", "board clock", "host clock" or "none": what says when inferences ran.
        notes: limits that a reader must know.
    """

    name: str
    title: str
    simulated: bool
    step_a: float
    rate_hz: float
    marks: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Window:
    """One of the timed windows of a run.

    Attributes:
        inferences: how many.
        seconds: between its two marks, by the board's clock.
        energy_j: between the two marks, nothing subtracted; None without a meter.
        net_energy_j: idle power times its duration subtracted; None without.
        start_s: of its first mark in the trace's time; None without a meter.
        end_s: of its last.
    """

    inferences: int
    seconds: float
    energy_j: float | None = None
    net_energy_j: float | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class Latency:
    """Times of single inferences in microseconds.

    Attributes:
        count: how many were timed.
        median_us, p99_us, min_us, max_us: of them (nearest rank).
        jitter_us: standard deviation.
    """

    count: int
    median_us: float
    p99_us: float
    min_us: float
    max_us: float
    jitter_us: float


@dataclass(frozen=True)
class LayerCost:
    """Mean cost of one layer.

    Attributes:
        name: of the ONNX node.
        op: lowered operator.
        us: time.
        cycles: None without a counter.
        energy_j: its share of the inference's energy by time; None without a meter.
    """

    name: str
    op: str
    us: float
    cycles: float | None = None
    energy_j: float | None = None


@dataclass(frozen=True)
class Power:
    """Electrical figures of a run; energy is per inference.

    Attributes:
        energy_j: median over the windows, nothing subtracted.
        net_energy_j: the same net of idle.
        idle_w, active_w, peak_a, voltage_v: mean idle and active power, peak current, mean voltage.
        samples: in the trace.
    """

    energy_j: float
    net_energy_j: float
    idle_w: float
    active_w: float
    peak_a: float
    voltage_v: float
    samples: int


@dataclass(frozen=True)
class Accuracy:
    """A dataset through the board.

    Attributes:
        samples: how many.
        labelled: how many had a label.
        correct: of them.
        equal: samples whose outputs equal the host's in every byte.
        first_difference: where the first other byte was; "" when there is none.
    """

    samples: int
    labelled: int
    correct: int
    equal: int
    first_difference: str = ""


@dataclass(frozen=True)
class Measurement:
    """One run.

    Attributes:
        title: what a reader calls this variant ("int8, SRAM").
        model: name of the ONNX file.
        model_hash: SHA-256 of it.
        board: that was measured.
        meter: None without.
        warmup: inferences before each window.
        windows: in order; five in a whole run.
        latency: of single inferences; None where the run ended before.
        layers: in order; empty where the run ended before.
        power: None without a meter.
        accuracy: None without a dataset.
        selftest: "pass", "fail", "none" or "" where it was not run.
        conditions: what the user says of the set-up (supply, radio, temperature ...), by name.
        started: local date and time, ISO 8601.
        partial: whether the run ended early.
        error: why; "" for a whole run.
        files: raw data beside the JSON: kind ("trace", "latency", "serial") -> file name.
        arena_bytes: RAM of the model, from the project's report.json; None where unknown.
        flash_bytes: flash of the model, code and weights, from the same; None where unknown.
    """

    title: str
    model: str
    model_hash: str
    board: BoardUnderTest
    meter: MeterUsed | None
    warmup: int
    windows: tuple[Window, ...]
    latency: Latency | None
    layers: tuple[LayerCost, ...]
    power: Power | None
    accuracy: Accuracy | None
    selftest: str
    conditions: dict[str, str]
    started: str
    partial: bool = False
    error: str = ""
    files: dict[str, str] = dataclasses.field(default_factory=dict)
    arena_bytes: int | None = None
    flash_bytes: int | None = None

    @property
    def simulated(self) -> bool:
        """Whether any of it was not measured on real hardware."""
        return self.board.simulated or (self.meter is not None and self.meter.simulated)

    def to_json(self) -> dict[str, Any]:
        """The JSON object."""
        return {"schema": SCHEMA, "kind": KIND, **dataclasses.asdict(self)}
