"""docs/MEASURING.md tells what the code and the boards' files hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcugen.device.meters.registry import METERS, NONE
from mcugen.recipe import recipe_names
from mcugen.targets import board_names, load_target

GUIDE = (Path(__file__).parents[2] / "docs" / "MEASURING.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """Cells of the table whose first line starts so."""
    lines = GUIDE.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(head))
    found = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def pin(values: object, key: str) -> str:
    value = str(dict(values).get(key, "none"))  # type: ignore[call-overload]
    return re.sub(r"^(?:GPIO|GP)", "", value)


def test_every_board_with_pins_is_in_the_table() -> None:
    told = {}
    for names, *pins in rows("| board |"):
        for name in names.split(", "):
            told[name] = [re.sub(r"^(?:GPIO|GP)", "", p) for p in pins]
    for name in board_names():
        values = load_target(name).values
        if "trigger_pin" in values:
            keys = ("trigger_pin", "sda_pin", "scl_pin")
            assert told.pop(name) == [pin(values, key) for key in keys], name
    assert told == {}


def test_every_meter_is_in_the_table() -> None:
    cells = " ".join(row[0] for row in rows("| `--meter` |"))
    assert set(re.findall(r"`(\w+)", cells)) == {NONE, *METERS}


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_are_told(name: str) -> None:
    assert f"--recipe {name}" in GUIDE
