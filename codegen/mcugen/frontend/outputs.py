"""Compares what the file says of its outputs with what their nodes give."""

from __future__ import annotations

from collections.abc import Iterable

import onnx

from mcugen.frontend.builder import GraphBuilder
from mcugen.frontend.malformed import Malformed, plain, shown, text
from mcugen.frontend.values import DTYPES, type_name
from mcugen.ir import Tensor


def check_declared(
    declared: Iterable[onnx.ValueInfoProto], wanted: Iterable[str], builder: GraphBuilder
) -> tuple[str, ...]:
    """Notices about outputs whose declared static shape is not the inferred one.

    Raises:
        Malformed: the declared element type is not the computed one.
    """
    notices = []
    kept = set(wanted)
    for info in declared:
        tensor = builder.tensors.get(text(info.name))
        if tensor is None or info.name not in kept or not info.type.HasField("tensor_type"):
            continue
        kind = info.type.tensor_type
        if kind.elem_type and DTYPES.get(kind.elem_type) is not tensor.dtype:
            raise Malformed(
                f"output {shown(info.name)} is declared {type_name(kind.elem_type)}, "
                f"its node gives {tensor.dtype.value}"
            )
        if kind.HasField("shape") and not _agree(kind.shape, tensor):
            notices.append(
                f"output {plain(info.name)} is declared {_text(kind.shape)}, "
                f"its shape is [{','.join(map(str, tensor.shape))}]"
            )
    return tuple(notices)


def _agree(shape: onnx.TensorShapeProto, tensor: Tensor) -> bool:
    """Whether every static dimension is the tensor's; 0 and below count as unknown."""
    if len(shape.dim) != tensor.rank:
        return False
    return all(
        not d.HasField("dim_value") or d.dim_value <= 0 or d.dim_value == actual
        for d, actual in zip(shape.dim, tensor.shape, strict=True)
    )


def _text(shape: onnx.TensorShapeProto) -> str:
    dims = (
        str(d.dim_value) if d.HasField("dim_value") else plain(d.dim_param) or "?"
        for d in shape.dim
    )
    return f"[{','.join(dims)}]"
