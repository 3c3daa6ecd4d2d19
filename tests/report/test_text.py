"""The report as a terminal table and as Markdown."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest
from rich.console import Console

from mcugen import api
from mcugen.report.model_report import ModelReport
from mcugen.report.text import markdown, print_report, remarks, short_name


@pytest.fixture(scope="module")
def report(examples_dir: Path) -> ModelReport:
    return api.compile(
        examples_dir / "digits" / "digits_int8.onnx", board="pico_w", kernels="portable"
    ).report()


def test_short_names_keep_the_end() -> None:
    assert short_name("/conv1/Conv") == "/conv1/Conv"
    assert short_name("/conv1/Conv + /relu/Relu") == "/conv1/Conv (+1)"
    long = "a" * 50 + "/last"
    assert short_name(long, 20) == "...aaaaaaaaaaaa/last"
    assert len(short_name(f"{long} + x + y", 20)) == 20
    assert short_name(f"{long} + x + y", 20).endswith("/last (+2)")


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_line_of_the_table_is_wider_than_the_terminal(report: ModelReport, width: int) -> None:
    text = io.StringIO()
    print_report(report, Console(file=text, width=width))
    lines = text.getvalue().splitlines()
    assert max(len(line) for line in lines) <= width
    assert lines[0].split()[:2] == (["node", "op"] if width >= 110 else ["node", "kernel"])
    assert len(lines[1 : lines.index("")]) == len(report.nodes)
    assert "…" not in text.getvalue(), "nothing is cut but the names"
    assert f"arena       {report.arena_bytes:,} bytes (optimal" in text.getvalue()


def test_markdown_has_every_node_and_the_arena(report: ModelReport) -> None:
    text = markdown(report)
    assert text.count(" portable |") == len(report.nodes)
    assert report.arena_map.splitlines()[0] in text
    assert "Distance to ONNX" not in text, "nothing was compared"


def test_json_of_a_report(report: ModelReport) -> None:
    found = report.to_json()
    assert found["schema"] == 1
    assert found["macs"] == sum(n["macs"] for n in found["nodes"]) > 0
    assert found["flash_source"] in ("measured", "estimated")
    assert found["weights_bytes"] < found["flash_bytes"]


def test_refusals_for_one_reason_are_one_remark(report: ModelReport) -> None:
    rows = [dataclasses.replace(r, refused={"cmsis_nn": "why"}) for r in report.nodes[:3]]
    other = dataclasses.replace(report.nodes[3], refused={"cmsis_nn": "because"})
    found = remarks(dataclasses.replace(report, nodes=(*rows, other), notices=()))
    names = ", ".join(f"{r.op} '{short_name(r.name)}'" for r in rows)
    assert found == [
        f"cmsis_nn refused 3 nodes: why: {names}",
        f"{other.op} '{short_name(other.name)}': cmsis_nn refused: because",
    ]
