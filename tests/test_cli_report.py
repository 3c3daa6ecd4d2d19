"""`mcugen report` as a user runs it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from commandline import Run, runner
from measured import MEASUREMENT, write_run
from pages import read_page


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("a", "b")` -> (exit code, standard output, standard error) of `mcugen report`."""
    return runner(monkeypatch, capsys, "report", columns=120)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    other = dataclasses.replace(MEASUREMENT, title="float32", arena_bytes=221184)
    return write_run(tmp_path / "a"), write_run(tmp_path / "b", other)


def test_one_run_is_shown_and_its_folder_left_alone(run: Run, runs: tuple[Path, Path]) -> None:
    before = sorted(p.name for p in runs[0].iterdir())
    code, out, _ = run(runs[0])
    assert code == 0
    assert out.startswith("int8, SRAM (simulated)\n") and "86.30 ms" in out
    assert sorted(p.name for p in runs[0].iterdir()) == before


def test_several_are_compared_and_written_whole(
    run: Run, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    target, figures = tmp_path / "out", tmp_path / "figures.json"
    code, out, _ = run(*runs, "-o", target, "--json", figures)
    assert code == 0 and out == f"written: {target}\n"
    names = [".mcugen_report.json", "REPORT.md", "report.html", "report.json"]
    assert sorted(p.name for p in target.iterdir()) == names
    page = read_page((target / "report.html").read_text(encoding="utf-8"))
    assert "x 4.00, 300 % more" in page.text and "(simulated)" in page.text
    assert json.loads(figures.read_text()) == json.loads((target / "report.json").read_text())
    code, _, err = run(*runs, "-o", target)
    assert code == 2 and "exists" in err and "--force" in err
    assert run(runs[0], "-o", target, "--force", "--format", "html")[0] == 0
    assert sorted(p.name for p in target.iterdir()) == [".mcugen_report.json", "report.html"]


def test_a_folder_of_something_else_is_not_replaced_even_by_force(
    run: Run, runs: tuple[Path, Path]
) -> None:
    code, _, err = run(*runs, "-o", runs[0], "--force")
    assert code == 2 and "was not written by mcugen" in err
    assert (runs[0] / "measurement.json").is_file()


@pytest.mark.parametrize(
    ("form", "start"), [("md", "# int8"), ("html", "<!DOCTYPE"), ("json", "{")]
)
def test_a_format_is_printed(run: Run, runs: tuple[Path, Path], form: str, start: str) -> None:
    code, out, _ = run(runs[0], "--format", form)
    assert code == 0 and out.startswith(start) and "simulated" in out


@pytest.mark.parametrize(
    ("arguments", "code", "wanted"),
    [
        (["--format", "pdf"], 2, "--format must be one of md, html, json, got 'pdf'"),
        (["--format", "pdf", "-o", "x"], 2, "--format must be one of md, html, json"),
        (["--format", "md", "--format", "html"], 2, "several are written with -o DIR"),
        (["--json", "no/such/folder.json"], 2, "there is no folder no/such"),
    ],
)
def test_usage_errors(
    run: Run,
    runs: tuple[Path, Path],
    arguments: list[str],
    code: int,
    wanted: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(runs[0].parent)
    found, _, err = run(runs[0], *arguments)
    assert found == code and wanted in err
    assert not (runs[0].parent / "x").exists()


def test_files_that_are_wrong(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    code, _, err = run(tmp_path / "none.json")
    assert code == 1 and "none.json cannot be read: No such file" in err
    code, _, err = run(tmp_path)
    assert code == 1 and "holds no measurement.json" in err and "hint: `mcugen measure`" in err
    (runs[1] / "measurement.json").write_text('{"kind": "measurement", "schema": 9}')
    code, out, err = run(*runs)
    assert code == 1 and out == "" and "schema must be 1, got 9" in err
