"""The C of firmware/mcugen_math*.h: equal to its NumPy twin in every bit, and accurate."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mcugen import float_math as fm
from mcugen import resources
from mcugen.ir import Array

FLAGS = ("-std=c11", "-O2", "-ffp-contract=off")
WARNINGS = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow"),
    *("-Wdouble-promotion", "-Wmissing-prototypes", "-Wvla", "-Wcast-align", "-Wundef", "-Werror"),
)

UNARY: dict[str, tuple[Callable[..., Array], Callable[..., Array] | None, float]] = {
    # C name: (twin, float64 oracle, bound in ulp over all floats)
    "trunc": (fm.trunc, np.trunc, 0),
    "floor": (fm.floor, np.floor, 0),
    "ceil": (fm.ceil, np.ceil, 0),
    "rint": (fm.rint, np.rint, 0),
    "round": (fm.round_half_away, None, 0),
    "sqrt": (fm.sqrt, np.sqrt, 0.5),
    "fabs": (fm.fabs, np.abs, 0),
    "exp": (fm.exp, np.exp, 1.0),
    "expm1": (fm.expm1, np.expm1, 2.0),
    "log": (fm.log, np.log, 1.0),
    "log1p": (fm.log1p, np.log1p, 1.5),
    "sigmoid": (fm.sigmoid, lambda x: 1 / (1 + np.exp(-x)), 2.5),
    "softplus": (fm.softplus, lambda x: np.logaddexp(x, 0), 2.0),
    "tanh": (fm.tanh, np.tanh, 1.5),
    "erf": (fm.erf, None, 0),
    "sin": (fm.sin, np.sin, 3.0),
    "cos": (fm.cos, np.cos, 3.0),
    "tan": (fm.tan, np.tan, 5.0),
    "asin": (fm.asin, np.arcsin, 2.5),
    "acos": (fm.acos, np.arccos, 2.0),
    "atan": (fm.atan, np.arctan, 2.0),
    "sinh": (fm.sinh, np.sinh, 2.5),
    "cosh": (fm.cosh, np.cosh, 2.0),
    "asinh": (fm.asinh, np.arcsinh, 3.0),
    "acosh": (fm.acosh, np.arccosh, 3.0),
    "atanh": (fm.atanh, np.arctanh, 3.0),
}

BINARY: dict[str, tuple[Callable[..., Array], Callable[..., Array] | None, float]] = {
    "min": (fm.minimum, np.minimum, 0),
    "max": (fm.maximum, np.maximum, 0),
    "copysign": (fm.copysign, np.copysign, 0),
    "fmod": (fm.fmod, np.fmod, 0),
    "mod": (fm.mod, None, 0),
    "pow": (fm.pow, np.power, 2.0),
}

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def _source() -> str:
    lines = ['#include "mcugen_math.h"']
    loop = "{{ for (int32_t i = 0; i < n; ++i) {{ y[i] = {call}; }} }}"

    def function(name: str, args: str, result: str, call: str) -> None:
        head = f"void {name}({args}, {result} *y, int32_t n)"
        lines.append(f"{head};\n{head}\n{loop.format(call=call)}")

    for name in UNARY:
        function(f"f_{name}", "const float *x", "float", f"mcugen_{name}(x[i])")
    for name in BINARY:
        function(
            f"f_{name}", "const float *x, const float *z", "float", f"mcugen_{name}(x[i], z[i])"
        )
    for source in ("float", "double"):
        for name in INTEGERS:
            call = f"mcugen_{source}_to_{name}(x[i])"
            function(f"f_{source}_{name}", f"const {source} *x", f"{name}_t", call)
    return "\n".join(lines) + "\n"


def _compiler() -> list[str]:
    if cc := shutil.which("cc"):
        return [cc]
    pytest.importorskip("ziglang", reason="needs a C compiler: cc, or the package ziglang")
    return [sys.executable, "-m", "ziglang", "cc"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("float_math")
    (folder / "all.c").write_text(_source())
    built = folder / "all.so"
    include = f"-I{resources.firmware()}"
    command = [
        *_compiler(),
        *FLAGS,
        *WARNINGS,
        include,
        "-fPIC",
        "-shared",
        "-o",
        built,
        folder / "all.c",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(built))


def call(library: ctypes.CDLL, name: str, dtype: str, *arrays: Array) -> Array:
    y = np.empty(arrays[0].shape, dtype)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arrays, y)]
    getattr(library, f"f_{name}")(*pointers, ctypes.c_int32(y.size))
    return y


def sweep(count: int, seed: int = 0) -> Array:
    """Corners, their neighbours, every exponent, random bit patterns, ordinary sizes."""
    rng = np.random.default_rng(seed)
    points = (
        *(0, 0.5, 1, 1.5, 2, 2.5, 3, np.pi / 4, np.pi / 2, np.pi, 0.625, 0.921875, 4, 18, 88.72284),
        *(88.8, 89.4159, 103.97, 104, 4096, 2**23, 2**24, 2**31, 2**32, 2**63, 1e5, 3.4028235e38),
        *(1.1754944e-38, 1e-45, 127.5, 128, 255, 255.5, 256, 32767.5, 65535, np.inf, np.nan),
    )
    corners = np.array(points, np.float32)
    up = (corners.view(np.uint32) + np.uint32(1)).view(np.float32)
    down = (corners.view(np.uint32) - np.uint32(1)).view(np.float32)
    near = np.concatenate([corners, up, down])
    exponents = (np.arange(0x100, dtype=np.uint32) << 23)[:, None] | np.array(
        [0, 1, 0x3504F3, 0x3504F4, 0x400000, 0x7FFFFF], np.uint32
    )
    bits = rng.integers(0, 2**32, count, dtype=np.uint32)
    usual = (rng.standard_normal(count // 2) * 4).astype(np.float32)
    parts = [near, -near, exponents.reshape(-1).view(np.float32), bits.view(np.float32), usual]
    return np.concatenate(parts)


def assert_same_bits(got: Array, want: Array, *inputs: Array) -> None:
    same = (got.view(np.uint32) == want.view(np.uint32)) | (np.isnan(got) & np.isnan(want))
    if not same.all():
        i = int(np.argmin(same))
        pytest.fail(f"{(~same).sum()} differ; at {[x[i] for x in inputs]} {got[i]} != {want[i]}")


def worst_ulp(got: Array, exact: Array) -> float:
    """Largest distance in units of the last place of the float32 nearest to `exact`."""
    with np.errstate(all="ignore"):
        nearest = exact.astype(np.float32)
        ordinary = np.isfinite(nearest)
        assert np.array_equal(np.isnan(got), np.isnan(nearest))
        step = np.abs(np.spacing(nearest[ordinary]).astype(np.float64))
        top = np.abs(nearest[~ordinary & ~np.isnan(nearest)])
        assert np.array_equal(np.abs(got[~ordinary & ~np.isnan(nearest)]), top)
        # a result that rounds to inf where the exact one is just below is one ulp off
        values = np.where(np.isinf(got[ordinary]), np.float64(2.0**128), got[ordinary])
        return float((np.abs(values - exact[ordinary]) / step).max(initial=0.0))


@pytest.mark.parametrize("name", UNARY)
def test_unary_equals_its_twin(library: ctypes.CDLL, name: str) -> None:
    x = sweep(1_000_000)
    assert_same_bits(call(library, name, "float32", x), UNARY[name][0](x), x)


@pytest.mark.parametrize("name", BINARY)
def test_binary_equals_its_twin(library: ctypes.CDLL, name: str) -> None:
    x, z = pairs()
    assert_same_bits(call(library, name, "float32", x, z), BINARY[name][0](x, z), x, z)


def pairs() -> tuple[Array, Array]:
    """Random pairs, every pair of corners, ordinary bases with ordinary and integer exponents."""
    rng = np.random.default_rng(1)
    corners = np.unique(sweep(0))
    corners = np.concatenate([rng.choice(corners, 300), [0.0, -0.0, 1, -1, 2, -2, 3, -3]])
    specials = np.array([np.inf, -np.inf, np.nan], np.float32)
    corners = np.concatenate([corners, specials]).astype(np.float32)
    a, b = (g.reshape(-1) for g in np.meshgrid(corners, corners))
    x = sweep(400_000, 2)
    base = np.exp(rng.standard_normal(200_000)).astype(np.float32)
    power = (rng.standard_normal(200_000) * 20).astype(np.float32)
    whole = np.rint(power)
    near_one = (1 + rng.standard_normal(100_000) * 1e-3).astype(np.float32)
    steep = (rng.standard_normal(100_000) * 1e4).astype(np.float32)
    xs = [a, x, base, -base, near_one]
    return np.concatenate(xs), np.concatenate([b, rng.permutation(x), power, whole, steep])


@pytest.mark.parametrize("name", [n for n, row in UNARY.items() if row[1] is not None])
def test_unary_is_accurate(name: str) -> None:
    twin, oracle, bound = UNARY[name]
    assert oracle is not None
    x = sweep(300_000, 3)
    with np.errstate(all="ignore"):
        exact = oracle(x.astype(np.float64))
    assert worst_ulp(twin(x), exact) <= bound


def test_erf_is_accurate() -> None:
    from math import erf

    x = sweep(30_000, 4)
    exact = np.array([erf(v) for v in x.tolist()])
    assert worst_ulp(fm.erf(x), exact) <= 1.5


@pytest.mark.parametrize("name", [n for n, row in BINARY.items() if row[1] is not None])
def test_binary_is_accurate(name: str) -> None:
    twin, oracle, bound = BINARY[name]
    assert oracle is not None
    x, z = pairs()
    with np.errstate(all="ignore"):
        exact = oracle(x.astype(np.float64), z.astype(np.float64))
    assert worst_ulp(twin(x, z), exact) <= bound


def test_mod_is_pythons() -> None:
    x, z = np.array([5, -5, 5, -5, 0, 6], np.float32), np.array([3, 3, -3, -3, 2, -3], np.float32)
    assert fm.mod(x, z).tolist() == [2, 1, -1, -2, 0, 0]
    assert np.signbit(fm.mod(np.float32(6), np.float32(-3)))


def test_signs_of_zero() -> None:
    minus = np.float32(-0.0)
    for name in ("sqrt", "sin", "tan", "tanh", "erf", "asin", "atan", "sinh", "asinh", "atanh"):
        assert np.signbit(UNARY[name][0](minus)), name
    for name in ("expm1", "log1p", "floor", "ceil", "rint", "trunc"):
        assert np.signbit(UNARY[name][0](minus)), name


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ["float", "double"])
def test_conversion_saturates(library: ctypes.CDLL, source: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        x = sweep(200_000, 5).astype(np.float32 if source == "float" else np.float64)
    edge = np.array([info.min, info.max], x.dtype)
    x = np.concatenate([x, edge, np.nextafter(edge, 0), edge * 2, edge + 1, edge - 1, edge + 0.5])
    got = call(library, f"{source}_{dtype}", dtype, x)
    assert np.array_equal(got, fm.to_integer(x, dtype))
    want = [0 if v != v else int(min(max(v, -1e30), 1e30)) for v in x.tolist()]
    assert got.tolist() == [min(max(v, int(info.min)), int(info.max)) for v in want]
