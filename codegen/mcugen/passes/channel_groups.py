"""Which tensors share their channels, for the removal of channels.

After the layout pass the channels are the last axis. Operators that work channel by channel tie the
channels of what they read and write: all of them keep the same ones. A Reshape that flattens images
ties each channel to several columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mcugen.ir import Array, Graph, Node
from mcugen.passes.roles import data_inputs, is_elementwise

_WINDOWS = frozenset({"MaxPool", "AveragePool", "QAveragePool"})
_CONVOLUTIONS = frozenset({"Conv", "QConv"})
_MATRICES = frozenset({"FullyConnected", "QFullyConnected"})


WORD_CHANNELS = 4
"""Kernels load and store four 8-bit channels as one word; other numbers of channels are slower."""


def weighted(graph: Graph, node: Node) -> str:
    """What the node does to channels: "mixed" into new ones, "each" by itself, or "" for others."""
    if node.op in _MATRICES and graph[node.inputs[1]].is_constant:
        return "mixed"
    if node.op not in _CONVOLUTIONS or not graph[node.inputs[1]].is_constant:
        return ""
    groups, filters = node.attrs.groups, graph[node.inputs[1]].shape
    if groups == 1:
        return "mixed"
    return "each" if groups == filters[0] and filters[1] == 1 else ""


def tied(graph: Graph, node: Node) -> tuple[str, ...]:
    """The activations whose channels the node ties to those of its output; () when it mixes."""
    inputs = tuple(node.inputs[i] for i in data_inputs(node))
    read = tuple(i for i in dict.fromkeys(inputs) if not graph[i].is_constant)
    if weighted(graph, node) == "each":
        return node.inputs[:1]
    if len(node.outputs) != 1 or not read or graph[node.outputs[0]].rank == 0:
        return ()
    if not _channelwise(graph, node):
        return ()
    if node.op == "Reshape":
        return read if _multiple(graph, node) else ()
    width = graph[node.outputs[0]].shape[-1]
    return read if all(graph[i].rank and graph[i].shape[-1] == width for i in read) else ()


def _channelwise(graph: Graph, node: Node) -> bool:
    """Whether output channel c comes from channel c of the inputs alone."""
    attrs, rank = node.attrs, graph[node.outputs[0]].rank
    if is_elementwise(node) or node.op in ("Identity", "Reshape"):
        return True
    if node.op in _WINDOWS:
        return bool(attrs.channels_last)
    if node.op == "Pad":
        return bool(attrs.pads[rank - 1] == attrs.pads[-1] == 0)
    if node.op == "Slice":
        return bool(attrs.starts[-1] == 0 and attrs.steps[-1] == 1)
    return node.op == "QMean" and rank - 1 not in attrs.axes


def _multiple(graph: Graph, node: Node) -> int:
    """Columns per channel after a Reshape that keeps or flattens the channels, 0 for others."""
    before, after = graph[node.inputs[0]].shape, graph[node.outputs[0]].shape
    if not before or 0 in before:
        return 0
    size = 1
    for axis in reversed(range(len(before))):
        size *= before[axis]
        if size == after[-1]:
            return size // before[-1]
    return 0


@dataclass
class Groups:
    """Tied tensors.

    Attributes:
        root: activation -> a name for its group.
        width: group -> number of channels.
        needed: group -> bool [channels], all False at first.
    """

    graph: Graph
    root: dict[str, str] = field(default_factory=dict)
    width: dict[str, int] = field(default_factory=dict)
    needed: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, tensor in self.graph.tensors.items():
            if not tensor.is_constant and tensor.rank:
                self.root[name] = name
                self.width[name] = tensor.shape[-1]
        for node in self.graph.nodes:
            for name in tied(self.graph, node):
                self._unite(name, node.outputs[0])
        self.needed = {r: np.zeros(self.width[r], bool) for r in set(self.root.values())}

    def need(self, tensor: str, columns: Array | None = None) -> bool:
        """Say that columns (bool each; default all) are needed; returns whether that is news."""
        if tensor not in self.root:
            return False
        needed = self.needed[self.root[tensor]]
        before = int(needed.sum())
        if columns is None:
            needed[:] = True
        else:
            needed |= columns.reshape(-1, needed.size).any(axis=0)
        return int(needed.sum()) > before

    def kept(self, tensor: str) -> Array:
        """Indices of the columns that the tensor keeps."""
        return np.flatnonzero(self.columns(tensor))

    def columns(self, tensor: str) -> Array:
        """Whether each column of the tensor is needed."""
        needed = self.needed[self.root[tensor]]
        return np.tile(needed, self.graph[tensor].shape[-1] // needed.size)

    def round_up(self) -> bool:
        """Need a few more channels, up to whole words of bytes; returns whether that is news."""
        more = False
        for needed in self.needed.values():
            count = max(1, int(needed.sum()))
            missing = min(-(-count // WORD_CHANNELS) * WORD_CHANNELS, needed.size) - needed.sum()
            needed[np.flatnonzero(~needed)[:missing]] = True
            more |= bool(missing > 0)
        return more

    def _unite(self, first: str, second: str) -> None:
        """The smaller width is the number of channels; the other group has several columns each."""
        a, b = self.root[first], self.root[second]
        if a == b:
            return
        narrow, wide = sorted((a, b), key=lambda r: self.width[r])
        for name, root in self.root.items():
            if root == wide:
                self.root[name] = narrow
