"""What a bench found: per layer and in total."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LayerCost:
    """What one executed node cost; `cycles` is None where the core's are not modelled."""

    name: str
    op: str
    macs: int
    instructions: int
    cycles: int | None


@dataclass(frozen=True)
class BenchResult:
    """One emulated inference.

    Attributes:
        model: the ONNX file.
        board: name of the board.
        arithmetic: integer arithmetic.
        kernels: libraries that the model's kernels come from.
        cpu: the core.
        compiler: and its flags: the figures are theirs.
        clock_hz: the board's.
        layers: in the order they run. What enters and leaves the model's function counts with
            the first and the last; the mark after each layer is one call instruction.
        stack_bytes: most that the inference used.
        stack_bound_bytes: what reports state: measured frames and a margin; None if unknown.
        text_bytes: code, functions of the compiler's library among it.
        rodata_bytes: constants.
        ram_bytes: static variables, the arena among them.
        tensors_compared: outputs of layers and of the model, compared byte for byte.
        first_mismatch: the first that is not what the reference computes; None when all are.
        caveat: what the figures of this core do not say; "" where cycles or counts are a board's.
    """

    model: str
    board: str
    arithmetic: str
    kernels: tuple[str, ...]
    cpu: str
    compiler: str
    clock_hz: int
    layers: tuple[LayerCost, ...]
    stack_bytes: int
    stack_bound_bytes: int | None
    text_bytes: int
    rodata_bytes: int
    ram_bytes: int
    tensors_compared: int
    first_mismatch: str | None
    caveat: str = ""

    @property
    def outputs_equal(self) -> bool:
        """Whether every compared byte is the reference's."""
        return self.first_mismatch is None

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return sum(layer.macs for layer in self.layers)

    @property
    def instructions(self) -> int:
        """Executed instructions."""
        return sum(layer.instructions for layer in self.layers)

    @property
    def cycles(self) -> int | None:
        """Cycles with memory that never waits; None where they are not modelled."""
        found = [layer.cycles for layer in self.layers if layer.cycles is not None]
        return sum(found) if len(found) == len(self.layers) else None

    @property
    def seconds(self) -> float | None:
        """Cycles over the clock; None where they are not modelled."""
        return None if self.cycles is None else self.cycles / self.clock_hz
