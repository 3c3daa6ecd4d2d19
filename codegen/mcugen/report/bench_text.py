"""Results of `mcugen bench` on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mcugen.emulate.boot import BootResult
from mcugen.emulate.result import BenchResult, LayerCost
from mcugen.report.model_report import SCHEMA
from mcugen.report.text import short_name, shorten_names

_BOTH_UNITS = 100
"""Characters of a terminal that has room for instructions beside cycles."""

CAVEAT = "emulated, flash wait states and cache not modelled"


def bench_json(results: Sequence[BenchResult], boots: Sequence[BootResult] = ()) -> dict[str, Any]:
    """The fixed keys of `bench --json`, of the first result; the others stand in `compared`.

    Args:
        results: at least one.
        boots: one for each result; none without `--boot`.
    """
    first, *others = (
        {**_result_json(result), "boot": _boot_json(boots[index]) if boots else None}
        for index, result in enumerate(results)
    )
    return {"schema": SCHEMA, **first, "compared": others}


def _boot_json(boot: BootResult) -> dict[str, Any]:
    return {
        "board": boot.board,
        "emulator": boot.emulator,
        "passed": boot.passed,
        "text": list(boot.lines),
    }


def print_boot(boot: BootResult, console: Console) -> None:
    """What a booted board printed."""
    console.print(f"\n[bold]{boot.board} booted in {boot.emulator}, simulated[/bold]")
    for line in boot.lines:
        style = "" if boot.passed else "red"
        console.print(f"  {line}", style=style, markup=False, highlight=False)


def _result_json(result: BenchResult) -> dict[str, Any]:
    return {
        "model": result.model,
        "board": result.board,
        "arithmetic": result.arithmetic,
        "kernels": list(result.kernels),
        "cpu": result.cpu,
        "compiler": result.compiler,
        "clock_hz": result.clock_hz,
        "cycles": result.cycles,
        "instructions": result.instructions,
        "macs": result.macs,
        "seconds": result.seconds,
        "seconds_source": None if result.seconds is None else CAVEAT,
        "stack_bytes": result.stack_bytes,
        "stack_bound_bytes": result.stack_bound_bytes,
        "text_bytes": result.text_bytes,
        "rodata_bytes": result.rodata_bytes,
        "ram_bytes": result.ram_bytes,
        "layers": [_layer_json(layer) for layer in result.layers],
        "outputs_equal": result.outputs_equal,
        "tensors_compared": result.tensors_compared,
        "first_mismatch": result.first_mismatch,
        "caveat": result.caveat or None,
    }


def _layer_json(layer: LayerCost) -> dict[str, Any]:
    return {
        "name": layer.name,
        "op": layer.op,
        "cycles": layer.cycles,
        "instructions": layer.instructions,
        "macs": layer.macs,
    }


def print_bench(result: BenchResult, console: Console) -> None:
    """What `mcugen bench` prints of one result."""
    table = _table(result, console.width)
    shorten_names(table, console.width)
    console.print(table)
    console.print()
    for label, value in _summary(result):
        console.print(f"[bold]{label:<12}[/bold] {escape(value)}")
    if result.first_mismatch:
        console.print(f"[red]first mismatch[/red]: {escape(result.first_mismatch)}")


def _unit(result: BenchResult) -> str:
    return "instructions" if result.cycles is None else "cycles"


def _cost(layer: LayerCost) -> int:
    return layer.instructions if layer.cycles is None else layer.cycles


def _table(result: BenchResult, width: int) -> Table:
    """The layers; a narrow terminal shows cycles in place of instructions."""
    unit = _unit(result)
    units = ["instructions"] if unit == "instructions" or width >= _BOTH_UNITS else []
    units += ["cycles"] if unit == "cycles" else []
    columns = ["layer", "op", "MACs", *units, f"{unit}/MAC", "share"]
    table = Table(box=None, header_style="bold")
    for column in columns:
        side = "left" if column in ("layer", "op") else "right"
        table.add_column(column, justify=side, no_wrap=True)  # type: ignore[arg-type]
    whole = sum(_cost(layer) for layer in result.layers) or 1
    for layer in result.layers:
        each = f"{_cost(layer) / layer.macs:.2f}" if layer.macs else "-"
        row = [short_name(layer.name), layer.op, f"{layer.macs:,}"]
        row += [f"{getattr(layer, name):,}" for name in units]
        table.add_row(*(escape(c) for c in (*row, each, f"{_cost(layer) / whole:.1%}")))
    return table


def _summary(result: BenchResult) -> list[tuple[str, str]]:
    bound = result.stack_bound_bytes
    stated = "" if bound is None else f" ({bound:,} stated in reports, computed by zig)"
    rows = [
        ("processor", f"{result.cpu} of {result.board}"),
        *([("what it is", result.caveat)] if result.caveat else []),
        ("compiler", result.compiler),
        ("kernels", ", ".join(result.kernels)),
        ("instructions", f"{result.instructions:,}"),
    ]
    if result.cycles is not None and result.seconds is not None:
        per_mac = f", {result.cycles / result.macs:.2f} per MAC" if result.macs else ""
        rows += [
            ("cycles", f"{result.cycles:,}{per_mac}"),
            ("time", f"{1e3 * result.seconds:,.2f} ms at {result.clock_hz / 1e6:g} MHz: {CAVEAT}"),
        ]
    return [
        *rows,
        ("stack", f"{result.stack_bytes:,} bytes{stated}"),
        ("code", f"{result.text_bytes:,} bytes, constants {result.rodata_bytes:,}"),
        ("RAM", f"{result.ram_bytes:,} bytes of static variables"),
        ("bytes equal", f"{_verdict(result)} ({result.tensors_compared} tensors)"),
    ]


def _verdict(result: BenchResult) -> str:
    return "yes" if result.outputs_equal else "NO"


def print_comparison(results: Sequence[BenchResult], console: Console) -> None:
    """The same model with other kernels side by side, each against the first."""
    first, *others = results
    table = Table(box=None, header_style="bold", title=f"{_unit(first)} by kernel library")
    table.add_column("layer", no_wrap=True)
    table.add_column(_label(first), justify="right")
    for other in others:
        table.add_column(_label(other), justify="right")
        table.add_column("ratio", justify="right")
    rows = {r: {layer.name: _cost(layer) for layer in r.layers} for r in results}
    for name, cost in rows[first].items():
        table.add_row(
            escape(short_name(name)),
            f"{cost:,}",
            *_against(cost, [rows[o].get(name) for o in others]),
        )
    totals = [sum(_cost(layer) for layer in r.layers) for r in results]
    table.add_row("total", f"{totals[0]:,}", *_against(totals[0], totals[1:]), style="bold")
    shorten_names(table, console.width)
    console.print(table)


def _label(result: BenchResult) -> str:
    return " + ".join(result.kernels)


def _against(base: int, costs: Sequence[int | None]) -> list[str]:
    cells: list[str] = []
    for cost in costs:
        cells += ["-", "-"] if cost is None else [f"{cost:,}", f"{cost / max(base, 1):.2f}"]
    return cells
