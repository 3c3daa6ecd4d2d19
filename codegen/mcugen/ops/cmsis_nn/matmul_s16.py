"""Products of two int16 matrices by CMSIS-NN: arm_batch_matmul_s16, one pair at a time.

a [M, K], b [K, N]; b is transposed into working memory, by our own loop: the library turns no
int16. Zero points are 0, sums 64 bits.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from mcugen.ir import DType
from mcugen.ops.cmsis_nn import matmul
from mcugen.ops.cmsis_nn.common import HEADERS, LIBRARY, dims_reason, slower_on_plain
from mcugen.ops.cmsis_nn.matmul import MatMulParams
from mcugen.ops.cmsis_nn.weighted_s16 import result_reason
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.limits import activations_reason, first_reason

_INT16_BYTES = 2


def _reason(params: MatMulParams) -> str | None:
    requant = params.requant
    reason = activations_reason([params.a_dtype, params.b_dtype], DType.INT16)
    if reason is not None or requant is None:
        return reason or "the output must be int16, got int32"
    if not requant.is_fixed_point:
        return "computes --arithmetic tflite alone, got onnx"
    form = matmul.matmul_form(params)
    return first_reason(
        dims_reason(form.lhs, form.turned, form.y), result_reason(requant, form.shape.k * 2**30)
    )


def _scratch(params: MatMulParams, core: Core) -> int:
    """B transposed; the library needs none itself."""
    del core
    return _INT16_BYTES * params.shape.k * params.shape.n


def _accepts_int8(params: Any) -> str | None:
    """Whether the node is one of int8; of int16, what the kernel for these has against it."""
    if params.a_dtype is DType.INT16:
        return _reason(params) or "int16"
    return matmul.MATMUL_KERNEL.accepts(params)


MATMUL_KERNELS = (
    dataclasses.replace(matmul.MATMUL_KERNEL, accepts=_accepts_int8),
    Kernel(
        "cmsis_nn/batch_matmul_s16.c.j2",
        LIBRARY,
        accepts=_reason,
        scratch=_scratch,
        slower_on=slower_on_plain,  # 3.26 to 3.70 of the cycles, with DSP 0.42 to 0.54
        headers=HEADERS,
        form=matmul.matmul_form,
    ),
)
"""Of QMatMul, whatever its activations."""
