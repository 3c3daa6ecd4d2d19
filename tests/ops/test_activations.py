"""Activation functions with parameters: import, meaning, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ops.activations import AlphaAttrs, GeluAttrs, HardSigmoidAttrs, SeluAttrs, ShrinkAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

X = np.concatenate([random_f32(1, 60), np.float32([0, 0.5, -0.5, 1, -1, 20, -20])])


@pytest.mark.parametrize(
    ("op", "opset", "attributes"),
    [
        ("LeakyRelu", 13, {}),
        ("LeakyRelu", 13, {"alpha": 0.3}),
        ("Elu", 13, {}),
        ("Elu", 13, {"alpha": 0.5}),
        ("Celu", 13, {}),
        ("Celu", 13, {"alpha": 2.5}),
        ("Selu", 13, {}),
        ("Selu", 13, {"alpha": 2.0, "gamma": 3.0}),
        ("HardSigmoid", 13, {}),
        ("HardSigmoid", 13, {"alpha": 0.3, "beta": 0.4}),
        ("ThresholdedRelu", 13, {}),
        ("ThresholdedRelu", 13, {"alpha": -0.5}),
        ("Shrink", 13, {}),
        ("Shrink", 13, {"bias": 1.5, "lambd": 1.0}),
        ("Gelu", 20, {}),
        ("Gelu", 20, {"approximate": "tanh"}),
    ],
)
def test_as_onnx_runtime(op: str, opset: int, attributes: dict[str, Any]) -> None:
    assert_as_ort(op, (X,), opset=opset, **attributes)


@pytest.mark.parametrize("op", ["Gelu", "QuickGelu", "FastGelu"])
def test_microsoft_functions_as_onnx_runtime(op: str) -> None:
    assert_as_ort(op, (X,), domain="com.microsoft")


@pytest.mark.parametrize("op", ["FastGelu", "BiasGelu"])
def test_biased_gelu_as_onnx_runtime(op: str) -> None:
    inputs = (random_f32(2, 3, 8), random_f32(3, 8))
    assert_as_ort(op, inputs, domain="com.microsoft")


def test_swish() -> None:
    y = meaning("Swish", (np.float32([0, 1, -1]),), opset=24, alpha=2.0)
    np.testing.assert_allclose(y, [0, 1 / (1 + np.exp(-2)), -1 / (1 + np.exp(2))], rtol=1e-6)


def test_defaults() -> None:
    def attrs(op: str, opset: int = 13) -> Any:
        return imported(op, (X,), opset=opset).nodes[0].attrs

    assert attrs("LeakyRelu") == AlphaAttrs(0.01)
    assert attrs("HardSigmoid") == HardSigmoidAttrs(0.2, 0.5)
    assert attrs("Selu") == SeluAttrs(1.67326319217681884765625, 1.05070102214813232421875)
    assert attrs("Shrink") == ShrinkAttrs(0.0, 0.5)
    assert attrs("Gelu", 20) == GeluAttrs(tanh=False)


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({}, [True, True, False, False]),
        ({"detect_negative": 0}, [True, False, False, False]),
        ({"detect_positive": 0}, [False, True, False, False]),
        ({"detect_positive": 0, "detect_negative": 0}, [False] * 4),
    ],
)
def test_is_inf(attributes: dict[str, int], wanted: list[bool]) -> None:
    x = np.float32([np.inf, -np.inf, np.nan, 3e38])
    assert meaning("IsInf", (x,), **attributes).tolist() == wanted


def test_quantized_leaky_relu() -> None:
    x = np.arange(-128, 128, dtype=np.int8)
    scales = (np.asarray(np.float32(s)) for s in (0.05, 0.04))
    s, t = scales
    zeros = (np.asarray(np.int8(3)), np.asarray(np.int8(-5)))
    inputs = (x, s, zeros[0], t, zeros[1])
    assert_as_ort(
        "QLinearLeakyRelu", inputs, constant=(1, 2, 3, 4), domain="com.microsoft", alpha=0.2
    )


def test_unknown_approximation() -> None:
    with pytest.raises(UnsupportedModelError, match="approximate must be none or tanh, got fast"):
        imported("Gelu", (X,), opset=20, approximate="fast")


def test_celu_divides_by_alpha() -> None:
    with pytest.raises(UnsupportedModelError, match="alpha must not be 0"):
        imported("Celu", (X,), alpha=0.0)
