"""Placing blocks one after the other, and the placing orders worth trying first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcugen.plan.blocks import Layout
from mcugen.plan.budget import Budget

FREE = -1
"""Offset of a block not placed yet."""


def first_fit(
    layout: Layout, sequence: Sequence[int], offsets: list[int], budget: Budget, limit: int | None
) -> int:
    """Put each block of `sequence` at the lowest offset free of the blocks already in `offsets`.

    Returns the end of the highest block placed; stops early, with a value above `limit`, at the
    first block that ends above it. First-fit in the order of the offsets of any placement gives
    one that is nowhere higher.
    """
    top = 0
    for block in sequence:
        conflicts = layout.conflicts[block]
        budget.spend(len(conflicts) + 1)
        taken = [
            (offsets[j] - own, offsets[j] + theirs)
            for j, own, theirs in conflicts
            if offsets[j] >= 0
        ]
        taken.sort()
        offset = 0
        for low, high in taken:
            if offset <= low:
                break
            if high > offset:
                offset = high
        offsets[block] = offset
        top = max(top, offset + layout.heights[block])
        if limit is not None and top > limit:
            break
    return top


def starting_sequences(layout: Layout, budget: Budget) -> Iterator[list[int]]:
    """Placing orders that often do well, best bets first."""
    blocks, heights = layout.blocks, layout.heights
    everything = range(len(blocks))
    crowd = [sum(heights[j] for j, _, _ in c) for c in layout.conflicts]
    yield _by_offset(_two_ended(layout, budget))
    yield sorted(everything, key=lambda i: (-heights[i], blocks[i].start))
    yield sorted(everything, key=lambda i: (-blocks[i].area, blocks[i].start))
    yield sorted(everything, key=lambda i: (-crowd[i] - heights[i], blocks[i].start))
    yield sorted(everything, key=lambda i: (-len(layout.conflicts[i]), -heights[i]))
    yield sorted(everything, key=lambda i: (blocks[i].start, -heights[i]))
    yield _by_offset(_best_fit(layout, budget))


def _by_offset(offsets: Sequence[int]) -> list[int]:
    return sorted(range(len(offsets)), key=lambda i: offsets[i])


def _gaps(
    layout: Layout, block: int, offsets: Sequence[int], budget: Budget
) -> Iterator[tuple[int, int | None]]:
    """Offsets the block may take, as [lowest, highest] ranges from low to high; None is no end."""
    budget.spend(len(layout.conflicts[block]) + 1)
    taken = sorted(
        (offsets[j] - own, offsets[j] + theirs)
        for j, own, theirs in layout.conflicts[block]
        if offsets[j] != FREE
    )
    offset = 0
    for low, high in taken:
        if offset <= low:
            yield offset, low
        offset = max(offset, high)
    yield offset, None


def _two_ended(layout: Layout, budget: Budget) -> list[int]:
    """Time order, each block at the bottom or flush with the peak if it can be, else lowest.

    Solves every chain, where only neighbours in time collide: they alternate between the ends.
    """
    offsets = [FREE] * len(layout.blocks)
    starts = [block.start for block in layout.blocks]
    for block in sorted(range(len(offsets)), key=lambda i: (starts[i], -layout.heights[i])):
        ceiling = layout.peak - layout.heights[block]
        gaps = list(_gaps(layout, block, offsets, budget))
        fits = any(low <= ceiling and (high is None or ceiling <= high) for low, high in gaps)
        lowest = gaps[0][0]
        offsets[block] = ceiling if lowest > 0 and fits else lowest
    return offsets


def _best_fit(layout: Layout, budget: Budget) -> list[int]:
    """Largest block first, each into the gap that leaves the least room above it."""
    offsets = [FREE] * len(layout.blocks)
    for block in sorted(range(len(offsets)), key=lambda i: -layout.heights[i]):
        gaps = _gaps(layout, block, offsets, budget)
        offsets[block] = min(gaps, key=lambda g: (g[1] is None, (g[1] or 0) - g[0]))[0]
    return offsets
