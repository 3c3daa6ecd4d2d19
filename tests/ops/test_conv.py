"""Conv: import, shapes, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.common import Clamp
from mcugen.ops.conv import SPECS, ConvAttrs
from mcugen.ops.conv_kernel import ConvParams, choose_block
from mcugen.ops.spec import Reject, Site
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

(SPEC,) = SPECS
F32 = np.float32


def images(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=F32).reshape(shape)


def test_same_lower_puts_the_larger_share_in_front() -> None:
    y = meaning(
        "Conv",
        (images(1, 1, 5, 5), np.ones((1, 1, 4, 4), F32)),
        strides=[2, 2],
        auto_pad="SAME_LOWER",
    )
    assert y.ravel().tolist() == [12, 32, 33, 64, 144, 126, 93, 198, 162]


def test_channel_multiplier() -> None:
    w = np.arange(6, dtype=F32).reshape(6, 1, 1, 1)
    y = meaning("Conv", (images(1, 2, 2, 2), w), group=2)
    assert y[0].reshape(6, 4).tolist() == [
        [0, 0, 0, 0],
        [0, 1, 2, 3],
        [0, 2, 4, 6],
        [12, 15, 18, 21],
        [16, 20, 24, 28],
        [20, 25, 30, 35],
    ]


def test_asymmetric_pads_and_unequal_dilations() -> None:
    y = meaning(
        "Conv",
        (images(1, 1, 4, 5), np.ones((1, 1, 2, 3), F32), np.array([0.5], F32)),
        pads=[0, 1, 2, 0],
        dilations=[2, 1],
    )
    assert y.shape == (1, 1, 4, 4)
    assert y[0, 0, 0].tolist() == [22.5, 36.5, 42.5, 48.5]
    assert y[0, 0, -1].tolist() == [31.5, 48.5, 51.5, 54.5]


@pytest.mark.parametrize("constant", [(), (1, 2)])
@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((1, 3, 7, 8), (4, 3, 3, 3), {}),
        ((2, 8, 9, 9), (64, 1, 3, 3), {"group": 8, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
        ((1, 4, 9, 11), (6, 2, 3, 2), {"group": 2, "pads": [2, 0, 1, 1], "dilations": [2, 3]}),
        ((1, 3, 10, 7), (2, 3, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 3]}),
        ((1, 3, 10, 7), (2, 3, 4, 2), {"auto_pad": "SAME_LOWER", "strides": [3, 2]}),
        ((1, 3, 10, 7), (2, 3, 4, 2), {"auto_pad": "VALID", "kernel_shape": [4, 2]}),
        ((2, 3, 12), (4, 3, 3), {"dilations": [2], "pads": [4, 0]}),
        ((1, 4, 12), (4, 1, 5), {"group": 4, "auto_pad": "SAME_UPPER", "strides": [2]}),
    ],
)
def test_as_onnx_runtime(
    x: tuple[int, ...], w: tuple[int, ...], attributes: dict[str, Any], constant: tuple[int, ...]
) -> None:
    inputs = (random_f32(1, *x), random_f32(2, *w), random_f32(3, w[0]))
    assert_as_ort("Conv", inputs, constant=constant, **attributes)


def test_channels_last_is_the_same_function() -> None:
    x, w = random_f32(1, 2, 4, 6, 5), random_f32(2, 6, 2, 3, 3)
    attrs = ConvAttrs((1, 2), (1, 0, 2, 1), (1, 1), 2, Clamp(0.0, 3.0))
    semantics, last = SPEC.semantics, SPEC.channels_last
    assert semantics is not None
    assert last is not None
    (first,) = semantics(attrs, (x, w, None))
    (second,) = semantics(last(attrs), (np.moveaxis(x, 1, -1), w, None))
    np.testing.assert_array_equal(np.moveaxis(first, 1, -1), second)
    assert first.min() == 0.0
    assert first.max() == 3.0


@pytest.mark.parametrize(
    ("x", "w", "attributes", "reason"),
    [
        (np.zeros((1, 1, 3, 3, 3), F32), np.zeros((1, 1, 1, 1, 1), F32), {}, "1-D or 2-D, got 3-D"),
        (np.zeros((1, 1, 3), np.float64), np.zeros((1, 1, 1), np.float64), {}, "must be float32"),
        (np.zeros((0, 1, 3), F32), np.zeros((1, 1, 1), F32), {}, "dimension of an input"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 4), F32), {}, "must fit the padded input"),
        (np.zeros((1, 4, 3), F32), np.zeros((4, 2, 1), F32), {}, "input channels per group"),
        (np.zeros((1, 4, 3), F32), np.zeros((4, 2, 1), F32), {"group": 3}, "group must divide"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1), F32), {"strides": [0]}, "at least 1"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1), F32), {"strides": [1, 1]}, "1 values"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1), F32), {"pads": [-1, 0]}, "at least 0"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1), F32), {"kernel_shape": [2]}, "kernel_shape"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1), F32), {"auto_pad": "SAME"}, "auto_pad"),
        (np.zeros((1, 1, 3), F32), np.zeros((1, 1, 1, 1), F32), {}, "same rank"),
    ],
)
def test_refused(x: Array, w: Array, attributes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Conv", (x, w), **attributes)


def test_bias_must_have_one_value_per_output() -> None:
    tensors = [
        Tensor("x", (1, 2, 3, 2), DType.FLOAT32),
        Tensor("w", (4, 2, 1, 1), DType.FLOAT32),
        Tensor("b", (3,), DType.FLOAT32),
    ]
    attrs = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), channels_last=True)
    with pytest.raises(Reject, match=r"shape \[4\], got \[3\]"):
        SPEC.infer(attrs, tensors)


def lowered(x: tuple[int, ...], w: tuple[int, ...], attrs: ConvAttrs) -> ConvParams:
    """Params of a convolution with constant weights."""
    tensors = (
        Tensor("x", x, DType.FLOAT32),
        Tensor("w", w, DType.FLOAT32, data=random_f32(1, *w)),
    )
    (kind,) = SPEC.infer(attrs, tensors)
    out = Tensor("y", kind.shape, kind.dtype)
    assert SPEC.lower is not None
    found = SPEC.lower(Site(Node("Conv", "node", ("x", "w"), ("y",), attrs), tensors, (out,)))
    assert found.inputs == ("x",)
    params = found.params
    assert isinstance(params, ConvParams)
    return params


def test_pointwise_pixels_are_one_row() -> None:
    attrs = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), channels_last=True)
    params = lowered((2, 3, 5, 4), (8, 4, 1, 1), attrs)
    assert params.geometry.out_shape == (1, 1, 30, 8)
    assert params.geometry.macs == 2 * 3 * 5 * 4 * 8


def test_block_follows_the_row() -> None:
    assert choose_block(100, 64).channels in (8, 16)
    assert choose_block(1, 640).pixels == 1
    assert choose_block(0, 16).pixels == 1
    assert choose_block(9, 3).lanes == 3


def test_packed_weights_are_read_in_order() -> None:
    attrs = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), 2, channels_last=True)
    params = lowered((1, 4, 5, 4), (10, 2, 2, 3), attrs)
    block = params.block
    packed = params.packed_weights
    assert packed.shape == (2, params.blocks, 2, 3, 2, block.channels)
    assert params.weights is not None
    for o in range(10):
        group, inside = divmod(o, 5)
        index, lane = divmod(inside, block.channels)
        found = packed[group, index, :, :, :, lane].transpose(2, 0, 1)
        np.testing.assert_array_equal(found, params.weights[o])
