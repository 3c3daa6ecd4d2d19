"""A CheckResult on the terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from mcugen.check import CheckResult
from mcugen.report.model_report import SCHEMA
from mcugen.report.onnx_text import onnx_json, onnx_lines


def check_json(result: CheckResult) -> dict[str, Any]:
    """The fixed keys of `check --json`."""
    return {
        "schema": SCHEMA,
        "bit_exact": result.bit_exact,
        "semantics_ok": result.semantics_ok,
        "samples": result.samples,
        "tensors_compared": result.tensors_compared,
        "mismatching_tensors": result.mismatching,
        "first_mismatch": result.first_mismatch,
        "fused_tensors": result.fused,
        "beyond_bound": [
            {
                "node": d.node,
                "tensor": d.tensor,
                "worst": d.worst,
                "differing": d.differing,
                "elements": d.elements,
            }
            for d in result.beyond
        ],
        "onnx_source": result.onnx.source,
        "onnx": onnx_json(result.onnx),
        "notices": list(result.notices),
    }


def _verdict(ok: bool) -> str:
    return "[green]yes[/green]" if ok else "[red]NO[/red]"


def print_check(result: CheckResult, console: Console) -> None:
    """What `mcugen check` prints."""
    total = result.tensors_compared
    console.print(f"bit-exact:  {_verdict(result.bit_exact)} ({total} tensors, every byte)")
    if result.first_mismatch:
        console.print(f"  first mismatch: {result.first_mismatch}", markup=False)
    integers = [d for d in result.distances.values() if not d.is_float]
    floats = [d for d in result.distances.values() if d.is_float]
    console.print(
        f"semantics:  {_verdict(result.semantics_ok)} ({len(integers)} integer and {len(floats)} "
        "float tensors within their bounds of the ONNX graph)"
        if result.semantics_ok
        else f"semantics:  {_verdict(False)}"
    )
    for d in result.beyond:
        console.print(
            f"  node '{d.node}', tensor '{d.tensor}': worst {d.worst:.3g}, "
            f"{d.differing} of {d.elements} differ",
            markup=False,
        )
    for line in (*onnx_lines(result.onnx), *(f"- {n}" for n in result.notices)):
        console.print(line, markup=False)
