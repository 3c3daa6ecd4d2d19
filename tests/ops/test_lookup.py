"""Lookup: tables of 8-bit functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def recorded(folder: Path, file: str) -> Iterator[tuple[dict[str, Any], Array]]:
    """(entry of the index, its table) of every case."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{file}.npz") as data:
        for case in index["files"][f"{file}.npz"]:
            yield case, data[f"{case['id']}_y"]


def table_of(op: str, x: Array, quant: tuple[float, int], out: tuple[float, int]) -> Array:
    """What the float operator gives between its conversions."""
    meaning = {s.name: s.semantics for s in (*CONVERSIONS, *UNARY)}
    dequantize, function = meaning["DequantizeLinear"], meaning[op]
    quantize = meaning["QuantizeLinear"]
    assert dequantize is not None and function is not None and quantize is not None
    (scale, zero), (y_scale, y_zero) = (
        (np.asarray(np.float32(s)), np.asarray(np.int8(z))) for s, z in (quant, out)
    )
    (real,) = dequantize(DequantizeLinearAttrs(), (x, scale, zero))
    (y,) = function(UnaryAttrs(), (real,))
    (table,) = quantize(QuantizeLinearAttrs(DType.INT8), (y, y_scale, y_zero))
    return table


def test_recorded_logistic_tables(golden_dir: Path) -> None:
    """What the float operators give for all 256 inputs is what TFLM and ESP-NN compute."""
    x = np.arange(256, dtype=np.uint8).view(np.int8)
    for case, wanted in recorded(golden_dir, "logistic"):
        params = case["params"]
        scale = float(np.int32(params["scale_f32_bits"]).view(np.float32))
        table = table_of("Sigmoid", x, (scale, params["zp_in"]), (1 / 256, -128))
        np.testing.assert_array_equal(table, wanted, case["id"])


def test_recorded_hard_swish_tables(golden_dir: Path) -> None:
    """ESP-NN makes them in fixed point of 16 bits: 5 of 3840 entries are 1 beside the function."""
    differing = 0
    with np.load(golden_dir / "hardswish.npz") as data:
        inputs = {name: data[name] for name in data if name.endswith("_x")}
    for case, wanted in recorded(golden_dir, "hardswish"):
        params, (scale, y_scale) = case["params"], case["scales"]
        x = inputs[f"{case['id']}_x"]
        quants = ((scale, params["zp_in"]), (y_scale, params["zp_out"]))
        distance = np.abs(table_of("HardSwish", x, *quants).astype(int) - wanted)
        assert distance.max() <= 1
        differing += int(distance.sum())
    assert differing == 5
