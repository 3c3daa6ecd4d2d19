"""Checks a plan against its problem from first principles. Shares no code with the planners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcugen.errors import InternalError
from mcugen.plan.problem import MemoryPlan, Problem


@dataclass(frozen=True)
class _Item:
    """Bytes [low, high) taken from position `first` to position `last`, both included."""

    what: str
    buffer: str
    first: int
    last: int
    low: int
    high: int


def validate(problem: Problem, plan: MemoryPlan) -> None:
    """Nothing, when the plan is right.

    Checked: the order runs every task once and keeps what every task sees; every buffer and every
    scratch has an aligned offset inside the arena; the arena ends with its highest byte, rounded
    up; buffers alive at the same position do not overlap, except pairs in `plan.shared`, each of
    which its task allows; the bound is not above the arena, and met when `optimal` says so.

    Raises:
        InternalError: the first rule that is broken, with the names of what breaks it.
    """
    position = _positions(problem, plan)
    _check_precedence(problem, position)
    first, last = _alive(problem, position)
    _check_lifetimes(problem, plan, first, last)
    items = _items(problem, plan, position, first, last)
    _check_inside(problem, plan, items)
    allowed = {
        _check_shared(problem, plan, written, read, first, last)
        for written, read in plan.shared.items()
    }
    _check_overlaps(items, allowed)
    _check_bound(plan)


def _positions(problem: Problem, plan: MemoryPlan) -> dict[int, int]:
    """Task index -> position."""
    if sorted(plan.order) != list(range(len(problem.tasks))):
        raise InternalError(
            f"plan: the order must run each of {len(problem.tasks)} tasks once, got {plan.order}"
        )
    return {task: position for position, task in enumerate(plan.order)}


def _check_precedence(problem: Problem, position: Mapping[int, int]) -> None:
    """A read and a write of one buffer by two tasks stay in the given order."""
    reads: dict[str, list[int]] = {}
    writes: dict[str, list[int]] = {}
    for index, task in enumerate(problem.tasks):
        for name in {*task.reads}:
            reads.setdefault(name, []).append(index)
        for name in {*task.writes}:
            writes.setdefault(name, []).append(index)
    for name, readers in reads.items():
        for reader in readers:
            for writer in writes.get(name, []):
                if (reader < writer) != (position[reader] < position[writer]) and reader != writer:
                    raise InternalError(
                        f"plan: tasks '{problem.tasks[reader].name}', which reads buffer '{name}', "
                        f"and '{problem.tasks[writer].name}', which writes it, have changed places"
                    )


def _alive(problem: Problem, position: Mapping[int, int]) -> tuple[dict[str, int], dict[str, int]]:
    """First and last position at which each used buffer must hold its bytes."""
    uses: dict[str, list[int]] = {}
    for index, task in enumerate(problem.tasks):
        for name in (*task.reads, *task.writes):
            uses.setdefault(name, []).append(position[index])
    for name in problem.inputs:
        uses.setdefault(name, []).append(-1)
    for name in (*problem.outputs, *problem.preserve):
        uses.setdefault(name, []).append(len(problem.tasks))
    return {n: min(p) for n, p in uses.items()}, {n: max(p) for n, p in uses.items()}


def _check_lifetimes(
    problem: Problem, plan: MemoryPlan, first: Mapping[str, int], last: Mapping[str, int]
) -> None:
    for buffer in problem.buffers:
        name = buffer.name
        true = (first[name], last[name] + 1) if name in first else (0, 0)
        if plan.lifetimes.get(name) != true:
            raise InternalError(
                f"plan: buffer '{name}' is alive in {true}, plan says {plan.lifetimes.get(name)}"
            )


def _items(
    problem: Problem,
    plan: MemoryPlan,
    position: Mapping[int, int],
    first: Mapping[str, int],
    last: Mapping[str, int],
) -> list[_Item]:
    """All that takes space: used buffers and scratches, those of no bytes included."""
    items = []
    for b in problem.buffers:
        if b.name not in plan.offsets:
            raise InternalError(f"plan: buffer '{b.name}' has no offset")
        if b.name in first:
            low = plan.offsets[b.name]
            what = f"buffer '{b.name}'"
            items.append(_Item(what, b.name, first[b.name], last[b.name], low, low + b.size_bytes))
    for index, task in enumerate(problem.tasks):
        if task.scratch_bytes:
            if task.name not in plan.scratch_offsets:
                raise InternalError(f"plan: the scratch of task '{task.name}' has no offset")
            low, at = plan.scratch_offsets[task.name], position[index]
            what = f"the scratch of task '{task.name}'"
            items.append(_Item(what, "", at, at, low, low + task.scratch_bytes))
    return items


def _check_inside(problem: Problem, plan: MemoryPlan, items: list[_Item]) -> None:
    unit = problem.alignment
    for item in items:
        if item.low % unit:
            raise InternalError(f"plan: {item.what} is at offset {item.low}, no multiple of {unit}")
        if item.low < 0 or item.high > plan.arena_bytes:
            raise InternalError(
                f"plan: {item.what} takes [{item.low}, {item.high}), which is not inside the "
                f"arena of {plan.arena_bytes} bytes"
            )
    end = max((item.high for item in items if item.high > item.low), default=0)
    if plan.arena_bytes != (end + unit - 1) // unit * unit:
        raise InternalError(
            f"plan: the arena has {plan.arena_bytes} bytes, its highest buffer ends at {end}"
        )


def _check_shared(
    problem: Problem,
    plan: MemoryPlan,
    written: str,
    read: str,
    first: Mapping[str, int],
    last: Mapping[str, int],
) -> tuple[str, str]:
    """The pair, when sharing is allowed at the task where the one begins and the other ends."""
    sizes = problem.sizes
    at = first.get(written, -1)
    task = problem.tasks[plan.order[at]] if 0 <= at < len(plan.order) else None
    if task is None or (written, read) not in task.inplace:
        reason = "no task that begins it allows that"
    elif last[read] != at or read in task.writes:
        reason = f"task '{task.name}' is not the end of '{read}'"
    elif sizes[written] > sizes[read]:
        reason = f"{sizes[written]} bytes are more than {sizes[read]}"
    elif plan.offsets[written] != plan.offsets[read]:
        reason = f"they begin at {plan.offsets[written]} and {plan.offsets[read]}"
    else:
        return written, read
    raise InternalError(f"plan: buffer '{written}' must not share with '{read}' in place: {reason}")


def _check_overlaps(items: list[_Item], allowed: set[tuple[str, str]]) -> None:
    items = sorted((i for i in items if i.high > i.low), key=lambda i: i.first)
    for index, a in enumerate(items):
        for b in items[index + 1 :]:
            if b.first > a.last:
                break
            apart = a.high <= b.low or b.high <= a.low
            pairs = {(a.buffer, b.buffer), (b.buffer, a.buffer)}
            if not apart and not pairs & allowed:
                raise InternalError(
                    f"plan: {a.what} [{a.low}, {a.high}) and {b.what} [{b.low}, {b.high}) overlap "
                    f"at position {b.first}"
                )


def _check_bound(plan: MemoryPlan) -> None:
    bound, arena = plan.lower_bound_bytes, plan.arena_bytes
    if bound > arena or plan.optimal != (bound == arena):
        raise InternalError(
            f"plan: arena {arena} bytes, lower bound {bound} bytes, optimal {plan.optimal}"
        )
