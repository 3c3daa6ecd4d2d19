"""What `mcugen bench` prints, on terminals of any width."""

from __future__ import annotations

import io

from rich.console import Console

from mcugen.emulate.result import BenchResult, LayerCost
from mcugen.report.bench_text import print_bench, print_comparison

NAME = "/encoder/layers/0/self_attention/query/MatMul_quantized"


def result(kernels: str) -> BenchResult:
    layers = (LayerCost(NAME, "QFullyConnected", 1_234_567, 23_456_789, 12_345_678),)
    return BenchResult(
        model="model.onnx",
        board="pico_w",
        arithmetic="tflite",
        kernels=(kernels,),
        cpu="Cortex-M0+",
        compiler="a compiler",
        clock_hz=133_000_000,
        layers=layers,
        stack_bytes=1600,
        stack_bound_bytes=2000,
        text_bytes=1000,
        rodata_bytes=2000,
        ram_bytes=3000,
        tensors_compared=1,
        first_mismatch=None,
    )


def printed(width: int) -> str:
    console = Console(width=width, file=io.StringIO(), soft_wrap=True)
    print_bench(result("portable"), console)
    print_comparison([result("portable"), result("cmsis_nn")], console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_narrow_terminal_shortens_names_and_no_number() -> None:
    text = printed(80)
    for number in ("1,234,567", "12,345,678", "100.0%", "1.00"):
        assert number in text
    assert "QFullyConnected" in text
    assert NAME not in text
    table = text.partition("processor")[0]
    assert max(len(line) for line in table.splitlines()) <= 80


def test_a_wide_terminal_shows_everything() -> None:
    text = printed(160)
    assert NAME[-30:] in text and "23,456,789 " in text.partition("processor")[0]
