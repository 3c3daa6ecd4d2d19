"""Program -> planning problem -> memory plan, validated every time."""

from __future__ import annotations

from mcugen.plan.planner import plan
from mcugen.plan.problem import Buffer, MemoryPlan, Problem, Task
from mcugen.plan.validate import validate
from mcugen.program import Program, Step


def problem_of(program: Program, *, io_caller: bool = False) -> Problem:
    """The planning problem of a program's buffers.

    Args:
        program: the lowered model.
        io_caller: inputs and outputs are the caller's buffers. They take no bytes of the arena,
            and are in the problem all the same: who reads one waits for who writes it.
    """
    graph = program.graph
    outside = _io_buffers(program) if io_caller else frozenset[str]()
    owners = dict.fromkeys(p.buffer for p in program.places.values())
    return Problem(
        buffers=tuple(Buffer(n, 0 if n in outside else program.buffer_bytes(n)) for n in owners),
        tasks=tuple(_task(program, s, outside) for s in program.calls),
        inputs=tuple(graph.inputs),
        outputs=tuple(dict.fromkeys(program.places[o].buffer for o in graph.outputs)),
    )


def plan_memory(program: Program, *, io_caller: bool = False) -> MemoryPlan:
    """A validated plan: order of the calls, offsets, lower bound.

    Raises:
        InternalError: the validator, which shares no code with the planner, found a fault.
    """
    problem = problem_of(program, io_caller=io_caller)
    found = plan(problem)
    validate(problem, found)
    return found


def _io_buffers(program: Program) -> frozenset[str]:
    graph = program.graph
    return frozenset(program.places[n].buffer for n in (*graph.inputs, *graph.outputs))


def _task(program: Program, step: Step, outside: frozenset[str]) -> Task:
    def buffers(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(program.places[n].buffer for n in names if n in program.places))

    pairs = ((program.places[o].buffer, program.places[i].buffer) for o, i in step.inplace)
    return Task(
        name=step.node.name,
        reads=buffers(step.inputs),
        writes=buffers(step.outputs),
        scratch_bytes=step.scratch_bytes,
        inplace=tuple((o, i) for o, i in pairs if not outside & {o, i}),
    )
