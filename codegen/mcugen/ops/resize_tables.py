"""Where each output position of a resized axis reads: source indices and weights.

Coordinates are float64, from the scale as float64: positions that fall exactly between two
elements are then decided as ONNX's reference decides them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.ir import Array

MODES = ("nearest", "linear", "cubic")
COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@dataclass(frozen=True)
class Interpolation:
    """How a resized axis is sampled.

    Attributes:
        mode: one of MODES.
        coordinates: one of COORDINATES.
        nearest: one of NEAREST, for mode nearest.
        cubic_coeff: a of the cubic kernel.
        exclude_outside: weights of positions outside the axis become 0, the others sum to 1.
        extrapolation: value outside the axis, for tf_crop_and_resize.
        antialias: an axis that shrinks is sampled with a kernel stretched by 1 / scale.
    """

    mode: str = "nearest"
    coordinates: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic_coeff: float = -0.75
    exclude_outside: bool = False
    extrapolation: float = 0.0
    antialias: bool = False


@dataclass(frozen=True)
class AxisResize:
    """One axis: `size_in` elements seen as `size_out`.

    Attributes:
        size_in: elements of the input.
        size_out: elements of the output.
        scale: output elements per input element.
        roi: (start, end) of the region, as shares of the axis, for tf_crop_and_resize.
    """

    size_in: int
    size_out: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)

    @property
    def is_identity(self) -> bool:
        """Whether the axis stays as it is, whatever the coordinates."""
        same = self.size_in == self.size_out and self.roi == (0.0, 1.0)
        return same and math.isclose(self.scale, 1.0)


@dataclass(frozen=True)
class ResizeAttrs:
    """Of Resize and Interpolate.

    Attributes:
        axes: one entry per axis of the input.
        how: the sampling of all resized axes.
    """

    axes: tuple[AxisResize, ...]
    how: Interpolation

    def tables(self) -> tuple[AxisTable, ...]:
        """One table per axis."""
        return tuple(axis_table(axis, self.how) for axis in self.axes)


@dataclass(frozen=True, eq=False)
class AxisTable:
    """What each output position is made of.

    Attributes:
        index: int64 [size_out, taps], in [0, size_in).
        weight: float64 [size_out, taps].
        inside: bool [size_out], false where the extrapolation value stands; true in one run.
    """

    index: Array
    weight: Array
    inside: Array

    @property
    def taps(self) -> int:
        """Elements that make one."""
        return int(self.index.shape[1])

    @property
    def is_identity(self) -> bool:
        """Whether every position is the input's own."""
        return self.copies(range(len(self.index))) and bool(self.inside.all())

    def copies(self, wanted: Sequence[int]) -> bool:
        """Whether position i is element wanted[i] with weight 1."""
        hit = self.weight == 1.0
        single = bool((hit.sum(1) == 1).all()) and bool(((self.weight == 0.0) | hit).all())
        return single and bool((self.index[hit] == np.asarray(wanted, np.int64)).all())


def axis_table(axis: AxisResize, how: Interpolation) -> AxisTable:
    """The table of one axis."""
    if axis.is_identity:
        own = np.arange(axis.size_out, dtype=np.int64)[:, None]
        return AxisTable(own, np.ones(own.shape), np.ones(len(own), np.bool_))
    x = coordinates(axis, how.coordinates)
    inside = np.ones(axis.size_out, np.bool_)
    if how.coordinates == "tf_crop_and_resize":
        inside = (x >= 0) & (x <= axis.size_in - 1)
    if how.mode == "nearest":
        nearest = np.clip(_nearest(x, how.nearest), 0, axis.size_in - 1)[:, None]
        return AxisTable(nearest, np.ones(nearest.shape), inside)
    first: Array = np.ceil(x).astype(np.int64) - 1
    ratio = x - first  # in (0, 1]
    scale = min(axis.scale, 1.0) if how.antialias else 1.0
    lowest, weight = _weights(ratio, scale, how)
    index: Array = first[:, None] + np.arange(lowest, lowest + weight.shape[1])
    if how.exclude_outside:
        weight = np.where((index < 0) | (index >= axis.size_in), 0.0, weight)
        total = weight.sum(1, keepdims=True)
        weight = weight / np.where(total == 0, 1.0, total)
    return AxisTable(np.clip(index, 0, axis.size_in - 1), weight, inside)


def coordinates(axis: AxisResize, mode: str) -> Array:
    """Position in the input of each output position, float64 [size_out]."""
    y = np.arange(axis.size_out, dtype=np.float64)
    length = axis.scale * axis.size_in
    if math.isclose(length, axis.size_out, rel_tol=1e-9):
        length = float(axis.size_out)
    last = axis.size_in - 1
    if mode == "asymmetric":
        return y / axis.scale
    if mode == "tf_half_pixel_for_nn":
        return (y + 0.5) / axis.scale
    if mode == "align_corners":
        return y * 0.0 if length == 1 else y * last / (length - 1)
    if mode == "tf_crop_and_resize":
        start, end = axis.roi
        span = (end - start) * last
        return start * last + (y * 0.0 + span / 2 if length == 1 else y * span / (length - 1))
    if mode == "pytorch_half_pixel" and length == 1:
        return y * 0.0
    shift = 0.0
    if mode == "half_pixel_symmetric":
        shift = axis.size_in / 2 * (1 - axis.size_out / length)
    return shift + (y + 0.5) / axis.scale - 0.5


def _nearest(x: Array, mode: str) -> Array:
    rounded = {
        "floor": np.floor(x),
        "ceil": np.ceil(x),
        "round_prefer_floor": np.ceil(x - 0.5),
        "round_prefer_ceil": np.floor(x + 0.5),
    }[mode]
    return rounded.astype(np.int64)


def _weights(ratio: Array, scale: float, how: Interpolation) -> tuple[int, Array]:
    """(first offset, weights [positions, taps]) of a kernel stretched by 1 / scale."""
    radius = 1 if how.mode == "linear" else 2
    lowest = math.floor(-radius / scale) + 1
    offsets = np.arange(lowest, 2 - lowest)
    distance = np.abs((offsets - ratio[:, None]) * scale)
    weight = np.clip(1 - distance, 0, 1) if radius == 1 else _cubic(distance, how.cubic_coeff)
    return lowest, weight if scale == 1.0 else weight / weight.sum(1, keepdims=True)


def _cubic(d: Array, a: float) -> Array:
    """The kernel of Keys (1981) at distance d >= 0."""
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))
