"""The command line called in this process, as a shell would call it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from mcugen import cli

Run = Callable[..., tuple[int, str, str]]


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: object, columns: int = 200) -> int:
    """The exit code of `mcugen ARGUMENTS` on a terminal of this width."""
    monkeypatch.setattr(sys, "argv", ["mcugen", *map(str, arguments)])
    monkeypatch.setenv("COLUMNS", str(columns))
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def runner(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *first: str,
    columns: int = 200,
) -> Run:
    """`run(...)` -> (exit code, standard output, standard error) of `mcugen FIRST ...`."""

    def run(*arguments: Any) -> tuple[int, str, str]:
        code = exit_code(monkeypatch, *first, *arguments, columns=columns)
        found = capsys.readouterr()
        return code, found.out, found.err

    return run
