"""Cases of Conv and QConv: odd sizes, paddings, strides, dilations, groups."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mcugen.ir import DType
from mcugen.ops.common import Clamp
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.qconv import QConvAttrs
from opcase import OpCase, q, q_axis, random_f32, random_int, spread_scale

RELU6 = Clamp(0.0, 6.0)


def attrs2d(
    stride: tuple[int, int] = (1, 1),
    pads: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
    activation: Clamp | None = None,
) -> ConvAttrs:
    """Channels-last attributes; pads are top, left, bottom, right."""
    return ConvAttrs(stride, pads, dilation, groups, activation, True)


def _conv(
    id_: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attrs: ConvAttrs,
    bias: bool = True,
    constant: tuple[int, ...] = (1, 2),
) -> OpCase:
    """x [N, ..., C]; w [O, I, ...]."""
    seed = sum(map(ord, id_))
    values = (
        random_f32(seed, *x),
        random_f32(seed + 1, *w),
        random_f32(seed + 2, w[0]) if bias else None,
    )
    return OpCase(id_, "Conv", attrs, values if bias else values[:2], constant=constant)


def _special() -> OpCase:
    x = random_f32(77, 1, 4, 5, 3)
    x[0, 0, 0] = (np.nan, np.inf, -np.inf)
    x[0, 3, 4] = (-0.0, 0.0, 3e38)
    w = random_f32(78, 5, 3, 3, 3)
    w[0] = 0.0
    w[1, :, 0] = -0.0
    pads = (1, 1, 1, 1)
    bias = np.array([-0.0, 0.0, -1.0, 1e-40, 3e38], np.float32)
    return OpCase("special", "Conv", attrs2d(pads=pads), (x, w, bias), constant=(1, 2))


FLOAT = (
    _conv("3x3_same", (1, 7, 9, 4), (8, 4, 3, 3), attrs2d(pads=(1, 1, 1, 1))),
    _conv("3x3_no_bias", (1, 6, 6, 3), (5, 3, 3, 3), attrs2d(), bias=False),
    _conv("relu6", (1, 5, 8, 4), (12, 4, 3, 3), attrs2d(activation=RELU6)),
    _conv("relu", (1, 5, 8, 4), (16, 4, 1, 1), attrs2d(activation=Clamp(0.0))),
    _conv("cap", (1, 5, 4, 4), (3, 4, 1, 1), attrs2d(activation=Clamp(high=0.5))),
    _conv("stride2_asym", (1, 10, 11, 3), (8, 3, 3, 3), attrs2d((2, 2), (0, 0, 1, 1))),
    _conv("stride_uneven", (1, 9, 13, 2), (6, 2, 4, 2), attrs2d((3, 2), (4, 0, 1, 2))),
    _conv("dilated", (1, 12, 13, 3), (4, 3, 3, 3), attrs2d((1, 2), (2, 3, 2, 1), (2, 3))),
    _conv("pointwise", (2, 5, 7, 6), (10, 6, 1, 1), attrs2d()),
    _conv("pointwise_stride2", (1, 7, 7, 8), (8, 8, 1, 1), attrs2d((2, 2))),
    _conv("pointwise_padded", (1, 3, 3, 2), (4, 2, 1, 1), attrs2d(pads=(1, 2, 0, 1))),
    _conv("one_output", (1, 8, 8, 3), (1, 3, 5, 5), attrs2d(pads=(2, 2, 2, 2))),
    _conv("two_outputs", (1, 4, 9, 3), (2, 3, 3, 3), attrs2d()),
    _conv("odd_outputs", (1, 6, 7, 5), (13, 5, 2, 3), attrs2d(pads=(0, 1, 1, 0))),
    _conv("whole_image", (2, 5, 6, 3), (7, 3, 5, 6), attrs2d()),
    _conv("only_padding", (1, 1, 1, 2), (4, 2, 1, 3), attrs2d(pads=(2, 5, 1, 4))),
    _conv("pad_over_kernel", (1, 2, 3, 2), (4, 2, 2, 2), attrs2d(pads=(3, 4, 3, 4))),
    _conv("tall", (1, 20, 1, 4), (8, 4, 5, 1), attrs2d((2, 1), (2, 0, 2, 0))),
    _conv("batch", (3, 4, 5, 2), (4, 2, 3, 3), attrs2d(pads=(1, 1, 1, 1))),
    _conv("grouped", (1, 6, 6, 8), (12, 2, 3, 3), attrs2d(pads=(1, 1, 1, 1), groups=4)),
    _conv("grouped_batch", (2, 4, 5, 6), (9, 2, 1, 3), attrs2d(groups=3)),
    _conv("grouped_dilated", (1, 8, 8, 4), (4, 2, 3, 3), attrs2d((2, 1), (1, 0, 1, 2), (2, 2), 2)),
    _conv("depthwise", (1, 8, 9, 16), (16, 1, 3, 3), attrs2d(pads=(1, 1, 1, 1), groups=16)),
    _conv(
        "depthwise_stride", (1, 9, 9, 10), (10, 1, 3, 3), attrs2d((2, 2), (0, 0, 1, 1), groups=10)
    ),
    _conv("depthwise_odd", (2, 5, 6, 7), (7, 1, 2, 4), attrs2d(pads=(1, 3, 0, 1), groups=7)),
    _conv(
        "depthwise_dilated", (1, 9, 11, 5), (5, 1, 3, 3), attrs2d((1, 1), (1, 2, 1, 2), (2, 3), 5)
    ),
    _conv("depthwise_3", (1, 4, 4, 3), (3, 1, 4, 4), attrs2d(groups=3, activation=RELU6)),
    _conv("depthwise_full", (1, 5, 5, 64), (64, 1, 5, 5), attrs2d(groups=64)),
    _conv("multiplier", (1, 6, 5, 2), (6, 1, 3, 3), attrs2d((2, 2), (1, 1, 1, 1), groups=2)),
    _conv("multiplier_8", (1, 7, 7, 3), (24, 1, 3, 3), attrs2d(pads=(1, 1, 1, 1), groups=3)),
    _conv("1d", (2, 11, 3), (8, 3, 4), ConvAttrs((2,), (1, 2), (1,), 1, None, True)),
    _conv("1d_dilated", (1, 16, 4), (4, 4, 3), ConvAttrs((1,), (8, 0), (4,), 1, RELU6, True)),
    _conv("1d_depthwise", (1, 16, 8), (8, 1, 5), ConvAttrs((1,), (2, 2), (1,), 8, None, True)),
    _conv(
        "computed",
        (1, 5, 5, 4),
        (6, 2, 3, 3),
        attrs2d((2, 1), (1, 1, 1, 1), (1, 2), 2),
        constant=(),
    ),
    _conv("computed_no_bias", (2, 4, 5, 3), (4, 3, 2, 2), attrs2d(), False, ()),
    _conv("computed_bias", (1, 4, 4, 3), (4, 3, 2, 2), attrs2d(activation=RELU6), constant=(1,)),
    _special(),
)


def _qconv(
    id_: str,
    x: tuple[int, ...],
    w: tuple[int, ...],
    attrs: ConvAttrs,
    *,
    per_channel: bool = True,
    x_dtype: DType = DType.INT8,
    w_dtype: DType = DType.INT8,
    out_dtype: DType = DType.INT8,
    zero_points: tuple[int, int, int] = (-5, 0, 3),
    bias: bool = True,
    act: tuple[int, int] | None = None,
) -> OpCase:
    """x [N, ..., C]; w [O, I, ...]; zero points of x, w and y. Outputs spread over the range."""
    seed = sum(map(ord, id_))
    rng = np.random.default_rng(seed)
    scales = rng.uniform(0.005, 0.02, w[0]).astype(np.float32)
    depth = int(np.prod(w[1:]))
    values = (
        random_int(seed, x_dtype, *x),
        random_int(seed + 1, w_dtype, *w),
        rng.integers(-3000, 3000, w[0]).astype(np.int32),
    )
    out_scale = spread_scale(
        0.05 * 0.0125, depth, (values[0], zero_points[0]), (values[1], zero_points[1])
    )
    info = np.iinfo(out_dtype.np)
    low, high = act or (int(info.min), int(info.max))
    w_quant = q_axis(scales, 0) if per_channel else q(0.0125, zero_points[1])
    if per_channel and zero_points[1]:
        w_quant = q_axis(scales, 0, rng.integers(zero_points[1] - 3, zero_points[1] + 3, w[0]))
    return OpCase(
        id_,
        "QConv",
        QConvAttrs(
            attrs.strides, attrs.pads, attrs.dilations, attrs.groups, out_dtype, low, high, True
        ),
        values if bias else values[:2],
        constant=(1, 2),
        quant={0: q(0.05, zero_points[0]), 1: w_quant},
        out_quant=q(out_scale, zero_points[2]),
    )


def _overflowing() -> OpCase:
    """Bias and multiplier at the ends of int32: the sum wraps, the shift is to the left."""
    case = _qconv("overflowing", (1, 3, 4, 2), (4, 2, 1, 1), attrs2d())
    bias = np.array([2**31 - 1, -(2**31), 2**31 - 20000, -(2**30)], np.int32)
    quant = {0: q(1.0, 0), 1: q_axis(np.array([1.0, 0.5, 3.0, 1e-6]), 0)}
    x, w = case.inputs[:2]
    return OpCase(case.id, case.op, case.attrs, (x, w, bias), case.constant, quant, q(0.75, -1))


PAD1 = (1, 1, 1, 1)
INTEGER = (
    _qconv("q_3x3", (1, 7, 9, 16), (8, 16, 3, 3), attrs2d(pads=PAD1)),
    _qconv("q_3x3_rgb", (1, 9, 8, 3), (5, 3, 3, 3), attrs2d((2, 2), (0, 0, 1, 1))),
    _qconv("q_per_tensor", (1, 5, 5, 4), (6, 4, 3, 3), attrs2d(pads=PAD1), per_channel=False),
    _qconv("q_no_bias", (1, 5, 5, 4), (6, 4, 3, 3), attrs2d(), bias=False),
    _qconv("q_act", (1, 5, 6, 4), (6, 4, 1, 1), attrs2d(), act=(3, 90)),
    _qconv("q_pointwise", (1, 5, 7, 24), (10, 24, 1, 1), attrs2d()),
    _qconv("q_pointwise_batch", (3, 3, 3, 16), (4, 16, 1, 1), attrs2d()),
    _qconv("q_pointwise_stride", (1, 5, 6, 8), (3, 8, 1, 1), attrs2d((2, 2))),
    _qconv("q_dilated", (1, 12, 13, 3), (4, 3, 3, 3), attrs2d((1, 2), (2, 3, 2, 1), (2, 3))),
    _qconv("q_uneven", (2, 9, 13, 2), (6, 2, 4, 2), attrs2d((3, 2), (4, 0, 1, 2))),
    _qconv("q_pad_over_kernel", (1, 2, 3, 2), (4, 2, 2, 2), attrs2d(pads=(3, 4, 3, 4))),
    _qconv("q_one_output", (1, 6, 6, 3), (1, 3, 3, 3), attrs2d()),
    _qconv("q_tall", (1, 20, 1, 4), (8, 4, 5, 1), attrs2d((2, 1), (2, 0, 2, 0))),
    _qconv("q_large_column", (1, 5, 6, 64), (4, 64, 3, 3), attrs2d(pads=PAD1)),
    _qconv("q_scratch", (1, 4, 5, 80), (6, 80, 3, 3), attrs2d(pads=PAD1)),
    _qconv("q_grouped", (1, 6, 6, 8), (12, 2, 3, 3), attrs2d(pads=PAD1, groups=4)),
    _qconv("q_grouped_batch", (2, 5, 6, 6), (9, 2, 1, 3), attrs2d(groups=3)),
    _qconv("q_multiplier", (1, 6, 5, 2), (6, 1, 3, 3), attrs2d((2, 2), PAD1, groups=2)),
    _qconv("q_depthwise", (1, 8, 9, 16), (16, 1, 3, 3), attrs2d(pads=PAD1, groups=16)),
    _qconv(
        "q_depthwise_stride", (1, 9, 9, 24), (24, 1, 3, 3), attrs2d((2, 2), (0, 0, 1, 1), groups=24)
    ),
    _qconv("q_depthwise_odd", (2, 5, 6, 7), (7, 1, 2, 4), attrs2d(pads=(1, 3, 0, 1), groups=7)),
    _qconv(
        "q_depthwise_dilated",
        (1, 9, 11, 35),
        (35, 1, 3, 3),
        attrs2d((1, 1), (1, 2, 1, 2), (2, 3), 35),
    ),
    _qconv(
        "q_u8",
        (1, 6, 6, 4),
        (6, 4, 3, 3),
        attrs2d(pads=PAD1),
        x_dtype=DType.UINT8,
        out_dtype=DType.UINT8,
        zero_points=(128, 0, 130),
    ),
    _qconv(
        "q_u8_u8",
        (1, 6, 6, 4),
        (6, 4, 3, 3),
        attrs2d(pads=PAD1),
        per_channel=False,
        x_dtype=DType.UINT8,
        w_dtype=DType.UINT8,
        out_dtype=DType.UINT8,
        zero_points=(7, 128, 0),
    ),
    _qconv(
        "q_wide_weights",
        (1, 6, 6, 4),
        (6, 4, 3, 3),
        attrs2d(pads=PAD1),
        per_channel=False,
        w_dtype=DType.UINT8,
        zero_points=(-128, 3, 0),
    ),
    _qconv(
        "q_zero_points", (1, 6, 6, 4), (6, 4, 3, 3), attrs2d(pads=PAD1), zero_points=(127, -9, -128)
    ),
    _qconv(
        "q_depthwise_u8",
        (1, 6, 6, 8),
        (8, 1, 3, 3),
        attrs2d(pads=PAD1, groups=8),
        x_dtype=DType.UINT8,
        w_dtype=DType.UINT8,
        out_dtype=DType.INT8,
        zero_points=(255, 0, 0),
        per_channel=False,
    ),
    _qconv("q_1d", (2, 11, 3), (8, 3, 4), ConvAttrs((2,), (1, 2), (1,), 1, None, True)),
    _qconv("q_1d_causal", (1, 16, 4), (4, 4, 3), ConvAttrs((1,), (8, 0), (4,), 1, None, True)),
    _overflowing(),
)


def _s16(
    id_: str, x: tuple[int, ...], w: tuple[int, ...], attrs: ConvAttrs, **changes: Any
) -> OpCase:
    """The same with int16 activations."""
    settings = {"x_dtype": DType.INT16, "out_dtype": DType.INT16, "zero_points": (0, 0, 0)}
    case = _qconv(f"s16_{id_}", x, w, attrs, **{**settings, **changes})
    assert case.out_quant is not None
    return dataclasses.replace(case, out_quant=q(float(case.out_quant.scale) / 256))


def _s16_ends(id_: str, channels: int) -> OpCase:
    """Inputs and weights at their ends, a bias near 2^31: sums of more than 32 bits."""
    case = _s16(id_, (1, 2, 3, channels), (3, channels, 1, 1), attrs2d())
    x = np.full((1, 2, 3, channels), -(2**15), np.int16)
    x[0, 1] = 2**15 - 1
    w = np.full((3, channels, 1, 1), -128, np.int8)
    w[1] = 127
    bias = np.array([2**31 - 1, -(2**31), 0], np.int32)
    quant = {0: q(1.0), 1: q_axis(np.array([1.0, 0.5, 3.0]), 0)}
    out = q(float(channels) * 150)
    return dataclasses.replace(case, inputs=(x, w, bias), quant=quant, out_quant=out)


INT16 = (
    _s16("3x3", (1, 7, 9, 16), (8, 16, 3, 3), attrs2d(pads=PAD1)),
    _s16("3x3_rgb", (1, 9, 8, 3), (5, 3, 3, 3), attrs2d((2, 2), (0, 0, 1, 1))),
    _s16("per_tensor", (1, 5, 5, 4), (6, 4, 3, 3), attrs2d(pads=PAD1), per_channel=False),
    _s16("no_bias", (1, 5, 5, 4), (6, 4, 3, 3), attrs2d(), bias=False),
    _s16("act", (1, 5, 6, 4), (6, 4, 1, 1), attrs2d(), act=(-300, 9000)),
    _s16("pointwise_batch", (3, 3, 3, 16), (4, 16, 1, 1), attrs2d()),
    _s16("pointwise_stride", (1, 5, 6, 8), (3, 8, 1, 1), attrs2d((2, 2))),
    _s16("dilated", (1, 12, 13, 3), (4, 3, 3, 3), attrs2d((1, 2), (2, 3, 2, 1), (2, 3))),
    _s16("uneven", (2, 9, 13, 2), (6, 2, 4, 2), attrs2d((3, 2), (4, 0, 1, 2))),
    _s16("pad_over_kernel", (1, 2, 3, 2), (4, 2, 2, 2), attrs2d(pads=(3, 4, 3, 4))),
    _s16("one_output", (1, 6, 6, 3), (1, 3, 3, 3), attrs2d()),
    _s16("tall", (1, 20, 1, 4), (8, 4, 5, 1), attrs2d((2, 1), (2, 0, 2, 0))),
    _s16("scratch", (1, 4, 5, 80), (6, 80, 3, 3), attrs2d(pads=PAD1)),
    _s16("long_odd", (1, 3, 3, 58), (5, 58, 3, 3), attrs2d(pads=PAD1)),
    _s16("grouped", (1, 6, 6, 8), (12, 2, 3, 3), attrs2d(pads=PAD1, groups=4)),
    _s16("multiplier", (1, 6, 5, 2), (6, 1, 3, 3), attrs2d((2, 2), PAD1, groups=2)),
    _s16("depthwise", (1, 8, 9, 16), (16, 1, 3, 3), attrs2d(pads=PAD1, groups=16)),
    _s16("depthwise_odd", (2, 5, 6, 7), (7, 1, 2, 4), attrs2d(pads=(1, 3, 0, 1), groups=7)),
    _s16("depthwise_pads", (1, 3, 3, 8), (8, 1, 2, 2), attrs2d(pads=(3, 3, 3, 3), groups=8)),
    _s16(
        "depthwise_dilated",
        (1, 9, 11, 35),
        (35, 1, 3, 3),
        attrs2d((1, 1), (1, 2, 1, 2), (2, 3), 35),
    ),
    _s16(
        "wide_weights",
        (1, 6, 6, 4),
        (6, 4, 3, 3),
        attrs2d(pads=PAD1),
        per_channel=False,
        w_dtype=DType.UINT8,
        zero_points=(0, 3, 0),
    ),
    _s16("1d", (2, 11, 3), (8, 3, 4), ConvAttrs((2,), (1, 2), (1,), 1, None, True)),
    _s16_ends("ends", 6),
    _s16_ends("ends_64_bits", 520),
)

CASES = FLOAT + INTEGER + INT16
