"""A small fixed measurement, of invented figures, for the tests of reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from mcugen.device.measurement import (
    Accuracy,
    BoardUnderTest,
    Latency,
    LayerCost,
    Measurement,
    MeterUsed,
    Power,
    Window,
)
from mcugen.device.raw_csv import Trace, write_latency, write_trace

BOARD = BoardUnderTest(
    name="esp32s3",
    title="ESP32-S3 DevKitC-1 (simulated)",
    simulated=True,
    port="simulated",
    clock_hz=240_000_000,
    core=1,
    generator="0.1.0",
    compiler="gcc 12.2.0",
    flags="-O2 -ffp-contract=off",
    kernels="portable",
    memory="arena SRAM, weights flash",
)

METER = MeterUsed(
    name="simulated",
    title="simulated meter",
    simulated=True,
    step_a=1e-4,
    rate_hz=10.0,
    marks="board clock",
    notes=("currents are invented",),
)

WINDOWS = tuple(
    Window(
        inferences=116,
        seconds=10.01 + 0.002 * k,
        energy_j=3.9 + 0.01 * k,
        net_energy_j=3.6 + 0.01 * k,
        start_s=2.0 + 11 * k,
        end_s=12.01 + 0.002 * k + 11 * k,
    )
    for k in range(5)
)

LATENCY = Latency(100, 86300.0, 88100.0, 84900.0, 88150.0, 410.0)

LAYERS = (
    LayerCost("/conv1/Conv + /relu1/Relu", "QConv", 51000.0, 12_240_000.0, 0.0199),
    LayerCost("/depthwise/Conv", "QConv", 24000.0, 5_760_000.0, 0.00935),
    LayerCost("/fc/Gemm", "QFullyConnected", 11300.0, 2_712_000.0, 0.0044),
)

MEASUREMENT = Measurement(
    title="int8, SRAM",
    model="vww_mobilenetv1_qdq.onnx",
    model_hash="ab" * 32,
    board=BOARD,
    meter=METER,
    warmup=10,
    windows=WINDOWS,
    latency=LATENCY,
    layers=LAYERS,
    power=Power(0.03379, 0.03121, 0.0294, 0.3913, 0.1287, 3.3, 600),
    accuracy=Accuracy(50, 50, 43, 50),
    selftest="pass",
    conditions={"supply": "3.3 V bench", "radio": "off"},
    started="2026-01-31T12:00:00",
    files={"trace": "trace.csv", "latency": "latency.csv", "serial": "serial.log"},
    arena_bytes=55296,
    flash_bytes=84218,
)


def trace() -> Trace:
    """60 s at 10 Hz: idle, five windows of steps between two currents, one spike."""
    time = np.arange(600) / 10.0
    current = np.full(600, 0.0089)
    mark = np.zeros(600)
    for window in WINDOWS:
        assert window.start_s is not None and window.end_s is not None
        busy = (time >= window.start_s) & (time < window.end_s)
        current[busy] = np.where((time[busy] * 10).astype(int) % 9 < 7, 0.121, 0.08)
        for at in (window.start_s, window.end_s):
            mark[int(np.searchsorted(time, at))] = 1
    current[333] = 0.1287
    return Trace(time, current, np.full(600, 3.3), mark)


def latencies() -> list[float]:
    """A hundred times around the median, with a tail."""
    return [86300.0 + 25 * ((k * 37) % 41 - 20) + (1500 if k >= 98 else 0) for k in range(100)]


def write_run(folder: Path, measurement: Measurement = MEASUREMENT) -> Path:
    """A run's folder with its measurement.json and raw data, as measuring leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "measurement.json").write_text(json.dumps(measurement.to_json()))
    write_trace(folder / "trace.csv", trace())
    write_latency(folder / "latency.csv", latencies())
    return folder
