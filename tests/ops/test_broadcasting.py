"""Broadcasting: the common shape, and loops that visit what NumPy would."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcugen.ops.broadcasting import broadcast, broadcast_strides, collapse, index_text
from mcugen.ops.spec import Reject


@st.composite
def operands(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Up to three shapes that broadcast."""
    out = draw(st.lists(st.integers(0, 4), max_size=5))
    shapes = []
    for _ in range(draw(st.integers(1, 3))):
        own = out[draw(st.integers(0, len(out))) :]
        shapes.append(tuple(1 if draw(st.booleans()) else d for d in own))
    return shapes


@given(operands())
def test_loops_visit_what_numpy_would(shapes: list[tuple[int, ...]]) -> None:
    out = broadcast(shapes)
    assert out == np.broadcast_shapes(*shapes)
    extents, steps = collapse(out, [broadcast_strides(s, out) for s in shapes])
    counters = list(itertools.product(*map(range, extents)))
    for shape, walk in zip(shapes, steps, strict=True):
        indices = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        wanted = np.broadcast_to(indices, out).reshape(-1).tolist()
        assert [sum(c * s for c, s in zip(row, walk, strict=True)) for row in counters] == wanted


@pytest.mark.parametrize(
    ("shapes", "extents"),
    [
        ([(2, 3, 4), (2, 3, 4)], (24,)),
        ([(2, 3, 4), ()], (24,)),
        ([(2, 3, 4), (4,)], (6, 4)),
        ([(2, 3, 4), (2, 1, 1)], (2, 12)),
        ([(2, 3, 4, 5), (3, 1, 1)], (2, 3, 20)),
        ([(1, 1), ()], ()),
    ],
)
def test_as_few_loops_as_possible(shapes: list[tuple[int, ...]], extents: tuple[int, ...]) -> None:
    out = broadcast(shapes)
    assert collapse(out, [broadcast_strides(s, out) for s in shapes])[0] == extents


def test_shapes_that_disagree() -> None:
    with pytest.raises(Reject, match=r"shapes must broadcast, got \[2, 3\] and \[2\]"):
        broadcast([(2, 3), (2,)])


def test_index_text() -> None:
    assert index_text(()) == "0"
    assert index_text((0, 0)) == "0"
    assert index_text((12, 0, 1)) == "i0 * 12 + i2"
