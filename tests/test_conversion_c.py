"""Every conversion case through generated C: its known result, and the reference's bytes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from conversion_cases import CASES, Case
from conversion_cases.case import f32
from mcugen import api
from mcugen.check import check
from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.errors import ModelError
from mcugen.frontend import load_model
from mcugen.host import HostModel, same_bits
from mcugen.ir import Array
from mcugen.ops.spec import Arithmetic
from mcugen.samples import Sample
from mcugen.toolchain import STRICT_WARNINGS, describe, zig_command
from onnx_models import model, node, value
from selftests import assert_selftests_pass, selftest_program
from together import build_together, expected_by_reference

BY_ID = {case.id: case for case in CASES}
INTERFACES = ("arena", "caller")

COVERED = (
    *(f"O{n:02}" for n in range(1, 21)),  # convolution to reductions
    *(f"O{n:02}" for n in range(24, 30)),  # quantized operators and graphs
    *(f"O{n:02}" for n in range(33, 36)),  # names, initializers, functions
    *(f"O{n:02}" for n in range(37, 46)),  # values, shapes, storage, branches
)
"""Numbers of the cases that must be here; O30 and O36 are tests of their own below."""


@cache
def compiled(case_id: str, arithmetic: Arithmetic, io_buffers: str) -> Compiled:
    case = BY_ID[case_id]
    imported = load_model(case.model, dims=case.dims, name=case.id)
    options = CompileOptions(arithmetic=arithmetic, io_buffers=io_buffers)
    return compile_model(imported, options)


@cache
def built(arithmetic: Arithmetic, io_buffers: str) -> dict[str, HostModel]:
    models = [compiled(case.id, arithmetic, io_buffers) for case in CASES]
    made = build_together(models, "cases", flags=("-O1", *STRICT_WARNINGS))
    return {case.id: m for case, m in zip(CASES, made, strict=True)}


def test_no_case_is_missing() -> None:
    assert {case.id[:3] for case in CASES} == set(COVERED)


@pytest.mark.parametrize("io_buffers", INTERFACES)
@pytest.mark.parametrize("arithmetic", Arithmetic)
@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_the_c_gives_the_known_result(case: Case, arithmetic: Arithmetic, io_buffers: str) -> None:
    program = compiled(case.id, arithmetic, io_buffers)
    feeds = lowered(program, case.feeds)
    before = {n: a.copy() for n, a in feeds.items()}
    got = built(arithmetic, io_buffers)[case.id].run(feeds)
    for name, array in feeds.items():
        assert same_bits(array, before[name]).all(), f"input {name} was written"
    for name, wanted in expected_by_reference(program, feeds).items():
        assert same_bits(got[name], wanted).all(), f"{name}: not the reference's bytes"
    assert_known(case, arithmetic, list(got.values()))


def lowered(program: Compiled, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The case's inputs under the names of the lowered graph."""
    onnx_names = program.imported.graph.inputs
    return {
        name: np.array(feeds[onnx_name], order="C")
        for name, onnx_name in zip(program.graph.inputs, onnx_names, strict=True)
    }


def assert_known(case: Case, arithmetic: Arithmetic, got: list[Array]) -> None:
    for found, (name, wanted) in zip(got, case.expected.items(), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(found, wanted, rtol=case.rtol, atol=case.rtol)
        else:
            lsb = case.lsb if arithmetic is Arithmetic.TFLITE else 0
            distance = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
            assert distance.max(initial=0) <= lsb, name


@pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")
def test_all_compile_under_strict_flags_with_clang() -> None:
    """O33, O41: names of any kind and rank 0 make no warning."""
    command = zig_command()
    assert command is not None
    models = [compiled(case.id, Arithmetic.TFLITE, "caller") for case in CASES]
    compiler = describe(command)
    build_together(models, "cases", compiler=compiler, flags=("-O1", *STRICT_WARNINGS))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("io_buffers", INTERFACES)
def test_all_run_under_sanitizers(io_buffers: str) -> None:
    """No overflow, no read or write out of bounds; no layer differs from the reference."""
    gcc = describe(("gcc",))
    models = [
        (compiled(case.id, Arithmetic.TFLITE, io_buffers), Sample(case.feeds)) for case in CASES
    ]
    assert_selftests_pass(selftest_program(models, merged=True, compiler=gcc), len(CASES))


@pytest.mark.parametrize(
    ("arithmetic", "wanted"),
    [
        (Arithmetic.ONNX, [0, 2, 0, -2, 2, 127, -128]),
        (Arithmetic.TFLITE, [1, 2, -1, -2, 3, 127, -128]),
    ],
)
def test_ties_of_a_quantized_sum_round_as_the_arithmetic_says(
    arithmetic: Arithmetic, wanted: list[int]
) -> None:
    """O29: half to even in ONNX's arithmetic, half away from zero in TFLite's."""
    case = BY_ID["O29-qdq-add-at-ties"]
    program = compiled(case.id, arithmetic, "arena")
    assert [s.node.op for s in program.program.steps] == ["QAdd"]
    (got,) = built(arithmetic, "arena")[case.id].run(lowered(program, case.feeds)).values()
    assert got.tolist() == wanted
    result = check(program, [Sample(case.feeds, case.expected)], use_ort=False)
    assert result.ok
    assert result.onnx.outputs["y"].max_lsb == (1 if arithmetic is Arithmetic.TFLITE else 0)


def test_a_normalisation_folds_where_nothing_else_reads_the_convolution() -> None:
    """O13: into weights and a bias that was not there."""
    folded = compiled("O13-conv-batchnorm-folds", Arithmetic.TFLITE, "arena")
    assert [s.node.op for s in folded.program.steps if s.node.op != "Transpose"] == ["Conv"]
    shared = compiled("O13-conv-batchnorm-shared", Arithmetic.TFLITE, "arena")
    assert "BatchNormalization" in [s.node.op for s in shared.program.steps]


ROW = 1280
OUT_CHANNELS = (1, 2, 3, 7, 8, 15, 16)


def fully_connected(channels: int) -> onnx.ModelProto:
    """[1, 1280] int8 by weights [1280, channels] int8."""
    rng = np.random.default_rng(channels)
    weights = rng.integers(-127, 128, (ROW, channels), dtype=np.int8)
    bias = rng.integers(-(2**14), 2**14, channels, dtype=np.int32)
    nodes = [
        node("DequantizeLinear", ["x", "xs", "z"], ["fx"]),
        node("DequantizeLinear", ["w", "ws", "z"], ["fw"]),
        node("DequantizeLinear", ["b", "bs", "z32"], ["fb"]),
        node("Gemm", ["fx", "fw", "fb"], ["f"]),
        node("QuantizeLinear", ["f", "ys", "z"], ["y"]),
    ]
    constants = {
        "w": weights, "b": bias, "z": np.array(0, np.int8), "z32": np.array(0, np.int32),
        "xs": f32(0.02), "ws": f32(0.01), "bs": f32(0.02) * f32(0.01), "ys": f32(0.5),
    }  # fmt: skip
    kind = onnx.TensorProto.INT8
    return model(nodes, [value("x", [1, ROW], kind)], [value("y", [1, channels], kind)], constants)


def test_fully_connected_at_every_alignment_of_the_input() -> None:
    """O30: the caller's int8 buffer may begin at any byte."""
    models = [
        compile_model(
            load_model(fully_connected(n), name=f"fc{n}"), CompileOptions(io_buffers="caller")
        )
        for n in OUT_CHANNELS
    ]
    x = np.random.default_rng(30).integers(-128, 128, (1, ROW), dtype=np.int8)
    for channels, program, made in zip(
        OUT_CHANNELS, models, build_together(models, "fc", flags=("-O2",)), strict=True
    ):
        assert [s.node.op for s in program.program.steps] == ["QFullyConnected"]
        (wanted,) = expected_by_reference(program, {program.graph.inputs[0]: x}).values()
        assert len(np.unique(wanted)) == channels, "the case tells channels apart"
        for offset in range(16):
            (got,) = made.run({program.graph.inputs[0]: at_offset(x, offset)}).values()
            assert np.array_equal(got, wanted), offset


def at_offset(array: Array, offset: int) -> Array:
    """A copy whose first byte lies `offset` bytes after a multiple of 16."""
    room = np.zeros(array.nbytes + 32, np.uint8)
    start = (-room.ctypes.data) % 16 + offset
    view = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert view.ctypes.data % 16 == offset
    return view


def test_external_data_reaches_the_c_from_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O36: weights beside the model."""
    weights = f32([1, 2, 3, 4])
    proto = model([node("Add", ["x", "w"], ["y"])], [value("x", [4])], ["y"], {"w": weights})
    folder = tmp_path / "models"
    folder.mkdir()
    onnx.save(
        proto, folder / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0
    )
    assert (folder / "w.bin").stat().st_size >= weights.nbytes
    monkeypatch.chdir(tmp_path)
    runnable = api.compile(Path("models", "m.onnx"))
    np.testing.assert_array_equal(runnable(f32([1, 1, 1, 1]))["y"], [2, 3, 4, 5])
    (folder / "w.bin").unlink()
    with pytest.raises(ModelError, match=r"w\.bin"):
        api.compile(Path("models", "m.onnx"))
