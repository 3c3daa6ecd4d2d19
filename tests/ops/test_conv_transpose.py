"""ConvTranspose: import, shapes, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from mcugen.ops.common import Clamp
from mcugen.ops.conv_transpose import SPECS, ConvTransposeAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

(SPEC,) = SPECS
F32 = np.float32


def counting(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=F32).reshape(shape)


def test_output_padding() -> None:
    y = meaning(
        "ConvTranspose",
        (counting(1, 1, 2, 2), np.ones((1, 1, 3, 3), F32)),
        strides=[2, 2],
        pads=[1, 1, 1, 1],
        output_padding=[1, 1],
    )
    assert y.shape == (1, 1, 4, 4)
    assert y.ravel().tolist() == [0, 1, 1, 1, 2, 6, 4, 4, 2, 5, 3, 3, 2, 5, 3, 3]


def test_groups() -> None:
    inputs = counting(1, 2, 2, 2), counting(2, 1, 2, 2)
    y = meaning("ConvTranspose", inputs, strides=[2, 2], group=2)
    assert y.shape == (1, 2, 4, 4)
    assert y[0, 0, 0].tolist() == [0, 0, 0, 1]
    assert y[0, 1, 0].tolist() == [16, 20, 20, 25]


@pytest.mark.parametrize("constant", [(), (1, 2)])
@pytest.mark.parametrize(
    ("x", "w", "attributes"),
    [
        ((1, 3, 4, 5), (3, 2, 3, 3), {}),
        ((2, 4, 3, 4), (4, 3, 4, 2), {"group": 2, "strides": [3, 2], "pads": [1, 0, 2, 1]}),
        ((1, 2, 4, 4), (2, 3, 3, 2), {"dilations": [2, 3], "strides": [2, 1]}),
        ((1, 2, 4, 3), (2, 3, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2, 3]}),
        ((1, 2, 4, 3), (2, 3, 4, 3), {"auto_pad": "SAME_LOWER", "strides": [3, 2]}),
        ((1, 2, 4, 3), (2, 3, 3, 4), {"auto_pad": "VALID", "strides": [2, 3]}),
        ((1, 2, 4, 3), (2, 3, 4, 3), {"output_shape": [10, 6], "strides": [3, 2]}),
        (
            (1, 2, 4, 3),
            (2, 3, 4, 3),
            {"output_shape": [12, 6], "strides": [3, 2], "auto_pad": "SAME_UPPER"},
        ),
        ((1, 2, 3, 3), (2, 3, 3, 3), {"output_padding": [2, 1], "strides": [3, 2]}),
        ((2, 3, 6), (3, 4, 4), {"strides": [2], "pads": [1, 1]}),
    ],
)
def test_as_onnx_runtime(
    x: tuple[int, ...], w: tuple[int, ...], attributes: dict[str, Any], constant: tuple[int, ...]
) -> None:
    outputs = w[1] * attributes.get("group", 1)
    inputs = (random_f32(1, *x), random_f32(2, *w), random_f32(3, outputs))
    assert_as_ort("ConvTranspose", inputs, constant=constant, **attributes)


def test_a_wanted_shape_beyond_all_windows_is_filled_with_the_bias() -> None:
    inputs = counting(1, 1, 2), np.ones((1, 1, 2), F32), np.array([0.5], F32)
    y = meaning("ConvTranspose", inputs, output_shape=[6], strides=[2])
    assert y.ravel().tolist() == [0.5, 0.5, 1.5, 1.5, 0.5, 0.5]


def test_channels_last_is_the_same_function() -> None:
    x, w = random_f32(1, 2, 4, 6, 5), random_f32(2, 4, 3, 3, 3)
    attrs = ConvTransposeAttrs((1, 2), (1, 0, 2, 1), (1, 1), 2, (0, 1), Clamp(0.0, 3.0))
    semantics, last = SPEC.semantics, SPEC.channels_last
    assert semantics is not None
    assert last is not None
    (first,) = semantics(attrs, (x, w, None))
    (second,) = semantics(last(attrs), (np.moveaxis(x, 1, -1), w, None))
    np.testing.assert_array_equal(np.moveaxis(first, 1, -1), second)
    assert first.min() == 0.0
    assert first.max() == 3.0


W = np.zeros((2, 3, 2), F32)
X = np.zeros((1, 2, 3), F32)


@pytest.mark.parametrize(
    ("x", "w", "attributes", "reason"),
    [
        (np.zeros((1, 1, 3, 3, 3), F32), np.zeros((1, 1, 1, 1, 1), F32), {}, "1-D or 2-D, got 3-D"),
        (np.zeros((1, 1, 3)), np.zeros((1, 1, 1)), {}, "must be float32"),
        (np.zeros((0, 2, 3), F32), W, {}, "dimension of an input"),
        (np.zeros((1, 4, 3), F32), W, {}, "4 input channels, got 2"),
        (np.zeros((1, 2, 3, 3), F32), W, {}, "same rank"),
        (X, W, {"group": 3}, "group must divide"),
        (X, W, {"pads": [2, 2]}, "must leave an output"),
        (X, W, {"output_padding": [-1]}, "output_padding must have 1 values"),
        (X, W, {"output_shape": [0]}, "output_shape must have 1 positive"),
        (X, W, {"kernel_shape": [3]}, "kernel_shape must be"),
    ],
)
def test_refused(x: Array, w: Array, attributes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("ConvTranspose", (x, w), **attributes)
