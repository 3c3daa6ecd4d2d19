"""QPRelu: nearest integers, what becomes it, what stays float."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.prelu import PReluAttrs
from mcugen.ops.qprelu import SPECS, QPReluAttrs, quantize_prelu
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from opcase import q, q_axis

(SPEC,) = SPECS
F32 = np.float32
SLOPES = F32([0.25, -0.5, 0.0, 3.0])
X = Tensor("x", (256, 4), DType.INT8, q(0.0513, 3))
Y = Tensor("y", (256, 4), DType.INT8, q(0.0607, 11))
SLOPE = Tensor("slope", (4,), DType.FLOAT32, data=SLOPES)


def node(op: str, attrs: Any) -> Node:
    return Node(op, "node", ("x", "slope"), ("y",), attrs)


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_nearest_integers(arithmetic: Arithmetic) -> None:
    assert SPEC.lower is not None and SPEC.reference is not None
    attrs = QPReluAttrs(DType.INT8, -100, 90)
    params = SPEC.lower(Site(node("QPRelu", attrs), (X, SLOPE), (Y,), arithmetic)).params
    x = np.repeat(np.arange(-128, 128, dtype=np.int8)[:, None], 4, 1)
    (got,) = SPEC.reference(params, (x,))
    real = (x.astype(np.float64) - 3) * 0.0513
    exact = np.clip(np.where(real < 0, real * SLOPES, real) / 0.0607 + 11, -100, 90)
    assert np.abs(got - exact).max() <= 0.501
    assert (got != np.rint(exact)).mean() < 0.002


def form(slope: Tensor, x: Tensor = X, y: Tensor = Y) -> Any:
    site = QuantSite(node("PRelu", PReluAttrs()), (x, slope), (y,), (0.0, np.inf))
    return quantize_prelu(site)


def test_real_slopes_are_taken_as_they_are() -> None:
    found = form(SLOPE)
    assert (found.op, found.attrs) == ("QPRelu", QPReluAttrs(DType.INT8, 11, 127))
    assert found.inputs == (X, SLOPE)


@pytest.mark.parametrize("quant", [q(0.5, 2), q_axis(F32([0.5, 0.5, 0.5, 0.5]), 0, np.full(4, 2))])
def test_quantized_slopes_become_real(quant: Any) -> None:
    data: Array = np.int8([4, 2, 0, 1])
    slope = Tensor("slope", (4,), DType.INT8, quant, data)
    real = form(slope).inputs[1]
    assert real.dtype is DType.FLOAT32
    assert real.data.tolist() == [1.0, 0.0, -1.0, -0.5]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"slope": SLOPE.replace(data=None)}, "the slope is computed at run time"),
        ({"slope": SLOPE.replace(data=F32([np.inf] * 4))}, "the slopes must be finite"),
        ({"slope": SLOPE, "x": X.replace(quant=None)}, "input 0 is not quantized"),
        ({"slope": SLOPE, "x": X.replace(dtype=DType.INT16)}, "input 0 must be int8 or uint8"),
        ({"slope": SLOPE, "y": Y.replace(dtype=DType.INT16)}, "the output must be int8 or uint8"),
    ],
)
def test_what_stays_float(options: dict[str, Tensor], reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        form(**options)
