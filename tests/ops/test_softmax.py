"""Softmax in float and on integers: opsets, import, integer form, recorded cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onnx_models
from mcugen.errors import UnsupportedModelError
from mcugen.frontend import load_model
from mcugen.ir import DType, Node, QuantParams, Tensor
from mcugen.lower import lower
from mcugen.ops.axes import Lines
from mcugen.ops.qsoftmax import (
    MAX_FIXED_COUNT,
    QSoftmaxAttrs,
    QSoftmaxFloatParams,
    QSoftmaxParams,
)
from mcugen.ops.registry import specs
from mcugen.ops.softmax import SoftmaxAttrs
from mcugen.ops.softmax_fixed import (
    exp_on_negative_values,
    one_over_one_plus_x,
    saturating_shift_left,
    softmax_scaling,
)
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from opcase import q, q_axis, random_f32, random_int
from single_op import assert_as_ort, imported, meaning

OPS = ("Softmax", "LogSoftmax", "Hardmax")
X = random_f32(1, 2, 3, 4)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("opset", [11, 13])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_meaning_on_both_sides_of_opset_13(op: str, opset: int, axis: int | None) -> None:
    attributes = {} if axis is None else {"axis": axis}
    assert_as_ort(op, (X,), opset=opset, **attributes)


def test_default_axis_flattens_before_opset_13() -> None:
    zeros = np.zeros((2, 3, 4), np.float32)
    np.testing.assert_allclose(meaning("Softmax", (zeros,), opset=11), 1 / 12, rtol=1e-6)
    np.testing.assert_allclose(meaning("Softmax", (zeros,), opset=13), 1 / 4, rtol=1e-6)


def test_flattening_is_left_out_where_it_changes_nothing() -> None:
    ops = [n.op for n in imported("Softmax", (random_f32(2, 2, 3, 1, 1),), opset=9).nodes]
    assert ops == ["Softmax"]
    ops = [n.op for n in imported("Softmax", (X,), opset=9).nodes]
    assert ops == ["Reshape", "Softmax", "Reshape"]


def test_double_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="must be float32, got float64"):
        imported("Softmax", (X.astype(np.float64),))


def _float_site(x: Tensor, y: Tensor, clamp: tuple[float, float] = (-np.inf, np.inf)) -> QuantSite:
    return QuantSite(Node("Softmax", "n", ("x",), ("y",), SoftmaxAttrs(1)), (x,), (y,), clamp)


X8 = Tensor("x", (2, 5), DType.INT8, q(0.1, 3))
Y8 = Tensor("y", (2, 5), DType.INT8, q(1 / 256, -128))


def test_integer_form() -> None:
    rule = specs()["Softmax"].quantize
    assert rule is not None
    form = rule(_float_site(X8, Y8.replace(dtype=DType.UINT8)))
    assert (form.op, form.attrs) == ("QSoftmax", QSoftmaxAttrs(1, DType.UINT8))


@pytest.mark.parametrize(
    ("changed", "clamp", "reason"),
    [
        ({"quant": q_axis(np.ones(5, np.float32), 1)}, (-np.inf, np.inf), "per tensor"),
        ({"dtype": DType.UINT16}, (-np.inf, np.inf), "its output int8, uint8 or int16"),
        ({}, (0.0, 6.0), "no activation"),
    ],
)
def test_without_an_integer_form(changed: dict[str, Any], clamp: Any, reason: str) -> None:
    rule = specs()["Softmax"].quantize
    assert rule is not None
    with pytest.raises(Reject, match=reason):
        rule(_float_site(X8, Y8.replace(**changed), clamp))


def _params(arithmetic: Arithmetic, out: QuantParams, count: int = 5, scale: float = 0.1) -> Any:
    x = Tensor("x", (2, count), DType.INT8, q(scale, 3))
    y = Tensor("y", (2, count), DType.INT8, out)
    node = Node("QSoftmax", "n", ("x",), ("y",), QSoftmaxAttrs(1, DType.INT8))
    rule = specs()["QSoftmax"].lower
    assert rule is not None
    return rule(Site(node, (x,), (y,), arithmetic)).params


def test_fixed_point_where_tflite_defines_it_else_float() -> None:
    lowest = q(1 / 256, -128)
    assert isinstance(_params(Arithmetic.TFLITE, lowest), QSoftmaxParams)
    for other in (
        _params(Arithmetic.ONNX, lowest),
        _params(Arithmetic.TFLITE, q(1 / 255, -128)),
        _params(Arithmetic.TFLITE, q(1 / 256, 0)),
        _params(Arithmetic.TFLITE, lowest, MAX_FIXED_COUNT + 1),
        _params(Arithmetic.TFLITE, lowest, scale=1e-9),
    ):
        assert isinstance(other, QSoftmaxFloatParams)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_integers_are_close_to_the_real_softmax(dtype: DType, arithmetic: Arithmetic) -> None:
    x = random_int(3, dtype, 50, 10)
    out = q(1 / 256, -128 if dtype is DType.INT8 else 0)
    real = (x.astype(np.float64) - 3) * np.float64(np.float32(0.07))
    e = np.exp(real - real.max(1, keepdims=True))
    wanted = np.clip(
        np.rint(e / e.sum(1, keepdims=True) * 256) + int(out.zero_point), *_range(dtype)
    )
    tensor = Tensor("x", x.shape, dtype, q(0.07, 3))
    node = Node("QSoftmax", "n", ("x",), ("y",), QSoftmaxAttrs(1, dtype))
    spec = specs()["QSoftmax"]
    assert spec.lower is not None
    assert spec.reference is not None
    site = Site(node, (tensor,), (Tensor("y", x.shape, dtype, out),), arithmetic)
    (y,) = spec.reference(spec.lower(site).params, (x,))
    assert np.abs(y.astype(int) - wanted).max() <= (1 if arithmetic is Arithmetic.TFLITE else 0)


def _range(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype.np)
    return int(info.min), int(info.max)


@pytest.mark.parametrize(
    ("opset", "inner"), [(13, ["Softmax"]), (12, ["Reshape", "Softmax", "Reshape"])]
)
def test_qlinear_softmax_follows_its_attribute_opset(opset: int, inner: list[str]) -> None:
    names = ["x", "x_scale", "x_zero", "y_scale", "y_zero"]
    made = onnx_models.node(
        "QLinearSoftmax", names, ["y"], domain="com.microsoft", axis=1, opset=opset
    )
    values = (np.float32(0.1), np.uint8(128), np.float32(1 / 256), np.uint8(0))
    constants = {n: np.asarray(v) for n, v in zip(names[1:], values, strict=True)}
    source = onnx_models.value("x", (2, 3, 4), 2)
    proto = onnx_models.model([made], [source], ["y"], constants, domains={"com.microsoft": 1})
    ops = [n.op for n in load_model(proto).graph.nodes]
    assert ops == ["DequantizeLinear", *inner, "QuantizeLinear"]


def test_recorded_scaling(golden_dir: Path) -> None:
    import json

    index = json.loads((golden_dir / "index.json").read_text(encoding="utf-8"))
    for entry in index["files"]["softmax.npz"]:
        p = entry["params"]
        assert softmax_scaling(entry["scale"]) == (p["mult"], p["shift"], p["diff_min"])


def test_recorded_primitives(golden_dir: Path) -> None:
    with np.load(golden_dir / "primitives.npz") as data:
        np.testing.assert_array_equal(exp_on_negative_values(data["exp_x"]), data["exp_y"])
        np.testing.assert_array_equal(one_over_one_plus_x(data["oneover_x"]), data["oneover_y"])


def test_fixed_point_pieces_against_real_numbers() -> None:
    a = -np.linspace(0, 31.9, 1000)
    got = exp_on_negative_values(np.rint(a * 2**26).astype(np.int64)) / 2**31
    np.testing.assert_allclose(got, np.exp(a), atol=2e-7)
    x = np.linspace(0, 1, 1000, endpoint=False)
    got = one_over_one_plus_x(np.rint(x * 2**31).astype(np.int64)) / 2**31
    np.testing.assert_allclose(got, 1 / (1 + x), atol=1e-8)
    assert saturating_shift_left(np.array([2**30, -(2**31), 3]), 2).tolist() == [
        2**31 - 1,
        -(2**31),
        12,
    ]


def test_reference_of_softmax_runs_on_lines() -> None:
    graph = imported("Softmax", (X,), axis=1)
    (step,) = lower(graph).steps
    assert step.params.lines == Lines(2, 3, 4)
