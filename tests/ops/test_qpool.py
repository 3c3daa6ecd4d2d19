"""QAveragePool: when there is an integer form, and which of the three averages it is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mcugen.ir import Array, DType, Node, QuantParams, Tensor
from mcugen.ops.common import Clamp
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qpool import SPECS, Average, QPoolAttrs, QPoolParams, quantize_average
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from opcase import q, q_axis

(SPEC,) = SPECS
ATTRS = PoolAttrs((1, 2), (1, 2), (0, 0, 0, 0), (1, 1), channels_last=True)
X = Tensor("x", (1, 1, 4, 1), DType.INT8, q(0.5, -3))
Y = Tensor("y", (1, 1, 2, 1), DType.INT8, q(0.5, -3))


def site(x: Tensor = X, y: Tensor = Y, attrs: PoolAttrs = ATTRS) -> QuantSite:
    node = Node("AveragePool", "node", ("x",), ("y",), attrs)
    return QuantSite(node, (x,), (y,), (-np.inf, 1.0))


def test_attributes_are_kept() -> None:
    attrs = dataclasses.replace(ATTRS, count_include_pad=True, activation=Clamp(0.0))
    form = quantize_average(site(attrs=attrs))
    assert form.op == "QAveragePool"
    assert form.attrs == QPoolAttrs(
        (1, 2), (1, 2), (0, 0, 0, 0), (1, 1), False, True, DType.INT8, -3, -1, True
    )


PADDED = dataclasses.replace(ATTRS, pads=(0, 1, 0, 1))


@pytest.mark.parametrize(
    ("x", "y", "attrs", "reason"),
    [
        (dataclasses.replace(X, dtype=DType.INT16), Y, ATTRS, "must be int8 or uint8"),
        (dataclasses.replace(X, quant=q_axis(np.ones(1), 3)), Y, ATTRS, "per tensor"),
        (X, dataclasses.replace(Y, quant=q(0.25)), PADDED, "must be quantized alike"),
        (X, Y, dataclasses.replace(ATTRS, kernel=(3000, 3000)), "at most 8421504 taps"),
    ],
)
def test_refused(x: Tensor, y: Tensor, attrs: PoolAttrs, reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_average(site(x, y, attrs))


def test_padding_is_fine_between_equal_scales() -> None:
    assert quantize_average(site(attrs=PADDED)).op == "QAveragePool"


def average(values: list[int], arithmetic: Arithmetic, out: QuantParams) -> tuple[Average, Array]:
    attrs = QPoolAttrs((1, 2), (1, 2), (0,) * 4, (1, 1), False, False, DType.INT8, -128, 127, True)
    x = np.array(values, np.int8).reshape(1, 1, -1, 1)
    tensors = Tensor("x", x.shape, DType.INT8, q(0.5, -3)), dataclasses.replace(Y, quant=out)
    assert SPEC.lower is not None
    assert SPEC.reference is not None
    node = Node("QAveragePool", "node", ("x",), ("y",), attrs)
    out_tensor = dataclasses.replace(tensors[1], shape=(1, 1, x.size // 2, 1))
    params = SPEC.lower(Site(node, tensors[:1], (out_tensor,), arithmetic)).params
    assert isinstance(params, QPoolParams)
    return params.form, SPEC.reference(params, (x,))[0].ravel()


def test_tflite_rounds_raw_ties_away_from_zero() -> None:
    form, y = average([1, 2, -1, -2, 0, 1, 0, -1], Arithmetic.TFLITE, q(0.5, -3))
    assert form is Average.RAW
    assert y.tolist() == [2, -2, 1, -1]


def test_tflite_rescales_between_different_scales() -> None:
    form, y = average([1, 2, 10, 20], Arithmetic.TFLITE, q(0.25, 10))
    assert form is Average.SCALED
    assert y.tolist() == [19, 46]  # (1.5 + 3) * 2 + 10, (15 + 3) * 2 + 10


def test_onnx_rounds_the_real_mean_to_even() -> None:
    form, y = average([1, 2, 2, 3, 10, 20, -1, -2], Arithmetic.ONNX, q(0.5, -3))
    assert form is Average.REAL
    assert y.tolist() == [1, 3, 15, -1]  # 4.5, 5.5, 18 and 1.5 steps above -3
