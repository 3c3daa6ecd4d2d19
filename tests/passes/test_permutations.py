"""Permutations against NumPy's transpose and reshape."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcugen.passes import permutations as p


@st.composite
def transposed_and_reshaped(draw: st.DrawFn) -> tuple[tuple[int, ...], p.Perm, tuple[int, ...]]:
    """(shape of x, perm, another shape for transpose(x, perm))."""
    shape = tuple(draw(st.lists(st.sampled_from((1, 1, 2, 3, 4, 6)), max_size=5)))
    perm = tuple(draw(st.permutations(range(len(shape)))))
    after: list[int] = []
    for dim in p.permuted(shape, perm):
        action = draw(st.sampled_from(("keep", "split", "join", "insert")))
        if action == "split" and dim in (4, 6):
            after += [2, dim // 2]
        elif action == "join" and after:
            after[-1] *= dim
        else:
            after += [1, dim] if action == "insert" else [dim]
    return shape, perm, tuple(after)


@given(transposed_and_reshaped())
def test_through_reshape(case: tuple[tuple[int, ...], p.Perm, tuple[int, ...]]) -> None:
    shape, perm, after = case
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    found = p.through_reshape(shape, perm, after)
    if found is not None:
        new, order = found
        assert np.array_equal(x.reshape(new).transpose(order), x.transpose(perm).reshape(after))


@given(transposed_and_reshaped())
def test_flattened_columns(case: tuple[tuple[int, ...], p.Perm, tuple[int, ...]]) -> None:
    shape, perm, after = case
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    columns = p.flattened_columns(shape, perm, after)
    if columns is not None:
        flat = x.transpose(perm).reshape(after)
        assert np.array_equal(x.reshape(after), flat[..., columns])


def test_splitting_the_channels_of_a_channels_last_image() -> None:
    shape, order = p.through_reshape((1, 4, 5, 6), (0, 3, 1, 2), (1, 2, 3, 4, 5)) or ((), ())
    assert [d for d in shape if d != 1] == [4, 5, 2, 3]
    assert p.permuted(shape, order) == (1, 2, 3, 4, 5)


def test_flattening_a_channels_last_image_mixes_axes() -> None:
    assert p.through_reshape((1, 4, 5, 6), (0, 3, 1, 2), (1, 120)) is None
    columns = p.flattened_columns((1, 4, 5, 6), (0, 3, 1, 2), (1, 120))
    assert columns is not None
    assert columns[:3].tolist() == [0, 20, 40]


def test_a_mixed_batch_has_no_columns() -> None:
    assert p.flattened_columns((2, 4, 5, 6), (0, 1, 3, 2), (8, 30)) is not None
    assert p.flattened_columns((2, 4, 5, 6), (1, 0, 3, 2), (8, 30)) is None
    assert p.flattened_columns((2, 4, 5, 6), (3, 0, 1, 2), (12, 20)) is None


def test_only_axes_of_one_move() -> None:
    assert p.keeps_memory((1, 4, 1, 3), (1, 0, 2, 3))
    assert p.keeps_memory((4, 0, 3), (2, 1, 0))
    assert not p.keeps_memory((1, 4, 1, 3), (0, 3, 2, 1))


def test_compose_and_inverse() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    first, then = (2, 0, 1), (1, 0, 2)
    assert np.array_equal(x.transpose(first).transpose(then), x.transpose(p.compose(first, then)))
    assert p.is_identity(p.compose(first, p.inverse(first)))
    assert p.channels_last(4) == (0, 2, 3, 1)
