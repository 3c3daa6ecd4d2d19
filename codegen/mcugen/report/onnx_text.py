"""The distance to ONNX as JSON and as lines."""

from __future__ import annotations

from typing import Any

from mcugen.distance import OnnxDistance, OutputDistance


def onnx_json(onnx: OnnxDistance) -> dict[str, Any] | None:
    """Output -> distance; None when nothing was there to compare with."""
    return {
        name: {
            "max_abs": d.max_abs,
            "max_lsb": d.max_lsb,
            "max_rel": d.max_relative,
            "differing_share": d.differing_share,
            "argmax_agreement": d.argmax_agreement,
        }
        for name, d in onnx.outputs.items()
    } or None


def onnx_lines(onnx: OnnxDistance) -> list[str]:
    """One line per output; the first word says what it was compared with."""
    return [f"{onnx.source}: '{n}' {_distance_text(d)}" for n, d in onnx.outputs.items()]


def _distance_text(out: OutputDistance) -> str:
    parts = [f"max |d| {out.max_abs:.3g}"]
    if out.max_lsb is not None:
        parts = [f"max {out.max_lsb} LSB"]
    parts.append(f"{100 * out.differing_share:.2f} % of elements differ")
    if out.argmax_agreement is not None:
        parts.append(f"argmax agrees on {100 * out.argmax_agreement:.0f} %")
    return ", ".join(parts)
