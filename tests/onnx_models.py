"""Small ONNX models for tests, and operators that need no op file."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.spec import FromOnnx, ImportContext, Inputs, OpSpec, Reject, TensorType

FLOAT = TensorProto.FLOAT
INT64 = TensorProto.INT64
INT8 = TensorProto.INT8

node = helper.make_node

Shape = Sequence[int | str | None]


def value(name: str, shape: Shape | None, kind: int = FLOAT) -> onnx.ValueInfoProto:
    """The description of an input or output."""
    return helper.make_tensor_value_info(name, kind, shape)


def untyped(name: str) -> onnx.ValueInfoProto:
    """An output of which the file gives the name alone."""
    return onnx.ValueInfoProto(name=name)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto | str],
    constants: Mapping[str, Array] | None = None,
    *,
    opset: int = 13,
    ir: int = 8,
    domains: Mapping[str, int] | None = None,
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """A model; outputs given by name alone have no declared type."""
    graph = helper.make_graph(
        list(nodes),
        "g",
        list(inputs),
        [untyped(o) if isinstance(o, str) else o for o in outputs],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()],
    )
    imports = {"": opset, **(domains or {})}
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()],
        ir_version=ir,
        functions=list(functions),
    )


def chain(length: int = 2) -> onnx.ModelProto:
    """x -> Relu -> Relu ... -> y of shape [1, 4]."""
    names = ["x", *(f"h{i}" for i in range(1, length)), "y"]
    nodes = [node("Relu", [a], [b], name=f"relu_{b}") for a, b in itertools.pairwise(names)]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])])


@dataclass(frozen=True)
class NoAttrs:
    """No attributes."""


@dataclass(frozen=True)
class PermAttrs:
    """Of Transpose."""

    perm: tuple[int, ...]


def _same_type(attrs: NoAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    tensor = inputs[0]
    assert tensor is not None
    return (TensorType(tensor.shape, tensor.dtype),)


def _broadcast(attrs: NoAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    del attrs
    a, b = (t for t in inputs if t is not None)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise Reject(f"shapes {a.shape} and {b.shape} do not broadcast") from None
    return (TensorType(shape, a.dtype),)


def _transposed(attrs: PermAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    tensor = inputs[0]
    assert tensor is not None
    return (TensorType(tuple(tensor.shape[p] for p in attrs.perm), tensor.dtype),)


def _rank_at_most_4(attrs: NoAttrs, inputs: Inputs) -> str | None:
    """The input must have at most 4 dimensions."""
    del attrs
    tensor: Tensor | None = inputs[0]
    assert tensor is not None
    return None if tensor.rank <= 4 else str(tensor.rank)


def _dequantized(attrs: NoAttrs, inputs: Inputs) -> tuple[TensorType, ...]:
    return (TensorType(_same_type(attrs, inputs)[0].shape, DType.FLOAT32),)


def _emit(op: str) -> FromOnnx:
    def from_onnx(ctx: ImportContext) -> None:
        ctx.emit(op, ctx.inputs, NoAttrs(), ctx.outputs)

    return from_onnx


def _transpose(ctx: ImportContext) -> None:
    perm = ctx.attr("perm", tuple(reversed(range(ctx.tensor(0).rank))))
    ctx.emit("Transpose", ctx.inputs, PermAttrs(perm), ctx.outputs)


def _double_relu(ctx: ImportContext) -> None:
    (inner,) = ctx.emit("Relu", ctx.inputs, NoAttrs())
    two = ctx.constant(np.array(2, np.float32), "two")
    ctx.emit("Mul", (inner, two), NoAttrs(), ctx.outputs)


def _arrays(arrays: Sequence[Array | None]) -> list[Array]:
    return [a for a in arrays if a is not None]


SPECS: Mapping[str, OpSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            OpSpec("Identity", _same_type, lambda a, x: (_arrays(x)[0],)),
            OpSpec(
                "Relu",
                _same_type,
                lambda a, x: (np.maximum(_arrays(x)[0], 0),),
                constraints=(_rank_at_most_4,),
            ),
            OpSpec("Add", _broadcast, lambda a, x: (np.add(*_arrays(x)),)),
            OpSpec("Mul", _broadcast, lambda a, x: (np.multiply(*_arrays(x)),)),
            OpSpec("Transpose", _transposed, lambda a, x: (_arrays(x)[0].transpose(a.perm),)),
            OpSpec("DequantizeLinear", _dequantized),
        )
    }
)

IMPORTERS: Mapping[str, FromOnnx] = MappingProxyType(
    {
        "Transpose": _transpose,
        "com.microsoft::DoubleRelu": _double_relu,
        **{op: _emit(op) for op in ("Identity", "Relu", "Add", "Mul", "DequantizeLinear")},
    }
)

STUBS: Mapping[str, Any] = MappingProxyType({"specs": SPECS, "importers": IMPORTERS})
"""Keyword arguments of `load`."""
