"""Numbers and pixels into a model, numbers out of it, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mcugen
from mcugen import api, io_helpers
from mcugen.c_model import CImage, CTensor
from mcugen.errors import UsageError
from mcugen.frontend import load_model
from mcugen.io_helpers import Normalization
from mcugen.ir import DType
from onnx_models import FLOAT, INT8, Shape, model, node, value


def tensor(dtype: DType = DType.INT8, scale: float | None = 0.5, zero: int = -3) -> CTensor:
    zero_point = None if scale is None else zero
    return CTensor(0, "x", "in0", dtype, (4,), 4, 4, scale, zero_point, None)


def images(*shape: int, kind: int = FLOAT, **options: Any) -> api.Model:
    """One Relu on an input of this shape; integers have the scale 1/64 and the zero point -128."""
    inputs, nodes = [value("x", shape, kind)], [node("Relu", ["x"], ["y"])]
    constants = {"s": np.float32(1 / 64), "z": np.array(-128, np.int8)}
    if kind == INT8:
        nodes = [
            node("DequantizeLinear", ["x", "s", "z"], ["r"]),
            node("Relu", ["r"], ["a"]),
            node("QuantizeLinear", ["a", "s", "z"], ["y"]),
        ]
    return api.compile(load_model(model(nodes, inputs, ["y"], constants)), **options)


def test_halves_go_to_even_and_the_rest_saturates() -> None:
    x = [0.25, 0.75, 1.25, -0.25, 1e9, -1e9, np.nan, np.inf]
    got = io_helpers.quantize(tensor(), np.array(x, np.float32))
    assert got.dtype == np.int8
    assert got.tolist() == [-3, -1, -1, -3, 127, -128, -3, 127]


def test_back_to_numbers() -> None:
    got = io_helpers.dequantize(tensor(), np.array([-3, -2, 127], np.int8))
    assert got.dtype == np.float32 and got.tolist() == [0.0, 0.5, 65.0]
    wide = tensor(DType.INT32, 0.25, 0)
    assert io_helpers.dequantize(wide, np.array([2**24 + 1], np.int32)).tolist() == [2.0**22]


def test_what_has_no_scale_is_not_converted() -> None:
    for plain in (tensor(DType.FLOAT32, None), tensor(DType.INT32, 0.25, 0)):
        with pytest.raises(UsageError, match=r"'x' is .* without one scale"):
            io_helpers.quantize(plain, np.zeros(4, np.float32))
    with pytest.raises(UsageError, match="'x' is float32 without one scale"):
        io_helpers.dequantize(tensor(DType.FLOAT32, None), np.zeros(4, np.float32))
    with pytest.raises(UsageError, match="'x' is int8, got int64"):
        io_helpers.dequantize(tensor(), np.zeros(4, np.int64))


def test_an_image_goes_where_its_channels_are() -> None:
    pixels = np.arange(24).reshape(2, 4, 3).astype(np.uint8)
    how = Normalization(2.0, (1, 2, 3), (1, 2, 4))
    wanted = (pixels * 2.0 - [1, 2, 3]) / [1, 2, 4]
    first = images(1, 3, 2, 4).image(pixels, how)
    last = images(1, 2, 4, 3).image(pixels, how)
    assert first.dtype == last.dtype == np.float32
    assert np.array_equal(first[0].transpose(1, 2, 0), wanted)
    assert np.array_equal(last[0], wanted)


def test_an_image_is_swapped_and_quantized() -> None:
    one = images(1, 1, 2, 3, kind=INT8)
    pixels = np.array([[[255, 0, 64], [1, 2, 3]]], np.uint8)
    got = one.image(pixels, Normalization(1 / 64, swap_red_blue=True))
    assert got.dtype == np.int8
    assert got.tolist() == [[[[-64, -128, 127], [-125, -126, -127]]]]


def test_every_step_is_rounded_to_float() -> None:
    """0.017 as float32 times 213 is no float; the product is rounded before the difference."""
    grey = images(1, 1, 1, 1)
    got = grey.image(np.array([[213]], np.uint8), Normalization(0.017, (3.6,), (1.0,)))
    product = np.float32(213) * np.float32(0.017)
    assert got.reshape(()) == product - np.float32(3.6)
    assert got.reshape(()) != np.float32(213 * float(np.float32(0.017)) - float(np.float32(3.6)))


def test_several_images() -> None:
    batch = images(2, 3, 4, 5)
    pixels = np.arange(120).reshape(2, 4, 5, 3).astype(np.uint8)
    got = batch.image(pixels, Normalization())
    assert np.array_equal(got, pixels.transpose(0, 3, 1, 2))
    with pytest.raises(UsageError, match=r"uint8 \[2, 4, 5, 3\], got uint8\[4, 5, 3\]"):
        batch.image(pixels[0], Normalization())


@pytest.mark.parametrize(
    ("shape", "form"),
    [
        ((1, 3, 8, 9), CImage(1, 8, 9, 3, False)),
        ((1, 8, 9, 3), CImage(1, 8, 9, 3, True)),
        ((2, 1, 8, 9), CImage(2, 8, 9, 1, False)),
        ((1, 8, 9, 1), CImage(1, 8, 9, 1, True)),
        ((1, 3, 3, 3), CImage(1, 3, 3, 3, False)),
        ((1, 1, 9, 3), CImage(1, 1, 9, 3, True)),
        ((1, 4, 8, 9), None),
        ((1, 3, 0, 9), None),
        ((3, 8, 9), None),
        ((1, 3, 8, 9, 1), None),
    ],
)
def test_what_is_taken_as_an_image(shape: tuple[int, ...], form: CImage | None) -> None:
    assert images(*shape).compiled.model.inputs[0].image == form


def test_channels_last_by_option() -> None:
    conv = node("Conv", ["x", "w"], ["y"])
    weights = {"w": np.ones((2, 3, 1, 1), np.float32)}
    file = load_model(model([conv], [value("x", [1, 3, 3, 3])], ["y"], weights))
    taken = api.compile(file, io_layout="nhwc").compiled.model.inputs[0]
    assert taken.axes == (0, 2, 3, 1)
    assert taken.image == CImage(1, 3, 3, 3, True)


def test_an_image_needs_numbers() -> None:
    """Pixels in an int64, or in an uint8 tensor without a scale, mean nothing."""
    cast = node("Cast", ["x"], ["y"], to=FLOAT)
    for kind in (2, 7):
        one = api.compile(load_model(model([cast], [value("x", [1, 3, 4, 4], kind)], ["y"])))
        assert one.compiled.model.inputs[0].image is None
        with pytest.raises(UsageError, match=r"'x' \[1, 3, 4, 4\] takes no image: it needs"):
            one.image(np.zeros((4, 4, 3), np.uint8), Normalization())


@pytest.mark.parametrize(
    ("shape", "dtype", "form"),
    [((4, 5), np.uint8, (1, 3, 4, 5)), ((4, 5, 3), np.int8, (1, 3, 4, 5)),
     ((5, 4, 1), np.uint8, (1, 1, 4, 5))],
)  # fmt: skip
def test_an_image_of_another_kind(shape: Shape, dtype: type, form: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match=r"the image for 'x' must be uint8 \[4, 5, "):
        images(*form).image(np.zeros(shape, dtype), Normalization())


def test_a_number_per_channel() -> None:
    with pytest.raises(UsageError, match="mean and std must have 3 numbers, got 1 and 3"):
        images(1, 3, 4, 5).image(np.zeros((4, 5, 3), np.uint8), Normalization(mean=(0.0,)))
    grey = images(1, 1, 4, 5).image(np.ones((4, 5), np.uint8), Normalization(mean=(1.0,)))
    assert not grey.any()


def test_inputs_and_outputs_by_number_and_name() -> None:
    one = images(1, 2, kind=INT8)
    x = np.array([[1.0, -1.0]], np.float32)
    assert one.quantize(x).tolist() == one.quantize(x, "x").tolist() == [[-64, -128]]
    y = one(one.quantize(x))["y"]
    assert one.dequantize(y, "y").tolist() == [[1.0, 0.0]]
    with pytest.raises(UsageError, match="there is no input 'z': the model has 0 'x'"):
        one.quantize(x, "z")
    with pytest.raises(UsageError, match="there is no output 1: the model has 0 'y'"):
        one.dequantize(y, 1)


def test_the_largest() -> None:
    assert mcugen.argmax(np.array([1, 7, 7, -3])) == 1
    assert mcugen.argmax(np.array([[1.0, np.inf], [np.nan, np.nan]])) == 2
    assert mcugen.topk(np.array([3, 9, 3, 9, 1]), 3).tolist() == [1, 3, 0]
    assert mcugen.topk(np.array([1.0, np.nan, np.inf, np.nan]), 9).tolist() == [1, 3, 2, 0]
    assert mcugen.topk(np.array([0.0, -0.0]), 1).tolist() == [0]
    assert mcugen.topk(np.zeros(0), 2).tolist() == []
    with pytest.raises(UsageError, match="at least one element"):
        mcugen.argmax(np.zeros(0))
    with pytest.raises(UsageError, match="k must not be negative, got -1"):
        mcugen.topk(np.zeros(2), -1)
