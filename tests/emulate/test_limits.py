"""What counts as endless grows with the work, and is over in minutes."""

from __future__ import annotations

from exported import example
from mcugen.emulate.limits import layer_limit, model_limit


def test_the_limit_follows_the_work() -> None:
    program = example("digits_int8").compiled.program
    assert layer_limit(program) == 1_000_000_000 + 1_000 * 110_592
    assert model_limit(program) == 1_000_000_000 + 1_000 * 130_544
