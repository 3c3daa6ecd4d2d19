"""The arena as a drawing: layers from left to right, bytes upwards, a rectangle for each buffer."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from mcugen.names import shortened
from mcugen.plan.arena_blocks import ArenaBlock
from mcugen.plan.problem import BEFORE
from mcugen.report.drawing import (
    HEIGHT,
    Axis,
    Drawing,
    Element,
    frame,
    line,
    rect,
    rounded_up,
    text,
    x_axis,
    y_axis,
)

_HEIGHT = HEIGHT + 60
_COLOURS = 6
_ALL = 6
"""Layers of which each has room for its number."""
_LINE, _CHARACTER = 16.0, 6.6
"""Units that a line of text and one of its characters take."""


def arena_chart(
    blocks: Sequence[ArenaBlock], layers: int, arena_bytes: int, bound_bytes: int
) -> Drawing:
    """Who lies where while which layer runs; the lower bound as a dashed line.

    Args:
        blocks: of the plan.
        layers: how many run.
        arena_bytes: of the plan.
        bound_bytes: below which no plan can be.
    """
    x = x_axis(BEFORE, layers + 1, "layer (numbers of the table)", "")
    x = dataclasses.replace(x, names=_positions(layers, max(1, int(x.step))))
    y = y_axis(0.0, rounded_up(arena_bytes), "arena", "B", _HEIGHT)
    elements = frame(x, y)
    for index, block in enumerate(blocks):
        elements += _block(block, f"s{index % _COLOURS}", x, y)
    at = y.at(bound_bytes)
    elements += [line("bound", x.start, at, x.end, at, f"lower bound {bound_bytes:,} bytes")]
    legend = [("scratch", "a layer's working memory")] if any(b.scratch for b in blocks) else []
    label = f"{arena_bytes:,} bytes over time; dashed: lower bound, {bound_bytes:,}"
    return Drawing(label, tuple(elements), tuple(legend), height=_HEIGHT)


def _positions(layers: int, step: int) -> tuple[tuple[float, str], ...]:
    """What stands below the columns: in, every few layers' numbers, out."""
    near = step / 2 if layers > _ALL else 0.0
    clear = [k for k in range(0, layers, step) if k + 1 >= near and layers - k >= near]
    return ((-0.5, "in"), *((k + 0.5, str(k)) for k in clear), (layers + 0.5, "out"))


def _block(block: ArenaBlock, colour: str, x: Axis, y: Axis) -> list[Element]:
    """The rectangle, named inside where the name has room."""
    left, right = x.at(block.first), x.at(block.stop)
    top, bottom = y.at(block.offset + block.size), y.at(block.offset)
    style = f"block {'scratch' if block.scratch else colour}"
    found = [rect(style, left, top, right - left, bottom - top, block_text(block))]
    room = int((right - left - 8) / _CHARACTER)
    if bottom - top >= _LINE and room >= 5 and not block.scratch:
        middle = (top + bottom) / 2 + 4
        found.append(text("inside", left + 4, middle, shortened(block.name, room), "start"))
    return found


def block_text(block: ArenaBlock) -> str:
    """A block in words: what a pointer on it shows."""
    what = "working memory of " if block.scratch else ""
    over = f", in place of {block.over}" if block.over else ""
    end = f"{block.offset + block.size:,}"
    return f"{what}{block.name}: {block.size:,} bytes, {block.offset:,} to {end}{over}"
