"""One ONNX node as the `from_onnx` functions see it: `ImportContext` implemented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcugen.frontend.attributes import attribute_value
from mcugen.frontend.builder import GraphBuilder
from mcugen.frontend.external import ExternalFiles
from mcugen.frontend.malformed import shown
from mcugen.frontend.structure import RawNode
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.spec import InvalidNode, Reject, TensorType


class NodeContext:
    """See `mcugen.ops.spec.ImportContext`.

    Args:
        raw: the node.
        builder: what `emit` adds to.
        files: for tensor attributes.
        outputs: the node's outputs, "" for those that nobody uses.
    """

    def __init__(
        self, raw: RawNode, builder: GraphBuilder, files: ExternalFiles, outputs: tuple[str, ...]
    ) -> None:
        self.op_type = raw.op_type
        self.domain = raw.domain
        self.name = raw.label
        self.opset = raw.opset
        self.inputs = _strip(raw.inputs)
        self.outputs = outputs
        self._raw = raw
        self._builder = builder
        self._files = files
        self._base = raw.name or f"{raw.op_type}_{raw.label}"

    def attr(self, name: str, default: Any = None) -> Any:
        """The attribute's value, `default` when absent."""
        attribute = self._raw.attributes.get(name)
        return default if attribute is None else attribute_value(attribute, self._files)

    def present(self, name: str) -> bool:
        """Whether the node has the attribute, of whatever kind."""
        return name in self._raw.attributes

    def has(self, index: int) -> bool:
        """Whether input `index` is present."""
        return index < len(self.inputs) and bool(self.inputs[index])

    def tensor(self, index: int) -> Tensor:
        """Input `index`; raises InvalidNode when absent."""
        if not self.has(index):
            raise InvalidNode(f"input {index} is missing")
        return self._builder.tensors[self.inputs[index]]

    def const(self, index: int, what: str) -> Array:
        """The value of input `index`; raises Reject when it is not constant."""
        tensor = self.tensor(index)
        if tensor.data is None:
            raise Reject(
                f"{what} must be constant, got {shown(tensor.name)}, which is computed at run time"
            )
        return tensor.data

    def constant(self, array: Array, hint: str) -> str:
        """Add a constant tensor; returns its name."""
        name = self._builder.names.fresh(f"{self._base}/{hint}")
        return self._builder.add(Tensor(name, array.shape, DType.of(array), data=array))

    def give(self, array: Array) -> None:
        """Make `array` the value of the node's only output."""
        name = self.outputs[0]
        self._builder.add_onnx(name, TensorType(array.shape, DType.of(array)), array)

    def charge(self, kind: TensorType) -> None:
        """Count a value that is about to be computed; raises Reject when it is too large."""
        self._builder.charge(kind)

    def emit(
        self,
        op: str,
        inputs: Sequence[str],
        attrs: Any,
        outputs: Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Add a node of internal operator `op`; returns its output names."""
        return self._builder.emit(
            op,
            inputs,
            attrs,
            outputs,
            name=self._base if outputs is not None else f"{self._base}/{op}",
            origin=self._raw.name or self._base,
            onnx_outputs=self._raw.outputs,
        )


def _strip(names: tuple[str, ...]) -> tuple[str, ...]:
    while names and not names[-1]:
        names = names[:-1]
    return names
