"""QConv and QFullyConnected of int16: what is taken, and the sums by Python's own integers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from mcugen import api, check
from mcugen.ir import Array, DType, Node, Tensor
from mcugen.ops.conv import ConvAttrs
from mcugen.ops.conv_transpose import ConvTransposeAttrs
from mcugen.ops.qconv import QConvAttrs, quantize_conv
from mcugen.ops.qconv_transpose import quantize_transposed
from mcugen.ops.qmatmul_rules import QFullyConnectedAttrs
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic, QuantSite, Reject, Site
from mcugen.quantize.fixed_point import quantize_multiplier
from mcugen.samples import random_samples
from onnx_models import model, node, value
from opcase import q, q_axis, random_int

X = Tensor("x", (1, 4, 4, 2), DType.INT16, q(0.5))
W = Tensor("w", (3, 2, 1, 1), DType.INT8, q(0.25), random_int(1, DType.INT8, 3, 2, 1, 1))
Y = Tensor("y", (1, 4, 4, 3), DType.INT16, q(2.0))
FREE = (-np.inf, np.inf)
PLAIN = ConvAttrs((1, 1), (0, 0, 0, 0), (1, 1), channels_last=True)


def site(x: Tensor, w: Tensor, out: Tensor, clamp: tuple[float, float] = FREE) -> QuantSite:
    return QuantSite(Node("Conv", "node", ("x", "w"), ("y",), PLAIN), (x, w), (out,), clamp)


def test_int16_has_an_integer_form() -> None:
    form = quantize_conv(site(X, W, Y, (0.0, np.inf)))
    assert form.op == "QConv"
    assert (form.attrs.out_dtype, form.attrs.act_min, form.attrs.act_max) == (
        DType.INT16,
        0,
        2**15 - 1,
    )


def other(tensor: Tensor, **changes: object) -> Tensor:
    return dataclasses.replace(tensor, **changes)


@pytest.mark.parametrize(
    ("x", "w", "out", "reason"),
    [
        (other(X, quant=q(0.5, 1)), W, Y, "int16 must have a zero point of 0, got 1"),
        (X, W, other(Y, quant=q(2.0, -4)), "int16 must have a zero point of 0, got -4"),
        (X, W, other(Y, dtype=DType.INT8), "input and output int16, got int16, int8, int8"),
        (other(X, dtype=DType.INT8), W, Y, "input and output int16, got int8, int8, int16"),
        (other(X, dtype=DType.UINT16), W, other(Y, dtype=DType.UINT16), "got uint16, int8, uint16"),
        (X, other(W, dtype=DType.INT16, data=W.data), Y, "got int16, int16, int16"),
        (X, W, other(Y, quant=q(1e-6)), "too large for the output's scale"),
    ],
)
def test_left_in_float(x: Tensor, w: Tensor, out: Tensor, reason: str) -> None:
    with pytest.raises(Reject, match=reason):
        quantize_conv(site(x, w, out))


def test_there_is_no_transposed_convolution() -> None:
    attrs = ConvTransposeAttrs((1, 1), (0, 0, 0, 0), (1, 1), 1, (0, 0), channels_last=True)
    w = other(W, shape=(2, 3, 1, 1), data=random_int(1, DType.INT8, 2, 3, 1, 1))
    plain = site(X, w, Y)
    with pytest.raises(Reject, match="int16 activations have no transposed convolution"):
        quantize_transposed(dataclasses.replace(plain, node=plain.node.replace(attrs=attrs)))


def scaled(total: int, real: float) -> int:
    """TFLite's MultiplyByQuantizedMultiplier of a 64-bit sum, clamped to int16."""
    multiplier, shift = quantize_multiplier(real)
    reduced = (multiplier + (1 << 15)) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF
    bits = 15 - shift
    return max(-(2**15), min(2**15 - 1, (total * reduced + (1 << (bits - 1))) >> bits))


def conv_by_hand(x: Array, w: Array, bias: Array, attrs: QConvAttrs, reals: list[float]) -> Array:
    """[N, H, W, C] by [O, I, KH, KW], one product after the other."""
    (top, left, bottom, right), (sh, sw), (dh, dw) = attrs.pads, attrs.strides, attrs.dilations
    outputs, inputs, kh, kw = w.shape
    high = (x.shape[1] + top + bottom - (kh - 1) * dh - 1) // sh + 1
    wide = (x.shape[2] + left + right - (kw - 1) * dw - 1) // sw + 1
    y = np.zeros((x.shape[0], high, wide, outputs), np.int16)
    for n, r, c, o in np.ndindex(y.shape):
        total = int(bias[o])
        for i, a, b in np.ndindex(inputs, kh, kw):
            row, column = r * sh - top + a * dh, c * sw - left + b * dw
            if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]:
                channel = o // (outputs // attrs.groups) * inputs + i
                total += int(x[n, row, column, channel]) * int(w[o, i, a, b])
        y[n, r, c, o] = scaled(total, reals[o])
    return y


GEOMETRIES = [
    ((1, 5, 6, 3), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 7, 5, 2), (5, 2, 2, 3), (2, 3), (1, 0, 2, 1), (1, 1), 1),
    ((1, 8, 9, 2), (3, 2, 3, 2), (1, 2), (3, 0, 0, 2), (2, 3), 1),
    ((1, 5, 5, 4), (4, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 4),
    ((2, 6, 5, 3), (6, 1, 2, 3), (2, 1), (0, 1, 1, 0), (1, 2), 3),
    ((1, 4, 4, 6), (4, 3, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 2),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", GEOMETRIES, ids=lambda f: "x".join(map(str, f[1])))
def test_a_convolution_by_hand(form: tuple[tuple[int, ...], ...], seed: int) -> None:
    x_shape, w_shape, strides, pads, dilations, groups = form
    rng = np.random.default_rng(seed)
    attrs = QConvAttrs(strides, pads, dilations, groups, DType.INT16, -(2**15), 2**15 - 1, True)
    scales = np.exp2(rng.uniform(-12, -9, w_shape[0])).astype(np.float32)
    x = Tensor("x", x_shape, DType.INT16, q(2.0**-11))
    w = Tensor("w", w_shape, DType.INT8, q_axis(scales, 0), random_int(seed, DType.INT8, *w_shape))
    bias = rng.integers(-(2**24), 2**24, w_shape[0]).astype(np.int32)
    b = Tensor("b", bias.shape, DType.INT32, q_axis(scales * np.float32(2.0**-11), 0), bias)
    data = random_int(seed + 9, DType.INT16, *x_shape)
    y_quant = q(float(np.float32(2.0**-11 * rng.uniform(0.3, 3))))
    wanted = conv_by_hand(
        data, w.data, bias, attrs,
        [2.0**-11 * float(s) / float(y_quant.scale) for s in scales],
    )  # fmt: skip
    spec = specs()["QConv"]
    assert spec.lower is not None and spec.reference is not None
    y = Tensor("y", wanted.shape, DType.INT16, y_quant)
    made = Node("QConv", "node", ("x", "w", "b"), ("y",), attrs)
    params = spec.lower(Site(made, (x, w, b), (y,), Arithmetic.TFLITE)).params
    (got,) = spec.reference(params, (data,))
    np.testing.assert_array_equal(got, wanted)
    assert np.unique(wanted).size > wanted.size // 2


def test_sums_beyond_32_bits_and_a_result_beyond_16() -> None:
    """600 products of both ends, 2^31 and more: 600 * 2^22 times 1e-5."""
    x = Tensor("x", (1, 600), DType.INT16, q(1e-2))
    w = Tensor("w", (2, 600), DType.INT8, q(1e-3), np.full((2, 600), -128, np.int8))
    b = Tensor("b", (2,), DType.INT32, q(1e-5), np.array([2**31 - 1, -(2**31)], np.int32))
    attrs = QFullyConnectedAttrs(DType.INT16, -(2**15), 2**15 - 1)
    spec = specs()["QFullyConnected"]
    assert spec.lower is not None and spec.reference is not None
    node_ = Node("QFullyConnected", "node", ("x", "w", "b"), ("y",), attrs)
    for scale in (1.0, 0.5):
        y = Tensor("y", (1, 2), DType.INT16, q(scale))
        params = spec.lower(Site(node_, (x, w, b), (y,), Arithmetic.TFLITE)).params
        (got,) = spec.reference(params, (np.full((1, 600), -(2**15), np.int16),))
        real = float(np.float32(1e-2) * np.float32(1e-3)) / scale
        totals = [600 * 2**22 + 2**31 - 1, 600 * 2**22 - 2**31]
        assert min(totals) > 2**28 and max(totals) > 2**32
        assert got[0].tolist() == [scaled(t, real) for t in totals]


def network(folder: Path) -> Path:
    """Convolution, depthwise and fully connected between QuantizeLinear to int16, opset 21."""
    rng = np.random.default_rng(3)
    shapes = {"w1": (8, 3, 3, 3), "w2": (8, 1, 3, 3), "w3": (5, 8 * 3 * 3)}
    constants: dict[str, Array] = {"z": np.array(0, np.int16), "zw": np.array(0, np.int8)}
    nodes = [node("QuantizeLinear", ["x", "s0", "z"], ["q0"])]
    for index, (name, shape) in enumerate(shapes.items(), 1):
        per_channel = index < 3
        scales = rng.uniform(0.002, 0.01, shape[0] if per_channel else ()).astype(np.float32)
        constants |= {name: random_int(index, DType.INT8, *shape), f"{name}s": np.array(scales)}
        constants[f"{name}z"] = np.zeros(scales.shape, np.int8)
        input_scale = np.float32(4.0 / 2**15)
        constants[f"s{index - 1}"] = np.array(input_scale)
        bias_scales = np.array(scales * input_scale, np.float32)
        constants |= {f"b{index}s": bias_scales, f"b{index}z": np.zeros(scales.shape, np.int32)}
        constants[f"b{index}"] = rng.integers(-(10**6), 10**6, shape[0]).astype(np.int32)
        axis = {"axis": 0} if per_channel else {}
        nodes += [
            node("DequantizeLinear", [f"q{index - 1}", f"s{index - 1}", "z"], [f"f{index}"]),
            node("DequantizeLinear", [name, f"{name}s", f"{name}z"], [f"{name}f"], **axis),
            node(
                "DequantizeLinear", [f"b{index}", f"b{index}s", f"b{index}z"], [f"b{index}f"],
                **axis,
            ),
        ]  # fmt: skip
        inputs = [f"f{index}", f"{name}f", f"b{index}f"]
        if index == 1:
            nodes += [node("Conv", inputs, ["c1"], pads=[1, 1, 1, 1]), node("Relu", ["c1"], ["o1"])]
        elif index == 2:
            nodes += [
                node("Conv", inputs, ["c2"], group=8, strides=[2, 2]),
                node("Flatten", ["c2"], ["o2"]),
            ]
        else:
            nodes.append(node("Gemm", inputs, ["o3"], transB=1))
        nodes.append(node("QuantizeLinear", [f"o{index}", f"s{index}", "z"], [f"q{index}"]))
    constants["s3"] = np.array(40.0 / 2**15, np.float32)
    nodes.append(node("DequantizeLinear", ["q3", "s3", "z"], ["y"]))
    proto = model(nodes, [value("x", [1, 3, 8, 8])], ["y"], constants, opset=21, ir=10)
    path = folder / "int16.onnx"
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
    weighted = [s for s in compiled.program.calls if s.node.op in ("QConv", "QFullyConnected")]
    assert [s.node.op for s in weighted] == ["QConv", "QConv", "QFullyConnected"]
    assert {s.kernel.library for s in weighted if s.kernel is not None} == {kernels}
    result = check.check(compiled, random_samples(compiled.imported.graph, 4))
    assert result.ok
