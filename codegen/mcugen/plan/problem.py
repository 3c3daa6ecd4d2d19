"""What is planned and what a plan is. Knows buffers, tasks and bytes, nothing of graphs or C.

Time is counted in positions of the execution order: position p is the task that runs as number
p, `BEFORE` (-1) is when the caller has written the inputs and nothing has run yet, and position
n (the number of tasks) is when the caller reads the outputs. Lifetimes are half-open intervals
of positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mcugen.errors import InternalError

BEFORE = -1
"""The position at which all inputs have been written and no task has run."""


@dataclass(frozen=True)
class Buffer:
    """One storage unit of the arena. Tensors that are views of each other are one buffer."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Task:
    """One step of the program.

    Attributes:
        name: unique.
        reads: buffers it reads; naming one twice means nothing more.
        writes: buffers it writes, whole or in part.
        scratch_bytes: working memory it needs while it runs.
        inplace: (written, read) buffers that may start at the same address, when the read one is
            needed by nobody after this task and the written one by nobody before it. The caller
            states a pair only where the task may overwrite the read buffer from its first byte
            on. A pair whose written buffer is the larger one is never used.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    scratch_bytes: int = 0
    inplace: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Problem:
    """Tasks in an order that is valid as given, and the buffers they work on.

    What a task sees in a buffer is what it sees in the given order: another order is valid when
    every read still comes after the same writes of its buffer and before the same later writes.
    Writes of one buffer are free among themselves: each writes its own part (a concatenation).

    Attributes:
        inputs: buffers written before the first task; they hold their value until their last
            reader and may be overwritten afterwards.
        outputs: buffers that hold their value until after the last task, all of them together.
        alignment: of every offset, in bytes.
        preserve: buffers, inputs as a rule, that must hold their value to the end like outputs.

    Raises:
        InternalError: names that are not unique or not known, negative sizes, a read of a buffer
            that nothing has written, an output that nothing writes.
    """

    buffers: tuple[Buffer, ...]
    tasks: tuple[Task, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    alignment: int = 16
    preserve: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.alignment < 1:
            raise InternalError(f"arena alignment must be positive, got {self.alignment}")
        _check_unique("buffer", (b.name for b in self.buffers))
        _check_unique("task", (t.name for t in self.tasks))
        for b in self.buffers:
            if b.size_bytes < 0:
                raise InternalError(f"buffer '{b.name}' has a negative size, {b.size_bytes} bytes")
        self._check_names()
        self._check_written()

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each buffer."""
        return {b.name: b.size_bytes for b in self.buffers}

    @property
    def pinned(self) -> frozenset[str]:
        """Buffers that hold their value until after the last task."""
        return frozenset(self.outputs) | frozenset(self.preserve)

    def _check_names(self) -> None:
        known = {b.name for b in self.buffers}
        users: list[tuple[str, tuple[str, ...]]] = [
            ("the inputs", self.inputs),
            ("the outputs", self.outputs),
            ("the preserved buffers", self.preserve),
        ]
        for task in self.tasks:
            users.append((f"task '{task.name}'", (*task.reads, *task.writes)))
            if task.scratch_bytes < 0:
                raise InternalError(f"task '{task.name}': negative scratch {task.scratch_bytes}")
            for written, read in task.inplace:
                if written not in task.writes or read not in task.reads:
                    raise InternalError(
                        f"task '{task.name}': in-place pair ('{written}', '{read}') is not one of "
                        "a written and a read buffer of this task"
                    )
        for who, names in users:
            for name in names:
                if name not in known:
                    raise InternalError(f"{who}: no buffer is named '{name}'")

    def _check_written(self) -> None:
        written = set(self.inputs)
        for task in self.tasks:
            for name in task.reads:
                if name not in written:
                    raise InternalError(
                        f"task '{task.name}' reads buffer '{name}', which nothing wrote before"
                    )
            written.update(task.writes)
        for name in (*self.outputs, *self.preserve):
            if name not in written:
                raise InternalError(f"buffer '{name}' is kept to the end, but nothing writes it")


@dataclass(frozen=True)
class MemoryPlan:
    """Where every buffer lies and when.

    Attributes:
        order: task indices in execution order.
        offsets: buffer -> first byte in the arena. Buffers of no bytes and buffers that nothing
            uses have an offset too, and take no space.
        scratch_offsets: task -> first byte of its scratch; tasks that need none are absent.
        arena_bytes: the end of the highest buffer, rounded up to the alignment.
        lower_bound_bytes: no plan needs less, in any order of the tasks, with any placement and
            any sharing in place. `lower_bound.py` says what is proven.
        optimal: whether `arena_bytes` is that bound. False means not proven, not that a better
            plan exists.
        lifetimes: buffer -> [first, last + 1) in positions of `order`. Inputs start at `BEFORE`;
            outputs and preserved buffers end at n + 1, as they are alive at n, after the last of
            the n tasks. A buffer that nothing uses has an empty lifetime.
        shared: written buffer -> read buffer that it overwrites in place.
        steps: work spent on planning, in the unit of `budget.py`.
    """

    order: tuple[int, ...]
    offsets: Mapping[str, int]
    scratch_offsets: Mapping[str, int]
    arena_bytes: int
    lower_bound_bytes: int
    optimal: bool
    lifetimes: Mapping[str, tuple[int, int]]
    shared: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    steps: int = 0


def round_up(size: int, alignment: int) -> int:
    """The smallest multiple of `alignment` that is not below `size`."""
    return -(-size // alignment) * alignment


def _check_unique(kind: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InternalError(f"two {kind}s are named '{name}'")
        seen.add(name)
