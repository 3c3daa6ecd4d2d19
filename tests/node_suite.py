"""The node tests of the installed onnx, as models with constant parameters.

The suite feeds shapes, axes, scales and weights as inputs at run time; exported models carry them
as initializers, which is what a generator of static code can be asked for.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnx.defs
from onnx import numpy_helper
from onnx.backend.test.case import node, utils

from mcugen.ir import Array

_PARAMETER_TEXT = """
    shape axes axis size pads constant_value roi scales sizes starts ends steps repeats
    split k K depth values min max ratio training_mode dft_length frame_step frame_length
    image_shape block_shape start limit delta num_mel_bins sample_rate lower_edge_hertz
    upper_edge_hertz max_output_boxes_per_class iou_threshold score_threshold output_shape
    a_scale a_zero_point b_scale b_zero_point x_scale x_zero_point w_scale w_zero_point
    y_scale y_zero_point
"""
PARAMETERS = frozenset(_PARAMETER_TEXT.split())
"""Names, in the ONNX schemas, of inputs that are constant in exported models."""

WEIGHTS: Mapping[str, frozenset[str]] = {
    "BatchNormalization": frozenset({"scale", "B", "input_mean", "input_var"}),
    "Compress": frozenset({"condition"}),
    "ConstantOfShape": frozenset({"input"}),
    "Conv": frozenset("WB"),
    "ConvInteger": frozenset("w"),
    "ConvTranspose": frozenset("WB"),
    "GRU": frozenset("WRB"),
    "Gemm": frozenset("BC"),
    "GroupNormalization": frozenset({"scale", "bias"}),
    "InstanceNormalization": frozenset({"scale", "B"}),
    "LSTM": frozenset("WRB"),
    "LayerNormalization": frozenset({"Scale", "B"}),
    "MatMulInteger": frozenset("B"),
    "QLinearConv": frozenset("wB"),
    "QLinearMatMul": frozenset("b"),
    "RMSNormalization": frozenset({"scale"}),
    "RNN": frozenset("WRB"),
    "ReverseSequence": frozenset({"sequence_lens"}),
}
"""Further inputs of single operators that exported models hold as weights."""


@dataclass(frozen=True, eq=False)
class NodeCase:
    """One node test.

    Attributes:
        name: of the test in the suite.
        model: with its parameters as initializers.
        data: per data set, (inputs in the model's order, expected outputs); None where a value
            is no tensor.
        rtol, atol: the suite's bounds.
    """

    name: str
    model: onnx.ModelProto
    data: tuple[tuple[tuple[Array | None, ...], tuple[Array | None, ...]], ...]
    rtol: float
    atol: float


@cache
def all_cases() -> tuple[NodeCase, ...]:
    """All node tests, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        utils.import_recursive(node)
    return _cases({c.name: c for c in node._NodeTestCases})


def cases_of(operators: Mapping[str, str]) -> tuple[NodeCase, ...]:
    """The tests of a few operators and of their function bodies, without making all the others.

    Args:
        operators: module of `onnx.backend.test.case.node` -> operator.
    """
    for module in operators:
        importlib.import_module(f"{node.__name__}.{module}")
    own = {c.name for c in node._NodeTestCases if _operator(c.model) in operators.values()}
    found = {c.name: c for c in node._NodeTestCases}
    return _cases({n: c for n, c in found.items() if _base(n) in own})


def _operator(model: onnx.ModelProto) -> str:
    """The model's one operator, "" when it has several."""
    kinds = {n.op_type for n in model.graph.node}
    return kinds.pop() if len(kinds) == 1 else ""


def _base(name: str) -> str:
    """The test of the operator whose function body `name` tests."""
    return name.split("_expanded")[0]


def _cases(found: Mapping[str, Any]) -> tuple[NodeCase, ...]:
    direct = {name: _parameter_inputs(c.model) for name, c in found.items()}
    return tuple(
        _frozen(found[name], direct[name] | direct.get(_base(name), frozenset()))
        for name in sorted(found)
    )


def _parameter_inputs(model: onnx.ModelProto) -> frozenset[str]:
    """Names of the graph inputs that some node takes as a parameter."""
    versions = {o.domain: o.version for o in model.opset_import}
    found = set()
    for call in model.graph.node:
        formal = _formal_inputs(call, versions)
        weights = WEIGHTS.get(call.op_type, frozenset())
        found |= {
            actual
            for name, actual in zip(formal, call.input, strict=False)
            if name in PARAMETERS or name in weights
        }
    return frozenset(found)


def _formal_inputs(call: onnx.NodeProto, versions: Mapping[str, int]) -> list[str]:
    try:
        schema = onnx.defs.get_schema(call.op_type, versions[call.domain], call.domain)
    except onnx.defs.SchemaError:
        return []
    return [i.name for i in schema.inputs]


def _frozen(case: Any, parameters: frozenset[str]) -> NodeCase:
    """The case with those parameters as initializers that every data set gives alike."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    given = [i.name for i in model.graph.input]
    sets = [([_array(a) for a in ins], [_array(a) for a in outs]) for ins, outs in case.data_sets]
    fixed = {}
    for position, name in enumerate(given):
        values = [ins[position] for ins, _ in sets if position < len(ins)]
        if name in parameters and values and _all_equal(values):
            fixed[name] = values[0]
    live = [i for i in model.graph.input if i.name not in fixed]
    del model.graph.input[:]
    model.graph.input.extend(live)
    model.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in fixed.items())
    keep = [i for i, name in enumerate(given) if name not in fixed]
    data = tuple((tuple(ins[i] for i in keep if i < len(ins)), tuple(outs)) for ins, outs in sets)
    return NodeCase(case.name, model, data, case.rtol, case.atol)


def _array(value: Any) -> Array | None:
    """A tensor of the data set; None for a sequence, an optional or a string."""
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OSU":
        return None
    return np.asarray(value)


def _all_equal(values: Sequence[Array | None]) -> bool:
    first = values[0]
    return first is not None and all(
        v is not None and v.dtype == first.dtype and np.array_equal(v, first) for v in values
    )
