"""Transposed convolutions by CMSIS-NN: arm_transpose_conv_wrapper_s8.

Filters [O, KH, KW, I]. The working memory is that of the sums, or of an ordinary convolution, and
behind it that of the filters turned round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mcugen.ir import Array, DType
from mcugen.ops.cmsis_nn import buffers
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, Dims, Tile, dims_reason, slower_cores
from mcugen.ops.conv_transpose_geometry import TransposedGeometry
from mcugen.ops.spec import Constant, Core, Kernel
from mcugen.ops.vendor.limits import first_reason
from mcugen.ops.vendor.weighted import per_channel, weighted_reason, weights_reason
from mcugen.quantize.requant import Requant

_ALIGN_BYTES = 16


class TransposedParams(Protocol):
    """QConvTransposeParams as far as it is needed here."""

    @property
    def geometry(self) -> TransposedGeometry:
        """Shapes."""

    @property
    def x_dtype(self) -> DType:
        """Of the input."""

    @property
    def x_zero_point(self) -> int:
        """Of the input."""

    @property
    def weights(self) -> Array:
        """[O, C/groups, KH, KW], the zero point subtracted."""

    @property
    def bias(self) -> Array:
        """int32 [O]."""

    @property
    def requant(self) -> Requant:
        """Accumulator -> output."""


@dataclass(frozen=True)
class TransposedForm:
    """Arguments in the library's terms.

    Attributes:
        x: [N, H, W, C].
        filters: n is O.
        y: [N, OH, OW, O].
        stride: of the output.
        padding: what is cut off in front.
        input_offset: -zero point of the input.
        output_offset: zero point of the output.
        act_min: lowest output.
        act_max: highest output.
        reversed_bytes: of the filters turned round; 0 when they are not needed.
    """

    x: Dims
    filters: Dims
    y: Dims
    stride: Tile
    padding: Tile
    input_offset: int
    output_offset: int
    act_min: int
    act_max: int
    reversed_bytes: int

    @property
    def reversed_offset_bytes(self) -> int:
        """Where the turned filters begin in the working memory: it is planned in whole lines."""
        return -(-self.reversed_bytes // _ALIGN_BYTES) * _ALIGN_BYTES


def transposed_form(params: TransposedParams) -> TransposedForm:
    """The arguments of the node; the axes of its geometry are those of the convolution y -> x."""
    g, requant = params.geometry, params.requant
    x = Dims(g.batch, g.height.out, g.width.out, g.in_c)
    filters = Dims(g.out_c, g.height.kernel, g.width.kernel, g.group_in)
    stride = Tile(g.height.stride, g.width.stride)
    return TransposedForm(
        x=x,
        filters=filters,
        y=Dims(g.batch, g.height.size, g.width.size, g.out_c),
        stride=stride,
        padding=Tile(g.height.pad, g.width.pad),
        input_offset=-params.x_zero_point,
        output_offset=requant.zero_point,
        act_min=requant.act_min,
        act_max=requant.act_max,
        reversed_bytes=buffers.reversed_filters(x, filters, stride),
    )


def _reason(params: TransposedParams) -> str | None:
    g = params.geometry
    reason = weighted_reason(params) or weights_reason(params.weights)
    if reason is not None:
        return reason
    if g.groups != 1:
        return f"groups must be 1, got {g.groups}"
    if (g.height.dilation, g.width.dilation) != (1, 1):
        return f"dilations must be 1, got {g.height.dilation}x{g.width.dilation}"
    form = transposed_form(params)
    if form.padding.h >= form.filters.h or form.padding.w >= form.filters.w:
        return "pads must be smaller than the kernel"
    wide = Dims(h=form.x.h * form.stride.h, w=form.x.w * form.stride.w)
    return first_reason(dims_reason(form.x, form.filters, form.y, wide), _rows_reason(form))


def _rows_reason(form: TransposedForm) -> str | None:
    """Limits of the kernel that adds into a ring of rows.

    It writes every row that an input row completes, also those that trailing pads cut off; rows
    that no input reaches are never written.
    """
    if buffers.is_reverse(form.x, form.stride):
        return None
    f, s = form.filters, form.stride
    if f.w < s.w and s.h < s.w:
        return f"its buffer is too small for a {f.w} wide kernel with strides {s.h}x{s.w}"
    rows = form.x.h * s.h - form.padding.h
    if rows < 0:
        return f"pads must be at most {form.x.h * s.h} rows here, got {form.padding.h}"
    if rows > form.y.h:
        return f"it would write {rows} rows of an output of {form.y.h}"
    reached = rows + max(0, f.h - s.h)
    columns = (form.x.w - 1) * s.w + max(f.w, s.w) - form.padding.w
    if reached < form.y.h or columns < form.y.w:
        return f"it would write {reached}x{columns} of an output of {form.y.h}x{form.y.w}"
    return None


def _scratch(params: TransposedParams, core: Core) -> int:
    form = transposed_form(params)
    first = buffers.transpose_convolve(form.x, form.filters, form.y, form.stride, core)
    return form.reversed_offset_bytes + first


def _constants(params: TransposedParams) -> tuple[Constant, ...]:
    return (
        Constant("weights", params.weights.transpose(0, 2, 3, 1).reshape(-1)),
        Constant("bias", params.bias),
        *per_channel(params.requant, params.geometry.out_c),
    )


def _slower(params: TransposedParams) -> frozenset[Core]:
    """As an ordinary convolution it took 1.53 and 1.64 of portable C's cycles, else 0.65 to 0.90.

    With DSP 0.45 to 0.89.
    """
    form = transposed_form(params)
    return slower_cores(plain=buffers.is_reverse(form.x, form.stride), dsp=False)


CONV_TRANSPOSE_KERNEL = Kernel(
    "cmsis_nn/transpose_conv.c.j2",
    LIBRARY,
    accepts=_reason,
    constants=_constants,
    scratch=_scratch,
    guarded=True,
    slower_on=_slower,
    headers=HEADERS,
    form=transposed_form,
)
