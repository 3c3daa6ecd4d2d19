"""A result of `mcugen bench` that nothing was run for."""

from __future__ import annotations

from mcugen.emulate.result import BenchResult, LayerCost

BENCH = BenchResult(
    "m.onnx", "pico_w", "tflite", ("portable",), "Cortex-M0+", "gcc", 1_000_000,
    (LayerCost("conv", "QConv", 10, 100, 300),), 8, 16, 24, 32, 40, 2, None,
)  # fmt: skip
