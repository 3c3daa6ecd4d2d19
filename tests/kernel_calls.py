"""Calls of kernels made of recorded cases: (operator, parameters, inputs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from goldencase import GoldenCase
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.axes import Lines
from mcugen.ops.common import Clamp
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.conv_transpose_geometry import TransposedGeometry
from mcugen.ops.matmul import fully_connected_geometry
from mcugen.ops.pool import PoolParams
from mcugen.ops.pool_geometry import PoolGeometry
from mcugen.ops.qconv_kernel import QConvParams, stored_weights
from mcugen.ops.qconv_transpose import QConvTransposeParams
from mcugen.ops.qelementwise import FixedPoint, Multiplier, lower_numbers
from mcugen.ops.qmean import QMeanParams
from mcugen.ops.qpool import Average, QPoolParams
from mcugen.ops.qsigmoid import FixedCurve, lower_curve
from mcugen.ops.qsoftmax import fixed_params
from mcugen.ops.reduce_nest import Nest
from mcugen.ops.spec import Site
from mcugen.ops.window import Axis
from mcugen.quantize.requant import Requant

Call = tuple[str, Any, tuple[Array, ...]]


def requant(case: GoldenCase) -> Requant:
    p = case.params
    act_range = (p["act_min"], p["act_max"])
    return Requant.fixed(case.array("mult"), case.array("shift"), p["out_offset"], act_range)


def image_axes(p: dict[str, int]) -> tuple[Axis, Axis]:
    return (
        Axis(p["ih"], p["oh"], p["kh"], p["stride_h"], p["pad_top"], p.get("dil_h", 1)),
        Axis(p["iw"], p["ow"], p["kw"], p["stride_w"], p["pad_left"], p.get("dil_w", 1)),
    )


def convolution(case: GoldenCase, weights: Array, in_c: int) -> Call:
    """Weights [O, I, KH, KW]."""
    p, out_c = case.params, weights.shape[0]
    geometry = ConvGeometry(p["n"], *image_axes(p), in_c, out_c, in_c // weights.shape[1])
    params = QConvParams(
        geometry,
        DType.INT8,
        -p["in_offset"],
        weights,
        case.array("b", np.zeros(out_c, np.int32)),
        requant(case),
        case.array("y").shape,
    )
    return "QConv", params, (case.array("x"),)


def conv(case: GoldenCase) -> Call:
    return convolution(case, case.array("w").transpose(0, 3, 1, 2), case.params["ic"])


def depthwise(case: GoldenCase) -> Call:
    weights = case.array("w").transpose(2, 0, 1)[:, None]
    return convolution(case, weights, case.array("x").shape[-1])


def fully_connected(case: GoldenCase) -> Call:
    p = case.params
    weights = stored_weights(case.array("w"), np.array(-p["filter_offset"]))
    units = p["out_features"]
    params = QConvParams(
        fully_connected_geometry(p["n"], p["in_features"], units),
        DType.INT8,
        -p["in_offset"],
        weights[:, :, None, None],
        case.array("b", np.zeros(units, np.int32)),
        requant(case),
        case.array("y").shape,
    )
    return "QFullyConnected", params, (case.array("x"),)


def pool(case: GoldenCase) -> PoolGeometry:
    p = case.params
    return PoolGeometry(p["n"], *image_axes(p), p["c"], (p["ih"], p["iw"]))


def average(case: GoldenCase) -> Call:
    act_range = (case.params["act_min"], case.params["act_max"])
    unused = Requant.fixed(np.ones(1), np.zeros(1), 0, act_range)
    form, shape = Average.RAW, case.array("y").shape
    params = QPoolParams(pool(case), DType.INT8, form, 0, 1.0, unused, shape)
    return "QAveragePool", params, (case.array("x"),)


def maximum(case: GoldenCase) -> Call:
    clamp = Clamp(case.params["act_min"], case.params["act_max"])
    params = PoolParams(pool(case), DType.INT8, clamp, case.array("y").shape)
    return "MaxPool", params, (case.array("x"),)


def transposed(case: GoldenCase) -> Call:
    p = case.params
    geometry = TransposedGeometry(
        p["n"],
        Axis(p["oh"], p["ih"], p["kh"], p["stride_h"], p["pad_top"]),
        Axis(p["ow"], p["iw"], p["kw"], p["stride_w"], p["pad_left"]),
        p["ic"],
        p["oc"],
    )
    params = QConvTransposeParams(
        geometry,
        DType.INT8,
        -p["in_offset"],
        case.array("w").transpose(0, 3, 1, 2),
        case.array("b", np.zeros(p["oc"], np.int32)),
        requant(case),
        case.array("y").shape,
    )
    return "QConvTranspose", params, (case.array("x"),)


def binary(op: str, case: GoldenCase, inputs: tuple[Multiplier, ...]) -> Call:
    """QAdd or QMul on two tensors of one shape."""
    p, arrays = case.params, (case.array("x1"), case.array("x2"))
    numbers = FixedPoint(
        zero_points=(-p["in1_offset"], -p["in2_offset"], p["out_offset"]),
        inputs=inputs,
        output=Multiplier(p["out_mult"], p["out_shift"]),
        subtract=False,
        bounds=(p["act_min"], p["act_max"]),
    )
    tensors = tuple(Tensor(n, a.shape, DType.INT8) for n, a in zip("ab", arrays, strict=True))
    node = Node(op, "node", ("a", "b"), ("y",), None)
    site = Site(node, tensors, (Tensor("y", case.array("y").shape, DType.INT8),))
    return op, lower_numbers(site, numbers).params, arrays


def addition(case: GoldenCase) -> Call:
    p = case.params
    assert p["left_shift"] == 20
    inputs = tuple(Multiplier(p[f"in{i}_mult"], p[f"in{i}_shift"]) for i in (1, 2))
    return binary("QAdd", case, inputs)


def multiplication(case: GoldenCase) -> Call:
    return binary("QMul", case, ())


def activation(case: GoldenCase) -> Call:
    x, y = case.array("x"), case.array("y")
    numbers = FixedCurve(bool(case.params["tanh"]), case.params["left_shift"])
    op = "QTanh" if numbers.tanh else "QSigmoid"
    node = Node(op, "node", ("a",), ("y",), None)
    site = Site(node, (Tensor("a", x.shape, DType.INT16),), (Tensor("y", y.shape, DType.INT16),))
    return op, lower_curve(site, numbers).params, (x,)


def mean(case: GoldenCase) -> Call:
    p, x = case.params, case.array("x")[None]
    nest = Nest.of(x.shape, (1, 2), rows=False)
    numbers = Requant.fixed(np.array(p["mult"]), np.array(p["shift"]), p["zp_out"], (-128, 127))
    shape, offset = (1, 1, 1, x.shape[-1]), -p["zp_in"] * p["h"] * p["w"]
    params = QMeanParams(nest, (1, 2), shape, offset, numbers, x.shape, DType.INT8)
    return "QMean", params, (x,)


def softmax(case: GoldenCase) -> Call:
    p, x = case.params, case.array("x")
    scaling = (p["mult"], p["shift"], p["diff_min"])
    out = DType.of(case.array("y"))
    return "QSoftmax", fixed_params(Lines.of(x.shape, 1), x.shape, scaling, out), (x,)


CALLS: dict[str, Callable[[GoldenCase], Call]] = {
    "conv": conv,
    "conv_big": conv,
    "conv_grouped": conv,
    "conv_dilated": conv,
    "dw": depthwise,
    "dw_dilated": depthwise,
    "fc": fully_connected,
    "fc_wzp": fully_connected,
    "fc_perch": fully_connected,
    "tconv": transposed,
    "avgpool": average,
    "maxpool": maximum,
    "add": addition,
    "mul": multiplication,
    "softmax": softmax,
    "softmax_s16": softmax,
    "mean": mean,
    "act_s16": activation,
}
"""File of recorded cases -> what makes a call of one."""
