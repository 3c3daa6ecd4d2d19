"""The C of real models: strict for two compilers, clean under sanitizers, integers all the way.

Needs MCUGEN_MODELS; long, so marked `zoo`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from mcugen import host
from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.frontend import load
from mcugen.ops.spec import Arithmetic
from mcugen.samples import load_samples
from mcugen.toolchain import STRICT_WARNINGS, build, describe, zig_command
from selftests import SANITIZED, assert_selftests_pass, selftest_program
from zoo import ZOO, ZooModel

pytestmark = pytest.mark.zoo

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
needs_zig = pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")
each_model = pytest.mark.parametrize("model", ZOO, ids=[m.name for m in ZOO])

QUANTIZED = tuple(m for m in ZOO if m.name.endswith(("_qdq", "_qoperator")))
INTERFACES = ("hello_world_qdq", "espdl_tutorial_streaming")
"""Models that are run with every interface: integers, and several float states."""

WIDE_WEIGHTS = ("mnist_cntk_qoperator",)
"""Models whose uint8 weights, less their zero point, do not fit int8."""

KERNEL_BLOCK = 16
"""Integer kernels pad each output channel's weights to a multiple of this many."""

SMALL_TABLE_ELEMS = 300
"""Floats that an integer model may hold in one array: scales, a table of one layer."""


def compiled(folder: Path, model: ZooModel, **options: object) -> Compiled:
    imported = load(folder / f"{model.name}.onnx", dims=model.dims)
    return compile_model(imported, CompileOptions(**options))  # type: ignore[arg-type]


def distinct(folder: Path, model: ZooModel) -> list[Compiled]:
    """The model in both arithmetics; once when its C is the same in both."""
    both = [compiled(folder, model, arithmetic=a) for a in Arithmetic]
    return both[:1] if both[0].files == both[1].files else both


def sources(one: Compiled) -> dict[str, str]:
    return {**host.runtime_headers(), **one.files}


@needs_gcc
@each_model
def test_gcc_has_no_warning(models_dir: Path, model: ZooModel) -> None:
    """With the optimization that the warnings about values need, and traces compiled out."""
    for one in distinct(models_dir, model):
        build(sources(one), compiler=describe(("gcc",)), flags=("-O2", *STRICT_WARNINGS))


@needs_zig
@each_model
def test_clang_has_no_warning(models_dir: Path, model: ZooModel) -> None:
    """Clang warns before it optimizes."""
    command = zig_command()
    assert command is not None
    for one in distinct(models_dir, model):
        build(sources(one), compiler=describe(command), flags=("-O0", *STRICT_WARNINGS))


@needs_gcc
@each_model
def test_self_test_passes_under_sanitizers(models_dir: Path, model: ZooModel) -> None:
    for one in distinct(models_dir, model):
        run_self_test(models_dir, model, one)


@needs_gcc
@pytest.mark.parametrize("name", INTERFACES)
@pytest.mark.parametrize(
    ("io_buffers", "arena"), [("arena", "caller"), ("caller", "static"), ("caller", "caller")]
)
def test_every_interface_under_sanitizers(
    models_dir: Path, name: str, io_buffers: str, arena: str
) -> None:
    model = next(m for m in ZOO if m.name == name)
    one = compiled(models_dir, model, io_buffers=io_buffers, arena=arena)
    run_self_test(models_dir, model, one)


def run_self_test(folder: Path, model: ZooModel, one: Compiled) -> None:
    sample = load_samples(folder / f"{model.name}.npz", one.imported.graph)[0]
    gcc = describe(("gcc",))
    program = selftest_program([(one, sample)], compiler=gcc, flags=(*SANITIZED, *STRICT_WARNINGS))
    assert_selftests_pass(program, 1)


def cpp_compilers() -> list[Sequence[str]]:
    found: list[Sequence[str]] = [["g++"]] if shutil.which("g++") else []
    return found + ([[sys.executable, "-m", "ziglang", "c++"]] if zig_command() else [])


@pytest.mark.parametrize("command", cpp_compilers(), ids=lambda c: Path(c[0]).name)
def test_cpp_includes_every_public_header(
    models_dir: Path, tmp_path: Path, command: Sequence[str]
) -> None:
    models = [compiled(models_dir, m) for m in ZOO]
    lines = [f'#include "{m.model.prefix}.h"' for m in models]
    lines += ["extern const mcugen_model *const all[];", "const mcugen_model *const all[] = {"]
    lines += [f"    &{m.model.prefix}_model," for m in models] + ["};"]
    for name, text in {**host.runtime_headers(), "all.cpp": "\n".join(lines) + "\n"}.items():
        (tmp_path / name).write_text(text)
    for one in models:
        (tmp_path / f"{one.model.prefix}.h").write_text(one.files[f"{one.model.prefix}.h"])
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Wundef", "-Werror"]
    for standard in ("-std=c++11", "-std=c++20"):
        call = [*command, standard, *warnings, "-I.", "-c", "all.cpp", "-o", "all.o"]
        subprocess.run(call, cwd=tmp_path, check=True, timeout=300)


def weight_elems(path: Path) -> int:
    """Elements of the model's initializers of at least two dimensions."""
    arrays = [numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer]
    return sum(a.size for a in arrays if a.ndim >= 2)


@pytest.mark.parametrize("arithmetic", Arithmetic, ids=lambda a: a.value)
@pytest.mark.parametrize("model", QUANTIZED, ids=[m.name for m in QUANTIZED])
def test_no_float_weight_copies(models_dir: Path, model: ZooModel, arithmetic: Arithmetic) -> None:
    """Weights are stored once, as integers; scales and tables are all the floats there are."""
    path = models_dir / f"{model.name}.onnx"
    one = compiled(models_dir, model, arithmetic=arithmetic)
    arrays = {c.ident: c.array for c in one.model.constants}
    floats = {n: a.size for n, a in arrays.items() if a.dtype.kind == "f"}
    assert [n for n, size in floats.items() if size > SMALL_TABLE_ELEMS] == []
    weights = [a for n, a in arrays.items() if n.endswith("_weights")]
    rows = sum(a.size for n, a in arrays.items() if n.endswith("_bias"))
    padding = KERNEL_BLOCK * rows
    assert sum(w.size for w in weights) <= weight_elems(path) + padding
    assert {w.dtype for w in weights} <= {np.dtype(np.int8), np.dtype(np.int16)}
    assert all(w.itemsize == 1 for w in weights) or model.name in WIDE_WEIGHTS
