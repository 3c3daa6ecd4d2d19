"""Bounds against all orders of small problems, and by hand."""

from __future__ import annotations

from random import Random

import pytest

from mcugen.plan import Buffer, Problem, Task
from mcugen.plan.budget import Budget
from mcugen.plan.lower_bound import any_order_bound, no_order_below, order_bound
from plan.brute_force import least_arena, valid_orders
from plan.problems import BRANCHES, chain, random_problem, small_problem


def test_bound_of_an_order_by_hand() -> None:
    assert order_bound(BRANCHES, (0, 1, 2, 3, 4)) == 64 + 64 + 16
    assert order_bound(BRANCHES, (0, 2, 1, 3, 4)) == 16 + 16 + 64


def test_bound_of_any_order_by_hand() -> None:
    assert any_order_bound(BRANCHES) == 64 + 16
    assert no_order_below(BRANCHES, 96, Budget(10_000))
    assert not no_order_below(BRANCHES, 112, Budget(10_000))


def test_no_proof_without_budget() -> None:
    assert not no_order_below(BRANCHES, 96, Budget(0))


def test_sharing_lowers_the_bound() -> None:
    buffers = (Buffer("x", 48), Buffer("y", 32))
    apart = Problem(buffers, (Task("t", ("x",), ("y",)),), ("x",), ("y",))
    inplace = Problem(buffers, (Task("t", ("x",), ("y",), inplace=(("y", "x"),)),), ("x",), ("y",))
    assert any_order_bound(apart) == order_bound(apart, (0,)) == 80
    assert any_order_bound(inplace) == order_bound(inplace, (0,)) == 48


def test_one_read_buffer_takes_one_written_buffer() -> None:
    pairs = (("small", "x"), ("large", "x"), ("small", "y"))
    problem = Problem(
        (Buffer("x", 64), Buffer("y", 16), Buffer("small", 16), Buffer("large", 64)),
        (Task("t", ("x", "y"), ("small", "large"), inplace=pairs),),
        ("x", "y"),
        ("small", "large"),
    )
    assert any_order_bound(problem) == 80


def test_inputs_together_and_outputs_together_count() -> None:
    buffers = tuple(Buffer(f"b{i}", 16) for i in range(3))
    assert any_order_bound(Problem(buffers, (), ("b0", "b1", "b2"), ())) == 48
    assert any_order_bound(chain(16, 16, 16)) == 32


@pytest.mark.parametrize("seed", range(100))
def test_every_order_needs_the_bound(seed: int) -> None:
    problem = small_problem(seed)
    least = min(order_bound(problem, order) for order in valid_orders(problem))
    assert any_order_bound(problem) <= least
    assert no_order_below(problem, least, Budget(1_000_000))
    assert not no_order_below(problem, least + 1, Budget(1_000_000))


@pytest.mark.parametrize("seed", range(60))
def test_no_placement_needs_less_than_the_bound(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng, rng.randint(1, 4), alignment=4, largest=9, reach=4)
    least = min(order_bound(problem, order) for order in valid_orders(problem))
    assert least <= least_arena(problem)
