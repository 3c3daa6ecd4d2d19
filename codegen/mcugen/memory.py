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
        io_caller: inputs and outputs are the caller's buffers, so the arena does not hold them.
    """
    graph = program.graph
    outside = _io_buffers(program) if io_caller else frozenset[str]()
    owners = dict.fromkeys(p.buffer for p in program.places.values())
    kept = {name for name in owners if name not in outside}
    return Problem(
        buffers=tuple(Buffer(n, program.buffer_bytes(n)) for n in owners if n in kept),
        tasks=tuple(_task(program, s, kept) for s in program.calls),
        inputs=tuple(n for n in graph.inputs if n in kept),
        outputs=tuple(
            dict.fromkeys(b for b in (program.places[o].buffer for o in graph.outputs) if b in kept)
        ),
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


def _task(program: Program, step: Step, kept: set[str]) -> Task:
    def buffers(names: tuple[str, ...]) -> tuple[str, ...]:
        found = (program.places[n].buffer for n in names if n in program.places)
        return tuple(dict.fromkeys(b for b in found if b in kept))

    pairs = ((program.places[o].buffer, program.places[i].buffer) for o, i in step.inplace)
    return Task(
        name=step.node.name,
        reads=buffers(step.inputs),
        writes=buffers(step.outputs),
        scratch_bytes=step.scratch_bytes,
        inplace=tuple((o, i) for o, i in pairs if o in kept and i in kept),
    )
