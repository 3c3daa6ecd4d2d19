"""Cases of Resize and Interpolate."""

from __future__ import annotations

from mcugen.ir import Array, DType
from mcugen.ops.resize_tables import (
    COORDINATES,
    NEAREST,
    AxisResize,
    Interpolation,
    ResizeAttrs,
)
from opcase import OpCase, random_f32, random_int


def _axes(shape: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[AxisResize, ...]:
    return tuple(AxisResize(d, s, s / d) for d, s in zip(shape, sizes, strict=True))


def _nearest(id_: str, x: Array, sizes: tuple[int, ...], **how: str) -> OpCase:
    attrs = ResizeAttrs(_axes(x.shape, sizes), Interpolation("nearest", **how))
    return OpCase(id_, "Resize", attrs, (x,), exact_semantics=True)


def _weighted(id_: str, x: Array, sizes: tuple[int, ...], mode: str = "linear", **how) -> OpCase:
    attrs = ResizeAttrs(_axes(x.shape, sizes), Interpolation(mode, **how))
    return OpCase(id_, "Interpolate", attrs, (x,), rtol=1e-5)


def _crop(id_: str, x: Array, mode: str, *axes: AxisResize) -> OpCase:
    how = Interpolation(mode, "tf_crop_and_resize", extrapolation=-7.5)
    return OpCase(id_, "Interpolate", ResizeAttrs(axes, how), (x,), rtol=1e-5)


_MAPS = tuple(c for c in COORDINATES if c != "tf_crop_and_resize")
_IMAGE = random_f32(1, 1, 4, 5, 3)
_NHWC = random_f32(2, 2, 3, 4, 20)

CASES = (
    _nearest("twice", _NHWC, (2, 6, 8, 20)),
    _nearest("twice_nchw", random_int(3, DType.INT8, 1, 3, 4, 5), (1, 3, 8, 10)),
    _nearest(
        "half", random_int(4, DType.UINT8, 1, 8, 6, 4), (1, 4, 3, 4), coordinates="asymmetric"
    ),
    _nearest("odd", random_int(5, DType.INT16, 1, 5, 7, 3), (1, 8, 4, 3)),
    _nearest("to_one", random_f32(6, 5, 7), (1, 1)),
    _nearest("from_one", random_f32(7, 1, 3), (4, 3)),
    _nearest("long_axis", random_int(8, DType.INT8, 300), (277,)),
    _nearest("to_empty", random_f32(9, 3, 4), (0, 4)),
    *(
        _nearest(f"{c}_{n}", random_f32(10, 5, 6, 2), (7, 4, 2), coordinates=c, nearest=n)
        for c in _MAPS
        for n in NEAREST
    ),
    *(_weighted(f"linear_{c}", _IMAGE, (1, 7, 3, 3), coordinates=c) for c in _MAPS),
    *(_weighted(f"cubic_{c}", _IMAGE, (1, 7, 3, 3), "cubic", coordinates=c) for c in _MAPS),
    _weighted("linear_nchw", random_f32(11, 1, 2, 3, 4), (1, 2, 5, 8)),
    _weighted("linear_one_axis", random_f32(12, 2, 6, 5), (2, 9, 5)),
    _weighted("linear_three_axes", random_f32(13, 2, 3, 4, 2), (3, 5, 7, 2)),
    _weighted("linear_large", random_f32(27, 1, 20, 18, 3), (1, 40, 36, 3)),
    _weighted("cubic_long_axis", random_f32(28, 300, 2), (310, 2), "cubic"),
    _weighted("linear_to_one", random_f32(14, 4, 6), (1, 1), coordinates="pytorch_half_pixel"),
    _weighted("linear_same", random_f32(15, 4, 6), (4, 6)),
    _weighted("linear_empty", random_f32(16, 4, 6), (0, 3)),
    _weighted("cubic_exclude", random_f32(17, 4, 6), (9, 3), "cubic", exclude_outside=True),
    _weighted("linear_exclude", random_f32(18, 4, 6), (9, 3), exclude_outside=True),
    _weighted("cubic_coefficient", random_f32(19, 1, 4), (1, 9), "cubic", cubic_coeff=-0.5),
    _weighted("linear_antialias", random_f32(25, 1, 9, 7, 2), (1, 4, 3, 2), antialias=True),
    _weighted("cubic_antialias", random_f32(26, 9, 7), (5, 12), "cubic", antialias=True),
    _crop(
        "crop",
        _IMAGE,
        "linear",
        AxisResize(1, 1, 1.0),
        AxisResize(4, 3, 0.75, (0.4, 0.6)),
        AxisResize(5, 4, 0.8, (-0.3, 1.4)),
        AxisResize(3, 3, 1.0),
    ),
    _crop("crop_nearest", random_f32(20, 6), "nearest", AxisResize(6, 8, 8 / 6, (0.5, 1.5))),
    _crop("crop_outside", random_f32(21, 6), "nearest", AxisResize(6, 4, 4 / 6, (1.5, 2.5))),
    _crop("crop_to_one", random_f32(22, 6), "linear", AxisResize(6, 1, 1 / 6, (0.25, 0.5))),
    _crop("crop_cubic", random_f32(23, 6), "cubic", AxisResize(6, 9, 1.5, (0.25, 1.0))),
    _crop("crop_flipped", random_f32(24, 6), "linear", AxisResize(6, 9, 1.5, (1.2, -0.1))),
)
