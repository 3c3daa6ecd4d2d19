"""The validator takes good plans and names what is wrong with each kind of bad one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcugen.errors import InternalError
from mcugen.plan import Buffer, MemoryPlan, Problem, Task, validate

PROBLEM = Problem(
    buffers=(
        Buffer("x", 40),
        Buffer("a", 32),
        Buffer("b", 32),
        Buffer("sum", 30),
        Buffer("none", 0),
    ),
    tasks=(
        Task("left", ("x",), ("a",)),
        Task("right", ("x",), ("b",), scratch_bytes=20),
        Task("add", ("a", "b"), ("sum", "none"), inplace=(("sum", "a"), ("sum", "b"))),
    ),
    inputs=("x",),
    outputs=("sum",),
)
GOOD = MemoryPlan(
    order=(0, 1, 2),
    offsets={"x": 0, "a": 48, "b": 80, "sum": 48, "none": 0},
    scratch_offsets={"right": 112},
    arena_bytes=144,
    lower_bound_bytes=144,
    optimal=True,
    lifetimes={"x": (-1, 2), "a": (0, 3), "b": (1, 3), "sum": (2, 4), "none": (2, 3)},
    shared={"sum": "a"},
)


def at(name: str, offset: int, **more: Any) -> dict[str, Any]:
    return {"offsets": {**GOOD.offsets, name: offset}, **more}


def test_a_good_plan() -> None:
    validate(PROBLEM, GOOD)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"order": (0, 1)}, "must run each of 3 tasks once", id="task missing"),
        pytest.param({"order": (0, 1, 1)}, "must run each of 3 tasks once", id="task twice"),
        pytest.param({"order": (0, 2, 1)}, "tasks 'add', .* 'b', and 'right'", id="bad order"),
        pytest.param({"order": (1, 0, 2)}, "'a' is alive in", id="lifetimes of another order"),
        pytest.param({"offsets": {}}, "buffer 'x' has no offset", id="no offset"),
        pytest.param({"scratch_offsets": {}}, "scratch of task 'right' has no", id="no scratch"),
        pytest.param(at("b", 72), "'b' is at offset 72, no multiple of 16", id="misaligned"),
        pytest.param({"scratch_offsets": {"right": 113}}, "no multiple of 16", id="scratch odd"),
        pytest.param(at("b", -16), "'b' takes \\[-16, 16\\), which is not inside", id="negative"),
        pytest.param(at("x", 112), "'x' takes \\[112, 152\\), .* of 144 bytes", id="out of bounds"),
        pytest.param(at("none", 160), "'none' takes \\[160, 160\\)", id="empty out of bounds"),
        pytest.param({"arena_bytes": 160}, "its highest buffer ends at 132", id="arena too large"),
        pytest.param({"arena_bytes": 132}, "ends at 132", id="arena not rounded"),
        pytest.param({"arena_bytes": 128}, "not inside", id="arena too small"),
        pytest.param(at("a", 32, shared={}), "'x' .* and buffer 'a'", id="overlap"),
        pytest.param({"scratch_offsets": {"right": 96}, "arena_bytes": 128}, "the scratch of task",
                     id="scratch"),
        pytest.param({"shared": {}}, "buffer 'a' .* and buffer 'sum' .* overlap at position 2",
                     id="not declared"),
        pytest.param({"shared": {"a": "x"}}, "'a' must not share with 'x'", id="not allowed"),
        pytest.param({"shared": {"sum": "b"}}, "they begin at 48 and 80", id="other address"),
        pytest.param({"shared": {"x": "a"}}, "'x' must not share", id="an input takes over"),
        pytest.param({"lower_bound_bytes": 160}, "lower bound 160", id="bound above arena"),
        pytest.param({"optimal": False}, "optimal False", id="bound met, not said"),
        pytest.param({"lower_bound_bytes": 128}, "optimal True", id="bound not met"),
    ],
)  # fmt: skip
def test_bad_plans(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InternalError, match=message):
        validate(PROBLEM, replace(GOOD, **changes))


def test_sharing_with_a_buffer_that_lives_on() -> None:
    problem = replace(PROBLEM, outputs=("sum", "a"))
    lives = {**GOOD.lifetimes, "a": (0, 4)}
    with pytest.raises(InternalError, match="task 'add' is not the end of 'a'"):
        validate(problem, replace(GOOD, lifetimes=lives))


def test_sharing_with_a_smaller_buffer() -> None:
    buffers = tuple(Buffer("sum", 33) if b.name == "sum" else b for b in PROBLEM.buffers)
    with pytest.raises(InternalError, match="33 bytes are more than 32"):
        validate(replace(PROBLEM, buffers=buffers), GOOD)


def test_two_written_buffers_on_one_read_buffer() -> None:
    pairs = (("y", "x"), ("z", "x"))
    problem = Problem(
        (Buffer("x", 16), Buffer("y", 16), Buffer("z", 16)),
        (Task("split", ("x",), ("y", "z"), inplace=pairs),),
        ("x",),
        ("y", "z"),
    )
    plan = MemoryPlan(
        order=(0,),
        offsets={"x": 0, "y": 0, "z": 0},
        scratch_offsets={},
        arena_bytes=16,
        lower_bound_bytes=16,
        optimal=True,
        lifetimes={"x": (-1, 1), "y": (0, 2), "z": (0, 2)},
        shared={"y": "x", "z": "x"},
    )
    with pytest.raises(InternalError, match=r"buffer 'y' .* and buffer 'z' .* overlap"):
        validate(problem, plan)
