"""The report of one run, in all its forms."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from mcugen.device.measurement import Accuracy, Measurement
from mcugen.errors import ModelError, UsageError
from mcugen.report.document import Document
from mcugen.report.document_text import document_markdown, print_document
from mcugen.report.html_page import html_page
from mcugen.report.measurement_document import measurement_document
from mcugen.report.measurement_json import measurement_of
from mcugen.report.measurement_report import write_reports
from mcugen.report.raw_data import RawData, read_raw
from measured import BOARD, MEASUREMENT, METER, write_run
from pages import read_page

GOLDEN = Path(__file__).parent / "golden"

FIGURES = (
    "86.30 ms", "88.10 ms", "88.15 ms", "410 µs", "11.58 inf/s", "33.79 mJ", "31.21 mJ",
    "128.7 mA", "391.3 mW", "29.40 mW", "86.0 %", "43 of 50", "50 of 50", "55,296 B", "84,218 B",
    "12,240,000", "19.90 mJ", "59.1 %", "240 MHz", "gcc 12.2.0", "-O2 -ffp-contract=off",
    "3.3 V bench", "100 µA", "ab" * 32, "2026-01-31 12:00:00",
)  # fmt: skip

HARDWARE = dataclasses.replace(
    MEASUREMENT,
    board=dataclasses.replace(BOARD, simulated=False, title="ESP32-S3 DevKitC-1", port="COM3"),
    meter=dataclasses.replace(METER, simulated=False, name="ina219", title="INA219", notes=()),
)


def terminal(document: Document, width: int = 120) -> str:
    console = Console(width=width, file=io.StringIO(), soft_wrap=True)
    print_document(document, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def forms(measurement: Measurement, raw: RawData | None = None) -> dict[str, str]:
    """Markdown, terminal and page (its visible text) of a measurement."""
    document = measurement_document(measurement, raw or RawData())
    page = read_page(html_page(document)).text
    return {"md": document_markdown(document), "terminal": terminal(document), "html": page}


def test_the_files_are_as_recorded(
    tmp_path: Path, check_golden: Callable[[Path, str], None]
) -> None:
    folder = write_run(tmp_path / "run-001")
    write_reports(folder)
    for name in ("REPORT.md", "report.html"):
        check_golden(GOLDEN / name, (folder / name).read_text(encoding="utf-8"))
    assert sorted(p.name for p in folder.iterdir()) == [
        "REPORT.md", "latency.csv", "measurement.json", "report.html", "trace.csv",
    ]  # fmt: skip


def test_the_page_needs_nothing_else_and_draws_the_raw_data(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    write_reports(folder)
    page = read_page((folder / "report.html").read_text(encoding="utf-8"))
    assert page.tags.count("svg") == 2
    assert "Histogram of 100 single inferences (simulated)" in page.text
    assert "10 marks for 5 windows" in page.text


@pytest.mark.parametrize("form", ["md", "terminal", "html"])
@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_of_the_json_is_in_every_form(form: str, figure: str) -> None:
    text = forms(MEASUREMENT)[form]
    assert figure in text.replace("\\", "")


@pytest.mark.parametrize("form", ["md", "terminal", "html"])
def test_what_is_simulated_says_so_at_the_top_and_in_every_title_of_figures(form: str) -> None:
    text = forms(MEASUREMENT)[form]
    assert "Neither the board" in text and "no figure here was measured" in text
    for title in ("int8, SRAM", "Windows", "Layers"):
        assert f"{title} (simulated)" in text
    assert "simulated" not in forms(HARDWARE)[form].lower()


def test_a_simulated_meter_on_a_real_board() -> None:
    mixed = dataclasses.replace(HARDWARE, meter=METER)
    for text in forms(mixed).values():
        assert "The meter (simulated meter) invents currents and energy" in text


def test_a_real_meter_at_a_simulated_board() -> None:
    mixed = dataclasses.replace(HARDWARE, board=BOARD)
    for text in forms(mixed).values():
        assert "The board (ESP32-S3 DevKitC-1 (simulated)) is not real" in text


def test_a_partial_run_says_so_first_and_shows_what_it_has() -> None:
    windows = tuple(
        dataclasses.replace(w, energy_j=None, net_energy_j=None) for w in HARDWARE.windows[:2]
    )
    cut = dataclasses.replace(
        HARDWARE, windows=windows, latency=None, layers=(), power=None, meter=None,
        accuracy=None, selftest="", partial=True, error="the port vanished in window 3",
    )  # fmt: skip
    for text in forms(cut).values():
        assert "ended early: the port vanished in window 3" in text
        assert "86.29 ms" in text and "Latency" not in text and "energy each" not in text
        assert text.index("ended early") < text.index("Throughput")
    nothing = dataclasses.replace(cut, windows=(), error="")
    for form in ("md", "html"):
        assert "The run ended before its first window." in forms(nothing)[form]
        assert "ended early: no reason is given" in forms(nothing)[form]


def test_wrong_results_are_not_passed_over() -> None:
    wrong = dataclasses.replace(
        HARDWARE, selftest="fail", accuracy=Accuracy(50, 0, 0, 49, "sample 3, output 0, byte 17")
    )
    for text in forms(wrong).values():
        assert "Self-test failed" in text
        assert "1 of 50 samples differ from the host's outputs; first: sample 3" in text
        assert "49 of 50 samples, every byte" in text
        assert "Accuracy on the board" not in text


def test_a_short_run_says_what_mlperf_asks_for() -> None:
    assert "MLPerf Tiny asks" not in forms(HARDWARE)["md"]
    few = dataclasses.replace(HARDWARE, windows=HARDWARE.windows[:3])
    assert "at least 10 s; this run has 3." in forms(few)["md"]
    short = tuple(dataclasses.replace(w, seconds=2.0) for w in HARDWARE.windows)
    assert (
        "5 of this run's 5 are shorter."
        in forms(dataclasses.replace(HARDWARE, windows=short))["md"]
    )


def test_raw_data_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    (folder / "trace.csv").unlink()
    write_reports(folder)
    text = (folder / "REPORT.md").read_text(encoding="utf-8")
    assert "| trace | trace.csv | not beside the JSON: not shown here |" in text
    assert read_page((folder / "report.html").read_text(encoding="utf-8")).tags.count("svg") == 1


def test_missing_marks_are_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    path = folder / "trace.csv"
    path.write_text(path.read_text().replace(",1\n", ",0\n", 1))
    write_reports(folder)
    text = (folder / "REPORT.md").read_text(encoding="utf-8")
    assert "9 marks for 5 windows. Each window needs two" in text


HOSTILE = "</title><script>alert(1)</script>\"'&|`*[x](y)"


def test_names_from_models_and_files_are_text_in_every_form() -> None:
    layers = tuple(dataclasses.replace(x, name=HOSTILE, op=HOSTILE) for x in MEASUREMENT.layers)
    hostile = dataclasses.replace(
        MEASUREMENT, title=HOSTILE, model=HOSTILE, layers=layers, error=HOSTILE, partial=True,
        conditions={HOSTILE: HOSTILE}, files={"trace": "x<b>.csv"},
        board=dataclasses.replace(BOARD, title=HOSTILE, flags="[bold]x[/bold]"),
    )  # fmt: skip
    document = measurement_document(hostile, RawData())
    html = html_page(document)
    assert "<script" not in html and "alert(1)" in read_page(html).text
    markdown = document_markdown(document)
    assert "<script" not in markdown and "](y)" not in markdown.replace("\\]", "")
    assert "[bold]x[/bold]" in terminal(document)
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") in (3, 4, 7), line


def test_a_damaged_file_leaves_earlier_reports_as_they_were(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    write_reports(folder)
    before = {p.name: p.read_bytes() for p in folder.iterdir() if p.name.startswith(("R", "r"))}
    (folder / "latency.csv").write_text("us\nx\n")
    with pytest.raises(ModelError, match=r"latency\.csv"):
        write_reports(folder)
    assert before == {
        p.name: p.read_bytes() for p in folder.iterdir() if p.name.startswith(("R", "r"))
    }


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    (folder / "REPORT.md").mkdir()
    with pytest.raises(UsageError, match=r"REPORT\.md cannot be written"):
        write_reports(folder)
    assert not [p for p in folder.iterdir() if p.name.startswith(".REPORT")]


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value of a JSON object, containers included."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, key))


STRANGE = (None, True, 0, -1, 1e-30, 1e30, 10**400, 0.5, "", "x" * 5000, "\n|\x00<", [], {}, [None])


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: repr(value)[:12])
def test_any_value_in_any_place_is_reported_or_refused(tmp_path: Path, strange: Any) -> None:
    small = dataclasses.replace(
        MEASUREMENT, windows=MEASUREMENT.windows[:1], layers=MEASUREMENT.layers[:1]
    )
    folder = write_run(tmp_path, small)
    raw = read_raw(folder, small)
    original = json.loads((folder / "measurement.json").read_text())
    reported = 0
    for way in leaves(original):
        value = json.loads(json.dumps(original))
        inner = value
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = strange
        try:
            found = measurement_of(value, folder / "measurement.json")
        except ModelError as error:
            assert "measurement.json" in error.message
            continue
        reported += 1
        document = measurement_document(found, raw)
        read_page(html_page(document))
        assert document_markdown(document).startswith("# ") and terminal(document)
    assert reported < sum(1 for _ in leaves(original))
