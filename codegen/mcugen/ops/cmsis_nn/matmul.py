"""Integer matrix products by CMSIS-NN.

arm_fully_connected_s8 and arm_fully_connected_per_channel_s8: x [N, K], weights [O, K].
arm_batch_matmul_s8: a [M, K], b [K, N], one pair at a time; b is transposed into working memory.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import (
    HEADERS,
    LIBRARY,
    Dims,
    dims_reason,
    gather_reason,
    slower_cores,
    slower_on_plain,
)
from mcugen.ops.cmsis_nn.conv import conv_reason
from mcugen.ops.matmul_kernel import MatMulShape
from mcugen.ops.qconv_kernel import QConvParams
from mcugen.ops.spec import Constant, Core, Kernel
from mcugen.ops.vendor.limits import (
    first_reason,
    int8_reason,
    magnitude,
    requant_overflow_reason,
    requant_reason,
)
from mcugen.ops.vendor.weighted import is_one_pixel, per_channel, weighted_reason
from mcugen.quantize.requant import Requant

_ALIGN_BYTES = 16


@dataclass(frozen=True)
class FullyConnectedForm:
    """Arguments of a fully connected layer.

    Attributes:
        function: which function is called.
        per_channel: whether every row of weights has its own multiplier.
        rows: of the input.
        inner: length of the sums.
        units: outputs per row.
        input_offset: -zero point of the input.
        filter_offset: what is added to the stored weights.
        output_offset: zero point of the output.
        multiplier: when there is one.
        shift: likewise; positive is left.
        act_min: lowest output.
        act_max: highest output.
    """

    function: str
    per_channel: bool
    rows: int
    inner: int
    units: int
    input_offset: int
    filter_offset: int
    output_offset: int
    multiplier: int
    shift: int
    act_min: int
    act_max: int

    @property
    def getter(self) -> str:
        """Which function tells the working memory."""
        return f"arm_fully_connected_{self.function.rpartition('_')[2]}_get_buffer_size"

    @property
    def x(self) -> Dims:
        """N is the number of rows."""
        return Dims(n=self.rows, c=self.inner)

    @property
    def filters(self) -> Dims:
        """N is the length of the sums, c the number of outputs."""
        return Dims(n=self.inner, c=self.units)

    @property
    def y(self) -> Dims:
        """N is the number of rows."""
        return Dims(n=self.rows, c=self.units)


def fully_connected_form(params: QConvParams) -> FullyConnectedForm:
    """The arguments; the node is a pointwise convolution over its rows, or of one pixel."""
    g, requant, zero = params.geometry, params.requant, params.x_zero_point
    assert requant is not None and zero is not None
    kind = "per_channel_s8" if requant.per_channel else "s8"
    return FullyConnectedForm(
        function=f"arm_fully_connected_{kind}",
        per_channel=requant.per_channel,
        rows=g.batch * g.height.out * g.width.out,
        inner=g.depth,
        units=g.out_c,
        input_offset=-zero,
        filter_offset=filter_offset(params.weights),
        output_offset=requant.zero_point,
        multiplier=int(requant.multiplier[0]),
        shift=int(requant.shift[0]),
        act_min=requant.act_min,
        act_max=requant.act_max,
    )


def filter_offset(weights: Array) -> int:
    """The number nearest to 0 that brings all weights into int8 when it is subtracted.

    Weights are at most 255 apart when they come from 8 bits with one zero point.
    """
    lowest, highest = int(weights.min(initial=0)), int(weights.max(initial=0))
    return max(0, highest - 127) + min(0, lowest + 128)


def _fully_connected_reason(params: QConvParams) -> str | None:
    reason = weighted_reason(params)
    if reason is not None:
        return reason
    form = fully_connected_form(params)
    stored = params.weights.astype(np.int64) - form.filter_offset
    if stored.min(initial=0) < -128 or stored.max(initial=0) > 127:
        return "weights must have one zero point"
    if form.filter_offset and form.per_channel:
        return "weights with a zero point must be quantized per tensor"
    return dims_reason(form.x, form.filters, form.y)


def _one_pixel_reason(params: QConvParams) -> str | None:
    """A window as large as the image: a matrix by a vector, which convolutions take by two."""
    if not is_one_pixel(params.geometry):
        return conv_reason(params) or "more than one pixel"
    return _fully_connected_reason(params)


def _fully_connected_scratch(params: QConvParams, core: Core) -> int:
    return buffers.fully_connected(params.geometry.out_c, core)


def _fully_connected_constants(params: QConvParams) -> tuple[Constant, ...]:
    form = fully_connected_form(params)
    assert params.requant is not None
    taps = params.weights.astype(np.int64).transpose(0, 2, 3, 1)
    stored = taps.reshape(-1) - form.filter_offset
    arrays = (Constant("weights", stored.astype(np.int8)), Constant("bias", params.bias))
    return (*arrays, *per_channel(params.requant, form.units)) if form.per_channel else arrays


class MatMulParams(Protocol):
    """QMatMulParams as far as it is needed here."""

    @property
    def shape(self) -> MatMulShape:
        """Loops and sizes."""

    @property
    def a_dtype(self) -> DType:
        """Of a."""

    @property
    def b_dtype(self) -> DType:
        """Of b."""

    @property
    def a_zero_point(self) -> int | None:
        """Of a; None when an input gives it."""

    @property
    def b_zero_point(self) -> int | None:
        """Of b; None when an input gives it."""

    @property
    def requant(self) -> Requant | None:
        """Sum -> output."""


@dataclass(frozen=True)
class MatMulForm:
    """Arguments of one product, and the loops over all of them.

    Attributes:
        shape: loops and sizes.
        lhs_offset: -zero point of a.
        rhs_offset: -zero point of b.
        output_offset: zero point of the output.
        multiplier: of the sums.
        shift: likewise; positive is left.
        act_min: lowest output.
        act_max: highest output.
    """

    shape: MatMulShape
    lhs_offset: int
    rhs_offset: int
    output_offset: int
    multiplier: int
    shift: int
    act_min: int
    act_max: int

    @property
    def lhs(self) -> Dims:
        """W is the number of rows."""
        return Dims(w=self.shape.m, c=self.shape.k)

    @property
    def rhs(self) -> Dims:
        """B as it comes: [K, N]."""
        return Dims(n=self.shape.k, h=self.shape.n)

    @property
    def turned(self) -> Dims:
        """B transposed, w is the number of its columns."""
        return Dims(w=self.shape.n, c=self.shape.k)

    @property
    def turned_2d(self) -> Dims:
        """The same as a matrix: [N, K]."""
        return Dims(n=self.shape.n, h=self.shape.k)

    @property
    def y(self) -> Dims:
        """[M, N]."""
        return Dims(w=self.shape.m, c=self.shape.n)

    @property
    def turned_bytes(self) -> int:
        """Working memory of b transposed, in whole lines."""
        return -(-self.shape.k * self.shape.n // _ALIGN_BYTES) * _ALIGN_BYTES


def matmul_form(params: MatMulParams) -> MatMulForm:
    """The arguments of the node."""
    requant = params.requant
    assert requant is not None
    assert params.a_zero_point is not None and params.b_zero_point is not None
    return MatMulForm(
        shape=params.shape,
        lhs_offset=-params.a_zero_point,
        rhs_offset=-params.b_zero_point,
        output_offset=requant.zero_point,
        multiplier=int(requant.multiplier[0]),
        shift=int(requant.shift[0]),
        act_min=requant.act_min,
        act_max=requant.act_max,
    )


def _matmul_reason(params: MatMulParams) -> str | None:
    reason = int8_reason([params.a_dtype, params.b_dtype]) or requant_reason(params.requant)
    if reason is not None:
        return reason
    if params.a_zero_point is None or params.b_zero_point is None:
        return "zero points must be constants"
    assert params.requant is not None
    form = matmul_form(params)
    largest = magnitude(params.a_zero_point) * magnitude(params.b_zero_point)
    bound = np.array([form.shape.k * largest], np.int64)
    return first_reason(
        dims_reason(form.lhs, form.turned, form.y),
        gather_reason(form.shape.n),
        requant_overflow_reason(bound, params.requant),
    )


def _matmul_scratch(params: MatMulParams, core: Core) -> int:
    """B transposed, then the library's buffer: it must exist even where nothing is in it."""
    form = matmul_form(params)
    return form.turned_bytes + max(buffers.fully_connected(form.shape.n, core), _ALIGN_BYTES)


LONG_ROW = 64
"""Elements of a row with which DSP instructions pay."""


def _slower_fully_connected(params: QConvParams) -> frozenset[Core]:
    """All but one took 1.12 to 2.58 of portable C's cycles.

    With DSP 0.59 to 0.99, but 1.12 to 4.99 with short rows.
    """
    return slower_cores(plain=True, dsp=params.geometry.depth < LONG_ROW)


def _slower_one_pixel(params: QConvParams) -> frozenset[Core]:
    """All took 0.72 to 0.90 of portable C's cycles; with DSP 0.41 to 0.95, short rows 1.07."""
    return slower_cores(plain=False, dsp=params.geometry.depth < LONG_ROW)


FULLY_CONNECTED_KERNEL = Kernel(
    "cmsis_nn/fully_connected.c.j2",
    LIBRARY,
    accepts=_fully_connected_reason,
    constants=_fully_connected_constants,
    scratch=_fully_connected_scratch,
    guarded=True,
    slower_on=_slower_fully_connected,
    headers=HEADERS,
    form=fully_connected_form,
)

ONE_PIXEL_KERNEL = dataclasses.replace(
    FULLY_CONNECTED_KERNEL, accepts=_one_pixel_reason, slower_on=_slower_one_pixel
)
"""The same for a convolution of one pixel."""

MATMUL_KERNEL = Kernel(
    "cmsis_nn/batch_matmul.c.j2",
    LIBRARY,
    accepts=_matmul_reason,
    scratch=_matmul_scratch,
    guarded=True,
    slower_on=slower_on_plain,  # 0.98 to 1.12 of the cycles, with DSP 0.38 to 0.66
    headers=HEADERS,
    form=matmul_form,
)
