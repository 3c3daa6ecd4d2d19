"""The least arena of a tiny problem by trying every order and every placement.

Written from the meaning of a problem alone; shares nothing with the planner or the validator.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from mcugen.plan import Problem


def least_arena(problem: Problem) -> int:
    """Bytes of the best plan there is, rounded up to the alignment."""
    best: int | None = None
    for order in valid_orders(problem):
        best = _least(_items(problem, order), problem.alignment, best)
    assert best is not None
    return best


def valid_orders(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Every order that keeps what each task sees."""
    tasks = problem.tasks
    ordered = [
        (i, j)
        for j in range(len(tasks))
        for i in range(j)
        if {*tasks[i].writes} & {*tasks[j].reads} or {*tasks[i].reads} & {*tasks[j].writes}
    ]
    for order in permutations(range(len(tasks))):
        if all(order.index(i) < order.index(j) for i, j in ordered):
            yield order


Item = tuple[int, int, int, frozenset[int]]
"""(first position, last position, bytes, earlier items it may lie on at its first position)."""


def _items(problem: Problem, order: tuple[int, ...]) -> list[Item]:
    names, spans = [], []
    for b in problem.buffers:
        uses = [p for p, t in enumerate(order) if b.name in problem.tasks[t].reads]
        uses += [p for p, t in enumerate(order) if b.name in problem.tasks[t].writes]
        uses += [-1] if b.name in problem.inputs else []
        uses += [len(order)] if b.name in (*problem.outputs, *problem.preserve) else []
        if uses and b.size_bytes:
            names.append(b.name)
            spans.append((min(uses), max(uses), b.size_bytes))
    items: list[Item] = []
    ranked = sorted(range(len(names)), key=lambda i: spans[i])
    for i in ranked:
        first, last, size = spans[i]
        hosts = frozenset[int]()
        if first >= 0:
            task = problem.tasks[order[first]]
            hosts = frozenset(
                k
                for k, j in enumerate(ranked[: len(items)])
                if (names[i], names[j]) in task.inplace
                and spans[j][1] == first
                and size <= spans[j][2]
                and names[j] not in task.writes
            )
        items.append((first, last, size, hosts))
    for p, t in enumerate(order):
        if problem.tasks[t].scratch_bytes:
            items.append((p, p, problem.tasks[t].scratch_bytes, frozenset()))
    return items


def _least(items: list[Item], unit: int, known: int | None) -> int:
    """The least of `known` and what placing the items one after the other can reach."""
    total = sum(-(-size // unit) * unit for _, _, size, _ in items)
    best = total if known is None else min(known, total)
    offsets: list[int] = []

    def fits(index: int, low: int) -> bool:
        first, last, size, hosts = items[index]
        for k, other in enumerate(offsets):
            apart = low + size <= other or other + items[k][2] <= low
            if items[k][0] <= last and first <= items[k][1] and not apart:
                if k in hosts and other == low:
                    continue
                return False
        return True

    def place(index: int, end: int) -> None:
        nonlocal best
        if index == len(items):
            best = end
            return
        for low in range(0, best, unit):
            top = max(end, -(-(low + items[index][2]) // unit) * unit)
            if top >= best:
                return
            if fits(index, low):
                offsets.append(low)
                place(index + 1, top)
                offsets.pop()

    place(0, 0)
    return best
