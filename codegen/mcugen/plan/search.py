"""Placement under a ceiling, by ejection.

A ceiling is set below the best placement known, and blocks are put back one by one: each at the
offset where the blocks in its way weigh least; those are taken out and must be put back in turn.
A block weighs one more each time it had to push others out, so that blocks which are hard to
place come to stay where they are and easy ones move around them (the ejection pool of Nagata and
Bräysy, "A powerful route minimization heuristic for the vehicle routing problem with time
windows", 2009). Sharing, scratch and lifetimes are all in the conflicts of the layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from mcugen.plan.blocks import Layout
from mcugen.plan.budget import Budget
from mcugen.plan.place import FREE, first_fit, starting_sequences

SMALLEST_TRY = 1000
"""Steps below which a further ceiling is not worth trying."""


@dataclass(frozen=True)
class Placement:
    """Offset of each block, and the end of the highest one."""

    offsets: tuple[int, ...]
    top: int


def first_placement(layout: Layout, budget: Budget) -> Placement:
    """The best of the starting sequences; the first of them whatever the budget."""
    best: Placement | None = None
    for sequence in starting_sequences(layout, budget):
        best = _better(layout, sequence, best, budget)
        if best.top <= layout.peak or not budget.left:
            break
    assert best is not None, "there are starting sequences"
    return best


def better_placement(layout: Layout, best: Placement, budget: Budget, rng: Random) -> Placement:
    """`best` or a lower one, as low as the budget allows and not lower than needed.

    The ceiling is what the layout needs at least, then halfway between what failed and what is
    known.
    """
    failed = ceiling = layout.peak
    while ceiling < best.top and budget.limit - budget.spent > SMALLEST_TRY:
        part = budget.part(1 / 3)
        offsets = _fit_below(layout, best.offsets, ceiling, part, rng)
        budget.spend(part.spent)
        if offsets is None:
            failed = ceiling
        else:
            sequence = sorted(range(len(offsets)), key=offsets.__getitem__)
            best, failed = _better(layout, sequence, best, budget), layout.peak
        middle = (failed + best.top) // 2
        ceiling = max(layout.peak, middle - middle % layout.alignment)
    return best


def _better(
    layout: Layout, sequence: Sequence[int], best: Placement | None, budget: Budget
) -> Placement:
    """First-fit by `sequence` if that is lower than `best`."""
    offsets = [FREE] * len(layout.blocks)
    limit = best.top - layout.alignment if best else None
    top = first_fit(layout, sequence, offsets, budget, limit)
    return best if best and top >= best.top else Placement(tuple(offsets), top)


def _fit_below(
    layout: Layout, known: Sequence[int], ceiling: int, budget: Budget, rng: Random
) -> list[int] | None:
    """Offsets with every block below `ceiling`, from the `known` ones; None when none are found."""
    offsets = [
        low if low + height <= ceiling else FREE
        for low, height in zip(known, layout.heights, strict=True)
    ]
    weights = [1] * len(offsets)
    pool = [block for block, offset in enumerate(offsets) if offset == FREE]
    while pool and budget.left:
        block = pool.pop(rng.randrange(len(pool)))
        conflicts = layout.conflicts[block]
        budget.spend(2 * len(conflicts) + 1)
        room = ceiling - layout.heights[block]
        taken = [
            (offsets[j] - own, offsets[j] + theirs, weights[j])
            for j, own, theirs in conflicts
            if offsets[j] != FREE
        ]
        cost, choices = _cheapest(taken, room)
        offset = rng.choice(choices)
        if cost:
            weights[block] += 1
            for j, own, theirs in conflicts:
                if offsets[j] != FREE and offsets[j] - own < offset < offsets[j] + theirs:
                    offsets[j] = FREE
                    pool.append(j)
        offsets[block] = offset
    return None if pool else offsets


def _cheapest(taken: Sequence[tuple[int, int, int]], room: int) -> tuple[int, list[int]]:
    """(least weight, offsets in [0, room] that have it) among 0, `room` and the ends of blocks.

    `taken` holds (low, high, weight): an offset strictly between low and high costs the weight.
    """
    opening, closing = {0: 0, room: 0}, {0: 0}
    cost = 0
    for low, high, weight in taken:
        if low < 0:
            cost += weight
        elif low < room:
            opening[low] = opening.get(low, 0) + weight
        if high <= room:
            closing[high] = closing.get(high, 0) + weight
    least, choices = cost, [0]
    for offset in sorted(opening.keys() | closing.keys()):
        cost -= closing.get(offset, 0)
        if cost < least:
            least, choices = cost, [offset]
        elif cost == least and offset:
            choices.append(offset)
        cost += opening.get(offset, 0)
    return least, choices
