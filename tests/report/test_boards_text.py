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
    names = [t.name for t in list_targets()]
    shown = [line.split()[0] for line in lines if line and not line.startswith("board ")]
    assert shown == names * (len(shown) // len(names)) != []
    assert not any("…" in line for line in lines)
    assert max(map(len, lines)) <= width


def test_a_narrow_terminal_shows_what_decides_first_and_then_the_rest() -> None:
    heads = [line for line in _lines(80) if line.startswith("board ")]
    assert heads[0].split() == ["board", "RAM", "PSRAM", "flash", "kernels"]
    columns = ("what it is", "processor", "clock", "emulator")
    assert all(any(c in head for head in heads[1:]) for c in columns)
    (head,) = [line for line in _lines(200) if line.startswith("board ")]
    assert all(c in head for c in columns)


def test_what_does_not_fit_beside_the_name_is_left_out() -> None:
    assert not any("processor" in line for line in _lines(50))
    assert any("emulator" in line for line in _lines(50))
