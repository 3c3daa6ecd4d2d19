"""Resize and Upsample: coordinates, modes, sizes, regions, opsets, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Tensor
from mcugen.lower import lower
from mcugen.ops.registry import specs
from mcugen.ops.resize_tables import AxisResize, Interpolation, ResizeAttrs, axis_table
from opcase import random_f32, random_int
from single_op import assert_as_ort, imported, meaning

X = random_f32(1, 1, 2, 5, 6)
SCALES = np.array([1, 1, 2, 1.5], np.float32)


def _by_scales(scales: Array, **options: Any) -> tuple[tuple[Array | None, ...], dict[str, Any]]:
    return (X, None, scales), {"constant": (2,), **options}


def _by_sizes(*sizes: int, **options: Any) -> tuple[tuple[Array | None, ...], dict[str, Any]]:
    return (X, None, None, np.array(sizes, np.int64)), {"constant": (3,), **options}


@pytest.mark.parametrize("coordinates", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("nearest", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_nearest(coordinates: str, nearest: str) -> None:
    names = {"coordinate_transformation_mode": coordinates, "nearest_mode": nearest}
    for inputs, options in (_by_scales(SCALES), _by_sizes(1, 2, 10, 3)):
        assert_as_ort("Resize", inputs, mode="nearest", **names, **options)


@pytest.mark.parametrize(
    "coordinates", ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"]
)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_weighted(coordinates: str, mode: str) -> None:
    for inputs, options in (_by_scales(SCALES), _by_sizes(1, 2, 3, 9)):
        assert_as_ort(
            "Resize", inputs, mode=mode, coordinate_transformation_mode=coordinates, **options
        )


def test_cubic_options() -> None:
    inputs, options = _by_sizes(1, 2, 8, 4)
    assert_as_ort("Resize", inputs, mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5, **options)


def test_ties_by_sizes_go_up() -> None:
    x = np.arange(20, dtype=np.float32)
    y = meaning(
        "Resize",
        (x, None, None, np.array([6], np.int64)),
        constant=(3,),
        mode="nearest",
        nearest_mode="round_prefer_ceil",
    )
    assert y.tolist() == [1, 5, 8, 11, 15, 18]


def test_align_corners_downsampling() -> None:
    x = np.arange(8, dtype=np.float32)
    y = meaning(
        "Resize",
        (x, None, None, np.array([3], np.int64)),
        constant=(3,),
        mode="linear",
        coordinate_transformation_mode="align_corners",
    )
    assert y.tolist() == [0, 3.5, 7]


def test_opset_10_and_upsample_are_asymmetric_and_floor() -> None:
    wanted = X[:, :, np.arange(10) // 2][..., (np.arange(9) / 1.5).astype(int)]
    for op, opset in (("Resize", 10), ("Upsample", 9)):
        y = meaning(op, (X, SCALES), constant=(1,), opset=opset, mode="nearest")
        np.testing.assert_array_equal(y, wanted)
    old = meaning("Upsample", (X,), opset=7, mode="nearest", scales=[1.0, 1.0, 2.0, 1.5])
    np.testing.assert_array_equal(old, wanted)
    assert_as_ort("Upsample", (X, SCALES), constant=(1,), opset=9, mode="linear")


def test_axes_and_policy_since_opset_18() -> None:
    inputs = (X, None, None, np.array([10, 9], np.int64))
    for policy, shape in (("not_larger", (1, 2, 8, 9)), ("not_smaller", (1, 2, 10, 12))):
        y = meaning(
            "Resize",
            inputs,
            constant=(3,),
            opset=18,
            axes=[2, 3],
            mode="linear",
            keep_aspect_ratio_policy=policy,
        )
        assert y.shape == shape


def test_region_with_extrapolation() -> None:
    roi = np.array([0, 0, -0.2, 0.4, 1, 1, 0.6, 1.1], np.float32)
    inputs = (X, roi, None, np.array([1, 2, 4, 5], np.int64))
    assert_as_ort(
        "Resize",
        inputs,
        constant=(1, 3),
        mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize",
        extrapolation_value=9.0,
    )


def test_size_by_scale_is_computed_in_float32() -> None:
    x = np.zeros(10, np.float32)
    y = meaning("Resize", (x, None, np.array([0.7], np.float32)), constant=(2,), mode="nearest")
    assert y.shape == (7,), "10 * float32(0.7) is below 7 in double"


def test_same_size_is_no_resize() -> None:
    inputs, options = _by_sizes(1, 2, 5, 6)
    for mode in ("nearest", "linear", "cubic"):
        graph = imported("Resize", inputs, mode=mode, **options)
        assert [n.op for n in graph.nodes] == ["Identity"]


def test_nearest_copies_integers() -> None:
    x = random_int(2, DType.INT8, 3, 4)
    y = meaning("Resize", (x, None, np.array([2, 2], np.float32)), constant=(2,), mode="nearest")
    np.testing.assert_array_equal(y, x.repeat(2, 0).repeat(2, 1))


def test_doubling_needs_no_table() -> None:
    inputs, options = _by_sizes(1, 2, 10, 12)
    graph = imported("Resize", inputs, mode="nearest", **options)
    (step,) = lower(graph).steps
    assert step.params.tables == ()


def test_linear_of_integers_is_refused() -> None:
    x = random_int(3, DType.UINT8, 3, 4)
    with pytest.raises(UnsupportedModelError, match="resized input must be float32, got uint8"):
        imported("Resize", (x, None, np.array([2, 2], np.float32)), constant=(2,), mode="linear")


@pytest.mark.parametrize(("mode", "found"), [("linear", None), ("cubic", "256")])
def test_elements_per_result_are_bounded(mode: str, found: str | None) -> None:
    rule = specs()["Interpolate"].constraints[-1]
    attrs = ResizeAttrs((AxisResize(3, 5, 5 / 3),) * 4, Interpolation(mode))
    assert rule(attrs, (Tensor("x", (3,) * 4, DType.FLOAT32),)) == found


@pytest.mark.parametrize(
    ("inputs", "constant", "reason"),
    [
        ((X, None, np.array([1, 2], np.float32)), (2,), "scales must be 4 numbers, got 2"),
        ((X, None, np.array([1, 1, 0, 1], np.float32)), (2,), "scales must be positive"),
        ((X, None, None, np.array([1, 2], np.int64)), (3,), "sizes must be 4 numbers, got 2"),
        ((X,), (), "scales or sizes must be given, got none"),
    ],
)
def test_wrong_sizes_are_refused(
    inputs: tuple[Array | None, ...], constant: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported("Resize", inputs, constant=constant, mode="nearest")


@pytest.mark.parametrize(
    "name", ["mode", "coordinate_transformation_mode", "nearest_mode", "keep_aspect_ratio_policy"]
)
def test_unknown_names_are_refused(name: str) -> None:
    inputs, options = _by_sizes(1, 2, 3, 4)
    with pytest.raises(UnsupportedModelError, match=f"{name} must be .*, got other"):
        imported("Resize", inputs, opset=19, **{name: "other"}, **options)


def test_region_must_be_complete() -> None:
    inputs, options = _by_sizes(1, 2, 3, 4)
    with pytest.raises(UnsupportedModelError, match="roi must be 8 numbers, got 0"):
        imported("Resize", inputs, coordinate_transformation_mode="tf_crop_and_resize", **options)


def test_weights_add_up_to_one() -> None:
    for mode in ("linear", "cubic"):
        for antialias in (False, True):
            how = Interpolation(mode, antialias=antialias)
            table = axis_table(AxisResize(11, 4, 4 / 11), how)
            np.testing.assert_allclose(table.weight.sum(1), 1.0, rtol=1e-12)
            assert table.index.min() >= 0
            assert table.index.max() <= 10
