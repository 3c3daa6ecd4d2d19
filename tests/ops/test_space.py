"""DepthToSpace and SpaceToDepth: import, both orders, both layouts, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ops.registry import specs
from mcugen.ops.space import DepthToSpaceAttrs, SpaceToDepthAttrs
from opcase import random_f32
from single_op import assert_as_ort, imported, meaning


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space(mode: str) -> None:
    assert_as_ort("DepthToSpace", (random_f32(1, 2, 12, 3, 2),), blocksize=2, mode=mode)


def test_order_of_channels() -> None:
    x = np.arange(8, dtype=np.float32).reshape(1, 8, 1, 1)
    dcr = meaning("DepthToSpace", (x,), blocksize=2)
    assert dcr.ravel().tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    crd = meaning("DepthToSpace", (x,), blocksize=2, mode="CRD")
    assert crd.ravel().tolist() == list(range(8))


def test_space_to_depth() -> None:
    assert_as_ort("SpaceToDepth", (random_f32(2, 2, 3, 4, 6),), blocksize=2)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("last", [False, True])
def test_one_undoes_the_other(mode: str, last: bool) -> None:
    shape = (2, 4, 6, 3) if last else (2, 3, 4, 6)
    x = random_f32(3, *shape)
    there, back = specs()["SpaceToDepth"].semantics, specs()["DepthToSpace"].semantics
    assert there is not None
    assert back is not None
    deep = there(SpaceToDepthAttrs(2, mode, last), (x,))
    np.testing.assert_array_equal(back(DepthToSpaceAttrs(2, mode, last), deep)[0], x)


@pytest.mark.parametrize(
    ("op", "shape", "reason"),
    [
        ("DepthToSpace", (1, 6, 2, 2), "channels must be a multiple of 4, got 6"),
        ("SpaceToDepth", (1, 1, 3, 4), "height and width must be multiples of 2, got 3x4"),
    ],
)
def test_sizes_must_divide(op: str, shape: tuple[int, ...], reason: str) -> None:
    with pytest.raises(UnsupportedModelError, match=reason):
        imported(op, (random_f32(4, *shape),), blocksize=2)


def test_unknown_mode_and_size_are_refused() -> None:
    x = random_f32(5, 1, 4, 2, 2)
    with pytest.raises(UnsupportedModelError, match="mode must be DCR or CRD, got RDC"):
        imported("DepthToSpace", (x,), blocksize=2, mode="RDC")
    with pytest.raises(UnsupportedModelError, match="blocksize must be positive, got 0"):
        imported("DepthToSpace", (x,), blocksize=0)
