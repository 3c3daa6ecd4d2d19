"""Bytes that no plan can do without. Shares no code with the planners.

What is alive at one moment lies at disjoint multiples of the alignment, so with every size
rounded up to the alignment the sizes alive at once add up to at most the rounded arena. The one
exception is sharing in place: a written buffer inside a read one, one to one, at the task where
the one begins and the other ends. So the sum, less the largest total of written bytes that such
pairs could share, is a lower bound; every function here is that sum for some moment.

- `order_bound`: for one order, whatever the placement and the sharing.
- `any_order_bound`: for every valid order.
- `no_order_below`: a proof by exhaustion over all orders, when it ends within its budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from mcugen.plan.budget import TRY, Budget
from mcugen.plan.problem import Problem


def order_bound(problem: Problem, order: Sequence[int]) -> int:
    """Bytes that every plan with this order needs.

    Proven: at some position of `order` (or before it, with the inputs, or after it, with the
    outputs) so many bytes are alive, less the best sharing in place at that position.
    """
    facts = _Facts(problem)
    done, live, bound = facts.nothing, facts.live_at_start(), _at_the_ends(problem)
    for task in order:
        need, live = facts.move(done, live, task)
        bound = max(bound, need)
        done |= 1 << task
    return bound


def any_order_bound(problem: Problem) -> int:
    """Bytes that every plan needs, in any valid order.

    Proven: take a task t. A buffer is alive at t in every valid order when an input, or written
    by t or a task that must come before t, and kept to the end, or used by t or a task that must
    come after t. A pair can share at t in some order only if nothing that must come before t
    writes the written one and nothing that must come after t uses the read one. The sum of the
    former less the best of the latter is needed at t; the bound is the largest over all t, and
    over the inputs together and the outputs together.
    """
    facts = _Facts(problem)
    bound = _at_the_ends(problem)
    ancestors, descendants = facts.relatives()
    for task, (before, after) in enumerate(zip(ancestors, descendants, strict=True)):
        here = 1 << task
        alive = sum(
            size
            for b, size in facts.slots.items()
            if facts.begin[b] & (before | here) and facts.end[b] & (after | here)
        )
        shared = facts.most_shared(task, before, after)
        bound = max(bound, alive + facts.scratch[task] - shared)
    return bound


def no_order_below(problem: Problem, peak: int, budget: Budget) -> bool:
    """Whether it is proven that `order_bound` of every valid order is at least `peak`.

    Looks at every set of tasks that some order reaches while always needing less than `peak`;
    proven when the set of all tasks is not among them. False when it is, or when the budget ends.
    The tasks are taken from the first on and, in turns, from the last on; one of the two is often
    far shorter.

    One reduction makes it short. Call a run from D a sequence of tasks that may run after the set
    D, each but the first waiting for the one before it. When a run needs less than `peak`, ends
    with no more bytes alive than at D, and has no fewer alive anywhere inside than at its end A,
    only that run is followed. Nothing is lost: in any continuation of D, move the run to its
    front.

    (1) What is alive after a set X is a sum over buffers of [X has begun it] - [X has ended it],
    begun by any task of one set, ended by all tasks of another, so live(X | A) + live(X & A) <=
    live(X) + live(A). In the continuation X & A is D or inside the run, since the run's tasks
    wait for each other; so live(X & A) >= live(A), and live(X | A) <= live(X): with the run in
    front, no more is alive between the other tasks.

    (2) Another task needs what is alive before it, what it begins and its scratch, less what it
    shares. With the run in front, a buffer that the run has begun is missing from what the task
    begins, and costs it at most one shared pair, of no more bytes; no other pair is lost. So no
    task needs more than it did, and those of the run need less than `peak` by assumption.
    """
    if _at_the_ends(problem) >= peak:
        return True
    for backward, share in ((False, 0.1), (True, 0.1), (True, 0.6), (False, 1.0)):
        part = budget.part(share)
        proven = _exhausted(_Facts(problem, backward=backward), peak, part)
        budget.spend(part.spent)
        if proven or part.left:
            return proven
    return False


def _exhausted(facts: _Facts, peak: int, budget: Budget) -> bool:
    """Whether all sets of tasks reachable below `peak` were seen and all tasks is none of them."""
    begin = _Reached(facts.nothing, facts.live_at_start(), facts.ready_at_start())
    stack, seen = [begin], set[int]()
    while stack:
        state = stack.pop()
        if state.done == facts.everything or not budget.left:
            return False
        if state.done in seen:
            continue
        seen.add(state.done)
        steps = []
        for first in state.ready:
            run = _run_below(facts, state, first, peak, budget)
            low = min((s.live for s in run), default=state.live + 1)
            if low <= state.live:
                steps = [next(s for s in reversed(run) if s.live == low)]
                break
            steps += run[:1]
        stack += steps
    return True


class _Reached(NamedTuple):
    """A set of tasks done, the bytes alive after it and the tasks that may run next."""

    done: int
    live: int
    ready: tuple[int, ...]


def _run_below(
    facts: _Facts, state: _Reached, first: int, peak: int, budget: Budget
) -> list[_Reached]:
    """The states after each task of the run from `first` that stays below `peak`."""
    run: list[_Reached] = []
    freed: tuple[int, ...] = (first,)
    others = tuple(t for t in state.ready if t != first)
    done, live = state.done, state.live
    while len(freed) == 1:
        task = freed[0]
        budget.spend(TRY)
        need, live = facts.move(done, live, task)
        if need >= peak:
            break
        done |= 1 << task
        freed = tuple(t for t in facts.waiting[task] if facts.direct[t] & done == facts.direct[t])
        run.append(_Reached(done, live, others + freed))
    return run


def _at_the_ends(problem: Problem) -> int:
    """The larger of: all inputs together, all that is kept to the end together."""
    unit = problem.alignment
    slots = {b: (size + unit - 1) // unit * unit for b, size in problem.sizes.items()}
    kept = {*problem.outputs, *problem.preserve}
    return max(sum(slots[b] for b in {*problem.inputs}), sum(slots[b] for b in kept))


class _Facts:
    """When buffers begin and end, and what waits for what.

    Sets of tasks are masks with bit t for task t; the bit above them all, in every set `done`,
    is the caller who writes the inputs, and the next one, in none, the caller who reads the
    outputs. `backward` tells the same from the last task to the first: what was the end of a
    buffer is its beginning.
    """

    def __init__(self, problem: Problem, *, backward: bool = False) -> None:
        self.problem = problem
        self.backward = backward
        count, unit = len(problem.tasks), problem.alignment
        self.nothing, outside = 1 << count, 2 << count
        self.everything = outside - 1
        self.sizes = problem.sizes
        self.slots = {b: (size + unit - 1) // unit * unit for b, size in self.sizes.items()}
        self.scratch = [(t.scratch_bytes + unit - 1) // unit * unit for t in problem.tasks]
        self.used = [{*t.reads, *t.writes} for t in problem.tasks]
        writers, readers = dict.fromkeys(self.slots, 0), dict.fromkeys(self.slots, 0)
        direct: list[int] = []
        for index, task in enumerate(problem.tasks):
            mask = 0
            for b in task.reads:
                mask |= writers[b]
            for b in task.writes:
                mask |= readers[b]
            direct.append(mask)
            for b in task.reads:
                readers[b] |= 1 << index
            for b in task.writes:
                writers[b] |= 1 << index
        first, last = (outside, self.nothing) if backward else (self.nothing, outside)
        kept = {*problem.outputs, *problem.preserve}
        written = {b: m | first * (b in problem.inputs) for b, m in writers.items()}
        finished = {b: m | readers[b] | last * (b in kept) for b, m in writers.items()}
        self.begin, self.end = (finished, written) if backward else (written, finished)
        self.direct = _transposed(direct) if backward else direct

    @cached_property
    def waiting(self) -> list[list[int]]:
        """By task, the tasks that wait for it."""
        return [_members(mask) for mask in _transposed(self.direct)]

    def live_at_start(self) -> int:
        """Bytes alive when the first task begins."""
        return sum(
            size
            for b, size in self.slots.items()
            if self.begin[b] & self.nothing and self.end[b] & ~self.nothing
        )

    def ready_at_start(self) -> tuple[int, ...]:
        """Tasks that wait for none."""
        return tuple(t for t, mask in enumerate(self.direct) if not mask)

    def move(self, done: int, live: int, task: int) -> tuple[int, int]:
        """(bytes needed while `task` runs, bytes alive after it), from `live` before it."""
        here, left = 1 << task, ~(done | 1 << task)
        used = self.used[task]
        during = live + sum(
            self.slots[b] for b in used if self.begin[b] & here and not self.begin[b] & done
        )
        ended = sum(self.slots[b] for b in used if self.end[b] & here and not self.end[b] & left)
        shared = self.most_shared(task, done, left)
        return during + self.scratch[task] - shared, during - ended

    def most_shared(self, task: int, before: int, after: int) -> int:
        """Most written bytes that may lie in read buffers at `task`, between these two task sets.

        Largest written buffer first, each kept if all kept so far can be matched one to one: the
        matchable sets are a matroid, so this greedy choice is the best one.
        """
        entry = self.problem.tasks[task]
        hosts: dict[str, list[str]] = {}
        for w, r in entry.inplace:
            begins, ends = (r, w) if self.backward else (w, r)
            if self.begin[begins] & before or self.end[ends] & after or r in entry.writes:
                continue
            if self.sizes[w] <= self.sizes[r]:
                hosts.setdefault(w, []).append(r)
        total, guests = 0, dict[str, str]()
        for w in sorted(hosts, key=lambda b: -self.slots[b]):
            if _seat(w, hosts, guests, set()):
                total += self.slots[w]
        return total

    def relatives(self) -> tuple[list[int], list[int]]:
        """By task, the masks of what comes before it and after it in every order, ends included."""
        before: list[int] = []
        for direct in self.direct:
            mask = direct | self.nothing
            for earlier in _members(direct):
                mask |= before[earlier]
            before.append(mask)
        outside = self.everything + 1
        after = [mask & ~self.nothing | outside for mask in _transposed(before)]
        return before, after


def _seat(w: str, hosts: dict[str, list[str]], guests: dict[str, str], tried: set[str]) -> bool:
    """Give `w` a read buffer of its own, moving others; False when there is none."""
    for r in hosts[w]:
        if r not in tried:
            tried.add(r)
            if r not in guests or _seat(guests[r], hosts, guests, tried):
                guests[r] = w
                return True
    return False


def _members(mask: int) -> list[int]:
    """The set bits, from the lowest on."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


def _transposed(masks: Sequence[int]) -> list[int]:
    """By task t, the mask of the tasks whose own mask has bit t."""
    found = [0] * len(masks)
    for task, mask in enumerate(masks):
        for other in _members(mask & ((1 << len(masks)) - 1)):
            found[other] |= 1 << task
    return found
