"""Plans are valid, close to the least there is, optimal where they say so, and repeatable."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcugen.plan import Buffer, MemoryPlan, Problem, Task, plan, validate
from mcugen.plan.lower_bound import order_bound
from mcugen.plan.planner import EFFORT
from plan.brute_force import least_arena
from plan.problems import (
    BRANCHES,
    chain,
    kws_dscnn,
    random_problem,
    resnet8,
    transformer,
    vww_mobilenet,
)


def planned(problem: Problem, **options: int) -> MemoryPlan:
    result = plan(problem, **options)
    validate(problem, result)
    return result


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32), st.integers(0, 40), st.sampled_from((1, 4, 16)), st.integers(1, 12))
def test_random_problems(seed: int, tasks: int, alignment: int, reach: int) -> None:
    problem = random_problem(Random(seed), tasks, alignment=alignment, reach=reach)
    result = planned(problem, effort=20_000)
    assert result.arena_bytes <= order_bound(problem, range(tasks)) * 3


@pytest.mark.parametrize("seed", range(150))
def test_tiny_problems_against_all_plans(seed: int) -> None:
    """The planner has no search for all plans, but on these it finds the best and knows it."""
    rng = Random(seed)
    problem = random_problem(rng, rng.randint(1, 4), alignment=4, largest=9, reach=4)
    result = planned(problem, effort=200_000)
    assert result.arena_bytes == least_arena(problem)
    assert result.optimal


@pytest.mark.parametrize(
    ("problem", "arena_bytes"),
    [
        pytest.param(vww_mobilenet(), 55_296, id="vww"),
        pytest.param(kws_dscnn(), 16_000, id="kws"),
        pytest.param(resnet8(), 49_152, id="resnet8"),
        pytest.param(chain(640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640), 768, id="ad"),
        pytest.param(transformer(4), 8_192, id="transformer"),
        pytest.param(BRANCHES, 96, id="branches in the better order"),
    ],
)
def test_networks_reach_the_bound(problem: Problem, arena_bytes: int) -> None:
    result = planned(problem)
    assert result.arena_bytes == result.lower_bound_bytes == arena_bytes
    assert result.optimal


def test_the_given_order_stays_where_no_other_is_better() -> None:
    assert planned(vww_mobilenet()).order == tuple(range(30))
    assert planned(resnet8()).order == tuple(range(15))
    assert planned(BRANCHES).order != tuple(range(5))


def test_same_arguments_same_plan() -> None:
    problem = random_problem(Random(7), 60)
    first, second, other = (plan(problem, seed=s, effort=300_000) for s in (0, 0, 1))
    assert first == second
    validate(problem, other)


def test_work_ends_by_steps() -> None:
    problem = random_problem(Random(0), 600)
    base = planned(problem, effort=0)
    some = planned(problem, effort=200_000)
    assert base.steps < 400_000
    assert some.steps < base.steps + 200_000 * 1.1
    assert some.arena_bytes <= base.arena_bytes


def test_large_networks_take_little_work() -> None:
    problem = transformer(17)
    assert len(problem.tasks) == 612
    assert len(problem.outputs) == 35
    result = planned(problem)
    assert result.optimal
    assert result.steps < EFFORT / 20


def test_a_chain_in_place_stays_at_one_address() -> None:
    buffers = tuple(Buffer(f"b{i}", size) for i, size in enumerate((100, 100, 60, 60)))
    tasks = tuple(
        Task(f"t{i}", (f"b{i}",), (f"b{i + 1}",), inplace=((f"b{i + 1}", f"b{i}"),))
        for i in range(3)
    )
    result = planned(Problem(buffers, tasks, ("b0",), ("b3",)))
    assert result.arena_bytes == 112
    assert set(result.offsets.values()) == {0}
    assert result.shared == {"b1": "b0", "b2": "b1", "b3": "b2"}


def test_two_written_buffers_compete_for_one_read_buffer() -> None:
    pairs = (("small", "x"), ("large", "x"))
    problem = Problem(
        (Buffer("x", 64), Buffer("small", 16), Buffer("large", 64)),
        (Task("t", ("x",), ("small", "large"), inplace=pairs),),
        ("x",),
        ("small", "large"),
    )
    result = planned(problem)
    assert result.arena_bytes == 80
    assert result.shared == {"large": "x"}


def test_each_written_buffer_finds_a_read_buffer() -> None:
    """Taking the first that fits, y would go to a and leave z, which only a can take, without."""
    pairs = (("y", "a"), ("y", "b"), ("z", "a"))
    problem = Problem(
        tuple(Buffer(n, 32) for n in "abyz"),
        (Task("t", ("a", "b"), ("y", "z"), inplace=pairs),),
        ("a", "b"),
        ("y", "z"),
    )
    assert planned(problem).shared == {"y": "b", "z": "a"}


@pytest.mark.parametrize("seed", range(60))
def test_sharing_never_costs(seed: int) -> None:
    problem = random_problem(Random(seed), 16)
    apart = replace(problem, tasks=tuple(replace(t, inplace=()) for t in problem.tasks))
    assert planned(problem).arena_bytes <= planned(apart).arena_bytes


@pytest.mark.parametrize("kept", ["preserve", "outputs", "read later", "larger"])
def test_no_sharing_where_the_read_buffer_is_kept(kept: str) -> None:
    step = Task("step", ("x",), ("y",), inplace=(("y", "x"),))
    later = Task("later", ("x", "y"), ("z",))
    problem = Problem(
        (Buffer("x", 31), Buffer("y", 32 if kept == "larger" else 31), Buffer("z", 0)),
        (step, later) if kept == "read later" else (step,),
        ("x",),
        ("y", "x") if kept == "outputs" else ("y",),
        preserve=("x",) if kept == "preserve" else (),
    )
    result = planned(problem)
    assert not result.shared
    assert result.arena_bytes == 64


def test_an_input_may_be_overwritten_once_dead() -> None:
    assert planned(chain(64, 16, 64)).arena_bytes == 80
    assert planned(replace(chain(64, 16, 64), preserve=("b0",))).arena_bytes == 144


def test_inputs_that_nobody_reads_exist_before_the_first_task() -> None:
    buffers = (Buffer("x", 16), Buffer("unread", 64), Buffer("y", 48))
    result = planned(Problem(buffers, (Task("t", ("x",), ("y",)),), ("x", "unread"), ("y",)))
    assert result.arena_bytes == 80
    assert result.lifetimes["unread"] == (-1, 0)


def test_outputs_live_together_and_an_input_may_be_one() -> None:
    buffers = (Buffer("x", 16), Buffer("y", 16), Buffer("z", 16))
    tasks = (Task("t", ("x",), ("y",)), Task("u", ("x",), ("z",)))
    assert planned(Problem(buffers, tasks, ("x",), ("y", "z"))).arena_bytes == 48
    assert planned(Problem(buffers[:1], (), ("x",), ("x",))).arena_bytes == 16


def test_parts_of_one_buffer_live_from_the_first_writer() -> None:
    """`cat` is written by both branches: it must not lie on `b`, alive between the two."""
    buffers = (Buffer("x", 16), Buffer("b", 16), Buffer("cat", 32), Buffer("y", 16))
    tasks = (
        Task("left", ("x",), ("cat",)),
        Task("b", ("x",), ("b",)),
        Task("right", ("b",), ("cat",)),
        Task("end", ("cat",), ("y",)),
    )
    result = planned(Problem(buffers, tasks, ("x",), ("y",)))
    assert result.order == (0, 1, 2, 3)
    assert result.lifetimes["cat"] == (0, 4)
    assert result.arena_bytes == 64


def test_a_write_waits_for_earlier_reads_of_its_buffer() -> None:
    """The second write of `a` must come after the read between the two, in every order."""
    buffers = (Buffer("x", 16), Buffer("a", 64), Buffer("y", 16), Buffer("z", 16))
    tasks = (
        Task("first", ("x",), ("a",)),
        Task("between", ("a",), ("y",)),
        Task("second", ("x",), ("a",)),
        Task("end", ("a", "y"), ("z",)),
    )
    assert planned(Problem(buffers, tasks, ("x",), ("z",))).order == (0, 1, 2, 3)


def test_empty_and_unused_buffers_take_no_space() -> None:
    buffers = (Buffer("x", 16), Buffer("empty", 0), Buffer("unused", 99), Buffer("y", 16))
    tasks = (Task("t", ("x",), ("empty",)), Task("nop", (), ()), Task("u", ("empty",), ("y",)))
    result = planned(Problem(buffers, tasks, ("x",), ("y",)))
    assert result.arena_bytes == 16
    assert set(result.offsets) == {"x", "empty", "unused", "y"}
    assert result.lifetimes["unused"] == (0, 0)


def test_nothing_at_all() -> None:
    result = planned(Problem((), (), (), ()))
    assert (result.arena_bytes, result.optimal, result.order) == (0, True, ())


def test_scratch_is_placed_beside_what_is_alive() -> None:
    tasks = (Task("t", ("x",), ("y",), scratch_bytes=40),)
    result = planned(Problem((Buffer("x", 16), Buffer("y", 16)), tasks, ("x",), ("y",)))
    assert result.arena_bytes == 80
    assert result.scratch_offsets.keys() == {"t"}


def test_the_arena_ends_with_the_true_need() -> None:
    assert planned(chain(10, 20, alignment=1)).arena_bytes == 30
    assert planned(chain(10, 20)).arena_bytes == 48
