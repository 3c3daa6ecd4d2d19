"""Working memory of ESP-NN's kernels for the ESP32-S3 in bytes, and the paths they choose.

These are the rules of the library's own getters at the pinned version; where a getter has drifted
from the code that it speaks for, the larger of what either wants. Other chips need less.
"""

from __future__ import annotations

from enum import Enum

from mcugen.ops.esp_nn.form import ConvForm

_INT16_BYTES = 2
_INT32_BYTES = 4
_LINE_BYTES = 16
_VECTOR_ELEMS = 8

CONV_MARGIN_BYTES = 64
"""Alignment of a convolution's working memory, and what its assembly touches around it."""

WHOLE_IMAGE_BYTES = 40 * 1024
"""Padded images up to this size are copied as a whole by the 3x3 depthwise kernel."""

WHOLE_INT16_BYTES = 48 * 1024
"""Filters and image as int16 up to this size are converted as a whole."""


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


class ConvPath(Enum):
    """Which code computes an ordinary convolution.

    POINTWISE: 1x1, stride 1, no leading padding: the image is taken as a list of pixels.
    WINDOW: rows of a window are shorter than a vector: each window is copied.
    ROWS: all else: rows of a window are read where they lie in a padded image.
    """

    POINTWISE = "pointwise"
    WINDOW = "window"
    ROWS = "rows"


def conv_path(form: ConvForm) -> ConvPath:
    """The path of esp_nn_conv_s8."""
    if form.taps == 1 and not form.padded and form.stride.height == form.stride.width == 1:
        return ConvPath.POINTWISE
    row = form.filters.width * form.x.channels
    if row < _LINE_BYTES <= row * form.filters.height:
        return ConvPath.WINDOW
    return ConvPath.ROWS


def conv(form: ConvForm) -> int:
    """esp_nn_conv_s8."""
    path, outputs = conv_path(form), form.y.channels
    if path is ConvPath.POINTWISE:
        return _pointwise(form)
    if path is ConvPath.WINDOW:
        window = _rounded_up(form.taps * form.x.channels, _LINE_BYTES)
        columns = outputs * window + window + 2 * _LINE_BYTES
        return _INT32_BYTES * outputs + columns + CONV_MARGIN_BYTES
    row = _rounded_up(form.filters.width * form.x.channels, _LINE_BYTES)
    filters = form.taps * _rounded_up(form.x.channels, _LINE_BYTES) * outputs
    aligned = row * form.filters.height * outputs
    images = _padded_around(form) + _padded_behind(form)
    return images + filters + aligned + CONV_MARGIN_BYTES + _INT32_BYTES * outputs


def _pointwise(form: ConvForm) -> int:
    pixels = form.x.height * form.x.width
    channels = _rounded_up(form.x.channels, _VECTOR_ELEMS)
    image = pixels * channels if form.x.channels % _VECTOR_ELEMS else 0
    columns = _INT16_BYTES * _VECTOR_ELEMS * channels if pixels >= _VECTOR_ELEMS else 0
    return image + channels * form.y.channels + columns + CONV_MARGIN_BYTES


def _padded_around(form: ConvForm) -> int:
    """The image with its leading padding on both sides; 0 without any."""
    if not form.padded:
        return 0
    height = form.x.height + 2 * form.padding.height
    width = form.x.width + 2 * form.padding.width
    return height * width * form.x.channels


def _padded_behind(form: ConvForm) -> int:
    """The image as far as whole strides of windows reach; 0 when they stay inside."""
    below, right = _overhang(form)
    if max(below, right) <= 0:
        return 0
    height = form.x.height + max(0, below)
    width = form.x.width + max(0, right)
    return height * width * form.x.channels


def _overhang(form: ConvForm, around: int = 0) -> tuple[int, int]:
    """(rows, columns) by which whole strides of windows leave the image, padded `around` times."""
    below = form.y.height * form.stride.height + form.filters.height - 1
    right = form.y.width * form.stride.width + form.filters.width - 1
    return (
        below - form.x.height - around * form.padding.height,
        right - form.x.width - around * form.padding.width,
    )


class DepthwisePath(Enum):
    """Which code computes a depthwise convolution.

    SAME: 3x3 on bytes, 16 channels at a time, padding 1 on all sides.
    VALID: the same without leading padding.
    WIDENED: the same, with channels to whole vectors and whatever padding.
    INT16_3X3: 3x3 on 8 channels as int16.
    INT16: other windows as int16, 8 channels at a time.
    INT16_WIDENED: the same, with channels to whole vectors.
    MULTIPLIED: as int16, 4 outputs of an input channel at a time.
    PLAIN: in plain C.
    """

    SAME = "same"
    VALID = "valid"
    WIDENED = "widened"
    INT16_3X3 = "int16_3x3"
    INT16 = "int16"
    INT16_WIDENED = "int16_widened"
    MULTIPLIED = "multiplied"
    PLAIN = "plain"


def depthwise_path(form: ConvForm) -> DepthwisePath:
    """The path of esp_nn_depthwise_conv_s8."""
    channels = form.x.channels
    if form.channel_multiplier != 1:
        multiplied = form.channel_multiplier % 4 == 0
        return DepthwisePath.MULTIPLIED if multiplied else DepthwisePath.PLAIN
    if channels % _VECTOR_ELEMS:
        return DepthwisePath.INT16_WIDENED if channels > 3 else DepthwisePath.PLAIN
    if not form.is_3x3:
        return DepthwisePath.INT16
    if channels % _LINE_BYTES == 0 and form.padding.height == form.padding.width == 1:
        return DepthwisePath.SAME
    if channels % _LINE_BYTES == 0 and not form.padded:
        return DepthwisePath.VALID
    return DepthwisePath.WIDENED if channels >= 12 else DepthwisePath.INT16_3X3


def depthwise(form: ConvForm) -> int:
    """esp_nn_depthwise_conv_s8."""
    return max(_depthwise_getter(form), _depthwise_use(form))


def converts_rows(form: ConvForm) -> bool:
    """Whether an int16 depthwise convolution converts the rows of one output at a time."""
    whole = _INT16_BYTES * (form.taps * form.y.channels + form.x.elems)
    return whole > WHOLE_INT16_BYTES


def widened_channels(form: ConvForm) -> int:
    """Channels to whole vectors of bytes."""
    return _rounded_up(form.x.channels, _LINE_BYTES)


def _depthwise_getter(form: ConvForm) -> int:
    path, filters = depthwise_path(form), form.taps * form.y.channels
    if path is DepthwisePath.PLAIN:
        return 2 * _LINE_BYTES
    if path is DepthwisePath.INT16_WIDENED:
        return _int16_widened(form)
    if path is DepthwisePath.INT16 and converts_rows(form):
        rows = form.x.width * form.filters.height * form.x.channels
        return _INT16_BYTES * (filters + rows) + 2 * _LINE_BYTES
    if path in (DepthwisePath.INT16, DepthwisePath.INT16_3X3, DepthwisePath.MULTIPLIED):
        return _INT16_BYTES * (filters + form.x.elems) + 2 * _LINE_BYTES
    if form.x.channels % _LINE_BYTES:
        return _widened_getter(form)
    below, right = _overhang(form)
    if form.padded:
        below, right = 2 * form.padding.height, 2 * form.padding.width
    if not (below or right):
        return filters + _LINE_BYTES
    row = (form.x.width + right) * form.x.channels
    image = row * (form.x.height + below)
    copied = image if image <= WHOLE_IMAGE_BYTES else row * form.filters.height
    return filters + copied + _LINE_BYTES


def _widened_getter(form: ConvForm) -> int:
    channels = widened_channels(form)
    below, right = (max(0, n) for n in _overhang(form))
    height = form.x.height + 2 * form.padding.height + below
    width = form.x.width + 2 * form.padding.width + right
    output = form.y.height * form.y.width
    return (form.taps + height * width + output) * channels + 4 * _LINE_BYTES


def _int16_widened(form: ConvForm) -> int:
    """Filters, image, output and numbers of whole vectors of channels, each on a line."""
    channels = _rounded_up(form.x.channels, _VECTOR_ELEMS)
    filters = _rounded_up(_INT16_BYTES * form.taps * channels, _LINE_BYTES)
    image = _INT16_BYTES * form.x.height * form.x.width * channels
    output = _rounded_up(filters + image, _LINE_BYTES) + form.y.height * form.y.width * channels
    return _rounded_up(output, _LINE_BYTES) + 3 * _INT32_BYTES * channels + _LINE_BYTES


def _depthwise_use(form: ConvForm) -> int:
    """What the 3x3 kernels on bytes write; their getter does not ask which of them will run."""
    path = depthwise_path(form)
    if path is DepthwisePath.VALID:
        filters = form.taps * form.x.channels
        return filters + _LINE_BYTES + _padded_behind(form)
    if path is DepthwisePath.WIDENED:
        channels = widened_channels(form)
        below, right = (max(0, n) for n in _overhang(form, around=2))
        height = form.x.height + 2 * form.padding.height + below
        width = form.x.width + 2 * form.padding.width + right
        output = form.y.height * form.y.width
        return (form.taps + height * width + output) * channels + _LINE_BYTES
    return 0


def softmax(row_elems: int) -> int:
    """esp_nn_softmax_s8: the exponentials of a row."""
    return _INT32_BYTES * row_elems
