"""Cases of QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.quantize_linear import DequantizeLinearAttrs, QuantizeLinearAttrs
from opcase import OpCase, random_f32, random_int

_EDGES = np.array(
    (
        *(0.0, -0.0, 0.25, 0.75, 1.25, 1.75, -0.25, -0.75, 63.25, 63.75, 64, -64, -64.25, -64.75),
        *(127.5, 128, 1e6, -1e6, 3e38, 1e-40, np.inf, -np.inf, np.nan, 16383.75, -16384.25, 32768),
    ),
    np.float32,
)
_SCALES = np.array([0.5, 0.013, 7.0, 1e-3], np.float32)


def _real(*shape: int) -> Array:
    return random_f32(3, *shape, scale=40)


def _zero_points(dtype: DType) -> Array:
    info = np.iinfo(dtype.np)
    return np.array([info.min, info.max, 2, 3], dtype.np)


def _quantize(
    id_: str, x: Array, scale: Array, zero: Array | None, dtype: DType, axis: int = 0
) -> OpCase:
    attrs = QuantizeLinearAttrs(dtype, axis)
    inputs = (x, scale) if zero is None else (x, scale, zero)
    constant = tuple(range(1, len(inputs)))
    id_ = f"QuantizeLinear-{id_}-{dtype.value}"
    return OpCase(id_, "QuantizeLinear", attrs, inputs, constant, exact_semantics=True)


def _dequantize(
    id_: str, x: Array, scale: Array, zero: Array | None = None, axis: int = 0
) -> OpCase:
    inputs = (x, scale) if zero is None else (x, scale, zero)
    constant = tuple(range(1, len(inputs)))
    id_ = f"DequantizeLinear-{id_}-{x.dtype.name}"
    attrs = DequantizeLinearAttrs(axis)
    return OpCase(id_, "DequantizeLinear", attrs, inputs, constant, exact_semantics=True)


def _of(dtype: DType) -> tuple[OpCase, ...]:
    half = np.array(0.5, np.float32)
    zeros = _zero_points(dtype)
    x = random_int(1, dtype, 50)
    images = random_int(2, dtype, 2, 4, 3, 3)
    return (
        *(_quantize(f"edges-{int(z)}", _EDGES, half, np.array(z), dtype) for z in zeros),
        _quantize("no-zero-point", _EDGES, half[None], None, dtype),
        _quantize("channels-first", _real(2, 4, 3, 3), _SCALES, zeros, dtype, 1),
        _quantize("channels-last", _real(2, 3, 4), _SCALES, zeros, dtype, 2),
        _quantize("symmetric", _real(2, 4, 3), _SCALES, None, dtype, 1),
        _quantize("int32", random_int(4, DType.INT32, 40), half, np.array(zeros[3]), dtype),
        _quantize("rank-0", np.array(3.1, np.float32), half, np.array(zeros[3]), dtype),
        *(_dequantize(f"all-{int(z)}", x, half, np.array(z)) for z in zeros),
        _dequantize("no-zero-point", x, half[None]),
        _dequantize("channels-first", images, _SCALES, zeros, 1),
        _dequantize("rows", images[0, 0], _SCALES[:3], np.zeros(3, dtype.np)),
        _dequantize("rank-0", np.array(zeros[3]), half, np.array(zeros[3])),
    )


def _computed() -> tuple[OpCase, ...]:
    """Scale and zero point as inputs, and one of them constant."""
    x, zeros = _real(2, 4, 3), _zero_points(DType.INT8)
    integers, one = random_int(8, DType.INT8, 2, 4, 3), np.array(0.25, np.float32)
    quantize, dequantize = QuantizeLinearAttrs(DType.INT8, 1), DequantizeLinearAttrs(1)
    single = QuantizeLinearAttrs(DType.UINT8)
    rows: tuple[tuple[str, str, object, tuple[Array, ...], tuple[int, ...]], ...] = (
        ("channels", "QuantizeLinear", quantize, (x, _SCALES, zeros), ()),
        ("scale", "QuantizeLinear", quantize, (x, _SCALES, zeros), (2,)),
        ("single", "QuantizeLinear", single, (_EDGES, one, np.array(9, np.uint8)), ()),
        ("no-zero-point", "QuantizeLinear", single, (_EDGES, one[None]), ()),
        ("channels", "DequantizeLinear", dequantize, (integers, _SCALES, zeros), ()),
        ("zero-point", "DequantizeLinear", dequantize, (integers, _SCALES, zeros), (1,)),
        ("single", "DequantizeLinear", DequantizeLinearAttrs(), (integers, one), ()),
    )
    return tuple(
        OpCase(f"{op}-computed-{id_}", op, attrs, arrays, constant, exact_semantics=True)
        for id_, op, attrs, arrays, constant in rows
    )


CASES = (
    *_computed(),
    *(c for d in (DType.INT8, DType.UINT8, DType.INT16, DType.UINT16) for c in _of(d)),
    _dequantize("tensor", random_int(5, DType.INT32, 60), np.array(0.003, np.float32)),
    _dequantize("bias", random_int(6, DType.INT32, 4), _SCALES, np.zeros(4, np.int32)),
)
