"""What has to be placed: blocks of storage in a fixed order of tasks, and which of them collide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from mcugen.plan.inplace import best_matching, pairs_in_order
from mcugen.plan.problem import Problem, round_up


@dataclass(frozen=True)
class Part:
    """A block's bytes, rounded to the alignment, while the positions [start, end) run."""

    start: int
    end: int
    size: int


@dataclass(frozen=True)
class Block:
    """Storage with one offset: a buffer, a chain of buffers sharing in place, or a scratch.

    Attributes:
        buffers: buffers that begin at the block's offset, in time order.
        scratch_of: the task whose scratch it is; "" for buffers.
        parts: in time order, each beginning where the one before it ends.
    """

    buffers: tuple[str, ...]
    scratch_of: str
    parts: tuple[Part, ...]

    @property
    def start(self) -> int:
        """First position at which it is alive."""
        return self.parts[0].start

    @property
    def area(self) -> int:
        """Bytes times positions."""
        return sum(p.size * (p.end - p.start) for p in self.parts)


Conflict = tuple[int, int, int]
"""(other block, own, theirs): with both alive at once the block must end, counting `own` bytes,
at or below the other's offset, or begin at or above the other's end, counting `theirs` bytes.

`own` is the largest of the block's parts that meets a part of the other in time, so that a chain
which shrinks does not keep the place it no longer needs.
"""


@dataclass(frozen=True)
class Layout:
    """All blocks of one order and one choice of sharing.

    Attributes:
        blocks: those with bytes; empty and unused buffers are not among them.
        heights: by block, the bytes of its largest part.
        conflicts: by block, its conflicts.
        peak: most bytes alive at one position; no placement of these blocks needs fewer.
        alignment: of every offset.
        shared: written buffer -> read buffer.
    """

    blocks: tuple[Block, ...]
    heights: tuple[int, ...]
    conflicts: tuple[tuple[Conflict, ...], ...]
    peak: int
    alignment: int
    shared: Mapping[str, str]


def choose_shares(
    problem: Problem,
    order: Sequence[int],
    lives: Mapping[str, tuple[int, int]],
    rng: Random | None = None,
) -> dict[str, str]:
    """Written -> read for as many bytes as possible at each task.

    A written buffer takes the smallest read buffer that will do; with `rng`, about one pair in
    four is left out and the read buffers are tried in random order.
    """
    sizes = problem.sizes
    shares: dict[str, str] = {}
    for pairs in pairs_in_order(problem, order, lives):
        if rng:
            pairs = [p for p in pairs if rng.random() < 0.75]
            rng.shuffle(pairs)
        else:
            pairs = sorted(pairs, key=lambda p: sizes[p[1]])
        shares.update(best_matching(pairs, sizes.__getitem__))
    return shares


def layout_of(
    problem: Problem,
    order: Sequence[int],
    lives: Mapping[str, tuple[int, int]],
    shares: Mapping[str, str],
) -> Layout:
    """The blocks to place."""
    blocks = (*_buffer_blocks(problem, lives, shares), *_scratch_blocks(problem, order))
    return Layout(
        blocks=blocks,
        heights=tuple(max(p.size for p in block.parts) for block in blocks),
        conflicts=_conflicts(blocks),
        peak=_peak(blocks, len(order)),
        alignment=problem.alignment,
        shared=dict(shares),
    )


def _buffer_blocks(
    problem: Problem, lives: Mapping[str, tuple[int, int]], shares: Mapping[str, str]
) -> Iterable[Block]:
    sizes = problem.sizes
    heir = {read: written for written, read in shares.items()}
    for buffer in problem.buffers:
        if buffer.name in shares or not buffer.size_bytes or lives[buffer.name] == (0, 0):
            continue
        chain = [buffer.name]
        while chain[-1] in heir:
            chain.append(heir[chain[-1]])
        parts = []
        free_from, _ = lives[buffer.name]
        for name in chain:
            start, end = max(free_from, lives[name][0]), lives[name][1]
            if end > start:
                parts.append(Part(start, end, round_up(sizes[name], problem.alignment)))
            free_from = max(free_from, end)
        yield Block(tuple(chain), "", tuple(parts))


def _scratch_blocks(problem: Problem, order: Sequence[int]) -> Iterable[Block]:
    for position, index in enumerate(order):
        task = problem.tasks[index]
        if task.scratch_bytes:
            size = round_up(task.scratch_bytes, problem.alignment)
            yield Block((), task.name, (Part(position, position + 1, size),))


def _conflicts(blocks: Sequence[Block]) -> tuple[tuple[Conflict, ...], ...]:
    """Sweep over time: each part meets the parts still alive when it begins."""
    largest: list[dict[int, tuple[int, int]]] = [{} for _ in blocks]
    events = sorted((p.start, i, p) for i, b in enumerate(blocks) for p in b.parts)
    alive: list[tuple[int, Part]] = []
    for start, i, part in events:
        alive = [(j, other) for j, other in alive if other.end > start]
        for j, other in alive:
            if j != i:
                own, theirs = part.size, other.size
                if j in largest[i]:
                    own, theirs = max(own, largest[i][j][0]), max(theirs, largest[i][j][1])
                largest[i][j] = own, theirs
                largest[j][i] = theirs, own
        alive.append((i, part))
    return tuple(
        tuple((j, own, theirs) for j, (own, theirs) in sorted(found.items())) for found in largest
    )


def _peak(blocks: Iterable[Block], count: int) -> int:
    """Most bytes alive at one of the positions -1 .. count."""
    change = [0] * (count + 3)
    for block in blocks:
        for part in block.parts:
            change[part.start + 1] += part.size
            change[part.end + 1] -= part.size
    return max(accumulate(change))
