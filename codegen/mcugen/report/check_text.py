"""A CheckResult on the terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from mcugen.check import CheckResult
from mcugen.report.model_report import SCHEMA


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
        "onnx_source": result.onnx_source,
        "onnx": {
            name: {
                "max_abs": d.max_abs,
                "max_lsb": d.max_lsb,
                "max_rel": d.max_relative,
                "differing_share": d.differing_share,
                "argmax_agreement": d.argmax_agreement,
            }
            for name, d in result.onnx.items()
        }
        or None,
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
    for name, out in result.onnx.items():
        console.print(f"{result.onnx_source}: '{name}' {_distance_text(out)}", markup=False)


def _distance_text(out: Any) -> str:
    parts = [f"max |d| {out.max_abs:.3g}"]
    if out.max_lsb is not None:
        parts = [f"max {out.max_lsb} LSB"]
    parts.append(f"{100 * out.differing_share:.2f} % of elements differ")
    if out.argmax_agreement is not None:
        parts.append(f"argmax agrees on {100 * out.argmax_agreement:.0f} %")
    return ", ".join(parts)
