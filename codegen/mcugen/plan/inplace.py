"""Which written buffers take over the storage of buffers that die at the same task."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from mcugen.plan.problem import Problem, Task

K = TypeVar("K", bound=Hashable)


def possible_pairs(problem: Problem, task: Task, sizes: Mapping[str, int]) -> list[tuple[str, str]]:
    """The task's (written, read) pairs that may share in some order of the tasks.

    Left out: a written buffer that is larger or empty or holds an input, a read buffer that must
    live on or that the task itself writes.
    """
    return [
        (w, r)
        for w, r in dict.fromkeys(task.inplace)
        if 0 < sizes[w] <= sizes[r]
        and w not in problem.inputs
        and w not in task.reads
        and r not in task.writes
        and r not in problem.pinned
    ]


def pairs_in_order(
    problem: Problem,
    order: Iterable[int],
    lifetimes: Mapping[str, tuple[int, int]],
) -> list[list[tuple[str, str]]]:
    """By position of `order`: the pairs whose lifetimes meet at that task alone."""
    sizes = problem.sizes
    return [
        [
            (w, r)
            for w, r in possible_pairs(problem, problem.tasks[index], sizes)
            if lifetimes[w][0] == position and lifetimes[r][1] == position + 1
        ]
        for position, index in enumerate(order)
    ]


def best_matching(pairs: Iterable[tuple[K, K]], size: Callable[[K], int]) -> dict[K, K]:
    """Written -> read, each at most once, so that the written bytes saved are most.

    Written buffers are tried from the largest down, each by an augmenting path; as the gain
    depends on the written buffer alone, the matchable sets are a matroid and greedy is exact.
    Among equals the order of `pairs` decides.
    """
    readers: dict[K, list[K]] = {}
    for w, r in pairs:
        readers.setdefault(w, []).append(r)
    holder: dict[K, K] = {}

    def augment(w: K, seen: set[K]) -> bool:
        for r in readers[w]:
            if r not in seen:
                seen.add(r)
                if r not in holder or augment(holder[r], seen):
                    holder[r] = w
                    return True
        return False

    for w in sorted(readers, key=lambda w: -size(w)):
        augment(w, set())
    return {w: r for r, w in holder.items()}
