"""QSigmoid and QTanh: the table, distance to the real functions, integer forms, recorded cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.ir import DType, Node, QuantParams, Tensor
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.qsigmoid import FixedCurve, FloatCurve, sigmoid_table
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from mcugen.ops.unary import UnaryAttrs
from opcase import q, q_axis

EVERY = np.arange(-32768, 32768, dtype=np.int64)
X16 = Tensor("x", (2, 5), DType.INT16, q(2.0**-12))
Y16 = Tensor("y", (2, 5), DType.INT16, q(2.0**-15))


def test_the_table_is_the_recorded_one_at_its_ends_and_middle() -> None:
    table = sigmoid_table()
    assert (table.shape, table.dtype) == ((256,), np.uint16)
    assert table[[0, 1, 20, 128, 254, 255]].tolist() == [32768, 33451, 45683, 65221, 65534, 65535]
    assert (np.diff(table.astype(int)) >= 0).all()


@pytest.mark.parametrize(
    ("tanh", "left_shift", "steps"),
    [(False, -6, 1), (False, 0, 1), (False, 4, 1), (True, 0, 1), (True, 4, 1), (True, -1, 2)],
)
def test_distance_to_the_rounded_function(tanh: bool, left_shift: int, steps: int) -> None:
    real = EVERY * 2.0 ** (left_shift - 12)
    wanted = np.rint(32768 * (np.tanh(real) if tanh else 1 / (1 + np.exp(-real))))
    got = FixedCurve(tanh, left_shift).reference(EVERY)
    assert np.abs(got - np.clip(wanted, -32768, 32767)).max() == steps


def numbers(op: str, x: QuantParams, y: QuantParams, arithmetic: Arithmetic) -> Any:
    rule = specs()[op].lower
    assert rule is not None
    tensors = (X16.replace(quant=x), Y16.replace(quant=y))
    node = Node(op, "n", ("x",), ("y",), NoAttrs())
    return rule(Site(node, tensors[:1], tensors[1:], arithmetic)).params.attrs


def test_fixed_point_where_tflite_defines_it_else_float() -> None:
    one = q(2.0**-15)
    for scale, shift in ((2.0**-12, 0), (4.0, 14)):
        assert numbers("QTanh", q(scale), one, Arithmetic.TFLITE) == FixedCurve(True, shift)
    assert numbers("QSigmoid", q(2.0**-27), one, Arithmetic.TFLITE) == FixedCurve(False, -15)
    for other in (
        numbers("QSigmoid", q(2.0**-12), one, Arithmetic.ONNX),
        numbers("QSigmoid", q(2.0**-28), one, Arithmetic.TFLITE),
        numbers("QTanh", q(2.0**-13), one, Arithmetic.TFLITE),
        numbers("QSigmoid", q(8.0), one, Arithmetic.TFLITE),
        numbers("QSigmoid", q(0.0003), one, Arithmetic.TFLITE),
        numbers("QSigmoid", q(2.0**-12, 1), one, Arithmetic.TFLITE),
        numbers("QSigmoid", q(2.0**-12), q(2.0**-15, 1), Arithmetic.TFLITE),
        numbers("QSigmoid", q(2.0**-12), q(2.0**-14), Arithmetic.TFLITE),
    ):
        assert isinstance(other, FloatCurve)


@pytest.mark.parametrize("op", ["Sigmoid", "Tanh"])
def test_integer_form(op: str) -> None:
    rule = specs()[op].quantize
    assert rule is not None
    site = QuantSite(Node(op, "n", ("x",), ("y",), UnaryAttrs()), (X16,), (Y16,), (-np.inf, np.inf))
    assert rule(site).op == f"Q{op}"


@pytest.mark.parametrize(
    ("changed", "clamp", "reason"),
    [
        ({"quant": q_axis(np.ones(5, np.float32), 1)}, (-np.inf, np.inf), "per tensor"),
        ({"dtype": DType.UINT16}, (-np.inf, np.inf), "must be int16"),
        ({}, (0.0, 6.0), "no activation may follow"),
    ],
)
def test_without_an_integer_form(changed: dict[str, Any], clamp: Any, reason: str) -> None:
    rule = specs()["Sigmoid"].quantize
    assert rule is not None
    node = Node("Sigmoid", "n", ("x",), ("y",), UnaryAttrs())
    with pytest.raises(Reject, match=reason):
        rule(QuantSite(node, (X16,), (Y16.replace(**changed),), clamp))
