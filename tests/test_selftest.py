"""The self-test's data, and the C that computes the same checksums."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from exported import example
from mcugen import api, host, reference, resources
from mcugen.c_types import MCUGEN_TYPES, array_lines, ctype
from mcugen.frontend import load_model
from mcugen.ir import Array, DType
from mcugen.samples import Sample, random_samples
from mcugen.selftest import crc32, make_selftest, selftest_files
from mcugen.toolchain import STRICT_WARNINGS, build
from onnx_models import model, node, value


def test_the_checksum_is_the_usual_one() -> None:
    assert crc32(np.frombuffer(b"123456789", np.uint8)) == 0xCBF43926
    assert crc32(np.zeros((0, 3), np.float32)) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_nans_count_as_one(dtype: type[np.floating]) -> None:
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    quiet = np.array([1, np.nan], dtype)
    other = quiet.copy()
    other.view(bits)[1] ^= bits.type(5)
    assert np.isnan(other[1]) and quiet.tobytes() != other.tobytes()
    assert crc32(other) == crc32(quiet)
    assert crc32(-np.zeros(1, dtype)) != crc32(np.zeros(1, dtype))


def arrays_of_every_type() -> list[Array]:
    rng = np.random.default_rng(7)
    found: list[Array] = []
    for dtype in MCUGEN_TYPES:
        raw = rng.integers(0, 256, 24 * dtype.itemsize, dtype=np.uint8)
        found.append(raw % 2 == 1 if dtype is DType.BOOL else raw.view(dtype.np))
    found[0] = np.array([np.nan, -np.nan, np.inf, -0.0, 1e-42, 3.5], np.float32)
    found[0].view(np.uint32)[0] ^= 3
    return found


CRC_MAIN = """
#include <math.h>
#include <stdio.h>
#include "mcugen_element.h"
{arrays}
int main(void)
{{
{calls}
    return 0;
}}
"""


def test_the_c_computes_the_same() -> None:
    arrays = [a for a in arrays_of_every_type() if a.dtype.kind != "f" or a.size == 6]
    declared, calls = [], []
    for i, array in enumerate(arrays):
        dtype = DType.of(array)
        lines = "\n".join(array_lines(array))
        if array.dtype.kind == "f":  # NaN's bits cannot be written as a float
            lines = "\n".join(array_lines(array.view(np.uint32)))
            declared.append(f"static const uint32_t a{i}[] = {{\n{lines}\n}};")
        else:
            declared.append(f"static const {ctype(dtype)} a{i}[] = {{\n{lines}\n}};")
        call = f"mcugen_element_crc(a{i}, (uint32_t)sizeof(a{i}), {MCUGEN_TYPES[dtype]})"
        calls.append(f'    (void)printf("%08x\\n", (unsigned)({call}));')
    files = {
        **host.runtime_headers(),
        **host.runtime_sources(),
        "main.c": CRC_MAIN.format(arrays="\n".join(declared), calls="\n".join(calls)),
    }
    program = build(files, flags=("-O1", *STRICT_WARNINGS), link_flags=(), suffix=".exe")
    out = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.split() == [f"{crc32(a):08x}" for a in arrays]


def test_layers_come_in_the_order_of_the_calls() -> None:
    compiled = example("digits_int8").compiled
    sample = random_samples(compiled.imported.graph, 1)[0]
    test = make_selftest(compiled, sample, "full")
    values = reference.run(compiled.program, {compiled.graph.inputs[0]: test.inputs[0]})
    calls = compiled.program.in_order(compiled.plan.order)
    assert [t.tensor for t in test.layers] == [o for c in calls for o in c.outputs]
    assert [t.crc for t in test.layers] == [crc32(values[t.tensor]) for t in test.layers]
    assert [t.crc for t in test.outputs] == [crc32(values[o]) for o in compiled.graph.outputs]
    assert np.array_equal(test.expected[0], values[compiled.graph.outputs[0]])


def test_bytes_count_what_is_embedded() -> None:
    model = example("digits_int8")
    crc, full = model.selftest("crc"), model.selftest("full")
    assert crc is not None and full is not None
    calls = model.compiled.model.calls
    table = sum(20 + len(c.node.encode()) + len(c.op) + 2 for c in calls)
    assert crc.bytes == 64 * 4 + 8 * (len(calls) + 1) + table
    assert full.bytes == crc.bytes + 10 * 4


def test_the_sample_of_the_user_is_embedded(examples_dir: Path) -> None:
    model = example("digits_int8")
    path = examples_dir / "digits" / "digits_int8.npz"
    with np.load(path) as data:
        image = data["in0/image"]
    test = model.selftest("crc", path)
    assert test is not None
    assert np.array_equal(test.inputs[0], image)


def test_integers_at_the_border_get_the_sample_quantized() -> None:
    from mcugen import api

    path = resources.examples() / "digits" / "digits_int8.onnx"
    compiled = api.compile(path, io="quantized").compiled
    image = np.full((1, 1, 8, 8), 1.0, np.float32)
    test = make_selftest(compiled, Sample({"image": image}))
    tensor = compiled.graph[compiled.graph.inputs[0]]
    assert test.inputs[0].dtype == tensor.dtype.np and test.inputs[0].dtype.kind in "iu"
    assert tensor.quant is not None
    real = (test.inputs[0].astype(np.int64) - tensor.quant.zero_point) * tensor.quant.scale
    np.testing.assert_allclose(real.reshape(-1), 1.0, atol=float(tensor.quant.scale))


def test_the_same_sample_gives_the_same_files() -> None:
    model = example("digits")
    first = selftest_files(model.compiled.model, model.selftest("full"))
    assert first == selftest_files(model.compiled.model, model.selftest("full"))
    assert sorted(first) == ["digits_selftest.c", "digits_selftest.h"]


def test_layers_that_a_pass_made_are_named_after_the_node_they_serve() -> None:
    weights = {"w": np.ones((2, 3, 3, 3), np.float32)}
    conv = node("Conv", ["x", "w"], ["y"], name="/conv/Conv")
    proto = model([conv], [value("x", [1, 3, 5, 4])], ["y"], weights)
    compiled = api.compile(load_model(proto, name="m")).compiled
    named = re.findall(r'^    \{"(.*)", "(.*)", 1,$', compiled.files["m.c"], re.MULTILINE)
    assert named == [
        ("/conv/Conv (layout)", "Transpose"),
        ("/conv/Conv", "Conv"),
        ("/conv/Conv (layout 2)", "Transpose"),
    ]
