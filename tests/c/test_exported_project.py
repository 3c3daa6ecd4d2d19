"""The host project builds under strict flags and proves itself; what is broken is named."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from exported import example, make, write_for, write_project
from mcugen.toolchain import find_compiler, zig_command

if shutil.which("make") is None:
    pytest.skip("there is no make", allow_module_level=True)

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
needs_zig = pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")

COMPILER = f"CC={' '.join(find_compiler().command)}"
ZIG = f"CC={sys.executable} -m ziglang cc"
SANITIZED = "CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
@pytest.mark.parametrize("level", ["crc", "full"])
def test_pass(tmp_path: Path, name: str, level: str) -> None:
    folder = write_for("host", tmp_path / "out", name, level)
    done = make(folder, COMPILER)
    assert done.returncode == 0, done.stderr
    steps = len(example(name).compiled.program.calls)
    assert f"PASS: {steps} layer outputs and 1 model outputs equal" in done.stdout
    assert f"arena {example(name).compiled.plan.arena_bytes} bytes, {steps} layers" in done.stdout
    assert len(re.findall(r"^layer \d+ \w+ \".*\": \d+ us$", done.stdout, re.MULTILINE)) == steps
    assert re.search(r"^inference: \d+ us$", done.stdout, re.MULTILINE)


@needs_zig
def test_pass_with_zig(tmp_path: Path) -> None:
    done = make(write_for("host", tmp_path / "out"), ZIG)
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout


@needs_gcc
@pytest.mark.parametrize("name", [pytest.param("digits", marks=pytest.mark.zoo), "digits_int8"])
def test_pass_under_sanitizers(tmp_path: Path, name: str) -> None:
    done = make(write_for("host", tmp_path / "out", name), "CC=gcc", SANITIZED)
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout


@pytest.mark.parametrize(
    ("io_buffers", "arena", "level"),
    [
        ("arena", "static", "none"),
        ("arena", "caller", "full"),
        ("caller", "static", "full"),
        ("caller", "caller", "full"),
        ("caller", "caller", "none"),
    ],
)
def test_every_interface(tmp_path: Path, io_buffers: str, arena: str, level: str) -> None:
    model = example("digits_int8", io_buffers=io_buffers, arena=arena)
    done = make(write_project(model, tmp_path / "out", level), COMPILER)
    assert done.returncode == 0, done.stderr
    assert ("NOT CHECKED" if level == "none" else "PASS") in done.stdout


def corrupt_first_weight(folder: Path) -> str:
    """Change one weight of the first layer that has any; returns its node's name."""
    model = example().compiled.model
    names = {c.ident for c in model.constants}
    call = next(c for c in model.calls if names & set(c.arguments))
    array = next(a for a in call.arguments if a in names)
    path = folder / "lib" / model.prefix / "src" / f"{model.prefix}_weights.c"
    text = path.read_text()
    start = text.index("{", text.index(f" {array}["))
    first = re.compile(r"-?\d+").search(text, start)
    assert first is not None
    other = "-99" if int(first[0]) > 0 else "99"
    path.write_text(text[: first.start()] + other + text[first.end() :])
    return call.node


def test_one_wrong_weight_names_the_layer(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out", level="full")
    node = corrupt_first_weight(folder)
    done = make(folder, COMPILER)
    assert done.returncode != 0
    assert "PASS" not in done.stdout
    first = next(line for line in done.stdout.splitlines() if line.startswith("FAIL"))
    assert f'"{node}" output 0: CRC-32 got 0x' in first
    assert re.search(r"first difference: element \d+, got .*, expected ", done.stdout)


def test_without_traces_the_outputs_are_still_compared(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("-DDIGITS_INT8_TRACE", ""))
    done = make(folder, COMPILER)
    assert done.returncode == 0, done.stderr
    assert "layers are not compared" in done.stdout
    assert "PASS: 0 layer outputs and 1 model outputs" in done.stdout
    node = corrupt_first_weight(folder)
    done = make(folder, COMPILER)
    assert done.returncode != 0
    assert 'FAIL: output "' in done.stdout
    assert node not in done.stdout


@pytest.mark.parametrize(
    ("arena", "holder"), [("static", "digits_int8.o"), ("caller", "digits_int8_selftest.o")]
)
def test_an_arena_in_a_section_of_its_own(tmp_path: Path, arena: str, holder: str) -> None:
    folder = write_project(example("digits_int8", arena=arena), tmp_path / "out")
    done = make(folder, COMPILER, "CFLAGS=-O1 -DDIGITS_INT8_ARENA_SECTION=.far.mcugen")
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout
    (built,) = (folder / "build").rglob(holder)
    assert b"\0.far.mcugen\0" in built.read_bytes()


@pytest.mark.skipif(
    sys.platform != "linux" or " fma " not in Path("/proc/cpuinfo").read_text(),
    reason="this processor has no fused multiply-add",
)
@needs_gcc
def test_no_fused_multiply_add_whatever_the_flags(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out", "digits")
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("-ffp-contract=off", "-ffp-contract=fast"))
    done = make(folder, "CC=gcc", "CFLAGS=-O2 -mfma")
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout


def test_the_project_is_left_as_it_was(tmp_path: Path) -> None:
    folder = write_for("host", tmp_path / "out")
    before = sorted(p for p in folder.rglob("*"))
    assert make(folder, COMPILER).returncode == 0
    assert make(folder, "clean").returncode == 0
    assert sorted(p for p in folder.rglob("*")) == before
