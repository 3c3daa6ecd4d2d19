"""One emulated inference: inputs in, every layer's cost and bytes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np

from mcugen import reference
from mcugen.compiler import Compiled
from mcugen.distance import sample_feeds
from mcugen.elf import Symbol
from mcugen.emulate.counter import Count
from mcugen.emulate.machine import FaultError
from mcugen.emulate.result import LayerCost
from mcugen.errors import InternalError
from mcugen.host import same_bits
from mcugen.program import Step
from mcugen.samples import Sample


class Machine(Protocol):
    """An emulator that has loaded the program."""

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """The program's functions and variables."""

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into memory."""

    def read(self, address: int, size: int) -> bytes:
        """Bytes of memory."""

    def call(self, function: str) -> Iterator[Count]:
        """Call a function; yields what was executed up to every mark, and up to its return."""

    @property
    def stack_bytes(self) -> int:
        """Most bytes of stack that calls have used so far."""


class Inference:
    """An inference of a loaded model; each layer's outputs are compared right after the layer.

    Attributes:
        compared: tensors compared so far.
        first_mismatch: where, got and expected; None while all are equal.
    """

    def __init__(self, compiled: Compiled, machine: Machine, sample: Sample) -> None:
        self.compared = 0
        self.first_mismatch: str | None = None
        self._compiled, self._machine = compiled, machine
        feeds = sample_feeds(compiled, sample)
        self._expected = reference.run(compiled.program, feeds)
        for name in compiled.graph.inputs:
            machine.write(self._address(name), np.ascontiguousarray(feeds[name]).tobytes())

    def run(self) -> tuple[LayerCost, ...]:
        """Run it once; what every layer cost, in the order they run.

        Raises:
            InternalError: a layer faults or does not end; it is named.
        """
        compiled = self._compiled
        counts = self._machine.call(f"{compiled.model.prefix}_invoke")
        steps = compiled.program.in_order(compiled.plan.order)
        found = []
        for step in steps:
            found.append(_next(counts, _title(step)))
            for name in step.outputs:
                self._compare(_title(step), name)
        leaving = _next(counts, "the end")
        for name in compiled.graph.outputs:
            self._compare("output", name)
        if found:
            found[-1] = _sum(found[-1], leaving)
        return tuple(
            LayerCost(s.node.title, s.node.op, s.macs, c.instructions, c.cycles)
            for s, c in zip(steps, found, strict=True)
        )

    def _compare(self, where: str, name: str) -> None:
        tensor, wanted = self._compiled.graph[name], self._expected[name]
        raw = self._machine.read(self._address(name), tensor.nbytes)
        got = np.frombuffer(raw, tensor.dtype.np).reshape(tensor.shape)
        wrong = ~same_bits(got, wanted)
        self.compared += 1
        if wrong.any() and self.first_mismatch is None:
            at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
            self.first_mismatch = (
                f"{where}, tensor '{name}'{list(at)}: got {got[at]!r}, expected {wanted[at]!r}"
            )

    def _address(self, name: str) -> int:
        """Of a tensor in the static arena."""
        place = self._compiled.program.places[name]
        arena = self._machine.symbols[f"{self._compiled.model.prefix}_arena"].address
        return arena + self._compiled.plan.offsets[place.buffer] + place.offset_bytes


def _title(step: Step) -> str:
    return f"{step.node.op} '{step.node.title}'"


def _next(counts: Iterator[Count], title: str) -> Count:
    """What ran up to the next mark, or to the end."""
    try:
        count = next(counts, None)
    except FaultError as fault:
        raise InternalError(f"{title}: {fault}") from fault
    if count is None:
        raise InternalError(f"the inference ended before {title}")
    return count


def _sum(a: Count, b: Count) -> Count:
    if a.cycles is None or b.cycles is None:
        return Count(a.instructions + b.instructions, None)
    return Count(a.instructions + b.instructions, a.cycles + b.cycles)
