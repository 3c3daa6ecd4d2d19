"""Orders of the tasks that need few bytes at once.

A state is the set of tasks done; what is alive and what may run next follow from it, so a state
reached twice need be looked at only once (dynamic programming over sets). Two searches share it:
`beam_order` keeps a few states per number of tasks done, `best_order` is exact when its budget
lasts. Both move by one task or by a run of tasks each of which lets the next one run, and both
take at once a run that costs nothing (see `_moves`), which on neural networks leaves few real
choices.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from random import Random

from mcugen.plan.budget import TRY, Budget
from mcugen.plan.flow import Flow


@dataclass(frozen=True)
class _State:
    """Tasks done, and how one came there.

    Attributes:
        done: mask of the tasks done.
        live: bytes alive now.
        peak: most bytes needed at once so far.
        ready: tasks that may run next.
        ran: the tasks that lead here from `parent`.
        parent: the state before; None at the start.
    """

    done: int
    live: int
    peak: int
    ready: tuple[int, ...]
    ran: tuple[int, ...] = ()
    parent: _State | None = None


def beam_order(
    flow: Flow, floor: int, width: int, budget: Budget, rng: Random | None = None
) -> tuple[int, ...] | None:
    """An order found by keeping the `width` best states at each number of tasks done.

    Best is the lowest peak, then the fewest bytes alive; peaks up to `floor` count as equal.
    `rng` breaks ties at random instead of by the given order. None when the budget ends first.
    """
    levels: list[dict[int, _State]] = [{} for _ in range(flow.count + 1)]
    levels[0][flow.start] = _start(flow, floor)
    for level in levels[:-1]:
        states = list(level.values())
        if rng:
            rng.shuffle(states)
        for state in sorted(states, key=lambda s: (s.peak, s.live))[:width]:
            if not budget.left:
                return None
            for child in _moves(flow, state, budget, by_run=True):
                rivals = levels[child.done.bit_count() - 1]
                known = rivals.get(child.done)
                if known is None or child.peak < known.peak:
                    rivals[child.done] = child
    return _path(levels[-1][flow.full])


def best_order(flow: Flow, floor: int, below: int, budget: Budget) -> tuple[int, ...] | None:
    """An order of the lowest peak, if that is below `below` bytes and the budget lasts.

    Best first by peak, deepest first among equals: the first complete state taken from the queue
    has the lowest peak of all orders.
    """
    ticket = count()
    start = _start(flow, floor)
    queue = [(start.peak, 0, start.live, next(ticket), start)]
    seen: set[int] = set()
    while queue and budget.left:
        *_, state = heapq.heappop(queue)
        if state.done == flow.full:
            return _path(state)
        if state.done in seen:
            continue
        seen.add(state.done)
        for child in _moves(flow, state, budget, by_run=False):
            if child.peak < below and child.done not in seen:
                depth = -child.done.bit_count()
                heapq.heappush(queue, (child.peak, depth, child.live, next(ticket), child))
    return None


def _start(flow: Flow, floor: int) -> _State:
    live = flow.start_bytes
    return _State(flow.start, live, max(floor, live), flow.ready(flow.start, range(flow.count)))


def _moves(flow: Flow, state: _State, budget: Budget, *, by_run: bool) -> list[_State]:
    """The states to look at next: for each ready task the one after it or at its run's valley.

    When a run comes, below the peak so far, to where no more is alive than now, that state is
    the only one returned: moving the run to the front of any continuation makes nothing worse
    (`lower_bound.py` has the argument).
    """
    moves = []
    for first in state.ready:
        lows = _run(flow, state, first, budget)
        free = [s for s in lows if s.peak <= state.peak and s.live <= state.live]
        if free:
            return free[-1:]
        moves.append(lows[-1] if by_run else lows[0])
    return moves


def _run(flow: Flow, state: _State, first: int, budget: Budget) -> list[_State]:
    """The states after `first` and then at each new low of the bytes alive along its run.

    A run goes on while a task lets exactly one other run. Its last low is its valley.
    """
    done, live, peak = state.done, state.live, state.peak
    others = tuple(t for t in state.ready if t != first)
    ran: tuple[int, ...] = ()
    freed: tuple[int, ...] = (first,)
    lows: list[_State] = []
    while len(freed) == 1:
        task = freed[0]
        budget.spend(TRY)
        need, live = flow.run(done, live, task)
        done, peak, ran = done | 1 << task, max(peak, need), (*ran, task)
        freed = flow.ready(done, flow.after[task])
        if not lows or live <= lows[-1].live:
            lows.append(_State(done, live, peak, others + freed, ran, state))
    return lows


def _path(state: _State) -> tuple[int, ...]:
    tasks: list[int] = []
    at: _State | None = state
    while at is not None:
        tasks[:0] = at.ran
        at = at.parent
    return tuple(tasks)
