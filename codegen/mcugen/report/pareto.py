"""Which of several runs no other one beats, in planes of two costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcugen.report.run import Run


@dataclass(frozen=True)
class Cost:
    """A figure of which less is better.

    Attributes:
        name: as tables have it.
        title: of its axis.
        unit: of its axis; "" where the title has it.
        of: the figure of a run; None where it has none.
    """

    name: str
    title: str
    unit: str
    of: Callable[[Run], float | None]


def _wrong(run: Run) -> float | None:
    return None if run.accuracy is None else 100 * (1 - run.accuracy)


LATENCY = Cost("latency", "latency, median", "s", lambda run: run.latency_s)
ENERGY = Cost("energy", "energy per inference", "J", lambda run: run.energy_j)
MEMORY = Cost("RAM", "RAM", "B", lambda run: run.ram_bytes)
ERRORS = Cost("accuracy", "wrong answers, %", "", _wrong)


@dataclass(frozen=True)
class Plane:
    """Runs by latency and another cost.

    Attributes:
        cost: the other one.
        points: index of the run -> (latency, cost); runs without a figure are not there.
        front: indices of the runs that no other one beats.
    """

    cost: Cost
    points: dict[int, tuple[float, float]]
    front: frozenset[int]


def planes(runs: Sequence[Run]) -> list[Plane]:
    """The planes in which at least two runs differ in both costs or in one at no less of the other.

    A plane in which all runs cost the same on one axis says no more than a table does.
    """
    found = []
    for cost in (ENERGY, MEMORY, ERRORS):
        points = {}
        for index, run in enumerate(runs):
            x, y = LATENCY.of(run), cost.of(run)
            if x is not None and y is not None:
                points[index] = (x, y)
        if all(len({p[axis] for p in points.values()}) > 1 for axis in (0, 1)):
            found.append(Plane(cost, points, pareto_front(points)))
    return found


def pareto_front(points: dict[int, tuple[float, float]]) -> frozenset[int]:
    """Keys of the points that no other one beats: as good in both costs and better in one."""

    def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
        return a != b and a[0] <= b[0] and a[1] <= b[1]

    return frozenset(
        key for key, point in points.items() if not any(beats(o, point) for o in points.values())
    )
