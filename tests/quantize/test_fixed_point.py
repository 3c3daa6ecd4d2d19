"""Fixed-point numbers against Python's unbounded integers and fractions."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcugen.quantize.fixed_point import (
    Rounding,
    multiply_by_quantized_multiplier,
    multiply_wide,
    quantize_multiplier,
    reduced_multiplier,
    rounding_divide_by_pot,
    srdhm,
    wrap_int32,
)

EDGES = [-(2**31), -(2**31) + 1, -(2**30), -3, -2, -1, 0, 1, 2, 3, 2**30, 2**31 - 2, 2**31 - 1]
INT32 = st.integers(-(2**31), 2**31 - 1) | st.sampled_from(EDGES)
MULTIPLIER = st.integers(2**30, 2**31 - 1) | st.sampled_from([0, 2**30, 2**31 - 1])


def one(value: int) -> np.ndarray:
    return np.array([value], np.int64)


def big_wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def big_half_away(value: Fraction) -> int:
    magnitude = (abs(value) * 2 + 1) // 2
    return int(magnitude if value >= 0 else -magnitude)


@given(INT32, INT32)
def test_srdhm(a: int, b: int) -> None:
    expected = min((a * b + 2**30) // 2**31, 2**31 - 1)
    assert srdhm(one(a), one(b)) == expected


@given(INT32, st.integers(0, 31))
def test_rounding_divide_by_pot_rounds_ties_away_from_zero(value: int, exponent: int) -> None:
    expected = big_half_away(Fraction(value, 2**exponent))
    assert rounding_divide_by_pot(one(value), one(exponent)) == expected


@given(INT32, MULTIPLIER, st.integers(-31, 31))
def test_double_rounding(value: int, multiplier: int, shift: int) -> None:
    shifted = big_wrap(value << max(shift, 0))
    high = (shifted * multiplier + 2**30) // 2**31
    expected = big_half_away(Fraction(high, 2 ** max(-shift, 0)))
    got = multiply_by_quantized_multiplier(one(value), one(multiplier), one(shift))
    assert got == expected


@given(INT32, MULTIPLIER, st.integers(-31, 30))
def test_single_rounding(value: int, multiplier: int, shift: int) -> None:
    expected = big_wrap((value * multiplier + 2 ** (30 - shift)) // 2 ** (31 - shift))
    got = multiply_by_quantized_multiplier(one(value), one(multiplier), one(shift), Rounding.SINGLE)
    assert got == expected


@given(st.integers(-(2**47), 2**47 - 1), MULTIPLIER, st.integers(-31, 14))
def test_wide(value: int, multiplier: int, shift: int) -> None:
    """The nearest multiple, halves upward, of a multiplier that is within half of 2^16."""
    reduced = int(reduced_multiplier(one(multiplier))[0])
    assert abs(reduced * 2**16 - multiplier) <= 2**15 or reduced == 2**15 - 1
    assert 0 <= reduced < 2**15
    exact = Fraction(value * reduced) * Fraction(2) ** (shift - 15)
    expected = (2 * exact + 1) // 2
    got = multiply_wide(one(value), one(reduced), one(shift))
    assert got == expected


@given(st.floats(2.0**-40, 2.0**30, allow_nan=False))
def test_quantize_multiplier_is_nearest(real: float) -> None:
    multiplier, shift = quantize_multiplier(real)
    if multiplier == 0:
        assert shift == 0
        assert real < 2.0**-32
        return
    assert 2**30 <= multiplier < 2**31
    error = abs(Fraction(multiplier) * Fraction(2) ** (shift - 31) - Fraction(real))
    assert error <= Fraction(2) ** (shift - 31) / 2


def test_quantize_multiplier_carries_into_the_shift() -> None:
    assert quantize_multiplier(1.0 - 2.0**-40) == (2**30, 1)
    assert quantize_multiplier(0.5) == (2**30, 0)
    assert quantize_multiplier(0.0) == (0, 0)
    assert quantize_multiplier(2.0**-32) == (2**30, -31)
    assert quantize_multiplier(2.0**-33) == (0, 0)
    assert quantize_multiplier(2.0**30) == (2**30, 31)


@pytest.mark.parametrize("real", [-1.0, float("nan"), float("inf"), 2.0**31])
def test_quantize_multiplier_refuses(real: float) -> None:
    with pytest.raises(ValueError, match="real multiplier"):
        quantize_multiplier(real)


def test_wrap_int32() -> None:
    values = np.array([2**31, -(2**31) - 1, 2**32 + 5, 7], np.int64)
    assert wrap_int32(values).tolist() == [-(2**31), 2**31 - 1, 5, 7]


@pytest.fixture(scope="module")
def primitives(golden_dir: Path) -> dict[str, np.ndarray]:
    with np.load(golden_dir / "primitives.npz") as data:
        return {name: data[name] for name in data}


def test_recorded_requantization(primitives: dict[str, np.ndarray]) -> None:
    args = [primitives[n] for n in ("acc", "mult", "shift")]
    double = multiply_by_quantized_multiplier(*args)
    np.testing.assert_array_equal(double, primitives["y_cmsis_double"])
    np.testing.assert_array_equal(double, primitives["y_esp_exact"])
    single = multiply_by_quantized_multiplier(*args, Rounding.SINGLE)
    np.testing.assert_array_equal(single, primitives["y_cmsis_single"])


def test_recorded_primitives(primitives: dict[str, np.ndarray]) -> None:
    p = primitives
    np.testing.assert_array_equal(srdhm(p["srdhm_a"], p["srdhm_b"]), p["srdhm_y"])
    divided = rounding_divide_by_pot(p["rdbpot_x"], p["rdbpot_e"])
    np.testing.assert_array_equal(divided, p["rdbpot_y"])


def test_recorded_multipliers(primitives: dict[str, np.ndarray]) -> None:
    pairs = [quantize_multiplier(float(real)) for real in primitives["qm_real"]]
    assert [m for m, _ in pairs] == primitives["qm_mult"].tolist()
    assert [s for _, s in pairs] == primitives["qm_shift"].tolist()
