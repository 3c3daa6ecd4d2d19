"""The Graph under construction: tensors and nodes added one by one, checked as they come."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mcugen.errors import InternalError
from mcugen.frontend.limits import (
    MAX_FOLDED_BYTES,
    MAX_FOLDED_TOTAL_BYTES,
    MAX_RANK,
    MAX_TENSOR_BYTES,
)
from mcugen.frontend.malformed import shown
from mcugen.frontend.names import Names
from mcugen.ir import Array, DType, Node, Source, Tensor
from mcugen.ops.spec import (
    SHAPES_DISAGREE,
    Constraint,
    InvalidNode,
    OpSpec,
    Reject,
    TensorType,
)

NOT_FOLDED = frozenset({"QuantizeLinear", "DequantizeLinear"})
"""Kept even with constant inputs: integer weights stay integers."""


class GraphBuilder:
    """Collects tensors and nodes.

    Attributes:
        tensors: name -> tensor, in order of addition.
        nodes: in execution order.
        blocked: values that cannot be had, with the reason, "" where another node was to blame.
        foreseen: types of values that a node broken by a constraint would have given.
        names: makes the names of new tensors.
    """

    def __init__(self, specs: Mapping[str, OpSpec], names: Names) -> None:
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self.blocked: dict[str, str] = {}
        self._specs = specs
        self.foreseen: dict[str, TensorType] = {}
        self.names = names
        self._node_names = Names(())
        self._folded_bytes = 0

    def add(self, tensor: Tensor) -> str:
        """Add a tensor; returns its name."""
        if tensor.name in self.tensors:
            raise InternalError(f"tensor {shown(tensor.name)} is added twice by the importer")
        self.tensors[tensor.name] = tensor
        return tensor.name

    def add_onnx(self, name: str, kind: TensorType, data: Array | None = None) -> str:
        """Add a tensor that the ONNX graph has under this name."""
        return self.add(Tensor(name, kind.shape, kind.dtype, data=data, source=Source(name)))

    def mark(self) -> tuple[int, int]:
        """A point to come back to by `rollback`."""
        return len(self.tensors), len(self.nodes)

    def rollback(self, mark: tuple[int, int]) -> None:
        """Remove what was added since `mark`."""
        while len(self.tensors) > mark[0]:
            self.tensors.popitem()
        del self.nodes[mark[1] :]

    def emit(
        self,
        op: str,
        inputs: Sequence[str],
        attrs: Any,
        outputs: Sequence[str] | None,
        *,
        name: str,
        origin: str,
        onnx_outputs: Iterable[str],
    ) -> tuple[str, ...]:
        """Add a node, or its value where it can be computed now; returns its output names.

        Args:
            op: internal operator.
            inputs: tensor names, "" where absent.
            attrs: the operator's attributes.
            outputs: wanted names, "" for any; None for fresh ones.
            name: the node's name, made unique.
            origin: the ONNX node.
            onnx_outputs: names among `outputs` that the ONNX graph has.

        Raises:
            Reject: a constraint is broken, or the result is too large.
        """
        spec = self._specs.get(op)
        if spec is None:
            raise InternalError(f"{shown(origin)}: operator {op} is not registered")
        names_in = _stripped(inputs)
        tensors = [self.tensors[i] if i else None for i in names_in]
        try:
            check_constraints(spec, attrs, tensors)
        except Reject:
            self._foresee(spec, attrs, tensors, outputs or ())
            raise
        types = _inferred(spec, attrs, tensors)
        for kind in types:
            _check_type(kind, constant=all(t is None or t.is_constant for t in tensors))
        names_out = self._output_names(types, outputs, name)
        values = self._fold(spec, attrs, tensors, types)
        known = set(onnx_outputs)
        for index, (out, kind) in enumerate(zip(names_out, types, strict=True)):
            source = Source(out) if out in known else None
            data = None if values is None else values[index]
            self.add(Tensor(out, kind.shape, kind.dtype, data=data, source=source))
        if values is None:
            unique = self._node_names.fresh(name)
            self.nodes.append(Node(op, unique, names_in, names_out, attrs, (origin,)))
        return names_out

    def _foresee(
        self,
        spec: OpSpec,
        attrs: Any,
        tensors: Sequence[Tensor | None],
        outputs: Sequence[str],
    ) -> None:
        """Note the result types of a refused node, for the check of the nodes after it."""
        try:
            types = spec.infer(attrs, tensors)
            for kind in types:
                _check_type(kind, constant=False)
        except Exception:  # what a constraint refuses, `infer` need not be able to take
            return
        self.foreseen.update(zip(outputs, types, strict=False))

    def _output_names(
        self, types: Sequence[TensorType], wanted: Sequence[str] | None, base: str
    ) -> tuple[str, ...]:
        given = _stripped(wanted or ())
        if len(given) > len(types):
            raise Reject(f"output {shown(given[len(types)])} is not supported")
        padded = [*given, *[""] * (len(types) - len(given))]
        return tuple(n or self.names.fresh(base) for n in padded)

    def _fold(
        self,
        spec: OpSpec,
        attrs: Any,
        tensors: Sequence[Tensor | None],
        types: Sequence[TensorType],
    ) -> tuple[Array, ...] | None:
        """The values when all inputs are constant and the operator may be folded."""
        constant = all(t is None or t.is_constant for t in tensors)
        if spec.name in NOT_FOLDED or spec.semantics is None or not constant:
            return None
        for kind in types:
            self.charge(kind)
        arrays = [None if t is None else t.data for t in tensors]
        with np.errstate(all="ignore"):
            values = spec.semantics(attrs, arrays)
        found = [TensorType(v.shape, DType.of(v)) for v in values]
        if found != list(types):
            raise InternalError(f"{spec.name}: semantics gave {found}, infer said {list(types)}")
        return values

    def charge(self, kind: TensorType) -> None:
        """Count a constant that is computed while importing.

        Raises:
            Reject: it is too large, or all of them together are.
        """
        nbytes = nbytes_of(kind)
        self._folded_bytes += nbytes
        if nbytes > MAX_FOLDED_BYTES:
            raise Reject(
                f"it computes a constant of {nbytes} bytes, the limit is {MAX_FOLDED_BYTES}"
            )
        if self._folded_bytes > MAX_FOLDED_TOTAL_BYTES:
            raise Reject(
                f"the constants computed so far exceed {MAX_FOLDED_TOTAL_BYTES} bytes together"
            )


def check_constraints(spec: OpSpec, attrs: Any, tensors: Sequence[Tensor | None]) -> None:
    """Raise Reject for the first rule of `spec` that does not hold."""
    for constraint in spec.constraints:
        found = constraint(attrs, tensors)
        if found is not None:
            raise Reject(f"{rule_of(constraint)}, got {found}")


def _inferred(spec: OpSpec, attrs: Any, tensors: Sequence[Tensor | None]) -> tuple[TensorType, ...]:
    """The result types; what `infer` refuses are shapes that disagree."""
    try:
        return spec.infer(attrs, tensors)
    except InvalidNode:
        raise
    except Reject as verdict:
        raise InvalidNode(verdict.reason, verdict.hint or SHAPES_DISAGREE) from verdict


def rule_of(constraint: Constraint) -> str:
    """The rule a constraint checks: its docstring as one line."""
    return " ".join(inspect.cleandoc(constraint.__doc__ or "").split()).rstrip(".")


def nbytes_of(kind: TensorType) -> int:
    """Bytes of a tensor of this type."""
    return Tensor("", kind.shape, kind.dtype).nbytes


def _check_type(kind: TensorType, *, constant: bool) -> None:
    shape = "[" + ",".join(str(d) for d in kind.shape) + "]"
    if len(kind.shape) > MAX_RANK:
        raise Reject(f"its result has {len(kind.shape)} dimensions, the limit is {MAX_RANK}")
    if any(d < 0 for d in kind.shape):
        raise Reject(f"its result would have a negative dimension: {shape}")
    if nbytes_of(kind) > MAX_TENSOR_BYTES:
        raise Reject(
            f"its result {shape} needs {nbytes_of(kind)} bytes, the limit is {MAX_TENSOR_BYTES}"
        )
    if kind.dtype is DType.FLOAT16 and not constant:
        raise Reject("float16 is supported for constants only", "convert the model to float32")


def _stripped(names: Sequence[str]) -> tuple[str, ...]:
    """`names` without trailing absent ones."""
    count = len(names)
    while count and not names[count - 1]:
        count -= 1
    return tuple(names[:count])
