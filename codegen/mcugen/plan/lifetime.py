"""When each buffer is alive in a given order."""

from __future__ import annotations

from collections.abc import Sequence

from mcugen.plan.problem import BEFORE, Problem


def lifetimes(problem: Problem, order: Sequence[int]) -> dict[str, tuple[int, int]]:
    """Buffer -> [first, last + 1) in positions of `order`, as `MemoryPlan.lifetimes` says."""
    first: dict[str, int] = dict.fromkeys(problem.inputs, BEFORE)
    last: dict[str, int] = dict.fromkeys(problem.inputs, BEFORE)
    for position, index in enumerate(order):
        task = problem.tasks[index]
        for name in (*task.reads, *task.writes):
            first.setdefault(name, position)
            last[name] = position
    for name in problem.pinned:
        last[name] = len(order)
    return {
        b.name: (first[b.name], last[b.name] + 1) if b.name in first else (0, 0)
        for b in problem.buffers
    }
