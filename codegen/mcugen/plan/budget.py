"""Work counted in steps, so that planning ends by a count and never by the clock."""

from __future__ import annotations

TRY = 10
"""Steps for looking at one task that may run next. One step is one look at one placed neighbour
of a block, a fraction of a microsecond; the ratios are those of the times."""

MEET = 3
"""Steps for finding out that two blocks are alive at the same time."""


class Budget:
    """A number of steps that may be spent; the last piece of work may overdraw it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    def spend(self, steps: int) -> None:
        """Note work done."""
        self.spent += steps

    @property
    def left(self) -> bool:
        """Whether another piece of work may begin."""
        return self.spent < self.limit

    def part(self, share: float) -> Budget:
        """A budget of `share` of what remains; charge its spending back with `spend`."""
        return Budget(int(max(0, self.limit - self.spent) * share))
