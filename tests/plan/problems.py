"""Memory problems for the planner tests: random ones, chains, and real networks' shapes."""

from __future__ import annotations

from random import Random

from mcugen.plan import Buffer, Problem, Task

BRANCHES = Problem(
    (Buffer("x", 16), *(Buffer(n, 64) for n in ("a", "b")), *(Buffer(n, 16) for n in "cdy")),
    (
        Task("xa", ("x",), ("a",)),
        Task("xb", ("x",), ("b",)),
        Task("ac", ("a",), ("c",)),
        Task("bd", ("b",), ("d",)),
        Task("cd", ("c", "d"), ("y",)),
    ),
    ("x",),
    ("y",),
)
"""Two branches that need 96 bytes one after the other and 144 side by side."""


def random_problem(
    rng: Random, tasks: int, *, alignment: int = 16, largest: int = 100, reach: int = 6
) -> Problem:
    """A random valid problem with every feature: views, scratch, in-place pairs, dead buffers.

    Each task reads up to three buffers of the last `reach` written, writes one or two new ones
    or, as part of a concatenation, one that exists and has no reader yet.
    """
    size = lambda: 0 if rng.random() < 0.05 else rng.randint(1, largest)  # noqa: E731
    inputs = [Buffer(f"in{i}", size()) for i in range(rng.randint(1, 2))]
    buffers = list(inputs)
    unread: list[str] = []
    made: list[Task] = []
    for t in range(tasks):
        pool = [b.name for b in buffers[-reach:]]
        reads = [rng.choice(pool) for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, 3))]
        unread = [b for b in unread if b not in reads]
        if unread and rng.random() < 0.15:
            writes = [rng.choice(unread)]
        else:
            new = [Buffer(f"b{t}_{i}", size()) for i in range(rng.choice((1, 1, 1, 2)))]
            buffers += new
            writes = [b.name for b in new]
            unread += writes
        pairs = tuple((w, r) for w in writes for r in dict.fromkeys(reads) if rng.random() < 0.5)
        scratch = rng.randint(1, largest) if rng.random() < 0.2 else 0
        made.append(Task(f"t{t}", tuple(reads), tuple(writes), scratch, pairs))
    names = [b.name for b in buffers]
    outputs = [n for n in names[len(inputs) :] if n in unread and rng.random() < 0.7]
    outputs += rng.sample(names, 1) if rng.random() < 0.2 else []
    preserve = [b.name for b in inputs if rng.random() < 0.2]
    return Problem(
        tuple(buffers),
        tuple(made),
        tuple(b.name for b in inputs),
        tuple(dict.fromkeys(outputs)),
        alignment,
        tuple(preserve),
    )


def small_problem(seed: int) -> Problem:
    """A random problem small enough to try all orders."""
    rng = Random(seed)
    return random_problem(rng, rng.randint(2, 7), alignment=4, largest=30, reach=rng.choice((4, 8)))


def chain(*sizes: int, alignment: int = 16) -> Problem:
    """Task i reads buffer i and writes buffer i + 1, from the input to the output."""
    buffers = tuple(Buffer(f"b{i}", s) for i, s in enumerate(sizes))
    tasks = tuple(Task(f"t{i}", (f"b{i}",), (f"b{i + 1}",)) for i in range(len(sizes) - 1))
    return Problem(buffers, tasks, ("b0",), (f"b{len(sizes) - 1}",), alignment)


def vww_mobilenet() -> Problem:
    """MLPerf Tiny visual wake words, int8: MobileNetV1 of width 0.25 on 96x96x3."""
    sides = [(96, 3), (48, 8), (48, 8), (48, 16), (24, 16)]
    sides += [(24, 32)] * 3 + [(12, 32)] + [(12, 64)] * 3 + [(6, 64)] + [(6, 128)] * 11
    sides += [(3, 128)] + [(3, 256)] * 3 + [(1, 256)]
    return chain(*(side * side * channels for side, channels in sides), 2, 2)


def kws_dscnn() -> Problem:
    """MLPerf Tiny keyword spotting, int8: DS-CNN of 64 channels on 49x10."""
    return chain(49 * 10, *[25 * 5 * 64] * 9, 64, 12, 12)


def resnet8() -> Problem:
    """MLPerf Tiny image classification, int8: three residual blocks, added in place."""
    net = _Net("image", 32 * 32 * 3)
    stem = net.task("image", size=32 * 32 * 16)
    for size, downsample in ((32 * 32 * 16, False), (16 * 16 * 32, True), (8 * 8 * 64, True)):
        inner = net.task(net.task(stem, size=size), size=size)
        skip = net.task(stem, size=size) if downsample else stem
        stem = net.task(inner, skip, size=size, inplace=(inner, skip))
    pooled = net.task(stem, size=64)
    return net.problem(net.task(net.task(pooled, size=10), size=10))


def transformer(layers: int, *, tokens: int = 16, width: int = 64, heads: int = 4) -> Problem:
    """A decoder with a task for each head's every step; keys and values are outputs too."""
    net, outputs = _Net("x", tokens * width), []
    x, each = "x", tokens * width // heads
    for _ in range(layers):
        normed = net.task(x, size=tokens * width)
        mixed = []
        for _ in range(heads):
            q, k, v = (net.task(normed, size=each) for _ in range(3))
            scores = net.task(q, net.task(k, size=each), size=tokens * tokens)
            soft = net.task(scores, size=tokens * tokens, inplace=(scores,))
            mixed.append(net.task(soft, v, size=each))
        joined = net.task(*mixed, size=tokens * width)
        x = net.task(joined, x, size=tokens * width, inplace=(joined, x))
        wide = net.task(net.task(x, size=tokens * width), size=4 * tokens * width)
        active = net.task(wide, size=4 * tokens * width, inplace=(wide,))
        x = net.task(net.task(active, size=tokens * width), x, size=tokens * width, inplace=(x,))
        outputs += [k, v]
    return net.problem(x, *outputs)


class _Net:
    """A problem built task by task; each task writes one new buffer."""

    def __init__(self, name: str, size: int) -> None:
        self.inputs = (name,)
        self.buffers = [Buffer(name, size)]
        self.tasks: list[Task] = []

    def task(self, *reads: str, size: int, inplace: tuple[str, ...] = ()) -> str:
        """The name of the buffer that a new task computes from `reads`."""
        name = f"b{len(self.tasks)}"
        self.buffers.append(Buffer(name, size))
        pairs = tuple((name, read) for read in inplace)
        self.tasks.append(Task(f"t{len(self.tasks)}", reads, (name,), 0, pairs))
        return name

    def problem(self, *outputs: str) -> Problem:
        return Problem(tuple(self.buffers), tuple(self.tasks), self.inputs, outputs)
