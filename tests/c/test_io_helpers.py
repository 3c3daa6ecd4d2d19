"""The helpers in NAME_io.h give the bits of their twins in Python, in every interface."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from exported import example
from io_programs import IoProgram
from mcugen import api, io_helpers
from mcugen.c_model import CTensor
from mcugen.compiler import Compiled
from mcugen.frontend import load_model
from mcugen.host import runtime_headers, same_bits
from mcugen.io_helpers import Normalization
from mcugen.ir import Array
from mcugen.project import library_files, project_files
from mcugen.targets import load_target
from mcugen.toolchain import STRICT_WARNINGS, Compiler, build, describe, find_compiler, zig_command
from onnx_models import FLOAT, model, node, value

INTEGERS = ("INT8", "UINT8", "INT16", "UINT16")
CAST = (*INTEGERS, "INT32", "UINT32", "INT64", "UINT64", "FLOAT", "DOUBLE", "BOOL")
IMAGENET = Normalization(1 / 255, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


@dataclass(frozen=True)
class Interface:
    """A model with one input and one output, and how its C takes them."""

    shape: tuple[int, ...]
    dtype: str
    scale: float
    zero_point: int
    at_border: bool
    cast: str
    filters: int
    options: tuple[str, str, str]

    def compiled(self) -> Compiled:
        """Integers at the border by the file itself or by --io quantized, or floats."""
        kind = TensorProto.DataType.Value(self.dtype)
        zero = np.array(self.zero_point, np.dtype(self.dtype.lower()))
        constants: dict[str, Array] = {"s": np.float32(self.scale), "z": zero}
        nodes = [node("DequantizeLinear", ["q", "s", "z"], ["r"])]
        if not self.at_border:
            nodes.insert(0, node("QuantizeLinear", ["x", "s", "z"], ["q"]))
        inner = "r"
        if self.filters:
            shape = (self.filters, self.shape[1], 1, 1)
            constants["w"] = np.arange(np.prod(shape)).astype(np.float32).reshape(shape)
            nodes.append(node("Conv", ["r", "w"], ["c"]))
            inner = "c"
        if self.cast in ("INT8", "UINT8"):
            constants |= {"ys": np.float32(0.37), "yz": np.array(3, np.dtype(self.cast.lower()))}
            nodes.append(node("QuantizeLinear", [inner, "ys", "yz"], ["y"]))
        else:
            to = TensorProto.DataType.Value(self.cast)
            nodes += [node("Relu", [inner], ["a"]), node("Cast", ["a"], ["y"], to=to)]
        x = value("q", self.shape, kind) if self.at_border else value("x", self.shape, FLOAT)
        file = model(nodes, [x], ["y"], constants, opset=21, ir=10)
        io_layout, io_buffers, arena = self.options
        io = "float" if self.at_border else "quantized"
        return api.compile(
            load_model(file, name="m"),
            io=io, io_layout=io_layout, io_buffers=io_buffers, arena=arena,
        ).compiled  # fmt: skip


@st.composite
def interfaces(draw: Any) -> Interface:
    dtype = draw(st.sampled_from(INTEGERS))
    info = np.iinfo(dtype.lower())
    size = st.integers(1, 6)
    image = st.sampled_from([1, 3]).flatmap(
        lambda c: st.tuples(st.integers(1, 2), size, size).flatmap(
            lambda s: st.sampled_from([(s[0], c, s[1], s[2]), (*s, c)])
        )
    )
    shape = draw(st.one_of(image, st.lists(size, min_size=0, max_size=5).map(tuple)))
    filters = draw(st.integers(0, 3)) if len(shape) == 4 else 0
    options = st.sampled_from(
        list(product(("onnx", "nhwc"), ("arena", "caller"), ("static", "caller")))
    )
    scales = st.floats(2.0**-20, 2.0**10, width=32)
    zero = st.integers(int(info.min), int(info.max))
    return Interface(
        shape, dtype, draw(scales), draw(zero), draw(st.booleans()), draw(st.sampled_from(CAST)),
        filters, draw(options),
    )  # fmt: skip


def reals(t: CTensor, rng: np.random.Generator) -> Array:
    """Ties, what saturates, and what has no number."""
    assert t.scale is not None
    steps = rng.integers(-(2**17), 2**17, 400) / rng.choice([1, 2, 4, 64], 400)
    found = (steps * t.scale).astype(np.float32)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38, 1e-45, 0.5 * t.scale, -2.5 * t.scale]
    return np.concatenate([found, np.array(odd, np.float32)])


def normalization(rng: np.random.Generator) -> Normalization:
    mean, std = rng.normal(size=3).round(3), rng.choice([0.229, 0.5, 1.0, 58.395, 0.0, -2.0], 3)
    scale = float(rng.choice([1.0, 1 / 255, 0.017, -3.5]))
    return Normalization(scale, mean.tolist(), std.tolist(), bool(rng.integers(2)))


def assert_same(got: Array, wanted: Array) -> None:
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert same_bits(got, wanted).all(), (got, wanted)


def compare_input(program: IoProgram, t: CTensor, rng: np.random.Generator) -> None:
    if t.quantizable:
        x = reals(t, rng)
        got = np.array([program.one(f"quantize{t.index}", float(v)) for v in x], t.dtype.np)
        assert_same(got, io_helpers.quantize(t, x))
        whole = rng.choice(x, t.shape)
        got = program.whole(f"quantize_all{t.index}", whole, t.dtype.np, t.shape)
        assert_same(got, io_helpers.quantize(t, whole))
    assert program.has(f"image{t.index}") == (t.image is not None)
    if t.image is not None:
        compare_image(program, t, normalization(rng), rng)


def compare_image(
    program: IoProgram, t: CTensor, how: Normalization, rng: np.random.Generator
) -> None:
    """One image after the other, into its place of the tensor, by both ways."""
    assert t.image is not None
    form = t.image
    size = (form.count, form.height, form.width, form.channels)
    pixels = rng.integers(0, 256, size).astype(np.uint8)
    wanted = io_helpers.image(t, pixels, how)
    ways = [f"image{t.index}"]
    if t.quantizable and t.dtype.itemsize == 1:
        ways.append(f"by_table{t.index}")
    for way in ways:
        got = np.zeros(t.shape, t.dtype.np)
        for n in range(form.count):
            at = n * form.elems
            one = program.image(way, np.ascontiguousarray(pixels[n]), how, t, at)
            got[n] = one[n]
        assert_same(got, wanted)


def compare_output(program: IoProgram, t: CTensor, rng: np.random.Generator) -> None:
    few = rng.integers(0, 2 if t.dtype.value == "bool" else 5, t.shape).astype(t.dtype.np)
    if t.dtype.is_float:
        few[rng.random(t.shape) < 0.2] = np.nan
    if t.quantized:
        q = np.frombuffer(rng.bytes(64 * t.dtype.itemsize), t.dtype.np)
        got = [program.one(f"dequantize{t.index}", int(v)) for v in q]
        assert_same(np.array(got, np.float32), io_helpers.dequantize(t, q))
        whole = np.resize(q, t.shape)
        got_all = program.whole(f"dequantize_all{t.index}", whole, np.dtype("f4"), t.shape)
        assert_same(got_all, io_helpers.dequantize(t, whole))
    assert program.has(f"argmax{t.index}") == (t.dtype.value != "bool")
    if t.dtype.value != "bool":
        assert program.argmax(t.index, few) == io_helpers.argmax(few)
        for k in (0, 1, 3, t.elems, t.elems + 2):
            assert_same(program.topk(t.index, few, k), io_helpers.topk(few, k))


def compare(compiled: Compiled, seed: int, compiler: Compiler | None = None) -> None:
    """Every helper of the model against its twin."""
    program, rng = IoProgram(compiled, compiler=compiler), np.random.default_rng(seed)
    for t in compiled.model.inputs:
        compare_input(program, t, rng)
    for t in compiled.model.outputs:
        compare_output(program, t, rng)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(interface=interfaces(), seed=st.integers(0, 2**32 - 1))
def test_all_helpers_equal_their_twins(interface: Interface, seed: int) -> None:
    compare(interface.compiled(), seed)


@pytest.mark.parametrize("cast", CAST)
def test_every_type_of_output(cast: str) -> None:
    shape, options = (2, 5), ("onnx", "arena", "static")
    one = Interface(shape, "INT8", 0.25, -3, True, cast, 0, options).compiled()
    assert one.model.outputs[0].dtype.name in (cast, cast.replace("FLOAT", "FLOAT32"), "FLOAT64")
    compare(one, 1)


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
def test_with_zig(name: str) -> None:
    command = zig_command()
    if command is None:
        pytest.skip("the package ziglang is missing")
    compare(example(name).compiled, 2, compiler=describe(command))


def rgb(channels_last: bool) -> Compiled:
    shape = [1, 7, 5, 3] if channels_last else [1, 3, 7, 5]
    file = model([node("Relu", ["x"], ["y"])], [value("x", shape)], ["y"])
    return api.compile(load_model(file, name="rgb")).compiled


@pytest.mark.skipif(
    sys.platform != "linux" or " fma " not in Path("/proc/cpuinfo").read_text(),
    reason="this processor has no fused multiply-add",
)
@pytest.mark.parametrize("channels_last", [False, True])
def test_the_programs_own_flags_change_no_bit(channels_last: bool) -> None:
    """These pixels come out otherwise when product and difference are fused."""
    one = rgb(channels_last)
    t = one.model.inputs[0]
    pixels = np.arange(105).reshape(7, 5, 3).astype(np.uint8)
    exact = pixels.astype(np.float64) * np.float32(IMAGENET.scale)
    fused = (exact - np.float32(IMAGENET.mean)).astype(np.float32) / np.float32(IMAGENET.std)
    wanted = io_helpers.image(t, pixels, IMAGENET)
    in_order = wanted[0] if channels_last else wanted[0].transpose(1, 2, 0)
    assert (fused != in_order).any()
    program = IoProgram(one, flags=("-O3", "-mfma", "-ffp-contract=fast"))
    assert_same(program.image("image0", pixels, IMAGENET, t), wanted)


def test_fast_math_is_refused() -> None:
    with pytest.raises(Exception, match="compile without -ffast-math"):
        IoProgram(rgb(True), flags=("-ffast-math",))


CPP_FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Wundef",
             "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror")  # fmt: skip
ARDUINO = """
#pragma once
#include <cstdint>
#include <cstdio>
struct SerialPort {
    void begin(int) {}
    void print(float v) { std::printf("%g", static_cast<double>(v)); }
    void print(unsigned long v) { std::printf("%lu", v); }
    void print(uint32_t v) { std::printf("%u", v); }
    void print(const char *t) { std::printf("%s", t); }
    void print(char t) { std::printf("%c", t); }
    template <typename T> void println(T t) { print(t); println(); }
    void println() { std::printf("\\n"); }
};
inline SerialPort Serial;
inline unsigned long micros() { return 0; }
inline void delay(int) {}
"""


def cpp_compiler() -> list[str]:
    if shutil.which("g++"):
        return ["g++"]
    if zig_command():
        return [sys.executable, "-m", "ziglang", "c++"]
    pytest.skip("there is no C++ compiler")


def named(name: str, io_buffers: str, arena: str) -> Compiled:
    """The example, or a model of integers: of images, or of plain numbers."""
    if name == "digits":
        return example("digits_int8", io_buffers=io_buffers, arena=arena).compiled
    shape = (1, 3, 4, 4) if name == "border" else (2, 9)
    options = ("onnx", io_buffers, arena)
    return Interface(
        shape, "INT8", 0.25, -3, True, "INT8", 2 if name == "border" else 0, options
    ).compiled()


@pytest.mark.parametrize("name", ["digits", "border", "plain"])
@pytest.mark.parametrize("io_buffers", ["arena", "caller"])
@pytest.mark.parametrize("arena", ["static", "caller"])
def test_the_example_sketch_runs(tmp_path: Path, name: str, io_buffers: str, arena: str) -> None:
    """A C++ program that uses the helpers, built with its own warnings as errors."""
    compiled = named(name, io_buffers, arena)
    prefix = compiled.model.prefix
    files = library_files(compiled, {})
    sources = {Path(n).name: t for n, t in files.items() if n.startswith("src/")}
    sources["Arduino.h"] = ARDUINO
    sketch = files[f"examples/{prefix}_once/{prefix}_once.ino"]
    sources["main.cpp"] = f'#include "Arduino.h"\n{sketch}\nint main() {{ setup(); loop(); }}\n'
    for n, text in sources.items():
        (tmp_path / n).write_text(text)
    c_files = sorted(n for n in sources if n.endswith(".c"))
    cc = [sys.executable, "-m", "ziglang", "cc"] if shutil.which("gcc") is None else ["gcc"]
    run = {"cwd": tmp_path, "check": True, "timeout": 300}
    subprocess.run([*cc, "-std=c11", "-O1", "-c", *c_files], **run)
    objects = [n.replace(".c", ".o") for n in c_files]
    subprocess.run([*cpp_compiler(), *CPP_FLAGS, "-I.", "main.cpp", *objects, "-o", "main"], **run)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, **run)
    assert "us" in done.stdout and "error" not in done.stdout
    assert ("largest at " in done.stdout) == (compiled.model.outputs[0].elems > 1)


@pytest.mark.parametrize("name", ["digits", "border", "plain"])
@pytest.mark.parametrize(("io_buffers", "arena"), [("arena", "static"), ("caller", "caller")])
def test_the_readmes_lines_compile(name: str, io_buffers: str, arena: str) -> None:
    compiled = named(name, io_buffers, arena)
    files = project_files(compiled, load_target("host"), None, {})
    (block,) = re.findall(r"```c\n(.*?)```", files["README.md"], re.DOTALL)
    includes, lines = block.split("\n\n", 1)
    kept = [f"(void){n};" for n in re.findall(r"^\w+ (first\d|largest\d) =", lines, re.MULTILINE)]
    body = "\n".join(["(void)0;", lines, *kept, "return error;"])
    text = f"{includes}\nint readme(void);\nint readme(void)\n{{\n{body}}}\n"
    headers = {n: t for n, t in compiled.files.items() if n.endswith(".h")}
    sources = {**runtime_headers(), **headers, "readme.c": text}
    assert build(sources, flags=("-O1", *STRICT_WARNINGS)).is_file()
    assert f"{compiled.model.prefix}_input0_" in body


def test_the_model_itself_has_nothing_of_them() -> None:
    files = dict(example("digits_int8").compiled.files)
    assert "mcugen_io.h" in files.pop("digits_int8_io.h")
    assert [n for n, text in files.items() if "_io.h" in text] == []


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_is_not_called_is_not_there(tmp_path: Path, level: str) -> None:
    """One helper is used; of the others, and of the tables they need, no name is left."""
    compiled = named("border", "arena", "static")
    headers = {n: t for n, t in compiled.files.items() if n.endswith(".h")}
    text = '#include "m_io.h"\nfloat used(int8_t q);\n'
    text += "float used(int8_t q) { return m_output0_dequantize(q); }\n"
    for n, source in {**runtime_headers(), **headers, "used.c": text}.items():
        (tmp_path / n).write_text(source)
    command = [*find_compiler().command, "-std=c11", level, "-S", "used.c", "-o", "used.s"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    named_there = set(re.findall(r"\b(?:m|mcugen)_\w+", (tmp_path / "used.s").read_text()))
    assert named_there <= {"m_output0_dequantize", "mcugen_dequantize"}
    assert re.search(r"^_?used:", (tmp_path / "used.s").read_text(), re.MULTILINE)
