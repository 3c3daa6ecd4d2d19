"""PlatformIO takes the exported projects as they are: configuration, libraries, whole builds.

Offline: stand-ins serve in place of the platforms (see `standin_core`), so this shows how
PlatformIO builds the project, not that a board's toolchain compiles it.
"""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from exported import example, write_for
from mcugen.targets import board_names, load_target

COMMANDS = "info%name%infer 2 1%layers%mode energy%infer 1%power 1 1 1%core 1%each 2%sleep 3%"

standin = pytest.importorskip("e2e.standin_core")

BOARDS = [name for name in board_names() if load_target(name).platformio]


@pytest.mark.parametrize("board", BOARDS)
def test_the_configuration_has_no_warning(tmp_path: Path, board: str) -> None:
    folder = write_for(board, tmp_path / "out")
    arguments = ("project", "config", "--lint", "--json-output")
    done = standin.pio(tmp_path / "core", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    # PlatformIO 6 prints this "JSON" as Python
    assert ast.literal_eval(done.stdout) == {"errors": [], "warnings": []}


def pack(core: Path, library: Path) -> str:
    done = standin.pio(core, "pkg", "pack", "-o", str(core.parent), cwd=library)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def test_the_libraries_are_valid(tmp_path: Path) -> None:
    folder = write_for("pico_w", tmp_path / "out")
    for name in ("digits_int8", "mcugen_rt"):
        text = pack(tmp_path / "core", folder / "lib" / name)
        assert f"{name}-1.0.0.tar.gz" in text
    done = example("digits_int8").export(tmp_path / "library", emit="lib")
    assert "digits_int8-1.0.0.tar.gz" in pack(tmp_path / "core", done.directory)


@pytest.mark.parametrize("board", BOARDS)
def test_a_whole_build_runs_and_passes(tmp_path: Path, board: str) -> None:
    folder = write_for(board, tmp_path / "out")
    core = standin.make_core(tmp_path / "core", load_target(board))
    done = standin.pio(core, "run", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stdout + done.stderr
    (program,) = folder.glob(".pio/build/*/firmware.elf")
    ran = subprocess.run(
        [program], input=COMMANDS, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0
    assert "PASS" in ran.stdout
    assert f"m-name-dut-[{board}]" in ran.stdout
    assert re.search(r"^m-lap-us-\d+\nm-lap-us-\d+\nm-infer-done$", ran.stdout, re.MULTILINE)
    assert "m-layers-done-1" in ran.stdout
    assert re.search(r"^m-each-\[\d+,\d+\]$", ran.stdout, re.MULTILINE)
    cores = int(re.findall(r"m-info-cores-\[(\d)\]", ran.stdout)[0])
    refusal = "no INA219 or INA226 answers" if cores > 1 else "a second core is needed"
    assert f"e-[power: {refusal}" in ran.stdout
    assert ("m-core-1" in ran.stdout) == (cores > 1)
    assert ran.stdout.count("\ne-[") == (1 if cores > 1 else 2)
