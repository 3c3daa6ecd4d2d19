"""The mean over height and width of an int8 image by ESP-NN: esp_nn_mean_nhwc_s8."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mcugen.ir import DType
from mcugen.ops.esp_nn.common import ALIGN_BYTES, HEADERS, LIBRARY, dims_reason, rounding_reason
from mcugen.ops.spec import Kernel
from mcugen.ops.vendor.limits import (
    int8_reason,
    magnitude,
    requant_overflow_reason,
    requant_reason,
)
from mcugen.quantize.requant import Requant


class MeanParams(Protocol):
    """QMeanParams as far as it is needed here."""

    @property
    def in_shape(self) -> tuple[int, ...]:
        """Of the input."""

    @property
    def in_dtype(self) -> DType:
        """Of the input."""

    @property
    def axes(self) -> tuple[int, ...]:
        """Reduced, ascending."""

    @property
    def x_zero_point(self) -> int:
        """Of the input."""

    @property
    def requant(self) -> Requant:
        """Sum -> output."""


@dataclass(frozen=True)
class MeanForm:
    """Arguments of a mean.

    Attributes:
        height: of the image.
        width: of the image.
        channels: of image and result.
        x_zero_point: of the input.
        y_zero_point: of the output.
        multiplier: of the sums.
        shift: likewise; positive is left.
    """

    height: int
    width: int
    channels: int
    x_zero_point: int
    y_zero_point: int
    multiplier: int
    shift: int


def mean_form(params: MeanParams) -> MeanForm:
    """The arguments: the reduced axes side by side are height and width."""
    height, width, channels = _split(params.in_shape, params.axes)
    requant = params.requant
    return MeanForm(
        height,
        width,
        channels,
        params.x_zero_point,
        requant.zero_point,
        int(requant.multiplier[0]),
        int(requant.shift[0]),
    )


def _split(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, int, int]:
    """(height, width, channels) of a shape whose reduced axes are neighbours."""
    first, last = axes[0], axes[-1]
    return shape[first], math.prod(shape[first + 1 : last + 1]), math.prod(shape[last + 1 :])


def _reason(params: MeanParams) -> str | None:
    requant = params.requant
    reason = int8_reason([params.in_dtype]) or requant_reason(requant)
    if reason is not None:
        return reason
    axes, shape = params.axes, params.in_shape
    if not axes or axes != tuple(range(axes[0], axes[-1] + 1)):
        return f"the axes must be neighbours, got {list(axes)}"
    batch = math.prod(shape[: axes[0]])
    if batch != 1:
        return f"one image at a time, got a batch of {batch}"
    if (requant.act_min, requant.act_max) != (-128, 127):
        return f"the library does not clamp, got a clamp to {requant.act_min}..{requant.act_max}"
    height, width, channels = _split(shape, axes)
    bound = np.array([height * width * magnitude(params.x_zero_point)])
    return (
        dims_reason(height, width, channels)
        or requant_overflow_reason(bound, requant)
        or rounding_reason(bound, requant.multiplier, requant.shift)
    )


MEAN_KERNEL = Kernel(
    "esp_nn/mean.c.j2",
    LIBRARY,
    accepts=_reason,
    headers=HEADERS,
    form=mean_form,
    align_bytes=ALIGN_BYTES,
)
