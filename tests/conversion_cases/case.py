"""One model with inputs and the outputs it must give, whatever computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper

from mcugen.ir import Array
from onnx_models import model, value


@dataclass(frozen=True, eq=False)
class Case:
    """A conversion case.

    Attributes:
        id: unique over all cases.
        model: the ONNX model.
        feeds: input name -> array.
        expected: output name -> array, of the output's dtype.
        dims: values for symbolic dimensions.
        rtol: relative bound for floats; integers must be equal.
        lsb: how far integers may be off in fixed-point arithmetic, which rounds ties otherwise.
    """

    id: str
    model: onnx.ModelProto
    feeds: Mapping[str, Array]
    expected: Mapping[str, Array]
    dims: Mapping[str, int] = field(default_factory=dict)
    rtol: float = 1e-6
    lsb: int = 0


def f32(values: Any, *shape: int) -> Array:
    """float32, reshaped where a shape is given."""
    array = np.asarray(values, np.float32)
    return array.reshape(shape) if shape else array


def counting(*shape: int) -> Array:
    """0, 1, 2 ... as float32."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def case(
    name: str,
    nodes: onnx.NodeProto | Sequence[onnx.NodeProto],
    feeds: Mapping[str, Array],
    expected: Mapping[str, Array] | Array,
    constants: Mapping[str, Array] | None = None,
    *,
    opset: int = 13,
    rtol: float = 1e-6,
    lsb: int = 0,
    **more: Any,
) -> Case:
    """A case whose model has the inputs of `feeds` and the outputs of `expected` (default y)."""
    wanted = expected if isinstance(expected, Mapping) else {"y": expected}
    listed = [nodes] if isinstance(nodes, onnx.NodeProto) else list(nodes)
    proto = model(
        listed,
        [value(n, a.shape, helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in feeds.items()],
        [value(n, a.shape, helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in wanted.items()],
        constants,
        opset=opset,
        **more,
    )
    return Case(name, proto, feeds, wanted, rtol=rtol, lsb=lsb)
