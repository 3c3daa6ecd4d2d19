"""A problem in index and bit-mask form, for walking over sets of tasks already done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mcugen.plan.inplace import best_matching, possible_pairs
from mcugen.plan.problem import Problem, round_up


@dataclass(frozen=True)
class Pair:
    """Two buffers that may share storage at a task where the one begins and the other ends."""

    begins: int
    ends: int
    written: int
    read: int


@dataclass(frozen=True)
class Flow:
    """Tasks and buffers by index; a set of tasks is an int with bit t for task t.

    Bit n is in every `done` set and stands for what happens before the first task, bit n + 1 is
    in none and stands for what happens after the last. A buffer is alive when a task of its
    `begin` mask is done and not all of its `end` mask are: it begins with its first writer and
    ends with its last user. Read backwards, from the last task to the first, the same problem has
    the two exchanged; `reversed` gives that form, in which orders are found from the back.

    Attributes:
        count: n, the number of tasks.
        before: by task, the mask of tasks that must come before it.
        after: by task, the tasks that wait for it.
        sizes: by buffer, bytes rounded up to the alignment.
        begin: by buffer, the mask of tasks that begin it.
        end: by buffer, the mask of tasks that must be done for it to end.
        begins: by task, the buffers in whose `begin` mask it is.
        ends: by task, the buffers in whose `end` mask it is.
        scratch: by task, rounded bytes.
        pairs: by task, what may share in some order.
    """

    count: int
    before: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    begin: tuple[int, ...]
    end: tuple[int, ...]
    begins: tuple[tuple[int, ...], ...]
    ends: tuple[tuple[int, ...], ...]
    scratch: tuple[int, ...]
    pairs: tuple[tuple[Pair, ...], ...]

    @property
    def start(self) -> int:
        """The `done` set before the first task."""
        return 1 << self.count

    @property
    def full(self) -> int:
        """The `done` set after the last task."""
        return (2 << self.count) - 1

    @property
    def start_bytes(self) -> int:
        """Bytes alive when the first task begins."""
        return sum(
            size
            for size, begin, end in zip(self.sizes, self.begin, self.end, strict=True)
            if begin & self.start and end & ~self.start
        )

    def run(self, done: int, live: int, task: int) -> tuple[int, int]:
        """(bytes needed while `task` runs, bytes alive after it), from `live` bytes before it.

        The first figure counts the best sharing in place that is legal at this moment.
        """
        left = ~(done | 1 << task)
        begun = sum(self.sizes[b] for b in self.begins[task] if not self.begin[b] & done)
        ended = sum(self.sizes[b] for b in self.ends[task] if not self.end[b] & left)
        saved = self._saved(done, left, task) if self.pairs[task] else 0
        return live + begun + self.scratch[task] - saved, live + begun - ended

    def ready(self, done: int, waiting: Iterable[int]) -> tuple[int, ...]:
        """Those of the tasks `waiting` whose predecessors are all done."""
        return tuple(t for t in waiting if not self.before[t] & ~done)

    def reversed(self) -> Flow:
        """The same problem from the last task to the first."""
        return replace(
            self,
            before=_masks(self.after),
            after=_inverse(_masks(self.after)),
            begin=tuple(_swap_ends(mask, self.count) for mask in self.end),
            end=tuple(_swap_ends(mask, self.count) for mask in self.begin),
            begins=self.ends,
            ends=self.begins,
            pairs=tuple(
                tuple(Pair(p.ends, p.begins, p.written, p.read) for p in pairs)
                for pairs in self.pairs
            ),
        )

    def _saved(self, done: int, left: int, task: int) -> int:
        legal = [
            (p.written, p.read)
            for p in self.pairs[task]
            if not self.begin[p.begins] & done and not self.end[p.ends] & left
        ]
        if len(legal) > 1:
            legal = list(best_matching(legal, self.sizes.__getitem__).items())
        return sum(self.sizes[written] for written, _ in legal)


def flow_of(problem: Problem) -> Flow:
    """The index form of a problem."""
    index = {b.name: i for i, b in enumerate(problem.buffers)}
    sizes = problem.sizes
    reads = [tuple(dict.fromkeys(index[r] for r in t.reads)) for t in problem.tasks]
    writes = [tuple(dict.fromkeys(index[w] for w in t.writes)) for t in problem.tasks]
    before, writers, readers = _precedence(problem, reads, writes)
    return Flow(
        count=len(problem.tasks),
        before=tuple(before),
        after=_inverse(before),
        sizes=tuple(round_up(b.size_bytes, problem.alignment) for b in problem.buffers),
        begin=tuple(writers),
        end=tuple(w & ~(1 << len(writes)) | r for w, r in zip(writers, readers, strict=True)),
        begins=tuple(writes),
        ends=tuple(tuple(dict.fromkeys((*r, *w))) for r, w in zip(reads, writes, strict=True)),
        scratch=tuple(round_up(t.scratch_bytes, problem.alignment) for t in problem.tasks),
        pairs=tuple(
            tuple(
                Pair(index[w], index[r], index[w], index[r])
                for w, r in possible_pairs(problem, t, sizes)
            )
            for t in problem.tasks
        ),
    )


Index = Sequence[tuple[int, ...]]


def _precedence(
    problem: Problem, reads: Index, writes: Index
) -> tuple[list[int], list[int], list[int]]:
    """By task what must come before it; by buffer its writers and its readers."""
    start, end = 1 << len(reads), 2 << len(reads)
    writers = [start if b.name in problem.inputs else 0 for b in problem.buffers]
    readers = [end if b.name in problem.pinned else 0 for b in problem.buffers]
    before = []
    for task, (read, written) in enumerate(zip(reads, writes, strict=True)):
        mask = 0
        for b in read:
            mask |= writers[b]
        for b in written:
            mask |= readers[b]
        before.append(mask & (start - 1))
        for b in read:
            readers[b] |= 1 << task
        for b in written:
            writers[b] |= 1 << task
    return before, writers, readers


def _inverse(masks: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """By task t, the tasks whose mask has bit t."""
    found: list[list[int]] = [[] for _ in masks]
    for task, mask in enumerate(masks):
        while mask:
            lowest = mask & -mask
            found[lowest.bit_length() - 1].append(task)
            mask ^= lowest
    return tuple(tuple(f) for f in found)


def _masks(sets: Index) -> tuple[int, ...]:
    return tuple(sum(1 << t for t in members) for members in sets)


def _swap_ends(mask: int, count: int) -> int:
    """Bit `count` and the one above it exchanged."""
    ends = mask >> count
    return mask & ((1 << count) - 1) | ((ends & 1) << 1 | ends >> 1) << count
