"""Cases of QConv and QFullyConnected with weights of 4 bits: odd rows, channels and taps."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mcugen.ir import DType
from opcase import OpCase, q, random_int
from opcases.conv import PAD1, attrs2d
from opcases.conv import _qconv as conv
from opcases.matmul import _q_fully as fully

U8 = DType.UINT8
_U8: dict[str, Any] = {"x_dtype": U8, "out_dtype": U8, "zero_points": (128, 0, 130)}


def narrowed(case: OpCase, low: int = -8) -> OpCase:
    """The case with its weights in 4 bits, and the output's scale as much smaller.

    Args:
        case: with weights of 8 bits.
        low: 0 for uint4: the weights and their zero points are 8 more.
    """
    x, w, *rest = case.inputs
    assert w is not None and case.out_quant is not None
    values = random_int(int(w.size), DType.INT8, *w.shape) % 16 + low
    out = q(float(case.out_quant.scale) / 14, int(case.out_quant.zero_point))
    old = case.quant[1]
    zeros = np.asarray(old.zero_point + low + 8, np.int32)
    quant = {**case.quant, 1: dataclasses.replace(old, zero_point=zeros)}
    inputs = (x, values.astype(w.dtype), *rest)
    return dataclasses.replace(case, inputs=inputs, quant=quant, out_quant=out, bits={1: 4})


CASES = tuple(
    narrowed(case)
    for case in (
        conv("q4_3x3", (1, 7, 9, 16), (8, 16, 3, 3), attrs2d(pads=PAD1)),
        conv("q4_rgb", (1, 9, 8, 3), (5, 3, 3, 3), attrs2d((2, 2), (0, 0, 1, 1))),
        conv("q4_one_channel", (1, 8, 7, 1), (6, 1, 3, 3), attrs2d(pads=PAD1)),
        conv("q4_per_tensor", (1, 5, 5, 4), (6, 4, 3, 3), attrs2d(pads=PAD1), per_channel=False),
        conv("q4_no_bias", (1, 5, 5, 3), (7, 3, 3, 3), attrs2d(), bias=False),
        conv("q4_act", (1, 5, 6, 4), (6, 4, 1, 1), attrs2d(), act=(3, 90)),
        conv("q4_pointwise", (1, 5, 7, 23), (9, 23, 1, 1), attrs2d()),
        conv("q4_pointwise_batch", (3, 3, 3, 16), (4, 16, 1, 1), attrs2d()),
        conv("q4_pointwise_stride", (1, 5, 6, 7), (3, 7, 1, 1), attrs2d((2, 2))),
        conv("q4_dilated", (1, 12, 13, 3), (4, 3, 3, 3), attrs2d((1, 2), (2, 3, 2, 1), (2, 3))),
        conv("q4_uneven", (2, 9, 13, 3), (6, 3, 3, 5), attrs2d((3, 2), (4, 0, 1, 2))),
        conv("q4_one_output", (1, 6, 6, 3), (1, 3, 3, 3), attrs2d()),
        conv("q4_row", (1, 1, 20, 4), (5, 4, 1, 5), attrs2d(pads=(0, 2, 0, 2))),
        conv("q4_row_odd", (1, 1, 21, 3), (5, 3, 1, 3), attrs2d((1, 4), (0, 0, 0, 1))),
        conv("q4_one_pixel", (1, 3, 3, 5), (7, 5, 3, 3), attrs2d()),
        conv("q4_one_pixel_tensor", (1, 1, 3, 6), (4, 6, 1, 3), attrs2d(), per_channel=False),
        conv("q4_scratch", (1, 4, 5, 81), (6, 81, 3, 3), attrs2d(pads=PAD1)),
        conv("q4_grouped", (1, 6, 6, 6), (9, 2, 3, 3), attrs2d(pads=PAD1, groups=3)),
        conv("q4_grouped_odd", (2, 5, 6, 6), (4, 3, 1, 3), attrs2d(groups=2)),
        conv("q4_multiplier", (1, 6, 5, 2), (6, 1, 3, 3), attrs2d((2, 2), PAD1, groups=2)),
        conv("q4_multiplier_even", (1, 6, 5, 4), (8, 1, 3, 3), attrs2d(pads=PAD1, groups=4)),
        conv("q4_multiplier_odd", (1, 6, 5, 3), (9, 1, 3, 2), attrs2d(pads=PAD1, groups=3)),
        conv("q4_depthwise", (1, 8, 9, 16), (16, 1, 3, 3), attrs2d(pads=PAD1, groups=16)),
        conv("q4_depthwise_20", (1, 6, 6, 20), (20, 1, 3, 3), attrs2d((2, 2), PAD1, groups=20)),
        conv("q4_depthwise_odd", (1, 5, 6, 7), (7, 1, 2, 4), attrs2d(pads=(1, 3, 0, 1), groups=7)),
        conv("q4_depthwise_17", (2, 5, 6, 17), (17, 1, 3, 3), attrs2d(pads=PAD1, groups=17)),
        conv(
            "q4_depthwise_dilated",
            (1, 9, 11, 35),
            (35, 1, 3, 3),
            attrs2d((1, 1), (1, 2, 1, 2), (2, 3), 35),
        ),
        conv(
            "q4_depthwise_dilated_even",
            (1, 9, 11, 6),
            (6, 1, 3, 3),
            attrs2d((1, 1), (1, 2, 1, 2), (2, 3), 6),
        ),
        conv("q4_u8", (1, 6, 6, 4), (6, 4, 3, 3), attrs2d(pads=PAD1), **_U8),
        conv("q4_u8_depthwise", (1, 6, 6, 5), (5, 1, 3, 3), attrs2d(pads=PAD1, groups=5), **_U8),
        fully("q4_fc", (1, 20), 16),
        fully("q4_fc_odd", (1, 33), 7),
        fully("q4_fc_odd_channels", (1, 33), 7, per_channel=True),
        fully("q4_fc_pair", (17,), 2, bias=False),
        fully("q4_fc_u8", (1, 47), 10, **_U8),
        fully("q4_fc_rows", (5, 33), 7),
        fully("q4_fc_rows_channels", (2, 16), 12, per_channel=True),
        fully("q4_fc_single", (1, 1), 3),
        fully("q4_fc_long", (1, 701), 5),
    )
) + tuple(
    narrowed(case, low=0)
    for case in (
        conv("q4_uint4", (1, 5, 5, 3), (6, 3, 3, 3), attrs2d(pads=PAD1)),
        conv("q4_uint4_depthwise", (1, 6, 6, 5), (5, 1, 3, 3), attrs2d(pads=PAD1, groups=5)),
        fully("q4_uint4_fc", (1, 33), 7),
    )
)
