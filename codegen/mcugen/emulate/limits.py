"""When an emulated run counts as endless: by the work that there is, so that nobody waits long."""

from __future__ import annotations

from mcugen.program import Program

_BASE = 1_000_000_000
"""Of what multiplies nothing: a layer of a million soft float exponentials takes this."""

_PER_MAC = 1_000
"""Five times a multiply-accumulate of soft floats on the Cortex-M0+."""


def layer_limit(program: Program) -> int:
    """Instructions of one layer that no layer of the model needs."""
    return _BASE + _PER_MAC * max((step.macs for step in program.steps), default=0)


def model_limit(program: Program) -> int:
    """Cycles that no self-test of the model needs: some inferences and their checksums."""
    return _BASE + _PER_MAC * program.macs
