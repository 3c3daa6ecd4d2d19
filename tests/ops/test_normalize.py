"""Normalisations: import in terms of other operators, meaning, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen import semantics
from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.ops.batch_normalization import BatchNormalizationAttrs
from mcugen.ops.lrn import LRNAttrs
from mcugen.ops.normalize_attrs import NormalizeAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Reject
from opcase import random_f32
from single_op import assert_as_ort, feeds, imported, meaning

X = random_f32(1, 2, 4, 3, 5)


def _channels(count: int) -> list[Array]:
    return [random_f32(10 + i, count) for i in range(2)]


def _batch_inputs() -> tuple[Array, ...]:
    scale, bias = _channels(4)
    return X, scale, bias, random_f32(12, 4), np.abs(random_f32(13, 4)) + np.float32(0.1)


@pytest.mark.parametrize("constant", [(), (1, 2, 3, 4)])
@pytest.mark.parametrize("opset", [9, 15])
def test_batch_normalization(constant: tuple[int, ...], opset: int) -> None:
    assert_as_ort(
        "BatchNormalization", _batch_inputs(), constant=constant, opset=opset, epsilon=0.1
    )


def test_batch_normalization_of_constants_is_one_node() -> None:
    graph = imported("BatchNormalization", _batch_inputs(), constant=(1, 2, 3, 4))
    assert [n.op for n in graph.nodes] == ["BatchNormalization"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"opset": 15, "training_mode": 1}, "training_mode must be 0"),
        ({"opset": 8, "spatial": 0}, "spatial must be 1, got 0"),
    ],
)
def test_training_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("BatchNormalization", _batch_inputs(), constant=(1, 2, 3, 4), **options)


def test_batch_normalization_needs_channels() -> None:
    one = np.ones(3, np.float32)
    with pytest.raises(UnsupportedModelError, match="channel axis, got rank 1"):
        imported("BatchNormalization", (one,) * 5, constant=(1, 2, 3, 4))


def test_batch_normalization_parameters_have_one_number_per_channel() -> None:
    x = Tensor("x", (2, 4), DType.FLOAT32)
    right, wrong = (Tensor("p", (n,), DType.FLOAT32) for n in (4, 3))
    with pytest.raises(Reject, match=r"mean must have 4 elements, got \[3\]"):
        specs()["BatchNormalization"].infer(
            BatchNormalizationAttrs(1e-5), (x, right, right, wrong, right)
        )


def test_batch_normalization_kernel_wants_constants() -> None:
    rule = specs()["BatchNormalization"].constraints[-1]
    x = Tensor("x", (2, 4), DType.FLOAT32)
    value = Tensor("v", (4,), DType.FLOAT32, data=np.ones(4, np.float32))
    computed = Tensor("p", (4,), DType.FLOAT32)
    attrs = BatchNormalizationAttrs(1e-5)
    assert rule(attrs, (x, value, value, value, value)) is None
    assert rule(attrs, (x, value, computed, value, value)) == "p"


@pytest.mark.parametrize("axis", [1, 2, -1])
@pytest.mark.parametrize("bias", [False, True])
def test_layer_normalization(axis: int, bias: bool) -> None:
    shape = X.shape[axis:]
    inputs = (X, random_f32(2, *shape), *([random_f32(3, *shape)] if bias else []))
    assert_as_ort("LayerNormalization", inputs, opset=17, axis=axis, epsilon=1e-3)


def test_layer_normalization_with_its_statistics() -> None:
    inputs = (X, random_f32(2, 5))
    graph = imported("LayerNormalization", inputs, opset=17, outputs=3)
    values = semantics.run(graph, feeds(inputs))
    y, mean, inverse = (values[n] for n in graph.outputs)
    np.testing.assert_allclose(mean, X.mean(-1, keepdims=True), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(X.var(-1, keepdims=True) + 1e-5), rtol=1e-4)
    np.testing.assert_allclose(y, (X - mean) * inverse * inputs[1], rtol=1e-5, atol=1e-6)


def test_layer_normalization_without_statistics_is_one_kernel_and_a_product() -> None:
    graph = imported("LayerNormalization", (X, random_f32(2, 5)), opset=17)
    assert [n.op for n in graph.nodes] == ["Normalize", "Mul"]
    assert graph.nodes[0].attrs == NormalizeAttrs((3,), pytest.approx(1e-5))


def test_instance_normalization() -> None:
    assert_as_ort("InstanceNormalization", (X, *_channels(4)), epsilon=0.01)


def test_group_normalization() -> None:
    groups = 2
    scale, bias = _channels(4)
    y = meaning("GroupNormalization", (X, scale, bias), opset=21, num_groups=groups, epsilon=0.01)
    flat = X.reshape(2, groups, -1).astype(np.float64)
    unit = (flat - flat.mean(2, keepdims=True)) / np.sqrt(flat.var(2, keepdims=True) + 0.01)
    wide = [p.reshape(1, 4, 1, 1) for p in (scale, bias)]
    np.testing.assert_allclose(y, unit.reshape(X.shape) * wide[0] + wide[1], rtol=1e-4, atol=1e-5)


def test_groups_must_divide_the_channels() -> None:
    with pytest.raises(UnsupportedModelError, match="num_groups must divide the channels, got 3"):
        imported("GroupNormalization", (X, *_channels(4)), opset=21, num_groups=3)


def test_rms_normalization() -> None:
    scale = random_f32(4, 5)
    y = meaning("RMSNormalization", (X, scale), opset=23)
    square = (X.astype(np.float64) ** 2).mean(-1, keepdims=True)
    np.testing.assert_allclose(y, X / np.sqrt(square + 1e-5) * scale, rtol=1e-4, atol=1e-6)


def test_mean_variance_normalization() -> None:
    assert_as_ort("MeanVarianceNormalization", (X,))
    flat = np.full((1, 2, 2, 2), 3, np.float32)
    assert not meaning("MeanVarianceNormalization", (flat,)).any()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [1, -1])
def test_lp_normalization(p: int, axis: int) -> None:
    assert_as_ort("LpNormalization", (X,), p=p, axis=axis)


def test_lp_normalization_of_zeros_is_zero() -> None:
    y = meaning("LpNormalization", (np.zeros((2, 3), np.float32),))
    assert not y.any()


def test_lp_normalization_of_another_order_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="p must be 1 or 2, got 3"):
        imported("LpNormalization", (X,), p=3)


@pytest.mark.parametrize("size", [1, 3])
def test_lrn(size: int) -> None:
    assert_as_ort("LRN", (X,), size=size, alpha=0.5, beta=0.6, bias=2.0)


def test_lrn_attributes() -> None:
    graph = imported("LRN", (X,), size=4)
    assert graph.nodes[0].attrs == LRNAttrs(4, pytest.approx(1e-4), 0.75, 1.0)


def test_lrn_size_must_be_positive() -> None:
    with pytest.raises(UnsupportedModelError, match="size must be positive, got 0"):
        imported("LRN", (X,), size=0)
