"""The kernel of integer fully connected layers with one row of inputs.

sum over k of (x - x_zp) * w = sum over k of x * w - x_zp * sum over k of w: the second part is
known, so it goes into the bias, and the inputs are multiplied as they are.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mcugen.ir import DType
from mcugen.ops.conv_kernel import Section, sections
from mcugen.ops.four_bits import packed_rows
from mcugen.ops.qconv_kernel import QConvParams, four_bits_reason, sum_fits, sum_type
from mcugen.ops.spec import Constant, Kernel
from mcugen.quantize.fixed_point import wrap_int32
from mcugen.quantize.requant import Requant


@dataclass(frozen=True, eq=False)
class QFullyConnectedForm:
    """What the template sees.

    Attributes:
        inner: length of the sums.
        units: outputs.
        x_dtype: int8, uint8 or int16.
        weights_dtype: int8 or int16, uint8 where they have 4 bits.
        requant: accumulator -> output.
        sum_type: C type of an accumulator.
        four_bits: whether two weights are stored in a byte.
    """

    inner: int
    units: int
    x_dtype: DType
    weights_dtype: DType
    requant: Requant | None
    sum_type: str
    four_bits: bool

    @property
    def row_elems(self) -> int:
        """Stored elements of a row of weights."""
        return -(-self.inner // 2) if self.four_bits else self.inner

    @property
    def pairs(self) -> tuple[Section, ...]:
        """Outputs, two at a time: as many as Thumb-1, with eight registers, keeps in them."""
        return sections(self.units, 1, 2)

    @property
    def quads(self) -> tuple[Section, ...]:
        """Outputs, four at a time, then two, then one."""
        return sections(self.units, 2, 2)


def _form(params: QConvParams) -> QFullyConnectedForm:
    g = params.geometry
    return QFullyConnectedForm(
        g.in_c,
        g.out_c,
        params.x_dtype,
        params.weights_dtype,
        params.requant,
        sum_type(params),
        params.four_bits,
    )


def _reason(params: QConvParams) -> str | None:
    g = params.geometry
    rows = g.batch * g.height.out * g.width.out
    if rows != 1:
        return f"the input must be one row, got {rows}"
    wide = params.requant is not None and params.requant.wide
    if not wide and not sum_fits(params.weights, params.x_dtype, 0):
        return "a sum without the zero point may not fit int32"
    return None


def _constants(params: QConvParams) -> tuple[Constant, ...]:
    """Weights [O, K], bias with the zero point's part, wrapped around as sums are."""
    zero, requant = params.x_zero_point, params.requant
    assert zero is not None
    assert requant is not None
    sums = params.weights.astype(np.int64).reshape(params.geometry.out_c, -1).sum(axis=1)
    bias = wrap_int32(params.bias.astype(np.int64) - zero * sums).astype(np.int32)
    rows = params.weights.reshape(params.geometry.out_c, -1)
    weights = packed_rows(rows) if params.four_bits else rows
    arrays = (Constant("weights", weights.reshape(-1)), Constant("bias", bias))
    return (*arrays, *requant.constants())


def _reason_int4(params: QConvParams) -> str | None:
    return four_bits_reason(params) or _reason(params)


_KERNEL = Kernel(
    "portable/qfully_connected.c.j2",
    accepts=_reason,
    constants=_constants,
    headers=("mcugen_quant.h",),
    form=_form,
)

QFULLY_CONNECTED_KERNELS = (
    dataclasses.replace(
        _KERNEL, template="portable/qfully_connected_int4.c.j2", accepts=_reason_int4
    ),
    _KERNEL,
)
