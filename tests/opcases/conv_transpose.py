"""Cases of ConvTranspose and QConvTranspose."""

from __future__ import annotations

import numpy as np

from mcugen.ir import DType
from mcugen.ops.common import Clamp
from mcugen.ops.conv_transpose import ConvTransposeAttrs
from mcugen.ops.qconv_transpose import QConvTransposeAttrs
from opcase import OpCase, q, q_axis, random_f32, random_int, spread_scale


def attrs2d(
    stride: tuple[int, ...] = (1, 1),
    pads: tuple[int, ...] = (0, 0, 0, 0),
    dilation: tuple[int, ...] = (1, 1),
    groups: int = 1,
    extra: tuple[int, ...] = (0, 0),
    activation: Clamp | None = None,
) -> ConvTransposeAttrs:
    return ConvTransposeAttrs(stride, pads, dilation, groups, extra, activation, True)


ONE_D = ConvTransposeAttrs((3,), (1, 2), (2,), 1, (1,), None, True)
GEOMETRIES: tuple[tuple[str, tuple[int, ...], tuple[int, ...], ConvTransposeAttrs], ...] = (
    ("plain", (1, 4, 5, 3), (3, 6, 3, 3), attrs2d()),
    ("stride2", (1, 4, 5, 4), (4, 8, 3, 3), attrs2d((2, 2), (1, 1, 1, 1), extra=(1, 1))),
    ("upsample2", (1, 5, 3, 16), (16, 16, 2, 2), attrs2d((2, 2))),
    ("uneven", (2, 3, 4, 2), (2, 5, 4, 2), attrs2d((3, 2), (1, 0, 2, 1), extra=(2, 0))),
    ("dilated", (1, 4, 4, 3), (3, 4, 3, 2), attrs2d((2, 1), (1, 2, 0, 1), (2, 3))),
    ("gaps", (1, 3, 3, 2), (2, 3, 1, 2), attrs2d((3, 4), extra=(2, 1))),
    ("grouped", (1, 4, 4, 6), (6, 3, 3, 3), attrs2d((2, 2), (1, 1, 1, 1), groups=3)),
    ("depthwise", (2, 4, 3, 5), (5, 1, 3, 3), attrs2d((2, 2), (0, 1, 1, 0), groups=5)),
    ("wide_output", (1, 2, 3, 3), (3, 19, 2, 2), attrs2d((2, 1))),
    ("cut", (1, 3, 3, 2), (2, 4, 5, 5), attrs2d(pads=(3, 2, 2, 3))),
    ("1d", (2, 5, 3), (3, 4, 4), ONE_D),
)


def _float(
    id_: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attrs: ConvTransposeAttrs,
    bias: bool = True,
    constant: tuple[int, ...] = (1, 2),
) -> OpCase:
    seed = sum(map(ord, id_))
    values = (
        random_f32(seed, *x),
        random_f32(seed + 1, *w),
        random_f32(seed + 2, w[1] * attrs.groups),
    )
    return OpCase(id_, "ConvTranspose", attrs, values if bias else values[:2], constant)


RELU = attrs2d((2, 2), activation=Clamp(0.0, 6.0))
FLOAT = (
    *(_float(*g) for g in GEOMETRIES),
    _float("no_bias", (1, 4, 5, 3), (3, 6, 3, 3), attrs2d(), False),
    _float("clamped", (1, 4, 5, 3), (3, 6, 3, 3), RELU),
    _float("computed", (2, 3, 4, 6), (6, 2, 3, 2), attrs2d((2, 3), (1, 0, 1, 1), groups=3),
           constant=()),
    _float("computed_no_bias", (1, 3, 4, 3), (3, 2, 3, 2), attrs2d((1, 2)), False, ()),
)  # fmt: skip


def _integer(
    id_: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attrs: ConvTransposeAttrs,
    *,
    bias: bool = True,
    per_channel: bool = True,
    dtypes: tuple[DType, DType, DType] = (DType.INT8, DType.INT8, DType.INT8),
    zero_points: tuple[int, int, int] = (-5, 0, 3),
) -> OpCase:
    seed = sum(map(ord, id_))
    rng = np.random.default_rng(seed)
    outputs = w[1] * attrs.groups
    scales = rng.uniform(0.005, 0.02, w[1]).astype(np.float32)
    values = (
        random_int(seed, dtypes[0], *x),
        random_int(seed + 1, dtypes[1], *w),
        rng.integers(-3000, 3000, outputs).astype(np.int32),
    )
    w_quant = q_axis(scales, 1) if per_channel else q(0.0125, zero_points[1])
    info = np.iinfo(dtypes[2].np)
    terms = w[0] // attrs.groups * 2
    operands = (values[0], zero_points[0]), (values[1], zero_points[1])
    spread = spread_scale(0.05 * 0.0125, terms, *operands)
    return OpCase(
        f"q_{id_}",
        "QConvTranspose",
        QConvTransposeAttrs(
            attrs.strides, attrs.pads, attrs.dilations, attrs.groups, attrs.output_padding,
            dtypes[2], int(info.min), int(info.max), True,
        ),
        values if bias else values[:2],
        (1, 2),
        {0: q(0.05, zero_points[0]), 1: w_quant},
        q(spread, zero_points[2]),
    )  # fmt: skip


U8 = DType.UINT8
INTEGER = (
    *(_integer(*g) for g in GEOMETRIES),
    _integer("per_tensor", (1, 4, 5, 3), (3, 6, 3, 3), attrs2d((2, 2)), per_channel=False),
    _integer("no_bias", (1, 4, 5, 3), (3, 6, 3, 3), attrs2d((2, 2)), bias=False),
    _integer("u8", (1, 4, 5, 3), (3, 6, 3, 3), attrs2d((2, 2)), per_channel=False,
             dtypes=(U8, U8, U8), zero_points=(128, 100, 110)),
)  # fmt: skip

CASES = FLOAT + INTEGER
