"""The Xtensa pass of `mcugen bench`: models, vendor calls, windows, and what can fail."""

from __future__ import annotations

import dataclasses
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from emulate.qemu_machines import require
from emulate.test_qemu import on_disk, small
from mcugen import resources
from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.emulate import xtensa
from mcugen.emulate.bench import bench
from mcugen.emulate.machine import FaultError
from mcugen.emulate.qemu import QemuMachine
from mcugen.emulate.result import BenchResult
from mcugen.emulate.xtensa import CPU, IDLE, MARK, QEMU, build_xtensa_image, find_xtensa_toolchain
from mcugen.errors import InternalError, UsageError
from mcugen.frontend import load_model
from mcugen.host import standin_files
from mcugen.ops.spec import Core
from mcugen.report.bench_text import bench_json
from mcugen.samples import Sample, random_samples
from mcugen.targets import Memory, load_target
from mcugen.toolchain import STRICT_WARNINGS, ForeignSources, build
from onnx_models import model, node, value

MEMORY = Memory(0x1000_0000, 64 << 10, 0x2000_0000, 16 << 10)
BOARD = "esp32s3"


@pytest.fixture
def tools() -> None:
    """Skips where they are not installed."""
    require("clang-22", "xtensa-lx106-elf-ld", QEMU)


with_tools = [pytest.mark.qemu, pytest.mark.usefixtures("tools")]


def qemu(function: Any) -> Any:
    for mark in with_tools:
        function = mark(function)
    return function


def run(compiled: Compiled, sample: Sample, **options: Any) -> BenchResult:
    return bench(compiled, load_target(BOARD), sample, **options)


@qemu
@pytest.mark.parametrize("name", ["digits", "digits_int8", "conv_net", "sine_int8"])
def test_a_model_is_exact(name: str) -> None:
    compiled, sample = small(name)
    result = run(compiled, sample)
    assert result.outputs_equal, result.first_mismatch
    assert result.tensors_compared > len(result.layers)
    assert result.cycles is None and result.seconds is None
    assert result.instructions > result.macs > 0
    assert all(layer.instructions > 0 for layer in result.layers)
    assert 128 < result.stack_bytes < 4096
    assert result.ram_bytes == compiled.model.arena_bytes
    found = bench_json([result])
    assert found["cpu"] == "Xtensa (QEMU)" and "clang version" in found["compiler"]
    assert "no PIE" in found["caveat"] and "unverified on hardware" in found["caveat"]


@qemu
@pytest.mark.zoo
@pytest.mark.parametrize("name", ["kws_dscnn_f32", "kws_dscnn_qdq", "ic_resnet8_qdq"])
def test_a_real_model_is_exact(name: str, models_dir: Path) -> None:
    result = run(*on_disk(models_dir / name))
    assert result.outputs_equal, result.first_mismatch


@qemu
def test_calls_of_esp_nn_are_exact() -> None:
    options = CompileOptions(libraries=("esp_nn", "portable"), core=Core.ESP32S3)
    compiled, sample = small("digits_int8", options)
    assert "esp_nn" in compiled.model.libraries
    vendor = ForeignSources("stand-ins", standin_files("esp_nn"), (".",))
    result = run(compiled, sample, vendor=vendor)
    assert result.outputs_equal, result.first_mismatch
    assert "esp_nn" in result.kernels


@qemu
def test_two_runs_count_the_same() -> None:
    first, second = (run(*small("digits_int8")) for _ in range(2))
    assert first == second


def machine_for(source: str, limit: int = 1_000_000, **options: Any) -> QemuMachine:
    image = build_xtensa_image(
        {"probe.c": source}, find_xtensa_toolchain("-O2"), MEMORY, ["probe", "result"]
    )
    return QemuMachine((QEMU, "-cpu", CPU), MEMORY, image.elf, (MARK, IDLE), limit, **options)


RECURSION = """
    int result;
    __attribute__((noinline, optnone)) static int deeper(int level) {
        return level == 0 ? 0 : level + deeper(level - 1);
    }
    void probe(void) { result = deeper(40); mcugen_xtensa_mark(); result += deeper(3); }
"""


@qemu
def test_more_calls_than_there_are_register_windows() -> None:
    with machine_for(RECURSION) as machine:
        counts = [c.instructions for c in machine.call("probe")]
        (result,) = struct.unpack("<i", machine.read(machine.symbols["result"].address, 4))
        assert result == 41 * 20 + 6
        assert len(counts) == 2 and counts[0] > 40 > counts[1] / 2
        assert 41 * 32 < machine.stack_bytes < 41 * 128


@qemu
def test_memory_is_written_and_read_whole() -> None:
    data = bytes(np.random.default_rng(1).integers(0, 256, 9000, np.uint8))
    with machine_for("char result[9001]; void probe(void) { result[9000] = result[8999]; }") as m:
        at = m.symbols["result"].address
        m.write(at, data)
        assert len(list(m.call("probe"))) == 1
        assert m.read(at, 9001) == data + data[-1:]


FAULTS = {
    'for (;;) { __asm__ volatile(""); }': "still running after 1,000,000 instructions",
    '__asm__ volatile(".byte 0x40, 0x23, 0xa2");': "Illegal instruction",  # muluh
    "*(volatile int *)0x20000002 = 1;": "Bus error",
    "*(volatile int *)0x38000000 = 1;": "Segmentation fault",
    "*(volatile char *)0x20000004 = 1;": "the stack meets static data",
}


@qemu
@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_is_named(statement: str) -> None:
    source = f"int result; void probe(void) {{ result = 1; {statement} }}"
    with machine_for(source) as machine, pytest.raises(FaultError, match=FAULTS[statement]):
        list(machine.call("probe"))


@qemu
def test_what_takes_too_long_is_ended() -> None:
    source = "int result; void probe(void) { for (;;) { result++; } }"
    endless = machine_for(source, 1 << 60, patience_s=1.0)
    with endless as machine, pytest.raises(FaultError, match="still running after 1 s"):
        list(machine.call("probe"))


@qemu
def test_a_fault_in_a_model_names_the_layer() -> None:
    compiled, sample = small("digits_int8")
    name = f"{compiled.model.prefix}.c"
    third = "    /* 2: "
    bad = "*(volatile uint32_t *)(void *)&arena[2] = 0;"
    files = {**compiled.files, name: compiled.files[name].replace(third, f"{bad}\n{third}")}
    broken = dataclasses.replace(compiled, files=files)
    with pytest.raises(InternalError, match=r"^QConv '/depthwise/Conv .*: .*Bus error"):
        run(broken, sample)


@qemu
def test_a_qemu_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xtensa, "CPU", "no-such-core")
    with pytest.raises(InternalError, match=r"emulating ESP32-S3.*: .*no-such-core"):
        run(*small("digits_int8"))


@qemu
def test_doubles_are_refused() -> None:
    double = onnx.TensorProto.DOUBLE
    graph = model(
        [node("Add", ["a", "b"], ["y"])],
        [value("a", [4], double), value("b", [4], double)],
        [value("y", [4], double)],
        {},
    )
    compiled = compile_model(load_model(graph, name="doubles"))
    with pytest.raises(UsageError, match="the model calls __adddf3, which") as caught:
        run(compiled, random_samples(compiled.imported.graph, 1)[0])
    assert "double-precision" in (caught.value.hint or "")


@qemu
def test_the_start_is_strict_c() -> None:
    folders = (resources.firmware() / "xtensa", resources.firmware() / "freestanding")
    files = {p.name: p.read_text() for folder in folders for p in folder.iterdir()}
    toolchain = find_xtensa_toolchain("-O2")
    flags = [f for f in toolchain.flags if f != "-w"]
    linked = build(
        files,
        compiler=toolchain.compiler,
        flags=(*flags, *STRICT_WARNINGS),
        link_flags=(*toolchain.link_flags, "-r"),
        suffix=".o",
    )
    assert linked.is_file()


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError) as caught:
        run(*small("digits_int8"))
    text = caught.value.message
    assert text == (
        "emulating Xtensa needs clang with Xtensa (clang-22), xtensa-lx106-elf-ld, qemu-xtensa: "
        "not installed"
    )
    assert "apt-get install clang-22 binutils-xtensa-lx106 qemu-user" in (caught.value.hint or "")


def test_a_clang_without_the_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    none = subprocess.CompletedProcess([], 0, "Registered Targets:\n    arm - ARM\n")
    monkeypatch.setattr(subprocess, "run", lambda *given, **named: none)
    with pytest.raises(UsageError, match=r"needs clang with Xtensa \(clang-22\): not installed"):
        xtensa.require_xtensa()


def test_no_other_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcugen.emulate.bench.require_tools", lambda core: None)
    with pytest.raises(UsageError, match=r"--cc: for ESP32-S3.* only clang's code runs"):
        run(*small("digits_int8"), cc="xtensa-esp32s3-elf-gcc")
