"""ESP-NN's own C for the ESP32-S3 does what is planned for it: paths, padding, working memory.

Its assembly runs on no computer; C of ours takes its place (esp32s3_assembly.c). What this shows:
with the shapes that are accepted, the C around the assembly gives it what it requires, computes
the reference's bytes and stays inside of the working memory that is planned.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from esp32s3_dispatch import FLAGS, dispatch, sources
from mcugen import api, host, lower, memory, reference, render, view
from mcugen.check import check
from mcugen.ir import Array, DType, Graph
from mcugen.ops.conv_geometry import ConvGeometry
from mcugen.ops.esp_nn import buffers
from mcugen.ops.esp_nn.conv import CONV_KERNELS
from mcugen.ops.esp_nn.form import conv_form
from mcugen.ops.qconv_kernel import QConvParams, qconv_reference
from mcugen.ops.spec import Core, Kernel
from mcugen.ops.vendor.weighted import is_depthwise
from mcugen.ops.window import Axis
from mcugen.quantize.requant import Requant
from random_int8 import int8_graphs
from vendor_sources import vendor_folder
from zoo import ZOO

CASES = 1500


@pytest.fixture(scope="module")
def folder() -> Path:
    found = vendor_folder("esp_nn")
    if found is None:
        pytest.skip("MCUGEN_ESP_NN is not set: its sources are no part of the project")
    return found


def axis(rng: np.random.Generator, size: int, kernel: int) -> Axis:
    stride, before, after = (int(rng.integers(low, high)) for low, high in ((1, 4), (0, 3), (0, 3)))
    if rng.random() < 0.3:
        stride, before, after = 1, 0, 0
    room = size + before + after - kernel
    return Axis(size, max(room, 0) // stride + 1, kernel, stride, before)


def convolution(rng: np.random.Generator) -> QConvParams:
    """Any shape; now and then one large enough to be taken in pieces."""
    large = rng.random() < 0.03
    sizes = [int(s) for s in (rng.integers(24, 60, 2) if large else rng.integers(1, 11, 2))]
    square = int(rng.choice([0, 1, 3, 3]))
    kernels = [square, square] if square else [int(k) for k in rng.integers(1, 6, 2)]
    height, width = (axis(rng, s, k) for s, k in zip(sizes, kernels, strict=True))
    in_c = int(rng.choice([1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 40]))
    depthwise = bool(in_c > 1 and rng.random() < 0.5)
    many = int(rng.choice([1, 1, 1, 2, 4, 8]))
    out_c = in_c * many if depthwise else int(rng.integers(1, 20))
    groups = in_c if depthwise else 1
    weights = rng.integers(-127, 128, (out_c, in_c // groups, *kernels)).astype(np.int8)
    low, high = sorted(int(v) for v in rng.integers(-128, 128, 2))
    requant = Requant.fixed(
        rng.integers(2**30, 2**31 - 1, out_c),
        rng.integers(-14, -6, out_c),
        int(rng.integers(-128, 128)),
        (low, high),
    )
    geometry = ConvGeometry(1, height, width, in_c, out_c, groups)
    bias = rng.integers(-(2**16), 2**16, out_c).astype(np.int32)
    zero = int(rng.choice([0, -128, 127, *rng.integers(-128, 128, 3)]))
    return QConvParams(geometry, DType.INT8, zero, weights, bias, requant, geometry.out_shape)


def kernel_of(params: QConvParams) -> Kernel | None:
    return next((k for k in CONV_KERNELS if k.accepts(params) is None), None)


def test_convolutions(folder: Path) -> None:
    rng, library = np.random.default_rng(5), dispatch(folder)
    paths: Counter[object] = Counter()
    for index in range(CASES):
        params = convolution(rng)
        kernel = kernel_of(params)
        if kernel is None:
            continue
        form, g = conv_form(params), params.geometry
        x = rng.integers(-128, 128, g.in_shape).astype(np.int8)
        constants = {c.name: np.ascontiguousarray(c.array) for c in kernel.constants(params)}
        planned = kernel.scratch(params, Core.ESP32S3)
        y, guarded = library.run(params, form, x, constants, planned)
        (expected,) = qconv_reference(params, (x,))
        message = f"{index}: {form}"
        np.testing.assert_array_equal(y.reshape(expected.shape), expected, message)
        assert guarded, message
        assert library.faults() == 0, message
        asked, standin = library.scratch_bytes(params, form)
        assert standin == asked <= planned, message
        path = buffers.depthwise_path(form) if is_depthwise(g) else buffers.conv_path(form)
        drifted = path in (buffers.DepthwisePath.VALID, buffers.DepthwisePath.WIDENED)
        assert drifted or asked == planned, message
        paths[path] += 1
    wanted = {*buffers.ConvPath, *buffers.DepthwisePath} - {buffers.DepthwisePath.PLAIN}
    assert paths.keys() == wanted


def test_the_getter_asks_for_less_than_is_written(folder: Path) -> None:
    """Without leading padding large images are still copied as a whole."""
    height, width = Axis(40, 20, 3, 2), Axis(40, 20, 3, 2)
    geometry = ConvGeometry(1, height, width, 32, 32, 32)
    requant = Requant.fixed(np.full(32, 2**30), np.full(32, -8), 0, (-128, 127))
    weights = np.ones((32, 1, 3, 3), np.int8)
    zeros = np.zeros(32, np.int32)
    params = QConvParams(geometry, DType.INT8, 3, weights, zeros, requant, geometry.out_shape)
    kernel, form = kernel_of(params), conv_form(params)
    assert kernel is not None
    asked, _ = dispatch(folder).scratch_bytes(params, form)
    planned = kernel.scratch(params, Core.ESP32S3)
    constants = {c.name: np.ascontiguousarray(c.array) for c in kernel.constants(params)}
    x = np.zeros(geometry.in_shape, np.int8)
    assert asked < planned
    assert dispatch(folder).run(params, form, x, constants, planned)[1]
    assert not dispatch(folder).run(params, form, x, constants, asked)[1]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(case=int8_graphs())
def test_graphs(folder: Path, case: tuple[Graph, Array]) -> None:
    graph, x = case
    program = lower.lower(graph, libraries=("esp_nn", "portable"), core=Core.ESP32S3)
    plan = memory.plan_memory(program)
    options = view.EmitOptions("dispatched")
    files = render.render(view.build(program, plan, options, model_hash="00", version="test"))
    built = host.build_library(
        files, [options.prefix], flags=("-O1", *FLAGS), vendor=sources(folder)
    )
    model = host.HostModel(built, options.prefix, graph)
    model.require_planned_scratch()
    expected = reference.run(program, {"x": x})
    outputs, traced = model.trace({"x": x}, program.in_order(plan.order), graph)
    for name, got in {**traced, **outputs}.items():
        np.testing.assert_array_equal(got, expected[name], f"{name}\n{graph.to_text()}")


@pytest.mark.zoo
@pytest.mark.parametrize("name", [m.name for m in ZOO if m.name.endswith(("_qdq", "_qoperator"))])
def test_real_models(folder: Path, models_dir: Path, name: str) -> None:
    model = api.compile(models_dir / f"{name}.onnx", board="esp32s3", kernels="esp_nn")
    compiled, prefix = model.compiled, model.compiled.model.prefix
    assert compiled.options.core is Core.ESP32S3
    built = host.build_library(
        compiled.files, [prefix], flags=("-O1", *FLAGS), vendor=sources(folder)
    )
    samples = model.samples(models_dir / f"{name}.npz")
    result = check(compiled, samples, host=host.HostModel(built, prefix, compiled.graph))
    assert result.bit_exact, result.first_mismatch
