"""Cast: numbers kept where they can be, saturation where they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from mcugen.errors import UnsupportedModelError
from mcugen.ir import DType
from mcugen.ops.cast import CastAttrs
from single_op import assert_as_ort, imported, meaning

F32 = np.float32
CODES = {
    np.int8: TensorProto.INT8,
    np.uint8: TensorProto.UINT8,
    np.int32: TensorProto.INT32,
    np.int64: TensorProto.INT64,
    np.float32: TensorProto.FLOAT,
    np.float64: TensorProto.DOUBLE,
    np.bool_: TensorProto.BOOL,
}


@pytest.mark.parametrize("source", CODES)
@pytest.mark.parametrize("to", CODES)
def test_numbers_that_fit_as_onnx_runtime(source: type, to: type) -> None:
    assert_as_ort("Cast", (np.array([0, 1, 2, 100]).astype(source),), to=CODES[to])


def test_fractions_are_cut_off() -> None:
    x = F32([1.9, -1.9, 0.5, -0.5, -0.0])
    assert meaning("Cast", (x,), to=TensorProto.INT8).tolist() == [1, -1, 0, 0, 0]


def test_floats_saturate() -> None:
    x = F32([300, -300, np.inf, -np.inf, np.nan, 127.9, -128.9])
    assert meaning("Cast", (x,), to=TensorProto.INT8).tolist() == [
        127,
        -128,
        127,
        -128,
        0,
        127,
        -128,
    ]
    assert meaning("Cast", (x,), to=TensorProto.UINT8).tolist() == [255, 0, 255, 0, 0, 127, 0]


def test_integers_wrap() -> None:
    x = np.array([256, 257, -1, 128], np.int32)
    assert meaning("Cast", (x,), to=TensorProto.UINT8).tolist() == [0, 1, 255, 128]
    assert meaning("Cast", (x,), to=TensorProto.INT8).tolist() == [0, 1, -1, -128]


def test_to_bool_is_not_zero() -> None:
    x = F32([0, -0.0, 0.1, np.nan, -3])
    assert meaning("Cast", (x,), to=TensorProto.BOOL).tolist() == [False, False, True, True, True]


def test_cast_like() -> None:
    graph = imported("CastLike", (F32([1.5]), np.zeros(3, np.int16)), opset=15)
    assert graph.nodes[0].attrs == CastAttrs(DType.INT16)


def test_constant_half_floats_become_floats() -> None:
    half = np.array([1.5, -2.25], np.float16)
    values = meaning("Cast", (half,), constant=(0,), to=TensorProto.FLOAT)
    assert values.dtype == np.float32
    assert values.tolist() == [1.5, -2.25]


def test_types_without_a_c_type() -> None:
    with pytest.raises(UnsupportedModelError, match="got bfloat16"):
        imported("Cast", (F32([1]),), to=TensorProto.BFLOAT16)
    with pytest.raises(UnsupportedModelError, match="got string"):
        imported("Cast", (F32([1]),), to=TensorProto.STRING)
