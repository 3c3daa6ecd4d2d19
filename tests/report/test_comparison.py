"""Several runs beside each other."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mcugen.device.measurement import Accuracy, Measurement
from mcugen.errors import ModelError
from mcugen.report.comparison import comparison_document, comparison_json
from mcugen.report.document import Document, Section
from mcugen.report.document_text import document_markdown, print_document
from mcugen.report.html_page import html_page
from mcugen.report.json_text import json_text
from mcugen.report.mlperf_tiny import benchmark_of
from mcugen.report.pareto import pareto_front, planes
from mcugen.report.run import Run, measurement_file, read_runs
from measured import BOARD, MEASUREMENT, METER
from pages import read_page

HARDWARE = dataclasses.replace(
    MEASUREMENT,
    board=dataclasses.replace(BOARD, simulated=False, title="ESP32-S3 DevKitC-1"),
    meter=dataclasses.replace(METER, simulated=False, name="ina219", title="INA219"),
)


def scaled(
    title: str, factor: float, ram: int, correct: int, base: Measurement = HARDWARE
) -> Measurement:
    """A variant that takes `factor` times the time and the energy."""
    latency, power = base.latency, base.power
    assert latency is not None and power is not None
    return dataclasses.replace(
        base,
        title=title,
        latency=dataclasses.replace(
            latency, median_us=latency.median_us * factor, p99_us=latency.p99_us * factor
        ),
        power=dataclasses.replace(power, energy_j=power.energy_j * factor),
        windows=tuple(dataclasses.replace(w, seconds=w.seconds * factor) for w in base.windows),
        layers=tuple(dataclasses.replace(x, us=x.us * factor) for x in base.layers),
        accuracy=Accuracy(50, 50, correct, 50),
        arena_bytes=ram,
        board=dataclasses.replace(base.board, memory=title),
    )


VARIANTS = (
    HARDWARE,
    scaled("float32", 2.5, 221184, 44),
    scaled("fast kernels", 0.4, 70000, 43),
)

BENCH: dict[str, Any] = {
    "schema": 1, "model": "models/kws_dscnn.onnx", "board": "pico_w", "arithmetic": "tflite",
    "kernels": ["portable"], "cpu": "Cortex-M0+", "compiler": "zig cc", "clock_hz": 133_000_000,
    "cycles": 13_300_000, "instructions": 9_000_000, "macs": 2_656_768, "seconds": 0.1,
    "text_bytes": 6000, "rodata_bytes": 28000, "ram_bytes": 16000, "outputs_equal": True,
    "layers": [{"name": "/conv/Conv", "op": "QConv", "cycles": 13_300_000, "instructions": 9}],
    "compared": [],
}  # fmt: skip


def runs_of(folder: Path, *values: Measurement | dict[str, Any]) -> list[Run]:
    found: list[Run] = []
    for index, value in enumerate(values):
        path = folder / f"{index}.json"
        path.write_text(json_text(value.to_json() if isinstance(value, Measurement) else value))
        found += read_runs(path)
    return found


def section(document: Document, title: str) -> Section:
    return next(s for s in document.sections if s.title.startswith(title))


def table(document: Document, title: str) -> dict[str, tuple[str, ...]]:
    """First cell -> the others."""
    found = section(document, title).table
    assert found is not None
    return {row[0]: row[1:] for row in found.rows}


def test_figures_and_ratios_of_each_run(tmp_path: Path) -> None:
    document = comparison_document(runs_of(tmp_path, *VARIANTS))
    assert document.title == "3 runs compared" and document.banners == ()
    times = table(document, "Time and energy")
    assert times["2: float32"][:3] == ("215.8 ms", "220.2 ms", "84.47 mJ")
    against = table(document, "Against run 1: int8, SRAM")
    assert against["latency"] == ("x 2.50, 150 % slower", "x 0.40, 60 % faster")
    assert against["energy"] == ("x 2.50, 150 % more", "x 0.40, 60 % less")
    assert against["RAM"] == ("x 4.00, 300 % more", "x 1.27, 27 % more")
    assert against["accuracy"] == ("2.0 points higher", "the same")
    assert against["flash"] == ("the same", "the same")
    rest = table(document, "Correctness")
    assert [row[-1] for row in rest.values()] == ["RAM", "accuracy", "energy, RAM, accuracy"]
    assert [(f.label, f.value, f.note) for f in document.facts] == [
        ("Fastest", "34.52 ms", "3: fast kernels"),
        ("Least energy", "13.52 mJ", "3: fast kernels"),
        ("Least RAM", "55,296 B", "1: int8, SRAM"),
        ("Most accurate", "88.0 %", "2: float32"),
    ]


def test_what_differs_is_listed_and_what_does_not_is_not(tmp_path: Path) -> None:
    differs = table(comparison_document(runs_of(tmp_path, *VARIANTS)), "What differs")
    assert differs == {"memory": ("arena SRAM, weights flash", "float32", "fast kernels")}
    same = comparison_document(runs_of(tmp_path, HARDWARE, HARDWARE))
    assert section(same, "What differs").text == ("Nothing of the set-up that the runs tell.",)


def test_layers_before_and_after(tmp_path: Path) -> None:
    two = comparison_document(runs_of(tmp_path, *VARIANTS[:2]))
    layers = table(two, "Layer by layer")
    assert layers["/fc/Gemm"] == (
        "QFullyConnected", "11.30 ms", "28.25 ms", "x 2.50, 150 % slower",
    )  # fmt: skip
    bars = section(two, "Layer by layer").table
    assert bars is not None and bars.bars[0] == pytest.approx((0.4, 1.0))


def test_layers_of_some_runs_only_are_counted(tmp_path: Path) -> None:
    kept = (dataclasses.replace(VARIANTS[1].layers[1], op="Conv"), VARIANTS[1].layers[2])
    other = dataclasses.replace(VARIANTS[1], layers=kept)
    found = section(comparison_document(runs_of(tmp_path, HARDWARE, other)), "Layer by layer")
    assert found.text == ("1 layer is in some of the runs only, and not shown.",)
    assert found.table is not None
    assert [row[:2] for row in found.table.rows] == [
        ("/depthwise/Conv", "QConv / Conv"),
        ("/fc/Gemm", "QFullyConnected"),
    ]
    none = dataclasses.replace(other, layers=())
    titles = [s.title for s in comparison_document(runs_of(tmp_path, HARDWARE, none)).sections]
    assert "Layer by layer" not in titles


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ({0: (1.0, 1.0), 1: (2.0, 2.0)}, {0}),
        ({0: (1.0, 3.0), 1: (2.0, 2.0), 2: (3.0, 1.0), 3: (3.0, 3.0)}, {0, 1, 2}),
        ({0: (1.0, 1.0), 1: (1.0, 1.0)}, {0, 1}),
        ({0: (1.0, 2.0), 1: (1.0, 1.0)}, {1}),
        ({}, set()),
    ],
)
def test_pareto_front(points: dict[int, tuple[float, float]], front: set[int]) -> None:
    assert pareto_front(points) == front


def test_planes_are_of_costs_that_differ(tmp_path: Path) -> None:
    found = planes(runs_of(tmp_path, *VARIANTS))
    assert [(p.cost.name, set(p.front)) for p in found] == [
        ("energy", {2}),
        ("RAM", {0, 2}),
        ("accuracy", {1, 2}),
    ]
    assert planes(runs_of(tmp_path, HARDWARE, HARDWARE)) == []


def test_the_page_draws_each_front_and_needs_nothing_else(tmp_path: Path) -> None:
    html = html_page(comparison_document(runs_of(tmp_path, *VARIANTS)))
    page = read_page(html)
    assert page.tags.count("svg") == 3 and page.tags.count("circle") == 9
    assert "Latency and wrong answers" in page.text


def test_json_has_the_ratios_and_the_fronts(tmp_path: Path) -> None:
    found = json.loads(json_text(comparison_json(runs_of(tmp_path, *VARIANTS))))
    assert (found["schema"], found["kind"], found["simulated"]) == (1, "comparison", False)
    assert [r["title"] for r in found["runs"]] == ["int8, SRAM", "float32", "fast kernels"]
    assert found["runs"][1]["ratios"]["latency_s"] == pytest.approx(2.5)
    assert found["runs"][0]["ratios"]["energy_j"] == 1.0
    assert found["pareto"][0] == {"costs": ["latency", "energy"], "front": [2]}
    first = found["mlperf_tiny"][0]
    assert first["benchmark"] == "vww" and first["clock_mhz"] == 240
    assert first["energy_uj"] == pytest.approx(33790.0)
    assert first["throughput_inf_s"] == pytest.approx(116 / 10.014)
    assert first["processor"].startswith("ESP32-S3")


def test_mlperf_tinys_shape(tmp_path: Path) -> None:
    rows = table(comparison_document(runs_of(tmp_path, *VARIANTS)), "MLPerf")
    assert rows["vww"][0] == "ESP32-S3 DevKitC-1"
    assert rows["vww"][2:] == ("240 MHz", "mcugen, portable", "28.96", "13,516.0", "86.0 %")


@pytest.mark.parametrize(
    ("model", "short"),
    [("vww_mobilenetv1_qdq.onnx", "vww"), ("KWS-dscnn.onnx", "kws"), ("adder.onnx", None)],
)
def test_a_benchmark_is_a_word_of_the_models_name(model: str, short: str | None) -> None:
    assert benchmark_of(model) == short


def test_a_bench_is_an_emulated_run(tmp_path: Path) -> None:
    both = {**BENCH, "compared": [{**BENCH, "kernels": ["cmsis_nn"], "seconds": 0.05}]}
    document = comparison_document(runs_of(tmp_path, both))
    assert document.title == "2 runs compared (emulated)"
    assert document.banners[0].title == "Emulated"
    assert document.banners[0].text.startswith(
        "Runs 1, 2: Flash wait states and cache not modelled"
    )
    times = table(document, "Time and energy (emulated)")
    assert times == {
        "1: kws_dscnn, pico_w, portable": ("100.0 ms",),
        "2: kws_dscnn, pico_w, cmsis_nn": ("50.00 ms",),
    }
    assert table(document, "MLPerf")["kws"][0] == "pico_w, emulated Cortex-M0+"


def test_what_an_emulator_says_of_itself_is_passed_on(tmp_path: Path) -> None:
    (run,) = runs_of(tmp_path, {**BENCH, "caveat": "vectors are counted as one"})
    assert run.caution == (
        "Flash wait states and cache not modelled; no energy. vectors are counted as one."
    )


def test_a_core_without_cycles_has_no_time(tmp_path: Path) -> None:
    layers = [{**BENCH["layers"][0], "cycles": None}]
    (run,) = runs_of(tmp_path, {**BENCH, "cycles": None, "seconds": None, "layers": layers})
    assert run.latency_s is None and run.throughput is None and run.layers[0].seconds is None
    assert "Time and energy" in document_markdown(comparison_document([run]))


def test_mixed_sources_are_marked_run_by_run(tmp_path: Path) -> None:
    document = comparison_document(runs_of(tmp_path, HARDWARE, MEASUREMENT, BENCH))
    assert document.title == "3 runs compared (emulated, simulated)"
    assert [b.title for b in document.banners] == ["Simulated", "Emulated"]
    names = list(table(document, "Time and energy"))
    assert names == [
        "1: int8, SRAM",
        "2: int8, SRAM (simulated)",
        "3: kws_dscnn, pico_w, portable (emulated)",
    ]


def test_partial_runs_and_wrong_outputs_stand_at_the_top(tmp_path: Path) -> None:
    cut = dataclasses.replace(
        HARDWARE, title="cut", partial=True, error="the meter was unplugged", power=None,
        accuracy=Accuracy(5, 0, 0, 4),
    )  # fmt: skip
    document = comparison_document(runs_of(tmp_path, HARDWARE, cut))
    assert [b.text for b in document.banners] == [
        "Run 2, cut, ended early: the meter was unplugged.",
        "Run 2, cut: its figures are of other results than the host's.",
    ]
    assert table(document, "Time and energy")["2: cut"][2] == "-"


def test_a_terminal_of_80_columns_shows_every_figure(tmp_path: Path) -> None:
    console = Console(width=80, file=io.StringIO(), soft_wrap=True)
    print_document(comparison_document(runs_of(tmp_path, *VARIANTS)), console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for figure in ("215.8 ms", "84.47 mJ", "128.7 mA", "221,184 B", "x 0.40, 60 % faster"):
        assert figure in text
    tables = text.partition("Time and energy")[2]
    assert max(len(line) for line in tables.splitlines()) <= 80


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"schema": 1}, "must be the JSON of `mcugen measure` or `mcugen bench`"),
        ({**BENCH, "schema": 7}, "schema must be 1, got 7"),
        ({**BENCH, "compared": {}}, "compared must be a list"),
        ({**BENCH, "compared": [3]}, "compared[0] must be an object, got 3"),
        ({**BENCH, "ram_bytes": "16k"}, 'ram_bytes must be a whole number, got "16k"'),
        ({**BENCH, "layers": [{"name": "x"}]}, "the key 'layers[0].op' is missing"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, value: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ModelError) as raised:
        runs_of(tmp_path, value)
    assert wanted in raised.value.message and str(tmp_path) in raised.value.message


def test_a_folder_stands_for_its_run_and_a_project_names_its_runs(tmp_path: Path) -> None:
    run = tmp_path / "measurements" / "run-001"
    run.mkdir(parents=True)
    (run / "measurement.json").write_text("{}")
    assert measurement_file(run) == run / "measurement.json"
    assert measurement_file(run / "measurement.json") == run / "measurement.json"
    with pytest.raises(ModelError, match=r"holds no measurement\.json") as raised:
        measurement_file(tmp_path)
    assert raised.value.hint == f"its runs are {run}"
    with pytest.raises(ModelError) as raised:
        measurement_file(tmp_path / "measurements")
    assert raised.value.hint == "`mcugen measure` makes one"
