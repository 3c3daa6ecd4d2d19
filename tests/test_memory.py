"""The planning problem of a program, with inputs and outputs in the arena and outside it."""

from __future__ import annotations

from graphs import Builder
from mcugen import memory
from mcugen.lower import lower
from mcugen.ops.unary import UnaryAttrs
from mcugen.program import Program


def _two_outputs() -> Program:
    """a = Sigmoid(x) and b = Sigmoid(a), both outputs: the second reads the first."""
    g = Builder()
    g.input("x", (5,))
    g.node("Sigmoid", ["x"], UnaryAttrs(), "a")
    g.node("Sigmoid", ["a"], UnaryAttrs(), "b")
    return lower(g.graph("b", "a"))


def test_callers_buffers_take_no_bytes() -> None:
    program = _two_outputs()
    assert memory.problem_of(program).sizes == {"x": 20, "a": 20, "b": 20}
    assert memory.problem_of(program, io_caller=True).sizes == {"x": 0, "a": 0, "b": 0}
    assert memory.plan_memory(program, io_caller=True).arena_bytes == 0


def test_a_reader_of_a_callers_output_waits_for_its_writer() -> None:
    problem = memory.problem_of(_two_outputs(), io_caller=True)
    assert [(t.reads, t.writes) for t in problem.tasks] == [(("x",), ("a",)), (("a",), ("b",))]
    assert problem.inputs == ("x",) and problem.outputs == ("b", "a")


def test_callers_buffers_are_never_shared_in_place() -> None:
    program = _two_outputs()
    assert any(t.inplace for t in memory.problem_of(program).tasks)
    assert not any(t.inplace for t in memory.problem_of(program, io_caller=True).tasks)
