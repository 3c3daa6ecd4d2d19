"""Who lies where in the arena while which task runs: rectangles of time and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from mcugen.plan.problem import MemoryPlan, Problem


@dataclass(frozen=True)
class ArenaBlock:
    """Bytes [offset, offset + size) while tasks [first, stop) run.

    Attributes:
        name: of the buffer; of the task for its scratch.
        offset: in bytes.
        size: in bytes.
        first: position of its first task in the order; BEFORE for an input.
        stop: position after its last; beyond the last task for an output.
        over: buffer in whose bytes it is written in place; "" for none.
        scratch: whether it is a task's working memory.
    """

    name: str
    offset: int
    size: int
    first: int
    stop: int
    over: str = ""
    scratch: bool = False


def arena_blocks(problem: Problem, plan: MemoryPlan) -> tuple[ArenaBlock, ...]:
    """All blocks with bytes that live at some time, buffers before scratch, each by beginning."""
    lives = plan.lifetimes
    buffers = [
        ArenaBlock(
            b.name, plan.offsets[b.name], b.size_bytes, *lives[b.name],
            over=plan.shared.get(b.name, ""),
        )
        for b in problem.buffers
        if b.size_bytes and lives[b.name] != (0, 0)
    ]  # fmt: skip
    scratch = [
        ArenaBlock(task.name, plan.scratch_offsets[task.name], task.scratch_bytes, at, at + 1,
                   scratch=True)
        for at, index in enumerate(plan.order)
        if (task := problem.tasks[index]).scratch_bytes
    ]  # fmt: skip
    by_beginning = sorted(buffers, key=lambda b: (b.first, b.offset, b.name))
    return (*by_beginning, *scratch)
