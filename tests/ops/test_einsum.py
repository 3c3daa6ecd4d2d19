"""Einsum: what it becomes, meaning, refusals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning

SIZES = {"b": 2, "c": 3, "h": 4, "i": 3, "j": 4, "k": 5, "q": 3, "d": 2}


def operands(equation: str) -> list[Array]:
    """One per term; `...` is [2, 3]."""
    terms = equation.partition("->")[0].replace(" ", "").split(",")
    shapes = [_shape(term) for term in terms]
    return [random_f32(7 + n, *shape) for n, shape in enumerate(shapes)]


def _shape(term: str) -> list[int]:
    before, dots, after = term.partition("...")
    letters = [[SIZES[x] for x in part] for part in (before, after)]
    return [*letters[0], *([2, 3] if dots else []), *letters[1]]


@pytest.mark.parametrize(
    ("equation", "ops"),
    [
        ("ij->ij", ["Transpose"]),
        ("ij->ji", ["Transpose"]),
        ("ij->", ["ReduceSum", "Reshape", "Transpose"]),
        ("bij->j", ["ReduceSum", "Reshape", "Transpose"]),
        ("ii->i", ["Reshape", "Slice", "Transpose"]),
        ("iji->ij", ["Transpose", "Reshape", "Slice", "Transpose"]),
        ("iii->", None),
        ("ij,jk->ik", ["MatMul", "Transpose"]),
        ("ij,jk", ["MatMul", "Transpose"]),
        ("ij,ij->", ["Reshape", "Reshape", "MatMul", "Reshape", "Transpose"]),
        ("ij,j->i", ["Reshape", "MatMul", "Reshape", "Transpose"]),
        ("i,j->ij", ["Reshape", "Reshape", "Mul", "Transpose"]),
        ("i,i->i", ["Mul", "Transpose"]),
        ("bij,jb->bij", ["Transpose", "Reshape", "Mul", "Transpose"]),
        (",ij->ji", ["Reshape", "Mul", "Transpose"]),
        ("bhqd,bhkd->bhqk", ["Transpose", "MatMul", "Transpose"]),
        ("bqhd,bkhd->bhqk", ["Transpose", "Transpose", "MatMul", "Transpose"]),
        ("bci,cij,c->bj", None),
        ("ij,jk,kb->ib", ["MatMul", "MatMul", "Transpose"]),
        ("ijk,jd->di", None),
        ("...ij,...jk->...ik", ["MatMul", "Transpose"]),
        ("...ij,jk", None),
        ("i...,...->...i", None),
        ("...->...", ["Transpose"]),
        (" ij , jk -> ik ", ["MatMul", "Transpose"]),
    ],
)
def test_as_numpy(equation: str, ops: Sequence[str] | None) -> None:
    arrays = operands(equation)
    if ops is not None:
        assert [n.op for n in imported("Einsum", arrays, equation=equation).nodes] == ops
    wanted = np.einsum(equation.replace(" ", ""), *arrays)
    np.testing.assert_allclose(
        meaning("Einsum", arrays, equation=equation), wanted, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("equation", ["bqhd,bkhd->bhqk", "...ij,jk->...ik", "bii->b", "ij->j"])
def test_as_onnx_runtime(equation: str) -> None:
    assert_as_ort("Einsum", operands(equation), equation=equation)


@pytest.mark.parametrize(
    ("first", "second"), [((2, 1, 3, 4), (1, 3, 4, 5)), ((3, 4), (2, 1, 4, 5)), ((1, 3, 4), (4, 5))]
)
def test_dots_broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    arrays = (random_f32(1, *first), random_f32(2, *second))
    for equation in ("...ij,...jk->...ik", "...ij,...jk->...ijk"):
        y = meaning("Einsum", arrays, equation=equation)
        np.testing.assert_allclose(y, np.einsum(equation, *arrays), rtol=1e-5, atol=1e-5)


def test_integers_are_summed_as_they_are() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert meaning("Einsum", (x, x), equation="ij,kj->ik").tolist() == [[5, 14], [14, 50]]


@pytest.mark.parametrize(
    ("equation", "shapes", "reason"),
    [
        ("ij,jk->ik", [(2, 3)], "a term for each of 1 inputs, got ij,jk->ik"),
        ("ij->ij", [(2, 3, 4)], "a letter per axis and at most one '...', got 'ij'"),
        ("ijk...->ijk", [(2, 3)], "a letter per axis and at most one '...', got 'ijk...'"),
        ("i......->i", [(2, 3)], "a letter per axis and at most one '...', got 'i......'"),
        ("i1->i", [(2, 3)], "a letter per axis and at most one '...', got 'i1'"),
        ("ij->ii", [(2, 3)], "the result must have different letters of the terms, got ij->ii"),
        ("ij->k", [(2, 3)], "the result must have different letters of the terms, got ij->k"),
        ("ij,jk->ik", [(2, 3), (4, 2)], "'j' must have one extent, got 3 and 4"),
        ("ii->i", [(2, 1)], "'i' must have one extent, got 2 and 1"),
        ("...,...->...", [(2, 3), (2, 4)], "'...' must have one extent, got 3 and 4"),
    ],
)
def test_refused(equation: str, shapes: list[tuple[int, ...]], reason: str) -> None:
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    with pytest.raises(UnsupportedModelError) as caught:
        imported("Einsum", arrays, equation=equation)
    assert reason in str(caught.value)


def test_what_the_other_operators_refuse_is_refused() -> None:
    x = np.zeros((2, 2), np.int8)
    with pytest.raises(UnsupportedModelError, match=r"Einsum 'node' .*element type"):
        imported("Einsum", (x, x), equation="ij,jk->ik")
