"""Numbers as people read them: four digits, a unit with its prefix, changes in words."""

from __future__ import annotations

import math

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
DIGITS = 4
_MANY = 10
"""Ratio from which on a percentage says nothing more."""


def quantity(value: float | None, unit: str, digits: int = DIGITS, step: float = 0.0) -> str:
    """The value with as many significant digits and an SI prefix: 0.0863 s is `86.30 ms`.

    Args:
        value: in the unit; None is "-".
        unit: of it.
        digits: at most.
        step: smallest difference that means something, such as a timer's: finer digits are left
            out, 7e-6 s of a timer of microseconds is `7 µs`.
    """
    if value is None:
        return "-"
    if step and value:
        digits = min(digits, max(1, math.floor(math.log10(abs(value) / step) + 1e-9) + 1))
    rounded = abs(float(f"{value:.{digits - 1}e}"))
    if rounded == 0:
        return f"0 {unit}"
    factor, prefix = prefix_of(rounded)
    scaled = value / factor
    whole = math.floor(math.log10(rounded / factor) + 1e-9) + 1
    return f"{scaled:,.{max(0, digits - whole)}f} {prefix}{unit}"


def duration(seconds: float | None) -> str:
    """A time that a board's timer of microseconds took; `< 1 µs` where it saw none."""
    if seconds == 0:
        return "< 1 µs"
    return quantity(seconds, "s", step=1e-6)


def rate(value: float | None, unit: str) -> str:
    """The value in four digits with commas, without a prefix: `11.58 inf/s`."""
    if value is None or value <= 0:
        return "-"
    whole = math.floor(math.log10(value) + 1e-9) + 1
    return f"{value:,.{max(0, DIGITS - whole)}f} {unit}"


def prefix_of(value: float) -> tuple[float, str]:
    """(factor, prefix) that leaves the value at or above one; the smallest there is below it."""
    fits = ((f, p) for f, p in _PREFIXES if abs(value) >= f * (1 - 1e-12))
    return next(fits, _PREFIXES[-1])


def count(value: float | None) -> str:
    """A whole number with commas."""
    return "-" if value is None else f"{value:,.0f}"


def size(value: int | None) -> str:
    """Bytes, exact."""
    return "-" if value is None else f"{value:,} B"


def share(value: float | None) -> str:
    """A part of a whole: 0.1234 is `12.3 %`."""
    return "-" if value is None else f"{100 * value:.1f} %"


def change(base: float | None, value: float | None, less: str, more: str) -> str:
    """How the value differs from the base: `x 0.40, 60 % less`; "-" where one is unknown.

    Args:
        base: what it is compared with.
        value: what is compared.
        less: word for a smaller value ("faster").
        more: word for a larger one.
    """
    if base is None or value is None or base <= 0:
        return "-"
    ratio = value / base
    difference = 100 * abs(ratio - 1)
    if f"{difference:.1f}" == "0.0":
        return "the same"
    word = less if ratio < 1 else more
    if ratio >= _MANY:
        return f"x {ratio:,.0f}, {word}"
    percent = f"{difference:.{1 if difference < 10 else 0}f}"
    return f"x {ratio:.2f}, {percent} % {word}"


def points(base: float | None, value: float | None) -> str:
    """How a share differs from the base, in percentage points."""
    if base is None or value is None:
        return "-"
    difference = 100 * (value - base)
    if f"{abs(difference):.1f}" == "0.0":
        return "the same"
    return f"{abs(difference):.1f} points {'higher' if difference > 0 else 'lower'}"
