"""Parameters, reference and kernels of float convolutions, shared with the fully connected.

y[n, oh, ow, o] = clamp(bias[o] + sum over kh, kw, i of x[n, ih, iw, i] * w[o, i, kh, kw]), in
float32, the additions in exactly this order, taps in the padding left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mcugen.ir import Array, DType
from mcugen.ops.common import Clamp, clamped
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.spec import Constant, Kernel

LANES = 4
"""Floats of one vector register where the target has vectors (SSE, MVE); elsewhere the width
that keeps accumulators in registers."""


@dataclass(frozen=True)
class Block:
    """What the innermost loops compute at once: pixels x vectors x lanes accumulators.

    Attributes:
        pixels: neighbouring output pixels that share a load of weights.
        vectors: groups of accumulators per pixel.
        lanes: output channels of one group.
    """

    pixels: int
    vectors: int
    lanes: int

    @property
    def channels(self) -> int:
        """Output channels per block."""
        return self.vectors * self.lanes


@dataclass(frozen=True)
class Section:
    """A range of channels that a depthwise kernel computes in blocks of one form.

    Attributes:
        begin: first channel.
        end: one past the last.
        vectors: groups of accumulators per pixel.
        lanes: channels of one group.
    """

    begin: int
    end: int
    vectors: int
    lanes: int

    @property
    def channels(self) -> int:
        """Channels per block."""
        return self.vectors * self.lanes


def sections(channels: int, vectors: int, lanes: int) -> tuple[Section, ...]:
    """All channels: full blocks, then blocks of one group, then the rest in one group."""
    found = []
    begin = 0
    for size, shape in ((vectors * lanes, (vectors, lanes)), (lanes, (1, lanes))):
        end = channels - (channels - begin) % size
        if end > begin:
            found.append(Section(begin, end, *shape))
            begin = end
    if channels > begin:
        found.append(Section(begin, channels, 1, channels - begin))
    return tuple(found)


_BLOCKS = (
    (4, 2), (3, 3), (3, 2), (2, 4), (2, 3), (2, 2), (4, 1), (2, 1),
    (1, 8), (1, 6), (1, 4), (1, 3), (1, 2), (1, 1),
)  # fmt: skip
"""(pixels, vectors) that fit in 16 registers."""


def _cycles(pixels: int, vectors: int) -> float:
    """Measured on x86-64: per reduction step, at least the latency of one addition."""
    return max(3.0, 0.55 * pixels * vectors + 0.25 * pixels + 0.2 * vectors)


def choose_block(pixels: int, channels: int) -> Block:
    """The fastest block for a row of `pixels` without padding and `channels` outputs.

    A last block that would run over the row's end starts earlier and computes some pixels twice.
    """
    if channels < LANES:
        return Block(min(4, max(1, pixels)), 1, channels)
    fitting = [(p, v) for p, v in _BLOCKS if p <= max(1, pixels)]

    def cost(pair: tuple[int, int]) -> tuple[float, int]:
        tiles = -(-max(1, pixels) // pair[0]) * -(-channels // (pair[1] * LANES))
        return tiles * _cycles(*pair), pair[0] * pair[1]

    best = min(fitting, key=cost)
    return Block(*best, LANES)


@dataclass(frozen=True, eq=False)
class ConvParams:
    """A float convolution.

    Attributes:
        geometry: shapes.
        weights: float32 [O, I, KH, KW]; None when weights or bias are computed by the model: the
            kernel then reads both through pointers.
        bias: float32 [O], zeros when the operator has none; None when read through a pointer.
        activation: clamp of the result.
        out_shape: the output tensor's shape: the geometry may be a simplified one.
    """

    geometry: ConvGeometry
    weights: Array | None
    bias: Array | None
    activation: Clamp | None
    out_shape: tuple[int, ...]

    @property
    def dtype(self) -> DType:
        """Element type of all tensors."""
        return DType.FLOAT32

    @cached_property
    def block(self) -> Block:
        """Accumulators of the innermost loops."""
        width = self.geometry.width
        return choose_block(width.inside_end - width.inside_begin, self.geometry.group_out)

    @property
    def pixels(self) -> int:
        """Neighbouring outputs that a depthwise kernel computes at once."""
        width = self.geometry.width
        return max(1, min(4, width.inside_end - width.inside_begin))

    @property
    def sections(self) -> tuple[Section, ...]:
        """Channels of a depthwise kernel."""
        return sections(self.geometry.out_c, 2, LANES)

    @property
    def blocks(self) -> int:
        """Channel blocks per group; the last one may be partly unused."""
        return -(-self.geometry.group_out // self.block.channels)

    @property
    def last_block_partial(self) -> bool:
        """Whether the last block of a group has unused channels."""
        return self.geometry.group_out % self.block.channels != 0

    @property
    def packed_weights(self) -> Array:
        """[G, blocks, KH, KW, I, channels of a block], padded with zeros."""
        assert self.weights is not None
        g, size = self.geometry, self.block.channels
        padded = np.zeros((g.groups, self.blocks * size, *self.weights.shape[1:]), np.float32)
        padded[:, : g.group_out] = self.weights.reshape(g.groups, g.group_out, *padded.shape[2:])
        split = padded.reshape(g.groups, self.blocks, size, *padded.shape[2:])
        return np.ascontiguousarray(split.transpose(0, 1, 4, 5, 3, 2))

    @property
    def packed_bias(self) -> Array:
        """[G, blocks, channels of a block], padded with zeros."""
        assert self.bias is not None
        g = self.geometry
        padded = np.zeros((g.groups, self.blocks * self.block.channels), np.float32)
        padded[:, : g.group_out] = self.bias.reshape(g.groups, g.group_out)
        return padded


def conv_constants(params: ConvParams) -> tuple[Constant, ...]:
    """Packed weights and bias; none when the model computes them."""
    if params.weights is None:
        return ()
    return (
        Constant("weights", params.packed_weights.reshape(-1)),
        Constant("bias", params.packed_bias.reshape(-1)),
    )


def depthwise_constants(params: ConvParams) -> tuple[Constant, ...]:
    """Weights [KH, KW, C] and bias [C]."""
    assert params.weights is not None
    assert params.bias is not None
    return (
        Constant("weights", params.weights[:, 0].transpose(1, 2, 0).reshape(-1)),
        Constant("bias", params.bias),
    )


def conv_macs(params: ConvParams) -> int:
    """Multiply-accumulates."""
    return params.geometry.macs


def conv_reference(params: ConvParams, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The definition: sequential over kh, kw, i for every output, starting from the bias."""
    g = params.geometry
    weights = arrays[1] if params.weights is None else params.weights
    bias = arrays[2] if params.bias is None else params.bias
    x = arrays[0].reshape(*g.in_shape[:3], g.groups, g.group_in)
    w = weights.reshape(g.groups, g.group_out, g.group_in, g.height.kernel, g.width.kernel)
    start = bias.reshape(g.groups, g.group_out)
    acc = np.broadcast_to(start, (*g.out_shape[:3], g.groups, g.group_out)).copy()
    for kh in range(g.height.kernel):
        rows = slice(*g.height.outputs_of(kh))
        for kw in range(g.width.kernel):
            target = acc[:, rows, slice(*g.width.outputs_of(kw))]
            seen = x[:, g.height.inputs_of(kh), g.width.inputs_of(kw)]
            for i in range(g.group_in):
                target += seen[..., i, None] * w[:, :, i, kh, kw]
    return (clamped(acc, params.activation).reshape(params.out_shape),)


def _constant_depthwise(params: ConvParams) -> str | None:
    if params.weights is None:
        return "weights or bias are not constant"
    return None if params.geometry.is_depthwise else "not depthwise"


def _constant(params: ConvParams) -> str | None:
    return "weights or bias are not constant" if params.weights is None else None


CONV_KERNELS = (
    Kernel(
        "portable/conv_depthwise_f32.c.j2",
        accepts=_constant_depthwise,
        constants=depthwise_constants,
    ),
    Kernel("portable/conv_f32.c.j2", accepts=_constant, constants=conv_constants),
    Kernel("portable/conv_any_f32.c.j2"),
)
