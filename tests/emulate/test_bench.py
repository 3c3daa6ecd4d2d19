"""Whole models in the emulator: exact figures, equal every time, and each thing that can fail."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emulate.programs import require_packages
from emulate.qemu_machines import require
from mcugen import api, resources
from mcugen.emulate import bench as bench_module
from mcugen.emulate import cross
from mcugen.emulate.bench import bench
from mcugen.emulate.result import BenchResult
from mcugen.errors import DoesNotFitError, InternalError, MissingExtraError, UsageError
from mcugen.report.bench_text import bench_json
from mcugen.report.model_report import Footprint
from mcugen.targets import load_target
from source_tree import ROOT

DIGITS = resources.examples() / "digits"
RECORDED = Path(__file__).with_name("counts.json")
CASES = (
    ("pico_w", "digits"),
    ("pico_w", "digits_int8"),
    ("nucleo_f446", "digits_int8"),
    ("nucleo_h743", "digits"),
    ("pico2_w", "digits_int8"),
    ("esp32c3", "digits_int8"),
    ("esp32c6", "digits"),
)


@pytest.fixture(autouse=True)
def _packages() -> None:
    require_packages()


def model(name: str = "digits_int8", board: str = "pico_w", **options: Any) -> api.Model:
    return api.compile(DIGITS / f"{name}.onnx", board=board, **{"kernels": "portable", **options})


def run(made: api.Model, name: str = "digits_int8", **options: Any) -> BenchResult:
    sample = made.samples(DIGITS / f"{name}.npz")[0]
    return bench(made.compiled, made.target, sample, **options)


def pins() -> dict[str, str]:
    """Package -> the version that pyproject.toml pins."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return dict(re.findall(r'"(ziglang|unicorn)==([\d.]+)"', text))


def test_counts_are_the_recorded_ones(check_golden: Callable[[Path, str], None]) -> None:
    """Of zig and unicorn as pinned; kernels that change, change them: --update-golden."""
    for package, version in pins().items():
        if importlib.metadata.version(package) != version:
            pytest.skip(f"the counts are those of {package} {version}")
    found = {}
    for board, name in CASES:
        result = run(model(name, board), name)
        assert result.outputs_equal, result.first_mismatch
        sizes = ("cycles", "instructions", "stack_bytes", "text_bytes", "rodata_bytes", "ram_bytes")
        found[f"{name} on {board}"] = {key: getattr(result, key) for key in sizes}
    check_golden(RECORDED, json.dumps(found, indent=2) + "\n")


def test_both_tools_are_pinned() -> None:
    assert set(pins()) == {"ziglang", "unicorn"}


def test_two_runs_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bench_json([run(model())])
    monkeypatch.setenv("MCUGEN_CACHE", str(tmp_path))  # compiles everything anew
    assert json.dumps(bench_json([run(model())])) == json.dumps(first)


def test_layers_add_up_and_carry_the_nodes_of_the_model() -> None:
    result = run(model())
    assert result.cpu == "Cortex-M0+"
    assert "-O2" in result.compiler and "cortex_m0plus" in result.compiler
    assert [layer.op for layer in result.layers][:2] == ["QuantizeLinear", "QConv"]
    assert result.layers[1].name == "/conv1/Conv + conv1_relu_QuantizeLinear"
    assert result.layers[1].macs == 9216
    assert result.macs == model().compiled.program.macs
    cycles = [layer.cycles or 0 for layer in result.layers]
    assert result.cycles == sum(cycles) and min(cycles) > 0
    assert result.seconds == result.cycles / 133e6
    assert result.tensors_compared == len(result.layers) + 1
    assert result.ram_bytes == model().compiled.model.arena_bytes
    assert result.stack_bound_bytes is not None
    assert 0 < result.stack_bytes <= result.stack_bound_bytes


def test_instructions_alone_give_no_time() -> None:
    result = run(model(board="nucleo_f446"))
    assert result.cycles is None and result.seconds is None
    assert all(layer.cycles is None and layer.instructions > 0 for layer in result.layers)


def with_code(made: api.Model, before: str, put: str) -> api.Model:
    """The model with a statement put before the comment of a call."""
    files = dict(made.compiled.files)
    name = f"{made.compiled.model.prefix}.c"
    changed = files[name].replace(before, f"{put}\n{before}")
    assert changed != files[name]
    compiled = dataclasses.replace(made.compiled, files={**files, name: changed})
    return api.Model(compiled, made.target)


THIRD_CALL = "    /* 2: "
DEPTHWISE = "QConv '/depthwise/Conv + depthwise_out_QuantizeLinear'"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("for (;;) { __asm__ volatile(\"\"); }", "still running after 1,000,000 instructions"),
        ("*(volatile uint32_t *)(void *)&arena[2] = 0;", "unaligned access of 4 bytes at"),
        ("(void)*(volatile uint8_t *)0x50000000;", "invalid access of 1 bytes at 0x50000000"),
    ],
)  # fmt: skip
def test_a_fault_names_the_layer(statement: str, message: str) -> None:
    broken = with_code(model(), THIRD_CALL, statement)
    with pytest.raises(InternalError) as caught:
        run(broken, limit=1_000_000)
    assert str(caught.value).startswith(f"{DEPTHWISE}: {message}")


def test_a_layer_that_computes_something_else_is_named() -> None:
    # before the second convolution runs, its input changes; what the first gave was right
    flip = "for (uint32_t i = 0U; i < DIGITS_INT8_ARENA_BYTES; i++) { arena[i] ^= 64U; }"
    wrong = run(with_code(model(), THIRD_CALL, flip))
    assert not wrong.outputs_equal
    assert wrong.first_mismatch is not None
    assert wrong.first_mismatch.startswith(f"{DEPTHWISE}, tensor '")
    assert "got np.int8(" in wrong.first_mismatch
    assert bench_json([wrong])["outputs_equal"] is False


def test_more_stack_than_stated_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = Footprint(0, "measured", 100, 0)
    monkeypatch.setattr(bench_module, "measure_footprint", lambda compiled, target: stated)
    with pytest.raises(InternalError, match=r"used \d+ bytes of stack, 100 are stated"):
        run(model())


def test_a_board_that_optimises_for_size(tmp_path: Path) -> None:
    (tmp_path / "target.toml").write_text('base = "pico_w"\n[compiler]\noptimize = "-Os"\n')
    small = run(model(board=str(tmp_path)))
    assert small.compiler.endswith(" -Os") and small.outputs_equal
    assert small.text_bytes < run(model()).text_bytes


def test_a_board_without_an_emulator_says_why() -> None:
    with pytest.raises(UsageError, match=r"there is no emulator for .*runs the C itself"):
        run(model(board="host"))


def test_a_core_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "target.toml").write_text('base = "pico_w"\n[emulator]\ncpu = "z80"\n')
    with pytest.raises(UsageError, match=r"must be one of cortex-m0plus, .* got 'z80'"):
        run(model(board=str(tmp_path)))


@pytest.mark.parametrize("options", [{"io_buffers": "caller"}, {"arena": "caller"}])
def test_only_the_default_interface_is_run(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="bench runs the default interface"):
        run(model(**options))


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"ram_bytes": 1024}, "RAM: 1,280 bytes needed, 1,024 emulated"),
        ({"ram_bytes": 2048}, r"RAM with 2,\d+ bytes of stack: 3,\d+ bytes needed, 2,048 emulated"),
        ({"flash_bytes": 4096}, "flash: 8,... bytes needed, 4,096 emulated"),
        ({"flash_bytes": 12_288}, "flash: 1.,... bytes needed, 12,288 emulated"),  # with its code
    ],
)
def test_a_model_that_is_larger_than_the_emulated_memory(
    size: dict[str, int], message: str
) -> None:
    memory = dataclasses.replace(load_target("pico_w").emulator.memory, **size)
    with pytest.raises(DoesNotFitError, match=f"does not fit the emulated .* Pico W: {message}"):
        run(model(), memory=memory)


def test_memories_may_lie_anywhere() -> None:
    """At address 0 too, where the emulator does not stop."""
    figures = bench_json([run(model())])
    for flash_origin, ram_origin in (
        (0, 0x2000_0000),
        (0x2000_0000, 0),
        (0x9000_0000, 0x2000_0000),
    ):
        memory = dataclasses.replace(
            load_target("pico_w").emulator.memory, flash_origin=flash_origin, ram_origin=ram_origin
        )
        assert bench_json([run(model(), memory=memory)]) == figures


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    made = model()
    monkeypatch.setattr(cross, "zig_command", lambda: None)
    with pytest.raises(MissingExtraError, match="'ziglang'") as caught:
        run(made)
    assert caught.value.hint == "pip install 'mcugen[bench]'"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="'unicorn'"):
        run(made)


def test_kernels_of_a_vendor_need_their_sources() -> None:
    with pytest.raises(UsageError, match="bench of cmsis_nn kernels needs the library's sources"):
        run(model(kernels="cmsis_nn"))


def test_a_compiler_that_is_not_there_or_not_for_the_core() -> None:
    for cc in ("no-such-gcc", "true", "'gcc", ""):
        with pytest.raises(UsageError, match=f"--cc: '{cc}' cannot be run as a C compiler"):
            run(model(), cc=cc)
    host = shutil.which("cc")
    if host is not None:
        with pytest.raises(UsageError, match=r"--cc: .* -O2: the generated C does not compile"):
            run(model(), cc=host)


def test_a_board_whose_file_has_no_flags_for_gcc(tmp_path: Path) -> None:
    (tmp_path / "target.toml").write_text('base = "pico_w"\n[compiler]\ngcc = []\n')
    with pytest.raises(UsageError, match=r"--cc: the board file of .* has no flags"):
        run(model(board=str(tmp_path)), cc="arm-none-eabi-gcc")


def test_a_board_whose_file_has_wrong_flags_for_zig(tmp_path: Path) -> None:
    text = 'base = "pico_w"\n[compiler]\nzig = ["--target=none-at-all"]\n'
    (tmp_path / "target.toml").write_text(text)
    with pytest.raises(UsageError, match=r"'zig' in compiler of .* Pico W: .*none-at-all"):
        run(model(board=str(tmp_path)))


@pytest.mark.qemu
@pytest.mark.parametrize(
    ("board", "cc", "core"),
    [
        ("pico_w", "arm-none-eabi-gcc", "-mcpu=cortex-m0plus"),
        ("nucleo_f446", "arm-none-eabi-gcc", "-mcpu=cortex-m4"),
        ("esp32c3", "riscv64-unknown-elf-gcc", "-march=rv32imc"),
    ],
)
def test_the_compiler_of_the_firmware(board: str, cc: str, core: str) -> None:
    require(cc)
    result = run(model(board=board), cc=cc)
    assert result.outputs_equal
    assert result.compiler.startswith(cc) and core in result.compiler
