from __future__ import annotations

import pytest

from mcugen.report.quantity import change, count, duration, points, quantity, rate, share, size


@pytest.mark.parametrize(
    ("value", "unit", "wanted"),
    [
        (0.0863, "s", "86.30 ms"),
        (0.99996, "s", "1.000 s"),
        (0.0009999, "s", "999.9 µs"),
        (0.00099999, "s", "1.000 ms"),
        (12.3456789, "J", "12.35 J"),
        (1234.5, "inf/s", "1.234 kinf/s"),
        (3.3e-10, "A", "0.3300 nA"),
        (-0.0021, "J", "-2.100 mJ"),
        (0.0, "A", "0 A"),
        (None, "s", "-"),
    ],
)
def test_four_digits_and_a_prefix(value: float | None, unit: str, wanted: str) -> None:
    assert quantity(value, unit) == wanted


def test_other_forms() -> None:
    assert quantity(3.3, "V", 3) == "3.30 V"
    assert (count(1234567.0), count(None)) == ("1,234,567", "-")
    assert (size(55296), size(None)) == ("55,296 B", "-")
    assert (share(0.1234), share(None)) == ("12.3 %", "-")


@pytest.mark.parametrize(
    ("base", "value", "wanted"),
    [
        (100.0, 41.0, "x 0.41, 59 % faster"),
        (100.0, 249.0, "x 2.49, 149 % slower"),
        (100.0, 103.4, "x 1.03, 3.4 % slower"),
        (10.0, 234.0, "x 23, slower"),
        (1.0, 1848.7, "x 1,849, slower"),
        (100.0, 100.04, "the same"),
        (0.0, 1.0, "-"),
        (None, 1.0, "-"),
        (1.0, None, "-"),
    ],
)
def test_changes_are_in_words(base: float | None, value: float | None, wanted: str) -> None:
    assert change(base, value, "faster", "slower") == wanted


@pytest.mark.parametrize(
    ("base", "value", "wanted"),
    [
        (0.86, 0.88, "2.0 points higher"),
        (0.88, 0.86, "2.0 points lower"),
        (0.86, 0.8603, "the same"),
        (None, 0.86, "-"),
    ],
)
def test_shares_change_by_points(base: float | None, value: float, wanted: str) -> None:
    assert points(base, value) == wanted


@pytest.mark.parametrize(
    ("seconds", "wanted"),
    [(7e-6, "7 µs"), (12e-6, "12 µs"), (86.3e-3, "86.30 ms"), (0.4e-6, "400 ns"), (0.0, "< 1 µs")],
)
def test_a_timer_of_microseconds_gives_no_finer_digits(seconds: float, wanted: str) -> None:
    assert duration(seconds) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(11.5839, "11.58 inf/s"), (64412.3, "64,412 inf/s"), (0.01234, "0.01234 inf/s"), (None, "-")],
)
def test_rates_have_no_prefix(value: float | None, wanted: str) -> None:
    assert rate(value, "inf/s") == wanted
