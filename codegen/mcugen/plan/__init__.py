"""The memory planner: one arena, every buffer at an offset. `problem.py` states the problem."""

from mcugen.plan.arena_map import arena_map
from mcugen.plan.planner import plan
from mcugen.plan.problem import Buffer, MemoryPlan, Problem, Task
from mcugen.plan.validate import validate

__all__ = ["Buffer", "MemoryPlan", "Problem", "Task", "arena_map", "plan", "validate"]
