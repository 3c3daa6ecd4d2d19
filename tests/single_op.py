"""One ONNX node as a model: imported, run by its meaning, and run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from mcugen import semantics
from mcugen.frontend import load_model
from mcugen.ir import Array, Graph
from onnx_models import model, untyped


def single(
    op: str,
    inputs: Sequence[Array | None],
    *,
    constant: Sequence[int] = (),
    opset: int = 13,
    domain: str = "",
    outputs: int = 1,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node; inputs are `x0`, `x1`, ..., outputs `y0`, `y1`, ..."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    made = helper.make_node(op, names, results, name="node", domain=domain, **attributes)
    values = [
        helper.make_tensor_value_info(
            names[i], helper.np_dtype_to_tensor_dtype(a.dtype), list(a.shape)
        )
        for i, a in enumerate(inputs)
        if a is not None and i not in constant
    ]
    constants = {names[i]: a for i, a in enumerate(inputs) if a is not None and i in constant}
    domains = {domain: 1} if domain else None
    return model(
        [made], values, [untyped(r) for r in results], constants, opset=opset, domains=domains
    )


def feeds(inputs: Sequence[Array | None], constant: Sequence[int] = ()) -> dict[str, Array]:
    """Graph input name -> value."""
    return {
        f"x{i}": np.asarray(a) for i, a in enumerate(inputs) if a is not None and i not in constant
    }


def imported(op: str, inputs: Sequence[Array | None], **options: Any) -> Graph:
    """The imported model of one node."""
    return load_model(single(op, inputs, **options)).graph


def meaning(op: str, inputs: Sequence[Array | None], **options: Any) -> Array:
    """Output 0 by the operator's semantics."""
    graph = imported(op, inputs, **options)
    values = semantics.run(graph, feeds(inputs, options.get("constant", ())))
    return values[graph.outputs[0]]


def ort(op: str, inputs: Sequence[Array | None], **options: Any) -> Array:
    """Output 0 by ONNX Runtime."""
    runtime = pytest.importorskip("onnxruntime")
    proto = single(op, inputs, **options)
    session = runtime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(["y0"], feeds(inputs, options.get("constant", ())))
    return np.asarray(found[0])


def assert_as_ort(op: str, inputs: Sequence[Array | None], **options: Any) -> None:
    """Meaning and ONNX Runtime agree: integers exactly, floats to 1e-5."""
    wanted = ort(op, inputs, **options)
    got = meaning(op, inputs, **options)
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    if got.dtype.kind == "f":
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(got, wanted)
