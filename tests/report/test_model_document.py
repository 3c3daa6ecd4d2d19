"""report.html of an exported project."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from mcugen import api
from mcugen.distance import distance_to_onnx
from mcugen.plan.arena_blocks import ArenaBlock
from mcugen.report.arena_chart import arena_chart
from mcugen.report.html_page import html_page
from mcugen.report.model_document import model_document
from mcugen.report.model_report import Fit, ModelReport
from mcugen.targets import load_target
from pages import Page, read_page


@pytest.fixture(scope="module")
def model(examples_dir: Path) -> api.Model:
    digits = examples_dir / "digits" / "digits_int8.onnx"
    return api.compile(digits, board="nucleo_f446", kernels="cmsis_nn")


@pytest.fixture(scope="module")
def report(model: api.Model) -> ModelReport:
    distance = distance_to_onnx(model.compiled, model.samples(None, 3))
    return dataclasses.replace(model.report(model.selftest()), model="m.onnx", onnx=distance)


def page(model: api.Model, report: ModelReport) -> Page:
    return read_page(html_page(model_document(report, model.compiled, model.target)))


def test_every_figure_of_the_report_is_on_the_page(model: api.Model, report: ModelReport) -> None:
    text = page(model, report).text
    sizes = (
        report.arena_bytes, report.flash_bytes, report.footprint.selftest_bytes,
        report.application.ram_bytes, report.fit.ram_margin_bytes, report.fit.flash_margin_bytes,
    )  # fmt: skip
    for value in sizes:
        assert f"{value:,} B" in text
    for value in (report.macs, report.weights_bytes, *(r.macs for r in report.nodes if r.macs)):
        assert f"{value:,}" in text
    for row in report.nodes:
        assert row.op in text and row.kernel in text
        for reason in row.refused.values():
            assert reason in text
    assert "It fits" in text and "the lower bound is met" in text
    for name in report.onnx.outputs:
        assert name in text


def test_the_parts_of_each_memory_are_the_whole(model: api.Model, report: ModelReport) -> None:
    document = model_document(report, model.compiled, model.target)
    table = next(s.table for s in document.sections if s.title == "Memory")
    assert table is not None
    for memory, whole in (("RAM", model.target.ram_bytes), ("flash", model.target.flash_bytes)):
        parts = [int(re.sub(r"\D", "", row[2])) for row in table.rows if row[0] == memory]
        assert sum(parts) == whole


def test_weights_by_layer_are_those_of_the_model(model: api.Model, report: ModelReport) -> None:
    document = model_document(report, model.compiled, model.target)
    table = next(s.table for s in document.sections if s.title == "Layers")
    assert table is not None
    column = table.titles.index("weights")
    weights = [int(re.sub(r"\D", "", row[column]) or 0) for row in table.rows]
    assert sum(weights) == report.weights_bytes


def test_every_buffer_is_drawn_and_listed(model: api.Model, report: ModelReport) -> None:
    document = model_document(report, model.compiled, model.target)
    arena = next(s for s in document.sections if s.title == "Arena")
    assert arena.table is not None
    drawn = [e for e in arena.drawings[0].elements if e.tag == "rect"]
    scratch = sum(1 for row in report.nodes if row.scratch_bytes)
    assert len(drawn) == len(arena.table.rows) + scratch
    assert all("bytes" in e.tip for e in drawn)


@pytest.mark.parametrize(
    ("layers", "wanted"),
    [
        (1, ["in", "0", "out"]),
        (3, ["in", "0", "1", "2", "out"]),
        (8, ["in", "0", "2", "4", "6", "out"]),
        (30, ["in", "10", "20", "out"]),
        (31, ["in", "10", "20", "out"]),
    ],
)
def test_columns_are_numbered_between_in_and_out(layers: int, wanted: list[str]) -> None:
    chart = arena_chart((), layers, 1000, 1000)
    ticks = [e for e in chart.elements if e.tag == "text" and e.text in {*wanted, str(layers)}]
    middle = [e for e in ticks if ("text-anchor", "middle") in e.attributes]
    assert [e.text for e in middle] == wanted


def test_what_does_not_fit_is_said_first(model: api.Model, report: ModelReport) -> None:
    fit = Fit(False, -100, 5, ("RAM: 100 bytes too many",))
    text = page(model, dataclasses.replace(report, fit=fit)).text
    assert "It does not fit RAM: 100 bytes too many." in text
    assert text.index("does not fit") < text.index("Multiply-accumulates")
    assert "-100 B" in text


def test_a_stack_that_is_unknown(model: api.Model, report: ModelReport) -> None:
    footprint = dataclasses.replace(report.footprint, stack_bytes=None)
    text = page(model, dataclasses.replace(report, footprint=footprint)).text
    assert "Stack unknown" in text and " stack " not in text


def test_the_same_model_gives_the_same_bytes_without_date_or_path(
    examples_dir: Path, tmp_path: Path
) -> None:
    digits = examples_dir / "digits" / "digits_int8.onnx"
    texts = []
    for name in ("a", "b"):
        model = api.compile(digits, board="nucleo_f446")
        done = model.export(tmp_path / name, inputs=examples_dir / "digits" / "digits_int8.npz")
        texts.append((done.directory / "report.html").read_bytes())
    assert texts[0] == texts[1]
    assert str(examples_dir).encode() not in texts[0] and b"digits_int8.onnx" in texts[0]
    read_page(texts[0].decode())


def test_the_library_has_the_page_too(examples_dir: Path, tmp_path: Path) -> None:
    model = api.compile(examples_dir / "digits" / "digits_int8.onnx", board="pico_w")
    done = model.export(tmp_path / "lib", emit="lib")
    read_page((done.directory / "report.html").read_text(encoding="utf-8"))


def test_hostile_names_are_text(model: api.Model, report: ModelReport) -> None:
    name = "</title><script>alert(1)</script>\"'"
    nodes = tuple(dataclasses.replace(r, name=name, refused={"esp_nn": name}) for r in report.nodes)
    hostile = dataclasses.replace(report, nodes=nodes, model=name, prefix=name, notices=(name,))
    html = html_page(model_document(hostile, model.compiled, load_target("pico_w")))
    assert "<script" not in html and "alert(1)" in read_page(html).text
    block = ArenaBlock(name, 0, 1000, 0, 2)
    chart = arena_chart((block,), 2, 1000, 1000)
    section = dataclasses.replace(
        model_document(report, model.compiled, model.target).sections[1], drawings=(chart,)
    )
    document = model_document(report, model.compiled, model.target)
    html = html_page(dataclasses.replace(document, sections=(section,)))
    assert "<script" not in html and "alert(1)" in read_page(html).text
