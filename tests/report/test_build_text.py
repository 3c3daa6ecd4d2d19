"""A build on the terminal and as JSON."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from device.folders import exported
from mcugen.device.build import Built
from mcugen.device.output_filter import Kind, Seen
from mcugen.device.sizes import MemoryUse
from mcugen.report.build_text import BuildView, build_json, print_built

LINES = (
    Seen(Kind.NOISE, "noise"),
    Seen(Kind.STAGE, "Compiling a", "compiling a (1)"),
    Seen(Kind.NOTE, "Tool Manager: Installing gcc", "installing gcc"),
    Seen(Kind.WARNING, "src/a.c:1: warning: [x]"),
    Seen(Kind.ERROR, "src/a.c:2: error: [red]"),
)


def shown(verbose: bool, terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, soft_wrap=True)
    with BuildView(console, "building for [x]", verbose=verbose) as view:
        for line in LINES:
            view(line)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_matters_is_shown() -> None:
    assert shown(verbose=False, terminal=False).splitlines() == [
        "installing gcc", "src/a.c:1: warning: [x]", "src/a.c:2: error: [red]",
    ]  # fmt: skip


def test_verbose_shows_every_line() -> None:
    assert shown(verbose=True, terminal=False).splitlines() == [line.text for line in LINES]


def test_a_terminal_shows_a_state() -> None:
    text = shown(verbose=False, terminal=True)
    assert "\u280b" in text and "src/a.c:2: error: [red]" in text
    assert "\u280b" not in shown(verbose=True, terminal=True)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    sizes = (
        MemoryUse("RAM", 90_000, 262_144, 2_000, 70_000),
        MemoryUse("flash", 161_232, 2_097_152, 30_500, 393_216),
    )
    return Built(exported(tmp_path), sizes, 1.23456, tmp_path / "build.log", "/dev/ttyACM0")


def test_sizes_against_the_plan(built: Built) -> None:
    console = Console(file=io.StringIO(), width=160)
    print_built(built, console)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[1].split() == ["RAM", "90,000", "34.3%", "72,000", "+18,000", "2,000", "70,000"]
    assert lines[2].split() == [
        "flash", "161,232", "7.7%", "423,716", "-262,484", "30,500", "393,216",
    ]  # fmt: skip
    assert "stack takes up to 700 bytes more" in lines[3]
    assert lines[4].startswith("warning: RAM: firmware without the model takes 88,000 bytes")
    assert lines[-1] == f"log: {built.log}"


def test_without_a_plan_there_is_nothing_to_compare_with(built: Built) -> None:
    console = Console(file=io.StringIO(), width=160)
    sizes = (MemoryUse("RAM", 90_000, 0),)
    print_built(Built(built.project, sizes, 1, built.log), console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[1].split() == ["RAM", "90,000", *["-"] * 5]


def test_json(built: Built) -> None:
    found = build_json(built)
    assert (found["schema"], found["kind"], found["board"]) == (1, "build", "pico_w")
    assert found["port"] == "/dev/ttyACM0" and found["seconds"] == 1.235
    assert found["memory"]["ram"] == {
        "used_bytes": 90_000, "total_bytes": 262_144, "planned_bytes": 72_000,
        "difference_bytes": 18_000, "model_bytes": 2_000, "reserve_bytes": 70_000,
        "within_plan": False,
    }  # fmt: skip
    assert len(found["warnings"]) == 1 and found["log"] == str(built.log)
