"""The arena as text: one line per task, addresses from left to right, 80 characters wide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters, digits

from mcugen.plan.problem import BEFORE, MemoryPlan, Problem

NAME_WIDTH = 21
COLUMNS = 40
MARKS = ascii_letters + digits
FREE_MARK, SCRATCH_MARK = ".", "#"


@dataclass(frozen=True)
class _Span:
    """Bytes [low, high) of the arena that `mark` stands for; `buffer` is "" for a scratch."""

    mark: str
    low: int
    high: int
    buffer: str


def arena_map(problem: Problem, plan: MemoryPlan, *, max_rows: int = 40) -> str:
    """Who uses which bytes while each task runs, then each buffer's bytes, offset and tasks.

    A buffer smaller than a column is drawn where that column is free, one written in place over
    the one it replaces. Of programs with more than `max_rows` tasks the lines that need most
    bytes are shown, the others counted. The legend lists the buffers of the lines shown.
    """
    marks = _marks(problem, plan)
    first = BEFORE if any(problem.sizes[n] for n in problem.inputs) else 0
    rows = {p: _spans(problem, plan, p, marks) for p in range(first, len(plan.order))}
    used = {p: _union(spans) for p, spans in rows.items()}
    shown = set(sorted(rows, key=lambda p: (-used[p], p))[:max_rows])
    lines, hidden = _head(plan), list[int]()
    for p, spans in rows.items():
        if p in shown:
            name = "(inputs)" if p == BEFORE else problem.tasks[plan.order[p]].name
            lines += [*_summary(hidden), _row(p, name, used[p], _bar(spans, plan.arena_bytes))]
            hidden = []
        else:
            hidden.append(used[p])
    buffers = dict.fromkeys(s.buffer for p in rows if p in shown for s in rows[p] if s.buffer)
    lines += [*_summary(hidden), "", *_legend(problem, plan, marks, buffers)]
    return "\n".join(lines) + "\n"


def _head(plan: MemoryPlan) -> list[str]:
    bound = f"lower bound {plan.lower_bound_bytes:,}{', met' if plan.optimal else ''}"
    column = plan.arena_bytes / COLUMNS
    axis = f"0{f'{plan.arena_bytes:,}':>{COLUMNS - 1}}"
    return [
        f"arena {plan.arena_bytes:,} bytes ({bound}); one column is {column:,.0f} bytes",
        f"   # {'task':<{NAME_WIDTH}} {'bytes':>10} |{axis}|",
    ]


def _row(position: int, name: str, used: int, bar: str) -> str:
    number = "" if position == BEFORE else str(position)
    return f"{number:>4} {_fit(name, NAME_WIDTH)} {used:>10,} |{bar}|"


def _summary(hidden: Sequence[int]) -> list[str]:
    return [f"     ... {len(hidden)} more, at most {max(hidden):,} bytes"] if hidden else []


def _legend(
    problem: Problem, plan: MemoryPlan, marks: Mapping[str, str], buffers: Mapping[str, None]
) -> Iterator[str]:
    sizes, end = problem.sizes, len(plan.order)
    yield f"  {'buffer':<29} {'bytes':>11} {'offset':>11}  tasks"
    for name in buffers:
        start, stop = plan.lifetimes[name]
        tasks = f"{'in' if start == BEFORE else start}..{'out' if stop > end else stop - 1}"
        host = plan.shared.get(name)
        over = f"  in place{f' of {marks[host]}' if host in buffers else ''}" if host else ""
        size, offset = sizes[name], plan.offsets[name]
        yield f"{marks[name]} {_fit(name, 29)} {size:>11,} {offset:>11,}  {tasks}{over}"
    if plan.scratch_offsets:
        yield f"{SCRATCH_MARK} scratch of the task"


def _marks(problem: Problem, plan: MemoryPlan) -> dict[str, str]:
    """A mark for each buffer with bytes, by beginning; given again once its buffer is dead.

    Beyond 62 buffers alive at once a mark means several.
    """
    lives = plan.lifetimes
    sized = [b.name for b in problem.buffers if b.size_bytes and lives[b.name] != (0, 0)]
    marks: dict[str, str] = {}
    busy_until = dict.fromkeys(MARKS, BEFORE)
    for name in sorted(sized, key=lambda n: lives[n][0]):
        mark = next((m for m in busy_until if busy_until[m] <= lives[name][0]), MARKS[0])
        del busy_until[mark]
        busy_until[mark] = lives[name][1]
        marks[name] = mark
    return marks


def _spans(
    problem: Problem, plan: MemoryPlan, position: int, marks: Mapping[str, str]
) -> list[_Span]:
    """What is alive at the position, earliest first."""
    sizes = problem.sizes
    alive = [n for n in marks if plan.lifetimes[n][0] <= position < plan.lifetimes[n][1]]
    spans = [_Span(marks[n], plan.offsets[n], plan.offsets[n] + sizes[n], n) for n in alive]
    if position != BEFORE:
        task = problem.tasks[plan.order[position]]
        if task.scratch_bytes:
            low = plan.scratch_offsets[task.name]
            spans.append(_Span(SCRATCH_MARK, low, low + task.scratch_bytes, ""))
    return spans


def _bar(spans: Sequence[_Span], arena_bytes: int) -> str:
    """One character per column: the last span that covers the middle of the column."""
    cells = [FREE_MARK] * COLUMNS
    tiny = []
    for span in spans:
        covered = [
            cell
            for cell in range(COLUMNS)
            if 2 * COLUMNS * span.low <= (2 * cell + 1) * arena_bytes < 2 * COLUMNS * span.high
        ]
        for cell in covered:
            cells[cell] = span.mark
        if not covered:
            tiny.append(span)
    for span in tiny:
        cell = min(span.low * COLUMNS // arena_bytes, COLUMNS - 1)
        if cells[cell] == FREE_MARK:
            cells[cell] = span.mark
    return "".join(cells)


def _union(spans: Sequence[_Span]) -> int:
    """Bytes covered by at least one span."""
    total = end = 0
    for span in sorted(spans, key=lambda s: s.low):
        total += max(0, span.high - max(span.low, end))
        end = max(end, span.high)
    return total


def _fit(name: str, width: int) -> str:
    """The name padded to the width, or its end when longer: the end tells names apart."""
    return f"{name:<{width}}" if len(name) <= width else "~" + name[-(width - 1) :]
