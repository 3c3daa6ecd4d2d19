"""The picture of the arena."""

from __future__ import annotations

from random import Random

from mcugen.plan import Buffer, Problem, Task, arena_map, plan
from plan.problems import chain, random_problem, vww_mobilenet

PICTURE = """\
arena 128 bytes (lower bound 128, met); one column is 3 bytes
   # task                       bytes |0                                    128|
     (inputs)                      64 |aaaaaaaaaaaaaaaaaaaa....................|
   0 conv                         128 |aaaaaaaaaaaaaaaaaaaa##########bbbbbbbbbb|
   1 relu                          32 |..............................cccccccccc|
   2 a/long/name/of/a/task         33 |d.............................cccccccccc|

  buffer                              bytes      offset  tasks
a x                                      64           0  in..0
b conv                                   32          96  0..1
c relu                                   32          96  1..2  in place of b
d y                                       1           0  2..out
# scratch of the task
"""


def test_picture() -> None:
    problem = Problem(
        (Buffer("x", 64), Buffer("conv", 32), Buffer("relu", 32), Buffer("y", 1)),
        (
            Task("conv", ("x",), ("conv",), scratch_bytes=32),
            Task("relu", ("conv",), ("relu",), inplace=(("relu", "conv"),)),
            Task("a/long/name/of/a/task", ("relu",), ("y",)),
        ),
        ("x",),
        ("y",),
    )
    assert arena_map(problem, plan(problem)) == PICTURE


def test_width_and_rows() -> None:
    for seed in range(20):
        problem = random_problem(Random(seed), 30)
        text = arena_map(problem, plan(problem, effort=0), max_rows=5)
        assert all(len(line) <= 80 for line in text.splitlines())
        bars = [line for line in text.splitlines() if line.endswith("|")]
        assert len(bars) == 1 + 5
        assert {len(line) for line in bars} == {80}


def test_the_lines_that_need_most_are_shown() -> None:
    problem = vww_mobilenet()
    text = arena_map(problem, plan(problem), max_rows=2)
    assert "     ... 1 more, at most 27,648 bytes\n   0 t0 " in text
    assert "     ... 27 more, at most 46,080 bytes\n" in text


def test_long_names_keep_their_end() -> None:
    problem = Problem(
        (Buffer("block/of/a/long/name/that/ends:0", 4),),
        (),
        ("block/of/a/long/name/that/ends:0",),
        (),
    )
    assert "a ~k/of/a/long/name/that/ends:0 " in arena_map(problem, plan(problem))


def test_marks_are_given_again() -> None:
    problem = chain(*[16] * 200)
    text = arena_map(problem, plan(problem), max_rows=300)
    for line in text.splitlines():
        if line.endswith("|") and "task" not in line:
            assert len(set(line[39:-1]) - {"."}) in (1, 2)


def test_no_arena() -> None:
    problem = Problem((), (Task("nop", (), ()),), (), ())
    assert "arena 0 bytes" in arena_map(problem, plan(problem))
