"""The table of boards at several widths."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from mcugen.report.boards_text import print_boards
from mcugen.targets import list_targets


def _lines(width: int) -> list[str]:
    out = io.StringIO()
    print_boards(list_targets(), Console(file=out, width=width))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [30, 44, 80, 100, 120, 200])
def test_no_cell_is_cut(width: int) -> None:
    lines = _lines(width)
    assert [line.split()[0] for line in lines[1:]] == [t.name for t in list_targets()]
    assert not any("…" in line for line in lines)
    assert max(map(len, lines)) <= width


def test_a_narrow_terminal_shows_what_decides() -> None:
    assert _lines(80)[0].split() == ["board", "RAM", "PSRAM", "flash", "kernels"]
    assert "processor" in _lines(200)[0]
