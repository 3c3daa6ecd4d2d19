"""Numbers that the firmware prints without printf."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mcugen import host
from mcugen.ir import Array
from mcugen.toolchain import STRICT_WARNINGS, build

MAIN = """
#include <inttypes.h>
#include <stdio.h>
#include "mcugen_print.h"

static void put_char(char c)
{
    (void)putchar(c);
}

int main(void)
{
    int is_double;
    uint64_t bits;
    while (scanf("%d %" SCNx64, &is_double, &bits) == 2) {
        mcugen_print_real(put_char, bits, is_double != 0);
        mcugen_print_line(put_char, "");
    }
    return 0;
}
"""


@cache
def program() -> Path:
    files = {**host.runtime_headers(), "main.c": MAIN}
    files["mcugen_print.c"] = host.runtime_sources()["mcugen_print.c"]
    flags = ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", *STRICT_WARNINGS)
    return build(files, flags=flags, link_flags=(), suffix=".exe")


def printed(values: Array) -> list[str]:
    double = values.dtype == np.float64
    bits = values.view(np.uint64 if double else np.uint32)
    text = "\n".join(f"{int(double)} {int(b):x}" for b in bits)
    done = subprocess.run(
        [program()], input=text, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.split()


def many(dtype: type[np.floating], largest: float) -> Array:
    """Values of every size and sign, ties of the last decimal among them."""
    rng = np.random.default_rng(4)
    sizes = 10.0 ** rng.uniform(-30, np.log10(largest), 3000)
    ties = np.arange(-200, 200) / 16.0 + 0.0625
    near = np.arange(-500, 500) / 1000.0
    return np.concatenate([sizes, -sizes, ties, near]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_three_decimals_as_python_rounds_them(dtype: type[np.floating]) -> None:
    values = many(dtype, 1e19)
    assert printed(values) == [f"{v:.3f}" for v in values.tolist()]


def test_what_is_no_number() -> None:
    values = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45], np.float32)
    assert printed(values) == ["nan", "nan", "inf", "-inf", "0.000", "-0.000", "0.000"]


@pytest.mark.parametrize(
    ("dtype", "values"),
    [(np.float32, [1e20, -3.4e38, 2.0**64]), (np.float64, [1e20, -1.7e308, 2.0**64, 1e100])],
)
def test_large_numbers(dtype: type[np.floating], values: list[float]) -> None:
    array = np.array(values, dtype)
    texts = printed(array)
    assert all("e" in text for text in texts)
    assert [float(t) for t in texts] == pytest.approx(array.tolist(), rel=1e-15)
