"""The arena's rectangles."""

from __future__ import annotations

from random import Random

from mcugen.plan import Buffer, Problem, Task, plan
from mcugen.plan.arena_blocks import ArenaBlock, arena_blocks
from mcugen.plan.problem import BEFORE
from plan.problems import random_problem


def test_buffers_by_beginning_then_scratch() -> None:
    problem = Problem(
        (Buffer("x", 64), Buffer("conv", 32), Buffer("relu", 32), Buffer("y", 1), Buffer("e", 0)),
        (
            Task("conv", ("x",), ("conv", "e"), scratch_bytes=32),
            Task("relu", ("conv",), ("relu",), inplace=(("relu", "conv"),)),
            Task("head", ("relu",), ("y",)),
        ),
        ("x",),
        ("y",),
    )
    assert arena_blocks(problem, plan(problem)) == (
        ArenaBlock("x", 0, 64, BEFORE, 1),
        ArenaBlock("conv", 96, 32, 0, 2),
        ArenaBlock("relu", 96, 32, 1, 3, over="conv"),
        ArenaBlock("y", 0, 1, 2, 4),
        ArenaBlock("conv", 64, 32, 0, 1, scratch=True),
    )


def test_blocks_that_live_together_share_no_byte_but_in_place() -> None:
    for seed in range(20):
        problem = random_problem(Random(seed), 30)
        found = plan(problem, effort=0)
        blocks = arena_blocks(problem, found)
        end = max((b.offset + b.size for b in blocks), default=0)
        assert 0 <= found.arena_bytes - end < problem.alignment
        for a in blocks:
            for b in blocks:
                together = a.first < b.stop and b.first < a.stop
                overlap = a.offset < b.offset + b.size and b.offset < a.offset + a.size
                hosted = a.over == b.name or b.over == a.name
                assert a is b or not (together and overlap) or hosted
