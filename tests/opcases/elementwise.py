"""Cases of Clip, PRelu, Where, Cast, Pow and Lookup."""

from __future__ import annotations

import math

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.cast import CastAttrs
from mcugen.ops.clip import ClipAttrs
from mcugen.ops.lookup import LookupAttrs
from mcugen.ops.pow import PowAttrs
from mcugen.ops.prelu import PReluAttrs
from mcugen.ops.where import WhereAttrs
from opcase import OpCase, random_f32, random_int

_FLOAT_EDGES = np.array(
    (
        *(0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 127.4, 128, -128.9, -129, 255.9, 256, 3e4),
        *(7e4, 2.1474836e9, 2.1474839e9, -2.1474839e9, 5e9, 9.3e18, 1.9e19, -1e19, 1e-40, 3e38),
        *(np.inf, -np.inf, np.nan),
    ),
    np.float64,
)
_TYPES = [d for d in DType if d is not DType.FLOAT16]


def values(dtype: DType) -> Array:
    """Corners and random numbers of one type."""
    if dtype is DType.BOOL:
        return np.array([True, False, True])
    if dtype.is_float:
        return np.concatenate([_FLOAT_EDGES, random_f32(7, 20, scale=100)]).astype(dtype.np)
    info = np.iinfo(dtype.np)
    edges = np.array([info.min, info.max, 0, 1, info.max // 2, info.max // 3], dtype.np)
    return np.concatenate([edges, random_int(7, dtype, 20)])


def _casts() -> tuple[OpCase, ...]:
    return tuple(
        OpCase(
            f"Cast-{a.value}-{b.value}", "Cast", CastAttrs(b), (values(a),), exact_semantics=True
        )
        for a in _TYPES
        for b in _TYPES
    )


def _clip(id_: str, attrs: ClipAttrs, dtype: DType) -> OpCase:
    name = f"Clip-{id_}-{dtype.value}"
    return OpCase(name, "Clip", attrs, (values(dtype),), exact_semantics=True)


def _clips() -> tuple[OpCase, ...]:
    cases = []
    for dtype in _TYPES:
        if dtype is DType.BOOL:
            continue
        cases += [
            _clip("both", ClipAttrs(1, 6), dtype),
            _clip("none", ClipAttrs(), dtype),
            _clip("low", ClipAttrs(2, math.inf), dtype),
            _clip("high", ClipAttrs(-math.inf, 100), dtype),
            _clip("crossed", ClipAttrs(5, 2), dtype),
            _clip("wide", ClipAttrs(-(2**40), 2**40), dtype),
        ]
    return (*cases, _clip("fraction", ClipAttrs(-0.1, 0.75), DType.FLOAT32))


def _prelu(id_: str, dtype: type, x: tuple[int, ...], slope: tuple[int, ...]) -> OpCase:
    arrays = (random_f32(1, *x).astype(dtype), random_f32(2, *slope).astype(dtype))
    return OpCase(f"PRelu-{id_}", "PRelu", PReluAttrs(), arrays, constant=(1,))


_PRELUS = (
    _prelu("channels-first", np.float32, (2, 3, 4, 5), (3, 1, 1)),
    _prelu("channels-last", np.float32, (2, 4, 5, 3), (3,)),
    _prelu("scalar", np.float32, (2, 3), (1,)),
    _prelu("rank-0", np.float32, (2, 3), ()),
    _prelu("full", np.float32, (2, 3), (2, 3)),
    _prelu("double", np.float64, (2, 3), (3,)),
    OpCase("PRelu-corners", "PRelu", PReluAttrs(), (values(DType.FLOAT32), np.float32([0.25]))),
)


def _where(id_: str, dtype: DType, *shapes: tuple[int, ...]) -> OpCase:
    condition = random_int(1, DType.UINT8, *shapes[0]) > 127
    if dtype.is_float:
        arrays = [random_f32(s, *shape).astype(dtype.np) for s, shape in enumerate(shapes[1:])]
    elif dtype is DType.BOOL:
        arrays = [random_int(s, DType.INT8, *shape) > 0 for s, shape in enumerate(shapes[1:], 5)]
    else:
        arrays = [random_int(s, dtype, *shape) for s, shape in enumerate(shapes[1:])]
    inputs = (condition, *arrays)
    return OpCase(f"Where-{id_}", "Where", WhereAttrs(), inputs, exact_semantics=True)


_WHERES = (
    *(_where(d.value, d, (2, 5), (2, 5), (2, 5)) for d in _TYPES),
    _where("broadcast", DType.FLOAT32, (3, 1), (2, 1, 4), (1, 3, 4)),
    _where("scalar-arms", DType.FLOAT32, (3, 4), (), ()),
    _where("scalar-condition", DType.INT16, (), (3, 4), (4,)),
    _where("rank-0", DType.FLOAT32, (), (), ()),
)


def _pow(id_: str, a: Array, b: Array, *, constant: bool = False) -> OpCase:
    return OpCase(f"Pow-{id_}", "Pow", PowAttrs(), (a, b), constant=(1,) if constant else ())


def _pows() -> tuple[OpCase, ...]:
    x = np.concatenate([values(DType.FLOAT32), [2.0, 3.0, 1e-20]]).astype(np.float32)
    exponents = np.array([0, -0.0, 1, 2, -1, 0.5, 3, -2, 2.5, 1e9, np.inf, -np.inf, np.nan])
    grid = _pow("grid", x[:, None], exponents.astype(np.float32))
    known = [1, 2, 3, -1, 0.5, 4]
    whole = np.array([-3, -2, -1, 0, 1, 2, 3, 7, 64], np.int8)
    bases = {d: values(d) for d in _TYPES if d.is_integer}
    return (
        grid,
        *(_pow(f"known-{k}", x, np.array(k, np.float32), constant=True) for k in known),
        _pow("known-int64", x, np.array([2], np.int64), constant=True),
        _pow("known-per-channel", x[:30].reshape(5, 6), np.full(6, 2, np.float32), constant=True),
        _pow("widening-constant", x[:6], np.full((3, 1), 2, np.float32), constant=True),
        _pow("float-int32", x[:, None], np.array([-2, 0, 3, 2**30], np.int32)),
        *(
            _pow(f"{d.value}-{n.value}", v[:, None], whole.astype(n.np) if n.np.kind == "i" else e)
            for d, v in bases.items()
            for n, e in (
                (DType.INT64, whole),
                (DType.INT8, whole),
                (DType.UINT8, np.array([0, 1, 2, 3, 9, 255], np.uint8)),
            )
        ),
        _pow("int32-float", np.array([2, 3, -5, 0, 10], np.int32), np.float32([0.5, 2, 3, 1, -1])),
    )


def _lookup(id_: str, x: Array, table: Array) -> OpCase:
    return OpCase(f"Lookup-{id_}", "Lookup", LookupAttrs(table), (x,), exact_semantics=True)


_LOOKUPS = (
    _lookup("int8-int8", random_int(1, DType.INT8, 3, 100), random_int(2, DType.INT8, 256)),
    _lookup("int8-uint8", random_int(1, DType.INT8, 3, 100), random_int(2, DType.UINT8, 256)),
    _lookup("uint8-int8", random_int(1, DType.UINT8, 3, 100), random_int(2, DType.INT8, 256)),
    _lookup("uint8-uint8", random_int(1, DType.UINT8, 3), random_int(2, DType.UINT8, 256)),
    _lookup("all", np.arange(-128, 128, dtype=np.int8), np.arange(256, dtype=np.uint8)),
)

CASES = (*_casts(), *_clips(), *_PRELUS, *_WHERES, *_pows(), *_LOOKUPS)
