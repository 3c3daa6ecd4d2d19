"""The helpers of a model's NAME_io.h in NumPy, bit for bit: numbers and pixels in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcugen.c_model import CImage, CTensor
from mcugen.errors import UsageError
from mcugen.ir import Array, DType
from mcugen.ops import affine


@dataclass(frozen=True)
class Normalization:
    """What turns pixels into the numbers that a model was trained on, in float32.

    Attributes:
        scale: of the pixels; 1/255 for numbers from 0 to 1.
        mean: subtracted then, per channel of the tensor.
        std: divided by at last, per channel of the tensor.
        swap_red_blue: the image is BGR and the tensor RGB, or the other way round.
    """

    scale: float = 1.0
    mean: Sequence[float] = (0.0, 0.0, 0.0)
    std: Sequence[float] = (1.0, 1.0, 1.0)
    swap_red_blue: bool = False


def quantize(tensor: CTensor, real: Array) -> Array:
    """rint(real / scale) + zero_point in the tensor's type, halves to even, NaN as 0.

    Raises:
        UsageError: the tensor is not quantized.
    """
    if not tensor.quantizable:
        raise UsageError(
            f"'{tensor.name}' is {tensor.dtype.value} without one scale: nothing to quantize to",
            hint="--io quantized has integers at the border of a quantized model",
        )
    with np.errstate(over="ignore", under="ignore"):
        return affine.quantize(_numbers(tensor, tensor.dtype), np.asarray(real, np.float32))


def dequantize(tensor: CTensor, q: Array) -> Array:
    """(q - zero_point) * scale in float32.

    Raises:
        UsageError: the tensor is not quantized, or `q` is of another type.
    """
    if not tensor.quantized:
        raise UsageError(f"'{tensor.name}' is {tensor.dtype.value} without one scale")
    found = np.asarray(q)
    if found.dtype != tensor.dtype.np:
        raise UsageError(f"'{tensor.name}' is {tensor.dtype.value}, got {found.dtype}")
    with np.errstate(over="ignore", under="ignore"):
        return affine.dequantize(_numbers(tensor, DType.FLOAT32), found)


def _numbers(tensor: CTensor, dtype: DType) -> affine.Numbers:
    scale, zero_point = np.asarray(tensor.scale, np.float32), np.asarray(tensor.zero_point)
    return affine.numbers(0, len(tensor.shape), scale, zero_point, dtype)


def image(tensor: CTensor, pixels: Array, how: Normalization) -> Array:
    """The tensor that holds images: normalized, quantized where it is, in its order of axes.

    Args:
        tensor: an input that takes images.
        pixels: uint8 [H, W, C], or [N, H, W, C] for several; C may be left out where it is 1.
        how: what the model was trained on.

    Raises:
        UsageError: the input takes no image, or one of another size.
    """
    form = tensor.image
    if form is None:
        raise UsageError(
            f"'{tensor.name}' {list(tensor.shape)} takes no image: it needs 4 axes, 1 or 3 "
            "channels first or last, float32 or one scale"
        )
    shape = (form.count, form.height, form.width, form.channels)
    found = _packed(tensor.name, np.asarray(pixels), shape)
    real = _normalized(found[..., ::-1] if how.swap_red_blue else found, form, how)
    ordered = real if form.channels_last else real.transpose(0, 3, 1, 2)
    ready = np.ascontiguousarray(ordered)
    return quantize(tensor, ready) if tensor.quantizable else ready


def _packed(name: str, pixels: Array, shape: tuple[int, ...]) -> Array:
    allowed = [shape[k:] for k in ([1, 0] if shape[0] == 1 else [0])]
    allowed += [s[:-1] for s in allowed if shape[-1] == 1]
    if pixels.dtype != np.uint8 or pixels.shape not in allowed:
        wanted = " or ".join(str(list(s)) for s in allowed)
        raise UsageError(
            f"the image for '{name}' must be uint8 {wanted}, got {pixels.dtype}{list(pixels.shape)}"
        )
    return pixels.reshape(shape)


def _normalized(pixels: Array, form: CImage, how: Normalization) -> Array:
    count = form.channels
    if len(how.mean) < count or len(how.std) < count:
        raise UsageError(
            f"mean and std must have {count} numbers, got {len(how.mean)} and {len(how.std)}"
        )
    mean, std = (np.asarray(v[:count], np.float32) for v in (how.mean, how.std))
    with np.errstate(all="ignore"):
        scaled = pixels.astype(np.float32) * np.float32(how.scale)
        return np.asarray((scaled - mean) / std)


def argmax(values: Array) -> int:
    """Index of the largest element, the lowest of equal ones; NaN is above every number.

    Raises:
        UsageError: there is no element.
    """
    flat = np.asarray(values).reshape(-1)
    if flat.size == 0:
        raise UsageError("argmax needs at least one element, got none")
    return int(np.argmax(flat))


def topk(values: Array, k: int) -> Array:
    """Indices of the k largest elements in the same order, of all where there are fewer.

    Raises:
        UsageError: k is negative.
    """
    if k < 0:
        raise UsageError(f"k must not be negative, got {k}")
    flat = np.asarray(values).reshape(-1)
    rank = np.unique(flat, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.argsort(-rank, kind="stable")[:k].astype(np.uint32)
