"""QConvTranspose: when there is an integer form, and what it computes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mcugen.ir import DType, Node, Tensor
from mcugen.ops.conv_transpose import ConvTransposeAttrs
from mcugen.ops.conv_transpose_geometry import by_output, tensor_by_output
from mcugen.ops.qconv_transpose import QConvTransposeAttrs, quantize_transposed
from mcugen.ops.registry import specs
from mcugen.ops.spec import QuantSite, Reject, Site
from opcase import q, q_axis, random_int

ATTRS = ConvTransposeAttrs((2,), (0, 0), (1,), 1, (0,), None, True)
X = Tensor("x", (1, 2, 1), DType.INT8, q(0.5, -3))
W = Tensor("w", (1, 2, 2), DType.INT8, q(0.25), np.array([[[1, 2], [3, 4]]], np.int8))
Y = Tensor("y", (1, 4, 2), DType.INT8, q(0.125, 5))


def site(w: Tensor = W, bias: Tensor | None = None) -> QuantSite:
    inputs = (X, w) if bias is None else (X, w, bias)
    node = Node("ConvTranspose", "node", ("x", "w"), ("y",), ATTRS)
    return QuantSite(node, inputs, (Y,), (0.0, 3.0))


def test_attributes_are_kept_and_the_clamp_becomes_integers() -> None:
    form = quantize_transposed(site())
    assert form.op == "QConvTranspose"
    assert form.attrs == QConvTransposeAttrs(
        (2,), (0, 0), (1,), 1, (0,), DType.INT8, 5, 29, channels_last=True
    )
    assert form.inputs == (X, W)


def test_one_output_by_hand() -> None:
    """(x + 3) * w * 0.125 / 0.125 + 5, each input reaching two outputs."""
    form = quantize_transposed(site())
    spec = specs()["QConvTranspose"]
    assert spec.lower is not None
    assert spec.reference is not None
    node = Node("QConvTranspose", "node", ("x", "w"), ("y",), form.attrs)
    params = spec.lower(Site(node, (X, W), (Y,))).params
    (y,) = spec.reference(params, (np.array([[[-1], [1]]], np.int8),))
    assert y.tolist() == [[[7, 11], [9, 13], [9, 17], [13, 21]]]


def test_weights_by_output_channel() -> None:
    w = random_int(1, DType.INT8, 6, 2, 3)
    turned = by_output(w, 3)
    assert turned.shape == (6, 2, 3)
    for group in range(3):
        for o in range(2):
            for i in range(2):
                np.testing.assert_array_equal(turned[2 * group + o, i], w[2 * group + i, o])


def test_scales_per_output_channel_repeat_in_every_group() -> None:
    w = Tensor(
        "w", (4, 2, 1), DType.INT8, q_axis(np.array([1, 2]), 1), np.zeros((4, 2, 1), np.int8)
    )
    turned = tensor_by_output(w, 2)
    assert turned.quant is not None
    assert turned.quant.axis == 0
    assert turned.quant.scale.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("w", "reason"),
    [
        (dataclasses.replace(W, quant=q_axis(np.ones(1), 0)), "per output channel, got axis 0"),
        (dataclasses.replace(W, data=None), "weights must be constant"),
        (dataclasses.replace(W, quant=None), "input 1 is not quantized"),
    ],
)
def test_refused(w: Tensor, reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_transposed(site(w))
