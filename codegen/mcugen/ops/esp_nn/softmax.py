"""Softmax of int8 by ESP-NN: esp_nn_softmax_s8, its output of scale 1/256 and zero point -128."""

from __future__ import annotations

from typing import Any

from mcugen.ops.esp_nn import buffers
from mcugen.ops.esp_nn.common import ALIGN_BYTES, HEADERS, LIBRARY
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.softmax import softmax_form, softmax_reason

MIN_VECTOR_ROW = 32
"""Rows from this length on are searched for their maximum by vectors, from an aligned address."""


def _reason(params: Any) -> str | None:
    reason = softmax_reason(params)
    if reason is not None:
        return reason
    form = softmax_form(params)
    if form.rows > 1 and form.size >= MIN_VECTOR_ROW and form.size % ALIGN_BYTES:
        return (
            f"several rows of {MIN_VECTOR_ROW} elements and more must have a multiple of "
            f"{ALIGN_BYTES} to lie aligned, got {form.size}"
        )
    return None


def _scratch(params: Any, core: Core) -> int:
    del core
    return buffers.softmax(softmax_form(params).size)


SOFTMAX_KERNEL = Kernel(
    "esp_nn/softmax.c.j2",
    LIBRARY,
    accepts=_reason,
    scratch=_scratch,
    guarded=True,
    headers=HEADERS,
    form=softmax_form,
    align_bytes=ALIGN_BYTES,
)
