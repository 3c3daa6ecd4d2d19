"""Orders found are valid, and the lowest ones where the search says so."""

from __future__ import annotations

from random import Random

import pytest

from mcugen.plan import Problem
from mcugen.plan.budget import Budget
from mcugen.plan.flow import flow_of
from mcugen.plan.lower_bound import any_order_bound, order_bound
from mcugen.plan.order import beam_order, best_order
from plan.brute_force import valid_orders
from plan.problems import BRANCHES, small_problem, transformer

PLENTY = 10_000_000


def found(problem: Problem, search: str, *, backward: bool) -> tuple[int, ...]:
    flow = flow_of(problem).reversed() if backward else flow_of(problem)
    bound = any_order_bound(problem)
    if search == "best":
        order = best_order(flow, bound, PLENTY, Budget(PLENTY))
    else:
        order = beam_order(flow, bound, 4, Budget(PLENTY))
    assert order is not None
    return order[::-1] if backward else order


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_against_all_orders(seed: int, backward: bool) -> None:
    problem = small_problem(seed)
    orders = {order: order_bound(problem, order) for order in valid_orders(problem)}
    assert orders[found(problem, "best", backward=backward)] == min(orders.values())
    assert found(problem, "beam", backward=backward) in orders


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("search", ["best", "beam"])
def test_one_branch_after_the_other(search: str, backward: bool) -> None:
    assert order_bound(BRANCHES, found(BRANCHES, search, backward=backward)) == 96


@pytest.mark.parametrize("backward", [False, True])
def test_figures_agree_with_the_lower_bound(backward: bool) -> None:
    for seed in range(30):
        problem = small_problem(seed)
        flow = flow_of(problem).reversed() if backward else flow_of(problem)
        order = Random(seed).choice(sorted(valid_orders(problem)))
        done, live, peak = flow.start, flow.start_bytes, flow.start_bytes
        for task in order[::-1] if backward else order:
            need, live = flow.run(done, live, task)
            done |= 1 << task
            peak = max(peak, need)
        unread = sum(
            -(-problem.sizes[b] // 4) * 4
            for b in problem.inputs
            if b not in problem.pinned
            and not any(b in (*t.reads, *t.writes) for t in problem.tasks)
        )
        assert max(peak, flow_of(problem).start_bytes + unread) == order_bound(problem, order)
        assert done == flow.full


def test_given_up_without_budget() -> None:
    flow = flow_of(transformer(2))
    assert best_order(flow, 0, PLENTY, Budget(0)) is None
    assert beam_order(flow, 0, 4, Budget(0)) is None


def test_no_better_order_is_none() -> None:
    assert best_order(flow_of(BRANCHES), 80, 96, Budget(PLENTY)) is None


def test_ties_at_random_are_repeatable() -> None:
    flow = flow_of(transformer(2))
    orders = [beam_order(flow, 0, 4, Budget(PLENTY), Random(seed)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
