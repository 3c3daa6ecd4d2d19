"""The functions that compilers call for Xtensa, built for this machine under other names."""

from __future__ import annotations

import ctypes
import itertools
from functools import cache

import numpy as np
import pytest

from mcugen import resources
from mcugen.host import same_bits
from mcugen.toolchain import STRICT_WARNINGS, build

NAMES = ("__muldi3", "__udivdi3", "__umoddi3", "__divdi3", "__moddi3", "__divsf3")
EACH = """
#include <stdint.h>
float own_divsf3(float a, float b);
void each(const float *a, const float *b, float *out, uint32_t count);
void each(const float *a, const float *b, float *out, uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) { out[i] = own_divsf3(a[i], b[i]); }
}
"""
INTEGERS = sorted(
    {sign * (1 << bits) + by for bits in (0, 1, 16, 31, 32, 47, 62) for sign in (1, -1)
     for by in (-1, 0, 1)} | {0, (1 << 63) - 1, -(1 << 63), 0x1234_5678_9ABC_DEF0, -987_654_321}
)  # fmt: skip


@cache
def library() -> ctypes.CDLL:
    source = (resources.firmware() / "xtensa" / "mcugen_xtensa_runtime.c").read_text()
    renamed = [f"-D{name}=own_{name[2:]}" for name in NAMES]
    files = {"runtime.c": source, "each.c": EACH}
    return ctypes.CDLL(str(build(files, flags=("-O2", *STRICT_WARNINGS, *renamed))))


def floats() -> np.ndarray:
    """Bits of every kind of float, and of random ones."""
    corners = (
        0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0xFFFFFF, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
        0x40400000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x00400000, 0x7E800000,
    )  # fmt: skip
    return np.array([c | s for c in corners for s in (0, 1 << 31)], np.uint32)


def quotients(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, out)]
    library().each(*pointers, ctypes.c_uint32(a.size))
    return out


def test_quotients_of_floats_are_rounded_as_everywhere() -> None:
    rng = np.random.default_rng(7)
    corners = floats()
    pairs = np.array(list(itertools.product(corners, corners)), np.uint32)
    anything = rng.integers(0, 1 << 32, (200_000, 2), np.uint32)
    # near each other: quotients around 1; near the smallest: quotients that are subnormal
    close = anything & 0x807FFFFF | np.array([0x3F800000, 0x3F800000], np.uint32)
    small = anything & 0x80FFFFFF | np.array([0x00000000, 0x3F000000], np.uint32)
    bits = np.concatenate([pairs, anything, close, small])
    a, b = (np.ascontiguousarray(bits[:, i]).view(np.float32) for i in (0, 1))
    with np.errstate(all="ignore"):
        expected = a / b
    assert same_bits(quotients(a, b), expected).all()


@pytest.mark.parametrize("b", INTEGERS)
def test_products_and_quotients_of_integers(b: int) -> None:
    signed, unsigned = ctypes.c_int64, ctypes.c_uint64
    for name in ("muldi3", "divdi3", "moddi3"):
        getattr(library(), f"own_{name}").restype = signed
    for name in ("udivdi3", "umoddi3"):
        getattr(library(), f"own_{name}").restype = unsigned
    own = library()
    for a in INTEGERS:
        assert own.own_muldi3(signed(a), signed(b)) == signed(a * b).value
        if b == 0:
            continue
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        assert own.own_divdi3(signed(a), signed(b)) == signed(quotient).value
        assert own.own_moddi3(signed(a), signed(b)) == a - quotient * b
        x, y = unsigned(a).value, unsigned(b).value
        assert own.own_udivdi3(unsigned(x), unsigned(y)) == x // y
        assert own.own_umoddi3(unsigned(x), unsigned(y)) == x % y
