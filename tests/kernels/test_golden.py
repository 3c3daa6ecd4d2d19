"""The recorded cases of convolutions, fully connected layers and pools, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldencase import GoldenCase, calls_of, check_calls
from mcugen.ir import Array, DType
from mcugen.ops.common import Clamp
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.conv_transpose_geometry import TransposedGeometry
from mcugen.ops.matmul import fully_connected_geometry
from mcugen.ops.pool import PoolParams
from mcugen.ops.pool_geometry import PoolGeometry
from mcugen.ops.qconv_kernel import QConvParams, stored_weights
from mcugen.ops.qconv_transpose import QConvTransposeParams
from mcugen.ops.qpool import Average, QPoolParams
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


@pytest.mark.parametrize("file", ["conv", "conv_big", "conv_grouped", "conv_dilated"])
def test_convolution(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, conv), file)


@pytest.mark.parametrize("file", ["dw", "dw_dilated"])
def test_depthwise_convolution(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, depthwise), file)


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


@pytest.mark.parametrize("file", ["fc", "fc_perch", "fc_wzp"])
def test_fully_connected(golden_dir: Path, file: str) -> None:
    check_calls(calls_of(golden_dir, file, fully_connected), file)


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


def test_average_pool(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "avgpool", average), "avgpool")


def test_max_pool(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "maxpool", maximum), "maxpool")


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


def test_transposed_convolution(golden_dir: Path) -> None:
    check_calls(calls_of(golden_dir, "tconv", transposed), "tconv")
