"""The search for a memory plan: orders of the tasks, sharing in place, placement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType

from mcugen.plan.blocks import Layout, choose_shares, layout_of
from mcugen.plan.budget import MEET, Budget
from mcugen.plan.flow import Flow, flow_of
from mcugen.plan.lifetime import lifetimes
from mcugen.plan.lower_bound import any_order_bound, no_order_below, order_bound
from mcugen.plan.order import beam_order, best_order
from mcugen.plan.problem import MemoryPlan, Problem
from mcugen.plan.search import Placement, better_placement, first_placement

EFFORT = 6_000_000
"""Default steps for one plan, spent in full only where the bound is not reached."""

BEAM_WIDTH = 8
RANDOM_ORDERS = 6
RANDOM_SHARES = 2

Order = tuple[int, ...]


@dataclass(frozen=True)
class _Arranged:
    """One order of the tasks and one choice of sharing, with everything placed."""

    order: Order
    layout: Layout
    placement: Placement

    @property
    def top(self) -> int:
        """Bytes of the arena."""
        return self.placement.top


def plan(problem: Problem, *, seed: int = 0, effort: int = EFFORT) -> MemoryPlan:
    """A plan of few bytes, the same for the same arguments.

    `effort` bounds the work in steps (`budget.py`): half of it for placing, a quarter for finding
    orders, a quarter for the proof that no order does better. The plan is valid whatever it is:
    each kind of work may overdraw its share by one pass over the problem. The given order is kept
    unless another one needs fewer bytes.
    """
    rng = Random(seed)
    whole = Budget(effort)
    placing, ordering, proving = whole.part(0.5), whole.part(0.25), whole.part(0.25)
    bound = any_order_bound(problem)
    given = tuple(range(len(problem.tasks)))
    peaks = {given: order_bound(problem, given)}
    arranged = list(_arrangements(problem, given, placing, rng))
    if min(a.top for a in arranged) > bound:
        peaks |= _orders(problem, bound, peaks[given], ordering, rng)
        for order in sorted(peaks, key=peaks.__getitem__):
            if order != given and peaks[order] < min(a.top for a in arranged):
                arranged += _arrangements(problem, order, placing, rng)
    best = _best(arranged, placing, rng)
    lowest = min(peaks.values())
    if best.top > bound and lowest > bound and no_order_below(problem, lowest, proving):
        bound = lowest
    return _memory_plan(problem, best, bound, placing.spent + ordering.spent + proving.spent)


def _orders(
    problem: Problem, bound: int, lowest: int, budget: Budget, rng: Random
) -> dict[Order, int]:
    """Orders that need little, with the bytes each of them needs at least.

    `bound` is what every order needs, `lowest` what the best known one does.
    """
    forward = flow_of(problem)
    flows = forward, forward.reversed()
    found: dict[Order, int] = {}

    def note(flow: Flow, order: Order | None) -> int:
        if order is not None:
            order = order if flow is forward else order[::-1]
            found[order] = order_bound(problem, order)
        return min([lowest, *found.values()])

    if lowest > bound:
        for flow in flows:
            lowest = note(flow, beam_order(flow, bound, BEAM_WIDTH, budget))
    for flow, share in zip((*flows, *reversed(flows)), (0.1, 0.1, 0.6, 0.6), strict=True):
        if lowest > bound:
            part = budget.part(share)
            lowest = note(flow, best_order(flow, bound, lowest, part))
            budget.spend(part.spent)
            if part.left:
                break
    for attempt in range(RANDOM_ORDERS):
        flow, floor = flows[attempt % 2], rng.randint(bound, lowest)
        lowest = note(flow, beam_order(flow, floor, BEAM_WIDTH, budget, rng))
    return found


def _arrangements(
    problem: Problem, order: Order, budget: Budget, rng: Random
) -> Iterator[_Arranged]:
    """`order` with several choices of sharing, quickly placed; ends with one that is perfect."""
    lives = lifetimes(problem, order)
    needed = order_bound(problem, order)
    for shares in _share_choices(problem, order, lives, rng):
        layout = layout_of(problem, order, lives, shares)
        budget.spend(MEET * sum(len(c) for c in layout.conflicts))
        found = _Arranged(order, layout, first_placement(layout, budget))
        yield found
        if found.top == needed or not budget.left:
            break


def _share_choices(
    problem: Problem, order: Order, lives: Mapping[str, tuple[int, int]], rng: Random
) -> Iterator[dict[str, str]]:
    """Most bytes shared, nothing shared, random choices; only the first where all are the same.

    Nothing shared is among them as sharing ties buffers together, which can cost more than it
    saves.
    """
    most = choose_shares(problem, order, lives)
    yield most
    if most:
        yield {}
        for _ in range(RANDOM_SHARES):
            yield choose_shares(problem, order, lives, rng)


def _best(arranged: Sequence[_Arranged], budget: Budget, rng: Random) -> _Arranged:
    """The lowest after more work on those that could become the lowest, most promising first."""
    best = min(arranged, key=lambda a: a.top)
    queue = sorted(arranged, key=lambda a: (a.layout.peak, a.top))
    for tried, candidate in enumerate(queue):
        if candidate.layout.peak < best.top:
            part = budget.part(max(0.25, 1 / (len(queue) - tried)))
            placement = better_placement(candidate.layout, candidate.placement, part, rng)
            budget.spend(part.spent)
            if placement.top < best.top:
                best = replace(candidate, placement=placement)
    return best


def _memory_plan(problem: Problem, best: _Arranged, bound: int, steps: int) -> MemoryPlan:
    offsets = {b.name: 0 for b in problem.buffers}
    scratch: dict[str, int] = {}
    for block, offset in zip(best.layout.blocks, best.placement.offsets, strict=True):
        if block.scratch_of:
            scratch[block.scratch_of] = offset
        offsets.update(dict.fromkeys(block.buffers, offset))
    return MemoryPlan(
        order=best.order,
        offsets=MappingProxyType(offsets),
        scratch_offsets=MappingProxyType(scratch),
        arena_bytes=best.top,
        lower_bound_bytes=bound,
        optimal=best.top == bound,
        lifetimes=MappingProxyType(lifetimes(problem, best.order)),
        shared=MappingProxyType(dict(best.layout.shared)),
        steps=steps,
    )
