"""Parameters, reference and kernels of integer convolutions, shared with the fully connected.

acc[n, oh, ow, o] = bias[o] + sum over kh, kw, i of (x - x_zero_point) * (w - w_zero_point), where
the sum fits int32; y = requant(acc). Padding holds the zero point and so contributes 0. Sums of
int16 inputs, whose zero point is 0, may be longer and are then added up in 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.conv_geometry import ConvGeometry, convolve
from mcugen.ops.conv_kernel import Section, sections
from mcugen.ops.four_bits import packed_rows
from mcugen.ops.spec import Constant, Core, Kernel
from mcugen.quantize.fixed_point import INT32_MAX
from mcugen.quantize.requant import Requant, dtype_range

COLUMN_ALIGN_ELEMS = 16
"""Columns are padded with zeros to whole vectors of bytes: the sums then need no remainder loop."""

STACK_COLUMN_BYTES = 1280
"""Columns up to this size live on the stack, larger ones in the arena."""


@dataclass(frozen=True, eq=False)
class QConvParams:
    """An integer convolution.

    Attributes:
        geometry: shapes.
        x_dtype: int8, uint8 or int16.
        x_zero_point: of the input; None when the kernel reads it through a second pointer.
        weights: int8 or int16 [O, I, KH, KW], the zero point subtracted.
        bias: int32 [O].
        requant: accumulator -> output; None when the output is the accumulator itself, int32.
        out_shape: the output tensor's shape: the geometry may be a simplified one.
        four_bits: whether weights are stored in 4 bits; they are -8..7 then.
    """

    geometry: ConvGeometry
    x_dtype: DType
    x_zero_point: int | None
    weights: Array
    bias: Array
    requant: Requant | None
    out_shape: tuple[int, ...]
    four_bits: bool = False

    @property
    def out_dtype(self) -> DType:
        """Element type of the output."""
        return DType.INT32 if self.requant is None else self.requant.dtype

    @property
    def weights_dtype(self) -> DType:
        """Element type of the stored weights."""
        return DType.UINT8 if self.four_bits else DType.of(self.weights)

    @property
    def sum_type(self) -> str:
        """C type of an accumulator."""
        return sum_type(self)

    @property
    def column_elems(self) -> int:
        """Inputs of one output and group, padded: the length of a row of weights."""
        step = 2 if self.four_bits else COLUMN_ALIGN_ELEMS
        return -(-self.geometry.depth // step) * step

    @property
    def row_elems(self) -> int:
        """Stored elements of a row of weights."""
        return self.column_elems // 2 if self.four_bits else self.column_elems

    @property
    def pixels(self) -> int:
        """Output pixels computed at once: two share a load of weights where the stack allows."""
        fits = 2 * 2 * self.column_elems <= STACK_COLUMN_BYTES
        return 2 if fits and self.geometry.width.out > 1 else 1

    @property
    def channels(self) -> int:
        """Output channels computed at once; divides the group's."""
        widest = 4 if self.pixels == 1 else 2
        return next(n for n in (widest, 2, 1) if self.geometry.group_out % n == 0)

    @property
    def columns_bytes(self) -> int:
        """Bytes of the int16 columns of all pixels computed at once."""
        return 2 * self.pixels * self.column_elems

    @property
    def columns_on_stack(self) -> bool:
        """Whether the columns are a local array."""
        return self.columns_bytes <= STACK_COLUMN_BYTES

    @property
    def packed_weights(self) -> Array:
        """[O, column_elems]: kh, kw, i in order, then zeros; half as many bytes of 4 bits."""
        rows = self.weights.transpose(0, 2, 3, 1).reshape(self.geometry.out_c, -1)
        if self.four_bits:
            return packed_rows(rows)
        return np.pad(rows, ((0, 0), (0, self.column_elems - rows.shape[1])))

    @property
    def tap_bytes(self) -> int:
        """Bytes of one tap of the depthwise kernel, of 4 bits."""
        return -(-self.geometry.out_c // 2)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Channels of the depthwise kernel: a whole vector of bytes at a time, then the rest."""
        return sections(self.geometry.out_c, 1, 16)


def packed_constants(params: QConvParams) -> tuple[Constant, ...]:
    """Weights by row, bias, requantization."""
    return _constants(params, params.packed_weights)


def depthwise_constants(params: QConvParams) -> tuple[Constant, ...]:
    """Weights [KH, KW, C], bias, requantization."""
    taps = params.weights[:, 0].transpose(1, 2, 0)
    if params.four_bits:
        taps = packed_rows(taps.reshape(-1, params.geometry.out_c))
    return _constants(params, taps)


def _constants(params: QConvParams, weights: Array) -> tuple[Constant, ...]:
    requant = () if params.requant is None else params.requant.constants()
    return (Constant("weights", weights.reshape(-1)), Constant("bias", params.bias), *requant)


def _column_scratch(params: QConvParams, core: Core) -> int:
    del core
    return 0 if params.columns_on_stack else params.columns_bytes


def qconv_macs(params: QConvParams) -> int:
    """Multiply-accumulates."""
    return params.geometry.macs


def qconv_reference(params: QConvParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The definition; sums are exact, so their order does not matter."""
    zero = params.x_zero_point
    x = arrays[0].astype(np.int64) - (int(arrays[1].reshape(())) if zero is None else zero)
    acc = convolve(params.geometry, x, params.weights).astype(np.int64) + params.bias
    if params.requant is None:
        wrapped = acc.astype(np.uint32).view(np.int32)
        return (wrapped.reshape(params.out_shape),)
    return (params.requant.apply(acc).reshape(params.out_shape),)


def stored_weights(weights: Array, zero_point: Array) -> Array:
    """Weights - zero_point per output channel, as int8 where it fits, else int16."""
    shape = (-1,) + (1,) * (weights.ndim - 1)
    wide = weights.astype(np.int16) - np.asarray(zero_point, np.int16).reshape(shape)
    narrow = wide.astype(np.int8)
    return narrow if np.array_equal(narrow, wide) else wide


def sum_fits(weights: Array, x_dtype: DType, x_zero_point: int | None) -> bool:
    """Whether no sum of products can leave int32, whatever the input (and None: its zero) holds.

    The bias comes on top and may wrap around, as it does in TFLite Micro.
    """
    low, high = dtype_range(x_dtype)
    zeros = (low, high) if x_zero_point is None else (x_zero_point,)
    largest = max(abs(end - zero) for end in (low, high) for zero in zeros)
    magnitudes = np.abs(weights.astype(np.int64)).reshape(weights.shape[0], -1)
    return bool(np.all(magnitudes.sum(axis=1) * largest <= INT32_MAX))


def sum_type(params: QConvParams) -> str:
    """C type that holds every sum with its bias, or without where that may wrap."""
    if params.requant is None or not params.requant.wide or wide_bound(params) <= INT32_MAX:
        return "int32_t"
    return "int64_t"


def wide_bound(params: QConvParams) -> int:
    """Largest magnitude of a sum of int16 inputs with its bias."""
    magnitudes = np.abs(params.weights.astype(np.int64)).reshape(params.weights.shape[0], -1)
    return int(
        (magnitudes.sum(axis=1) * 2**15 + np.abs(params.bias.astype(np.int64))).max(initial=0)
    )


def _depthwise(params: QConvParams) -> str | None:
    return None if params.geometry.is_depthwise else "not depthwise"


MORE_BITS = "weights have more than 4 bits"


def four_bits_reason(params: QConvParams) -> str | None:
    """Why a kernel for weights of 4 bits cannot take the node."""
    return None if params.four_bits else MORE_BITS


def _depthwise_int4(params: QConvParams) -> str | None:
    return four_bits_reason(params) or _depthwise(params)


_HEADERS = ("mcugen_quant.h",)

QCONV_KERNELS = (
    Kernel(
        "portable/qconv_depthwise_int4.c.j2",
        accepts=_depthwise_int4,
        constants=depthwise_constants,
        headers=_HEADERS,
    ),
    Kernel(
        "portable/qconv_int4.c.j2",
        accepts=four_bits_reason,
        constants=packed_constants,
        scratch=_column_scratch,
        headers=_HEADERS,
    ),
    Kernel(
        "portable/qconv_depthwise.c.j2",
        accepts=_depthwise,
        constants=depthwise_constants,
        headers=_HEADERS,
    ),
    Kernel(
        "portable/qconv.c.j2",
        constants=packed_constants,
        scratch=_column_scratch,
        headers=_HEADERS,
    ),
)
