"""Pow: floats, integers, mixed types, short forms."""

from __future__ import annotations

import numpy as np
import pytest

from mcugen.errors import UnsupportedModelError
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.pow import SPECS, PowAttrs, integer_power
from mcugen.ops.spec import Lowered, Site
from single_op import assert_as_ort, imported, meaning

(SPEC,) = SPECS
F32 = np.float32
BASES = F32([0.5, 1, 2, 3.7, 10])


@pytest.mark.parametrize("exponent", [F32([-2, -0.5, 0, 0.5, 3]), np.array([-2, -1, 0, 1, 3])])
def test_as_onnx_runtime(exponent: Array) -> None:
    assert_as_ort("Pow", (BASES[:, None], exponent))


def test_integers_as_onnx_runtime() -> None:
    bases, exponents = np.array([[-3], [2], [0], [10]], np.int32), np.array([0, 1, 2, 5], np.int32)
    assert_as_ort("Pow", (bases, exponents))


def test_special_cases() -> None:
    base = F32([0, -0.0, -np.inf, -1, 1, np.nan, -8, -8])
    power = F32([-1, -1, 0.5, np.inf, np.nan, 0, 3, 0.5])
    wanted = F32([np.inf, -np.inf, np.inf, 1, 1, 1, -512, np.nan])
    np.testing.assert_array_equal(meaning("Pow", (base, power)), wanted)


def test_integer_powers_wrap_and_truncate() -> None:
    assert integer_power(np.int8([2, 3, -2]), np.int8([7, 5, 3])).tolist() == [-128, -13, -8]
    negative = integer_power(np.int32([1, -1, -1, 0, 5]), np.int32([-3, -3, -2, -1, -1]))
    assert negative.tolist() == [1, -1, 1, 0, 0]


def lowered(exponent: Array, *, constant: bool = True, base: tuple[int, ...] = (2, 3)) -> Lowered:
    x = Tensor("x", base, DType.FLOAT32)
    data = exponent if constant else None
    n = Tensor("n", exponent.shape, DType.of(exponent), data=data)
    y = Tensor("y", (2, 3), DType.FLOAT32)
    assert SPEC.lower is not None
    return SPEC.lower(Site(Node("Pow", "node", ("x", "n"), ("y",), PowAttrs()), (x, n), (y,)))


def test_known_exponents_are_not_read() -> None:
    square = lowered(F32([2, 2, 2]))
    assert square.inputs == ("x",)
    assert square.params.result == "a * a"


@pytest.mark.parametrize(
    ("exponent", "options"),
    [
        (F32([2, 3, 2]), {}),
        (F32([2]), {"constant": False}),
        (F32([4]), {}),
        (np.full((2, 3), 2, F32), {"base": (3,)}),
    ],
)
def test_other_exponents_are_read(exponent: Array, options: dict[str, object]) -> None:
    found = lowered(exponent, **options)  # type: ignore[arg-type]
    assert found.inputs == ("x", "n")
    assert found.params.result == "mcugen_pow(a, b)"


def test_doubles_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="got float64"):
        imported("Pow", (np.zeros(2), np.zeros(2)))
    with pytest.raises(UnsupportedModelError, match="exponent's element type must be float32"):
        imported("Pow", (BASES, np.zeros(5)))
