"""The lowered program: kernels chosen, integer parameters computed, storage assigned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcugen.ir import Graph, Node
from mcugen.ops.spec import Arithmetic, Constant, Kernel


@dataclass(frozen=True)
class Step:
    """One node of the graph, ready to be called.

    Attributes:
        node: the node.
        params: the op's Params.
        inputs: tensors that the kernel reads through pointers, in argument order.
        kernel: the chosen kernel; None for a view, which needs no call.
        constants: the kernel's own arrays, in argument order.
        scratch_bytes: working memory during the call.
        macs: multiply-accumulates.
        inplace: (output tensor, input tensor) pairs that may share storage.
        refused: (library, reason) of every kernel that was preferred and refused.
    """

    node: Node
    params: Any
    inputs: tuple[str, ...]
    kernel: Kernel | None
    constants: tuple[Constant, ...] = ()
    scratch_bytes: int = 0
    macs: int = 0
    inplace: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """Tensors that the kernel writes, in argument order."""
        return self.node.outputs

    @property
    def is_view(self) -> bool:
        """Whether no code runs for this node."""
        return self.kernel is None


@dataclass(frozen=True)
class Place:
    """Where a tensor lives: `offset_bytes` into the buffer named after its root tensor."""

    buffer: str
    offset_bytes: int


@dataclass(frozen=True)
class Program:
    """A graph with a kernel for every node.

    Attributes:
        graph: the graph after all passes.
        steps: one per node, in the graph's order (the memory plan may choose another).
        places: activation tensor -> Place; buffers are named after the tensor that owns them.
        arithmetic: which integer arithmetic the parameters were computed for.
    """

    graph: Graph
    steps: tuple[Step, ...]
    places: Mapping[str, Place]
    arithmetic: Arithmetic

    @property
    def calls(self) -> tuple[Step, ...]:
        """The steps that run code."""
        return tuple(s for s in self.steps if not s.is_view)

    def in_order(self, order: Sequence[int]) -> tuple[Step, ...]:
        """The calls as a memory plan orders them."""
        calls = self.calls
        return tuple(calls[i] for i in order)

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one inference."""
        return sum(s.macs for s in self.steps)

    def buffer_bytes(self, buffer: str) -> int:
        """Size of a buffer: that of the tensor it is named after."""
        return self.graph[buffer].nbytes
