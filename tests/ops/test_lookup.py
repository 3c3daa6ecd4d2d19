"""Lookup: tables of 8-bit functions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from mcugen.ir import Array, DType, Tensor
from mcugen.ops.lookup import SPECS, LookupAttrs, input_has_8_bits
from mcugen.ops.quantize_linear import SPECS as CONVERSIONS
from mcugen.ops.quantize_linear import DequantizeLinearAttrs, QuantizeLinearAttrs
from mcugen.ops.unary import SPECS as UNARY
from mcugen.ops.unary import UnaryAttrs

(SPEC,) = SPECS
TABLE = np.arange(256, dtype=np.uint8)[::-1].copy()


def look_up(table: Array, x: Array) -> Array:
    assert SPEC.semantics is not None
    (y,) = SPEC.semantics(LookupAttrs(table), (x,))
    return y


def test_signed_inputs_index_by_their_bits() -> None:
    assert look_up(TABLE, np.int8([0, 1, -1, -128, 127])).tolist() == [255, 254, 0, 127, 128]
    assert look_up(TABLE, np.uint8([0, 1, 255])).tolist() == [255, 254, 0]


def test_the_table_decides_the_type() -> None:
    x = Tensor("x", (2, 3), DType.UINT8)
    (kind,) = SPEC.infer(LookupAttrs(TABLE.view(np.int8)), (x,))
    assert (kind.shape, kind.dtype) == ((2, 3), DType.INT8)


def test_equal_tables_are_equal() -> None:
    assert LookupAttrs(TABLE) == LookupAttrs(TABLE.copy())
    assert hash(LookupAttrs(TABLE)) == hash(LookupAttrs(TABLE.copy()))
    assert LookupAttrs(TABLE) != LookupAttrs(TABLE.view(np.int8))


def test_input_type() -> None:
    attrs = LookupAttrs(TABLE)
    assert input_has_8_bits(attrs, (Tensor("x", (2,), DType.INT8),)) is None
    assert input_has_8_bits(attrs, (Tensor("x", (2,), DType.INT16),)) == "int16"


def test_recorded_logistic_tables(golden_dir: Path) -> None:
    """What the float operators give for all 256 inputs is what TFLM and ESP-NN compute."""
    meaning = {s.name: s.semantics for s in (*CONVERSIONS, *UNARY)}
    x = np.arange(256, dtype=np.uint8).view(np.int8)
    out = (np.asarray(np.float32(1 / 256)), np.asarray(np.int8(-128)))
    index = json.loads((golden_dir / "index.json").read_text(encoding="utf-8"))
    with np.load(golden_dir / "logistic.npz") as data:
        for case in index["files"]["logistic.npz"]:
            params = case["params"]
            scale = np.asarray(np.int32(params["scale_f32_bits"])).view(np.float32)
            zero = np.asarray(np.int8(params["zp_in"]))
            dequantize, sigmoid = meaning["DequantizeLinear"], meaning["Sigmoid"]
            quantize = meaning["QuantizeLinear"]
            assert dequantize is not None and sigmoid is not None and quantize is not None
            (real,) = dequantize(DequantizeLinearAttrs(), (x, scale, zero))
            (y,) = sigmoid(UnaryAttrs(), (real,))
            (table,) = quantize(QuantizeLinearAttrs(DType.INT8), (y, *out))
            np.testing.assert_array_equal(table, data[f"{case['id']}_y"], case["id"])
