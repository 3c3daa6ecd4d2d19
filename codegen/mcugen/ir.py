"""The intermediate representation: a frozen graph of tensors and nodes.

Knows NumPy only: no ONNX, no C, no board. A pass returns a new `Graph` (or the same object).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class DType(Enum):
    """Element types. `value` is the NumPy name."""

    FLOAT32 = "float32"
    FLOAT64 = "float64"
    FLOAT16 = "float16"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    BOOL = "bool"

    @property
    def np(self) -> np.dtype[Any]:
        """The NumPy dtype."""
        return np.dtype(self.value)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.np.itemsize

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return self.np.kind == "f"

    @property
    def is_integer(self) -> bool:
        """Whether it is a signed or unsigned integer type (bool is not)."""
        return self.np.kind in "iu"

    @staticmethod
    def of(array: Array) -> DType:
        """The DType of a NumPy array; raises ValueError when there is none."""
        return DType(array.dtype.name)


@dataclass(frozen=True, eq=False)
class QuantParams:
    """Affine quantization: real = scale * (q - zero_point).

    Attributes:
        scale: float32, shape () per tensor or [C] per axis; positive and finite.
        zero_point: int32, the shape of `scale`.
        axis: the channel axis of a per-axis quantization, None per tensor.
    """

    scale: Array
    zero_point: Array
    axis: int | None = None

    def __eq__(self, other: object) -> bool:
        """Equal when every number is."""
        return (
            isinstance(other, QuantParams)
            and self.axis == other.axis
            and np.array_equal(self.scale, other.scale)
            and np.array_equal(self.zero_point, other.zero_point)
        )

    def __hash__(self) -> int:
        return hash((self.scale.tobytes(), self.zero_point.tobytes(), self.axis))

    @property
    def per_tensor(self) -> bool:
        """Whether one scale serves the whole tensor."""
        return self.axis is None

    def to_text(self) -> str:
        """Stable text: `q(0.0235, -128)` or `q(axis=0, 16 scales)`."""
        if self.per_tensor:
            return f"q({float(self.scale):.9g}, {int(self.zero_point)})"
        return f"q(axis={self.axis}, {self.scale.size} scales)"


@dataclass(frozen=True)
class Source:
    """How a tensor relates to a tensor of the imported ONNX graph.

    `value == transpose(onnx[name], perm) + offset`; this is how layers are compared with the
    model's own tensors after layout changes (`perm`) and the uint8 -> int8 shift (`offset` -128).
    Where the ONNX tensor is float and this one is quantized, `value` is QuantizeLinear of the
    transposed floats by this tensor's own numbers, and `offset` says nothing.

    Attributes:
        name: the ONNX tensor.
        perm: axes permutation from the ONNX shape to this tensor's shape; None is the identity.
        offset: what was added to the integers.
        kept: indices along the last axis, after `perm`, that this tensor still has; None is all.
    """

    name: str
    perm: tuple[int, ...] | None = None
    offset: int = 0
    kept: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Tensor:
    """One tensor. `data is None` means activation; constants hold a read-only array.

    `shape` is the physical, row-major shape: after the layout pass an image is [N, H, W, C].
    `source` is None for a tensor that no ONNX tensor corresponds to. `bits` is how many hold an
    element in the model, where those are fewer than the dtype's: kernels may store them so.
    """

    name: str
    shape: tuple[int, ...]
    dtype: DType
    quant: QuantParams | None = None
    data: Array | None = None
    source: Source | None = None
    bits: int | None = None

    def __post_init__(self) -> None:
        if self.data is not None:
            frozen = np.asarray(self.data)
            if frozen.flags.writeable:
                frozen = frozen.copy()
                frozen.flags.writeable = False
            object.__setattr__(self, "data", frozen)

    @property
    def is_constant(self) -> bool:
        """Whether the value is known when the code is generated."""
        return self.data is not None

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    def replace(self, **changes: Any) -> Tensor:
        """A copy with some attributes changed."""
        return dataclasses.replace(self, **changes)

    def to_text(self) -> str:
        """Stable text: `name: int8[1,25,5,64] q(0.02, -128)`."""
        shape = ",".join(str(d) for d in self.shape)
        quant = f" {self.quant.to_text()}" if self.quant else ""
        const = " const" if self.is_constant else ""
        bits = f" {self.bits} bits" if self.bits else ""
        return f"{self.name}: {self.dtype.value}[{shape}]{quant}{const}{bits}"


@dataclass(frozen=True)
class Node:
    """One operation.

    Attributes:
        op: internal operator name (the ONNX one where the meaning is the ONNX one).
        name: unique in the graph.
        inputs: tensor names in order; "" is an absent optional input.
        outputs: tensor names in order; never empty strings.
        attrs: the operator's frozen attribute dataclass.
        origin: names of the ONNX nodes it came from, kept through fusion.
        made: a pass put it beside the node that stands for those.
    """

    op: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: Any
    origin: tuple[str, ...] = ()
    made: bool = False

    @property
    def title(self) -> str:
        """What reports call it: its ONNX nodes, or what it was made for and its own name says."""
        return self.name if self.made else " + ".join(self.origin) or self.name

    def replace(self, **changes: Any) -> Node:
        """A copy with some attributes changed."""
        return dataclasses.replace(self, **changes)

    def to_text(self) -> str:
        """Stable text: `y = Conv(x, w, b) Attrs(...)`."""
        args = ", ".join(i or "-" for i in self.inputs)
        return f"{', '.join(self.outputs)} = {self.op}({args}) {attrs_text(self.attrs)}"


def attrs_text(attrs: Any) -> str:
    """Short text of an attribute dataclass; arrays only by dtype and shape."""
    parts = []
    for f in dataclasses.fields(attrs):
        value = getattr(attrs, f.name)
        if isinstance(value, np.ndarray):
            value = f"{value.dtype}{list(value.shape)}"
        parts.append(f"{f.name}={value}")
    return "{" + ", ".join(parts) + "}"


@dataclass(frozen=True)
class Graph:
    """A model: nodes in a valid execution order, tensors by name."""

    name: str
    nodes: tuple[Node, ...]
    tensors: Mapping[str, Tensor]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    _producers: Mapping[str, Node] = field(init=False, repr=False, compare=False)
    _consumers: Mapping[str, tuple[Node, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tensors", MappingProxyType(dict(self.tensors)))
        producers = {out: node for node in self.nodes for out in node.outputs}
        consumers: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in dict.fromkeys(node.inputs):
                if name:
                    consumers.setdefault(name, []).append(node)
        object.__setattr__(self, "_producers", producers)
        object.__setattr__(self, "_consumers", {k: tuple(v) for k, v in consumers.items()})

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def producer(self, tensor: str) -> Node | None:
        """The node that writes `tensor`; None for inputs and constants."""
        return self._producers.get(tensor)

    def consumers(self, tensor: str) -> tuple[Node, ...]:
        """The nodes that read `tensor`, each once, in execution order."""
        return self._consumers.get(tensor, ())

    def sole_consumer(self, tensor: str) -> Node | None:
        """The only reader of `tensor`, None when it has others or is a graph output."""
        readers = self.consumers(tensor)
        return readers[0] if len(readers) == 1 and tensor not in self.outputs else None

    def input_tensors(self, node: Node) -> tuple[Tensor | None, ...]:
        """The node's inputs in order, None where an optional input is absent."""
        return tuple(self.tensors[i] if i else None for i in node.inputs)

    def output_tensors(self, node: Node) -> tuple[Tensor, ...]:
        """The node's outputs in order."""
        return tuple(self.tensors[o] for o in node.outputs)

    def rebuild(
        self,
        nodes: Iterable[Node],
        tensors: Mapping[str, Tensor] | None = None,
        *,
        inputs: tuple[str, ...] | None = None,
        outputs: tuple[str, ...] | None = None,
    ) -> Graph:
        """A graph with these nodes (in a valid order); tensors nobody uses any more are dropped."""
        nodes = tuple(nodes)
        pool = self.tensors if tensors is None else tensors
        ins = self.inputs if inputs is None else inputs
        outs = self.outputs if outputs is None else outputs
        used = {*ins, *outs}
        for node in nodes:
            used.update(i for i in node.inputs if i)
            used.update(node.outputs)
        return Graph(self.name, nodes, {n: t for n, t in pool.items() if n in used}, ins, outs)

    def to_text(self) -> str:
        """The stable text form: for debugging and for tests."""
        lines = [f"graph {self.name}"]
        lines += [f"  in  {self.tensors[i].to_text()}" for i in self.inputs]
        for node in self.nodes:
            types = " | ".join(self.tensors[o].to_text() for o in node.outputs)
            lines.append(f"  {node.to_text()}  -> {types}")
        lines += [f"  out {o}" for o in self.outputs]
        return "\n".join(lines) + "\n"
