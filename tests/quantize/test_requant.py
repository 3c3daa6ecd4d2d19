"""Requantization of accumulators, and its C twin."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mcugen.ir import DType, QuantParams
from mcugen.ops.spec import Arithmetic
from mcugen.quantize.fixed_point import (
    Rounding,
    multiply_by_quantized_multiplier,
    srdhm,
    wrap_int32,
)
from mcugen.quantize.requant import Requant, quantized_clamp
from opcase import q

OUT = q(0.5, 3)


def requant(arithmetic: Arithmetic, scale: object, out: QuantParams = OUT) -> Requant:
    return Requant.of(arithmetic, np.asarray(scale, np.float32), out, DType.INT8)


def test_tflite_rounds_ties_away_from_zero() -> None:
    rq = requant(Arithmetic.TFLITE, 0.125)
    assert rq.apply(np.array([2, -2, 6, -6, 4])).tolist() == [4, 2, 5, 1, 4]


def test_onnx_rounds_ties_to_even() -> None:
    rq = requant(Arithmetic.ONNX, 0.25)
    assert rq.apply(np.array([1, -1, 3, -3, 2])).tolist() == [3, 3, 5, 1, 4]


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_extremes_clamp(arithmetic: Arithmetic) -> None:
    rq = requant(arithmetic, 0.25)
    ends = np.array([2**31 - 1, -(2**31), 2**31])
    assert rq.apply(ends).tolist() == [127, -128, -128]


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_per_channel_numbers_follow_the_last_axis(arithmetic: Arithmetic) -> None:
    rq = requant(arithmetic, [0.5, 1.0, 0.001])
    acc = np.array([[10, 10, 1000], [-4, -4, -2000]])
    assert rq.apply(acc).tolist() == [[13, 23, 5], [-1, -5, -1]]
    names = ["multiplier", "shift"] if arithmetic is Arithmetic.TFLITE else ["scale"]
    assert [c.name for c in rq.constants()] == names


def test_uint8_and_activation_range() -> None:
    rq = Requant.of(Arithmetic.TFLITE, np.float32(1.0), q(1.0, 128), DType.UINT8, (128, 200))
    assert rq.apply(np.array([-5, 5, 500])).tolist() == [128, 133, 200]
    assert rq.apply(np.array([0])).dtype == np.uint8


def test_quantized_clamp() -> None:
    assert quantized_clamp(0.0, 6.0, q(0.05, -128), DType.INT8) == (-128, -8)
    assert quantized_clamp(-np.inf, np.inf, q(0.05, 0), DType.INT8) == (-128, 127)
    assert quantized_clamp(-1.0, 1e30, q(0.1, 128), DType.UINT8) == (118, 255)


SOURCE = """
#include "mcugen_quant.h"
void run(int32_t n, const int32_t *acc, const int32_t *mult, const int32_t *shift,
         const float *scale, int32_t *out);
void run(int32_t n, const int32_t *acc, const int32_t *mult, const int32_t *shift,
         const float *scale, int32_t *out)
{
    for (int32_t i = 0; i < n; ++i) {
        out[i] = mcugen_requantize(acc[i], mult[i], shift[i]);
        out[n + i] = shift[i] > 30 ? 0 : mcugen_requantize_single(acc[i], mult[i], shift[i]);
        out[2 * n + i] = mcugen_requantize_float(acc[i], scale[i], 0.1f, -131.0f, 124.0f);
        out[3 * n + i] = mcugen_srdhm(acc[i], acc[n - 1 - i]);
        out[4 * n + i] = mcugen_wrap_add(acc[i], mult[i]);
        out[5 * n + i] = shift[i] < 0 ? mcugen_requantize_once(acc[i], mult[i], 31 - shift[i]) : 0;
        out[6 * n + i] =
            shift[i] < 0 ? mcugen_requantize_once_up(acc[i], mult[i], 31 - shift[i]) : 0;
        out[7 * n + i] = shift[i] < -1 ? mcugen_requantize_high(acc[i], mult[i], -1 - shift[i]) : 0;
        out[8 * n + i] =
            shift[i] < -1 ? mcugen_requantize_high_up(acc[i], mult[i], -1 - shift[i]) : 0;
    }
}
"""


def test_header_equals_reference(tmp_path: Path) -> None:
    firmware = Path(__file__).parents[2] / "firmware"
    source, library = tmp_path / "quant.c", tmp_path / "quant.so"
    source.write_text(SOURCE)
    compiler = [shutil.which("cc") or ""] if shutil.which("cc") else [sys.executable, "-m"]
    if compiler[0] == sys.executable:
        pytest.importorskip("ziglang")
        compiler += ["ziglang", "cc"]
    flags = "-std=c11 -O2 -ffp-contract=off -shared -fPIC -Wall -Wextra -Wpedantic -Wconversion"
    strict = "-Wsign-conversion -Wshadow -Wdouble-promotion -Werror"
    command = [*compiler, *flags.split(), *strict.split(), f"-I{firmware}"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)

    rng = np.random.default_rng(5)
    edges = [-(2**31), 2**31 - 1, 0, -1, 1, -(2**31) + 1, 2**30, -(2**30)]
    acc = np.concatenate([np.repeat(edges, 63), rng.integers(-(2**31), 2**31, 4000)])
    acc = np.concatenate([acc, rng.integers(-2000, 2000, 4000), [-(2**31)] * 2]).astype(np.int32)
    count = acc.size
    shift = np.resize(np.arange(-31, 32, dtype=np.int32), count)
    mult = rng.integers(2**30, 2**31, count).astype(np.int32)
    mult[::5] = 2**30
    scale = np.exp2(rng.uniform(-30, 10, count)).astype(np.float32)
    scale[-5000:] = np.float32(0.05)  # ties
    out = np.zeros((9, count), np.int32)
    ctypes.CDLL(str(library)).run(
        count, *(a.ctypes.data_as(ctypes.c_void_p) for a in (acc, mult, shift, scale, out))
    )
    np.testing.assert_array_equal(out[0], multiply_by_quantized_multiplier(acc, mult, shift))
    right = shift < 0
    double = multiply_by_quantized_multiplier(acc, mult, shift)[right]
    np.testing.assert_array_equal(out[5][right], double)
    np.testing.assert_array_equal(np.maximum(out[6][right], 0), np.maximum(double, 0))
    far = shift < -1
    double = multiply_by_quantized_multiplier(acc, mult, shift)[far]
    np.testing.assert_array_equal(out[7][far], double)
    np.testing.assert_array_equal(np.maximum(out[8][far], 0), np.maximum(double, 0))
    single = multiply_by_quantized_multiplier(acc, mult, np.minimum(shift, 30), Rounding.SINGLE)
    np.testing.assert_array_equal(out[1][shift <= 30], single[shift <= 30])
    floats = Requant.of(Arithmetic.ONNX, scale, q(0.1, 3), DType.INT8, (-128, 127), np.ones(1))
    np.testing.assert_array_equal(out[2], floats.apply(acc).astype(np.int32) - 3)
    np.testing.assert_array_equal(out[3], srdhm(acc, acc[::-1]))
    np.testing.assert_array_equal(out[4], wrap_int32(acc.astype(np.int64) + mult))


def test_wide_sums_do_not_wrap() -> None:
    rq = Requant.of(Arithmetic.TFLITE, np.float32(2.0**-20), q(1.0), DType.INT16, wide=True)
    acc = np.array([2**33, -(2**33), 2**40, -(2**40), 2**19, -(2**19), 2**19 - 1])
    assert rq.apply(acc).tolist() == [8192, -8192, 2**15 - 1, -(2**15), 1, 0, 0]
    floats = Requant.of(Arithmetic.ONNX, np.float32(2.0**-20), q(1.0), DType.INT16, wide=True)
    assert floats.apply(acc).tolist() == [8192, -8192, 2**15 - 1, -(2**15), 0, 0, 0]
    assert (rq.form, floats.form) == ("wide", "float_wide")


def test_the_slack_of_a_cut_multiplier() -> None:
    """0x40008000 is half way between two multipliers of 15 bits: 1 in 32769 off."""
    real = np.array([0.5 + 2.0**-16, 0.5])
    rq = Requant.of(
        Arithmetic.TFLITE, np.ones(2, np.float32), q(1.0), DType.INT16, real=real, wide=True
    )
    assert rq.multiplier.tolist() == [0x40008000, 0x40000000]
    assert rq.stored_multiplier.tolist() == [0x4001, 0x4000]
    np.testing.assert_allclose(rq.rounding_slack(), [2**15 / 32769, 0.0])


@pytest.mark.parametrize(
    ("scale", "zero_point", "act_range", "form", "stored"),
    [
        (0.25, 3, (-128, 127), "once", [32]),
        (0.25, 3, (3, 127), "once_up", [32]),
        (0.25, -128, (-128, 127), "once_up", [32]),
        ([0.1, 0.25], 3, (-128, 127), "once", [34, 32]),
        ([0.1, 0.05], 3, (-128, 127), "high", [2, 3]),
        (0.1, 3, (3, 127), "high_up", [2]),
        (0.5, 3, (-128, 127), "general", [0]),
        ([0.1, 0.6], 3, (-128, 127), "general", [-3, 0]),
    ],
)
def test_the_form_follows_the_numbers(
    scale: object, zero_point: int, act_range: tuple[int, int], form: str, stored: list[int]
) -> None:
    """Real multipliers below 0.5 have a negative shift: to the right; below 0.25 by two places."""
    scales = np.asarray(scale, np.float32) / 2
    rq = Requant.of(Arithmetic.TFLITE, scales, q(0.5, zero_point), DType.INT8, act_range)
    assert rq.form == form
    assert rq.stored_shift.tolist() == stored
