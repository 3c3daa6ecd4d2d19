"""Operators without weights on int16: what is taken, their numbers by Python's own integers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mcugen import api, check
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.elementwise import NoAttrs
from mcugen.ops.matmul import MatMulAttrs
from mcugen.ops.pool import PoolAttrs
from mcugen.ops.qelementwise import QElementwiseAttrs, quantize_add, quantize_mul
from mcugen.ops.qmatmul_rules import QMatMulAttrs, quantize_matmul
from mcugen.ops.qmean import quantize_mean
from mcugen.ops.qpool import QPoolAttrs, quantize_average
from mcugen.ops.reduce_attrs import ReduceAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from mcugen.quantize.fixed_point import quantize_multiplier
from mcugen.samples import random_samples
from onnx_models import model, node, value
from opcase import q, random_int

INT16 = DType.INT16
LOW, HIGH = -(2**15), 2**15 - 1
FREE = (-np.inf, np.inf)


def tensor(name: str, zero_point: int = 0, dtype: DType = INT16) -> Tensor:
    return Tensor(name, (1, 4, 4, 2), dtype, q(0.5, zero_point))


def pair(a: Tensor, b: Tensor, y: Tensor) -> QuantSite:
    return QuantSite(Node("Add", "node", ("a", "b"), ("y",), NoAttrs()), (a, b), (y,), FREE)


def test_an_addition_of_int16_has_an_integer_form() -> None:
    form = quantize_add(pair(tensor("a"), tensor("b"), tensor("y")))
    assert (form.op, form.attrs) == ("QAdd", QElementwiseAttrs(INT16, LOW, HIGH))


@pytest.mark.parametrize(
    ("b", "y", "reason"),
    [
        (tensor("b", 3), tensor("y"), "int16 must have a zero point of 0, got 3"),
        (tensor("b"), tensor("y", -1), "int16 must have a zero point of 0, got -1"),
        (tensor("b", dtype=DType.INT8), tensor("y"), "input 0 must be int8 or uint8, got int16"),
        (tensor("b", dtype=DType.UINT16), tensor("y"), "input 0 must be int8 or uint8, got int16"),
    ],
)
def test_a_product_left_in_float(b: Tensor, y: Tensor, reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_mul(pair(tensor("a"), b, y))


def window(x: Tensor, y: Tensor, kernel: tuple[int, int] = (2, 2)) -> QuantSite:
    attrs = PoolAttrs(kernel, (1, 1), (0, 0, 0, 0), (1, 1), channels_last=True)
    return QuantSite(Node("AveragePool", "node", ("x",), ("y",), attrs), (x,), (y,), FREE)


def test_an_average_of_int16_has_an_integer_form() -> None:
    form = quantize_average(window(tensor("x"), tensor("y")))
    assert (form.op, form.attrs.out_dtype, form.attrs.act_min) == ("QAveragePool", INT16, LOW)


@pytest.mark.parametrize(
    ("x", "y", "kernel", "reason"),
    [
        (tensor("x", 1), tensor("y"), (2, 2), "int16 must have a zero point of 0, got 1"),
        (tensor("x"), tensor("y", dtype=DType.INT8), (2, 2), "int8 or uint8, or both int16"),
        (tensor("x"), tensor("y"), (256, 256), "at most 65535 taps, got 65536"),
    ],
)
def test_an_average_left_in_float(
    x: Tensor, y: Tensor, kernel: tuple[int, int], reason: str
) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_average(window(x, y, kernel))


def mean(x: Tensor, y: Tensor) -> QuantSite:
    attrs = ReduceAttrs((1, 2), keepdims=True)
    return QuantSite(Node("ReduceMean", "node", ("x",), ("y",), attrs), (x,), (y,), FREE)


def test_a_mean_of_int16() -> None:
    y = Tensor("y", (1, 1, 1, 2), INT16, q(0.5))
    assert quantize_mean(mean(tensor("x"), y)).op == "QMean"
    with pytest.raises(Reject, match="int16 must have a zero point of 0, got 2"):
        quantize_mean(mean(tensor("x", 2), y))
    with pytest.raises(Reject, match="or both int16"):
        quantize_mean(mean(tensor("x", dtype=DType.INT8), y))
    large = Tensor("x", (1, 256, 256, 2), INT16, q(0.5))
    with pytest.raises(Reject, match="average 1 to 65535 elements, got 65536"):
        quantize_mean(mean(large, y))


def product(a: Tensor, b: Tensor, y: Tensor) -> QuantSite:
    node_ = Node("MatMul", "node", ("a", "b"), ("y",), MatMulAttrs())
    return QuantSite(node_, (a, b), (y,), FREE)


def matrix(name: str, *shape: int, zero_point: int = 0, dtype: DType = INT16) -> Tensor:
    return Tensor(name, shape, dtype, q(0.01, zero_point))


def test_a_product_of_matrices() -> None:
    a, b, y = matrix("a", 2, 3), matrix("b", 3, 4), matrix("y", 2, 4)
    form = quantize_matmul(product(a, b, y))
    assert (form.op, form.attrs.out_dtype) == ("QMatMul", INT16)
    for site, reason in (
        (product(a, matrix("b", 3, 4, zero_point=1), y), "a zero point of 0, got 1"),
        (product(a, matrix("b", 3, 4, dtype=DType.INT8), y), "or all int16"),
        (product(matrix("a", 1, 2**17), matrix("b", 2**17, 1), y), "at most 131071 terms"),
    ):
        with pytest.raises(Reject, match=reason):
            quantize_matmul(site)


@pytest.mark.parametrize("seed", range(4))
def test_a_product_of_matrices_by_hand(seed: int) -> None:
    """64-bit sums of 40 products, a multiplier of 15 bits, one rounding upward."""
    a, b = random_int(seed, INT16, 5, 40), random_int(seed + 7, INT16, 40, 6)
    a[0], b[:, 0] = LOW, LOW
    scale = float(np.float32(2.0**-11))
    y = float(np.float32(np.random.default_rng(seed).uniform(15, 60)))
    multiplier, shift = quantize_multiplier(scale * scale / y)
    reduced, bits = min((multiplier + 2**15) >> 16, 2**15 - 1), 15 - shift
    attrs = QMatMulAttrs(INT16, LOW, HIGH)
    got = run("QMatMul", attrs, [a, b], [scale, scale], y, (5, 6))
    for i, j in np.ndindex(5, 6):
        total = sum(int(u) * int(v) for u, v in zip(a[i], b[:, j], strict=True))
        wanted = (total * reduced + (1 << (bits - 1))) >> bits
        assert got[i, j] == max(LOW, min(HIGH, wanted))
    assert int(a[0].astype(np.int64) @ b[:, 0].astype(np.int64)) == 40 * 2**30
    assert np.unique(got).size > 20


def scaled(total: int, real: float) -> int:
    """TFLite's two roundings of a 32-bit number: bit 31 upward, then away from zero."""
    multiplier, shift = quantize_multiplier(real)
    high = ((total << max(shift, 0)) * multiplier + 2**30) >> 31
    exact = Fraction(high, 2 ** max(-shift, 0))
    half_away = (abs(exact) * 2 + 1) // 2
    return int(half_away if exact >= 0 else -half_away)


def run(
    op: str,
    attrs: object,
    arrays: list[Array],
    scales: list[float],
    y: float,
    shape: tuple[int, ...],
) -> Array:
    spec = specs()[op]
    assert spec.lower is not None and spec.reference is not None
    inputs = tuple(
        Tensor(n, a.shape, INT16, q(s)) for n, a, s in zip("ab", arrays, scales, strict=False)
    )
    names = tuple(t.name for t in inputs)
    out = Tensor("y", shape, INT16, q(y))
    made = Node(op, "node", names, ("y",), attrs)
    params = spec.lower(Site(made, inputs, (out,), Arithmetic.TFLITE)).params
    (got,) = spec.reference(params, arrays)
    return got


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("op", ["QAdd", "QMul"])
def test_by_hand(op: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_int(seed, INT16, 700), random_int(seed + 50, INT16, 700)
    a[:4], b[:4] = (LOW, LOW, HIGH, HIGH), (LOW, HIGH, LOW, HIGH)
    sa, sb = (float(np.float32(s)) for s in np.exp2(rng.uniform(-13, -9, 2)))
    y = max(sa, sb) * float(rng.uniform(0.8, 2)) if op == "QAdd" else sa * sb * 2**14
    y = float(np.float32(y))
    twice = 2 * max(sa, sb)
    wanted = []
    for left, right in zip(a.tolist(), b.tolist(), strict=True):
        if op == "QAdd":
            total = scaled(left << 15, sa / twice) + scaled(right << 15, sb / twice)
            result = scaled(total, twice / (2**15 * y))
        else:
            result = scaled(left * right, sa * sb / y)
        wanted.append(max(-30000, min(30001, result)))
    got = run(op, QElementwiseAttrs(INT16, -30000, 30001), [a, b], [sa, sb], y, a.shape)
    assert got.tolist() == wanted
    assert len(set(wanted)) > 300


@pytest.mark.parametrize("seed", range(3))
def test_an_average_by_hand(seed: int) -> None:
    """The mean of what is inside, halves away from zero."""
    x = random_int(seed, INT16, 1, 4, 4, 3)
    x[0, :2, :2, 0] = HIGH
    attrs = QPoolAttrs(
        (2, 3), (2, 1), (1, 1, 1, 0), (1, 1), False, False, INT16, LOW, HIGH, True
    )  # fmt: skip
    got = run("QAveragePool", attrs, [x], [0.5], 0.5, (1, 3, 3, 3))
    for row, column, c in np.ndindex(*got.shape[1:]):
        top, left = row * 2 - 1, column - 1
        inside = x[0, max(top, 0) : top + 2, max(left, 0) : left + 3, c].ravel().tolist()
        exact = Fraction(sum(inside), len(inside))
        rounded = int((abs(exact) * 2 + 1) // 2)
        assert got[0, row, column, c] == (rounded if exact >= 0 else -rounded)


def network(folder: Path) -> Path:
    """(x + y) * y by x, the greatest, the average and the mean of it, opset 21."""
    steps = [
        ("Add", ["d0", "d1"], {}, "s"),
        ("Mul", ["ds", "d1"], {}, "m"),
        ("MatMul", ["dm", "d0"], {}, "t"),
        ("MaxPool", ["dt"], {"kernel_shape": [2, 2]}, "p"),
        ("AveragePool", ["dp"], {"kernel_shape": [3, 3], "strides": [2, 2]}, "a"),
        ("GlobalAveragePool", ["da"], {}, "g"),
    ]
    scales = {"0": 4, "1": 4, "s": 7, "m": 12, "t": 40, "p": 40, "a": 40, "g": 20}
    constants: dict[str, Array] = {"z": np.array(0, np.int16)}
    constants |= {f"s{k}": np.array(v / 2**15, np.float32) for k, v in scales.items()}
    nodes = []
    for name, source in (("0", "x"), ("1", "y")):
        nodes += [
            node("QuantizeLinear", [source, f"s{name}", "z"], [f"q{name}"]),
            node("DequantizeLinear", [f"q{name}", f"s{name}", "z"], [f"d{name}"]),
        ]
    for op, inputs, attributes, name in steps:
        nodes += [
            node(op, inputs, [f"f{name}"], **attributes),
            node("QuantizeLinear", [f"f{name}", f"s{name}", "z"], [f"q{name}"]),
            node("DequantizeLinear", [f"q{name}", f"s{name}", "z"], [f"d{name}"]),
        ]
    shape = [1, 5, 8, 8]
    proto = model(nodes, [value("x", shape), value("y", shape)], ["dg"], constants, opset=21, ir=10)
    path = folder / "plain16.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


@pytest.mark.parametrize("arithmetic", ["tflite", "onnx"])
@pytest.mark.parametrize("kernels", ["portable", "cmsis_nn"])
def test_an_onnx_model(tmp_path: Path, kernels: str, arithmetic: str) -> None:
    if (kernels, arithmetic) == ("cmsis_nn", "onnx"):
        pytest.skip("CMSIS-NN computes tflite alone")
    compiled = api.compile(
        network(tmp_path), board="pico_w", kernels=kernels, arithmetic=arithmetic
    ).compiled
    calls = {s.node.op: s for s in reversed(compiled.program.calls)}
    assert not {"Add", "Mul", "MatMul", "AveragePool", "ReduceMean"} & set(calls)
    for op in ("QAdd", "QMul", "QMatMul", "MaxPool", "QAveragePool"):
        kernel = calls[op].kernel
        assert kernel is not None and kernel.library == kernels
    result = check.check(compiled, random_samples(compiled.imported.graph, 4))
    assert result.ok
