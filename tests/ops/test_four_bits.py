"""Weights of 4 bits: which are stored so, how they are packed, and a whole model of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mcugen import api, check
from mcugen.ir import Array, DType, Tensor
from mcugen.kernels import VENDOR_LIBRARIES
from mcugen.ops.four_bits import in_four_bits, packed_rows, packed_signed
from mcugen.program import Step
from mcugen.report.model_report import weights_bytes
from mcugen.samples import random_samples
from onnx_models import value
from opcases.four_bits import CASES
from vendor_cases import step_of

WEIGHTED = ("QConv", "QFullyConnected")


def _template(step: Step) -> str:
    assert step.kernel is not None
    return step.kernel.template


def weights(data: Array, bits: int | None = 4) -> Tensor:
    return Tensor("w", data.shape, DType.of(data), data=data, bits=bits)


X = Tensor("x", (1, 2), DType.INT8)


def test_the_model_and_the_values_decide() -> None:
    ends = np.array([[-8, 7]], np.int8)
    assert in_four_bits(X, weights(ends), ends)
    assert not in_four_bits(X, weights(ends, None), ends), "int8 weights that happen to be small"
    unsigned = np.array([[0, 15]], np.uint8)
    assert in_four_bits(X, weights(unsigned), unsigned.astype(np.int8) - np.int8(8))
    assert not in_four_bits(X, weights(unsigned), unsigned.astype(np.int8)), "uint4 without 8"
    assert not in_four_bits(X, weights(ends), ends - np.int8(1))
    assert not in_four_bits(X.replace(dtype=DType.INT16), weights(ends), ends)


def test_sums_that_may_overflow_on_the_way_stay_int8() -> None:
    longest = (2**31 - 1) // (255 * 23)
    for size, taken in ((longest, True), (longest + 1, False)):
        row = np.zeros((1, size), np.int8)
        assert in_four_bits(X, weights(row), row) is taken


def test_packing() -> None:
    rows = np.array([[-8, 7, -1], [0, 1, 2]], np.int8)
    assert packed_rows(rows).tolist() == [[0xF0, 0x87], [0x98, 0x8A]]
    assert packed_signed(rows).view(np.uint8).tolist() == [0x78, 0x0F, 0x21]
    assert packed_signed(rows[:, :1][:1]).view(np.uint8).tolist() == [0x08]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_every_case_is_stored_in_half_the_bytes(case: Any) -> None:
    """Wherever the node goes; a library without such kernels gets a byte for each."""
    size = case.inputs[1].size
    for library in ("portable", *VENDOR_LIBRARIES):
        step = step_of(case, library)
        assert step.kernel is not None
        stored = step.constants[0].array
        if step.kernel.library == "esp_nn":
            assert stored.nbytes == size
        else:
            assert "_int4" in step.kernel.template
            assert size <= 2 * stored.nbytes < 2 * size or size < 16


def int4_model(kind: int) -> onnx.ModelProto:
    """Convolution, depthwise, pointwise, MatMul and Gemm; weights of `kind`, per channel or not."""
    rng = np.random.default_rng(3)
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def constant(name: str, array: Any) -> str:
        constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def quantized(x: str, name: str, scale: float, zero: int) -> str:
        numbers = [constant(f"{name}_s", np.float32(scale)), constant(f"{name}_z", np.int8(zero))]
        nodes.append(helper.make_node("QuantizeLinear", [x, *numbers], [f"{name}_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", *numbers], [name]))
        return name

    def weight(name: str, shape: tuple[int, ...], *, per_channel: bool = True) -> str:
        values = rng.integers(-8, 8, shape).reshape(-1).tolist()
        constants.append(helper.make_tensor(f"{name}_w", kind, shape, values))
        scales = rng.uniform(0.02, 0.06, shape[0]).astype(np.float32)
        scale = constant(f"{name}_ws", scales if per_channel else np.float32(0.04))
        out = f"{name}_wd"
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_w", scale], [out], axis=0))
        return out

    x = quantized("x", "in", 0.05, 3)
    layers = (("c", (9, 3, 3, 3), 1), ("d", (9, 1, 3, 3), 9), ("p", (12, 9, 1, 1), 1))
    for name, shape, groups in layers:
        bias = constant(f"{name}_b", rng.normal(0, 1, shape[0]).astype(np.float32))
        pads = [shape[-1] // 2] * 4
        conv = helper.make_node(
            "Conv", [x, weight(name, shape), bias], [f"{name}_y"], group=groups, pads=pads
        )
        nodes.append(conv)
        x = quantized(f"{name}_y", name, 0.3, -3)
    nodes.append(helper.make_node("Flatten", [x], ["flat"]))
    matmul = [quantized("flat", "f", 0.3, -3), weight("m", (12 * 25, 33), per_channel=False)]
    nodes.append(helper.make_node("MatMul", matmul, ["m_y"]))
    gemm = [quantized("m_y", "m", 0.6, 1), weight("g", (5, 33))]
    nodes.append(helper.make_node("Gemm", gemm, ["g_y"], transB=1))
    quantized("g_y", "y", 1.0, 1)
    graph = helper.make_graph(
        nodes, "int4", [value("x", [1, 3, 5, 5])], [value("y", [1, 5])], constants
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize("kernels", ["portable", "cmsis_nn"])
def test_a_model_of_int4_weights(tmp_path: Any, kernels: str) -> None:
    """All layers, flipped MatMul weights and those behind a Flatten too, in half the flash."""
    sizes = {}
    for name, kind in (("int4", TensorProto.INT4), ("int8", TensorProto.INT8)):
        path = tmp_path / f"{name}.onnx"
        onnx.save(int4_model(kind), path)
        compiled = api.compile(path, kernels=kernels).compiled
        templates = [_template(s) for s in compiled.program.calls if s.node.op in WEIGHTED]
        assert all(("_int4" in t) is (name == "int4") for t in templates) and len(templates) == 5
        result = check.check(compiled, random_samples(compiled.imported.graph, 3))
        assert result.bit_exact and result.semantics_ok
        sizes[name] = weights_bytes(compiled)
    count = 9 * 27 + 9 * 9 + 12 * 9 + 300 * 33 + 33 * 5
    assert sizes["int8"] - sizes["int4"] > 0.49 * count


def test_onnx_runtimes_own_dequantize_linear_keeps_four_bits(tmp_path: Path) -> None:
    """Its quantizer writes com.microsoft's operator where the model's opset is below 21."""
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["dw"], "d", domain="com.microsoft"),
        helper.make_node("Add", ["x", "dw"], ["y"], "add"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
        [
            helper.make_tensor("w", TensorProto.INT4, [3], [-8, 0, 7]),
            helper.make_tensor("s", TensorProto.FLOAT, [], [0.5]),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets), path)
    tensor = api.load(path).graph["w/int8"]
    assert tensor.bits == 4
    np.testing.assert_array_equal(tensor.data, np.int8([-8, 0, 7]))
