"""Blocks, first-fit and the search for lower placements."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from mcugen.plan import Buffer, Problem, Task
from mcugen.plan.blocks import Layout, choose_shares, layout_of
from mcugen.plan.budget import Budget
from mcugen.plan.lifetime import lifetimes
from mcugen.plan.place import FREE, first_fit, starting_sequences
from mcugen.plan.search import Placement, better_placement, first_placement
from plan.problems import random_problem, resnet8, vww_mobilenet

PLENTY = 10_000_000


def layout(problem: Problem) -> Layout:
    order = range(len(problem.tasks))
    lives = lifetimes(problem, order)
    return layout_of(problem, order, lives, choose_shares(problem, order, lives))


def packed(rng: Random, count: int, positions: int, slots: int) -> Problem:
    """Buffers that fill `slots` * 16 bytes at every position: a rectangle cut into `count`."""
    pieces = [(0, positions, 0, slots)]
    while len(pieces) < count:
        start, end, low, high = pieces.pop(rng.randrange(len(pieces)))
        if end - start > 1 and (rng.random() < 0.5 or high - low == 1):
            cut = rng.randint(start + 1, end - 1)
            pieces += [(start, cut, low, high), (cut, end, low, high)]
        elif high - low > 1:
            cut = rng.randint(low + 1, high - 1)
            pieces += [(start, end, low, cut), (start, end, cut, high)]
        else:
            pieces.append((start, end, low, high))
    rng.shuffle(pieces)
    tasks = [
        Task(
            f"t{p}",
            tuple(f"b{i}" for i, (_, end, _, _) in enumerate(pieces) if end == p + 1),
            tuple(f"b{i}" for i, (start, _, _, _) in enumerate(pieces) if start == p),
        )
        for p in range(positions)
    ]
    # A piece of one position is read where it is written, which as a problem reads nothing.
    tasks = [Task(t.name, tuple({*t.reads} - {*t.writes}), t.writes) for t in tasks]
    buffers = [Buffer(f"b{i}", (high - low) * 16) for i, (_, _, low, high) in enumerate(pieces)]
    return Problem(tuple(buffers), tuple(tasks), (), ())


def assert_apart(placed: Layout, placement: Placement) -> None:
    offsets = placement.offsets
    for i, conflicts in enumerate(placed.conflicts):
        for j, own, theirs in conflicts:
            assert offsets[i] + own <= offsets[j] or offsets[j] + theirs <= offsets[i]


def test_greedy_by_size_is_not_enough_for_vww() -> None:
    vww = layout(vww_mobilenet())
    by_size = sorted(range(len(vww.blocks)), key=lambda i: (-vww.heights[i], i))
    assert first_fit(vww, by_size, [FREE] * len(by_size), Budget(PLENTY), None) == 64_512
    assert first_placement(vww, Budget(PLENTY)).top == 55_296


def test_buffers_in_place_are_one_block() -> None:
    blocks = layout(resnet8()).blocks
    chains = [b.buffers for b in blocks if len(b.buffers) > 1]
    assert len(chains) == 3
    for block in blocks:
        assert all(a.end == b.start and a.size >= b.size for a, b in pairwise(block.parts))


def test_a_shrinking_chain_gives_its_place_back() -> None:
    """`big` shrinks to `small` in place; `late` fits above it, inside what `big` took."""
    buffers = (Buffer("big", 96), Buffer("small", 16), Buffer("late", 80), Buffer("y", 16))
    tasks = (
        Task("shrink", ("big",), ("small",), inplace=(("small", "big"),)),
        Task("late", ("small",), ("late",)),
        Task("end", ("late",), ("y",), inplace=(("y", "late"),)),
    )
    placed = layout(Problem(buffers, tasks, ("big",), ("y",)))
    assert placed.peak == first_placement(placed, Budget(PLENTY)).top == 96


def test_first_fit_by_offset_is_nowhere_higher() -> None:
    for seed in range(20):
        placed = layout(random_problem(Random(seed), 30))
        for sequence in starting_sequences(placed, Budget(PLENTY)):
            offsets = [FREE] * len(sequence)
            first_fit(placed, sequence, offsets, Budget(PLENTY), None)
            lower = [FREE] * len(sequence)
            again = sorted(sequence, key=offsets.__getitem__)
            first_fit(placed, again, lower, Budget(PLENTY), None)
            assert all(a <= b for a, b in zip(lower, offsets, strict=True))


def test_first_fit_stops_above_the_limit() -> None:
    vww = layout(vww_mobilenet())
    offsets = [FREE] * len(vww.blocks)
    budget = Budget(PLENTY)
    assert first_fit(vww, range(len(offsets)), offsets, budget, 20_000) > 20_000
    assert FREE in offsets


def test_ejection_finds_perfect_packings() -> None:
    improved = 0
    for seed in range(12):
        placed = layout(packed(Random(seed), 40, 30, 40))
        assert placed.peak == 640
        first = first_placement(placed, Budget(PLENTY))
        better = better_placement(placed, first, Budget(1_000_000), Random(0))
        assert_apart(placed, first)
        assert_apart(placed, better)
        improved += better.top < first.top
        assert better.top == 640
    assert improved >= 3


def test_no_budget_no_change() -> None:
    placed = layout(packed(Random(1), 40, 30, 40))
    first = first_placement(placed, Budget(0))
    assert better_placement(placed, first, Budget(0), Random(0)) == first
