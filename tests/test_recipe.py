from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcugen.api import compile as compile_model
from mcugen.errors import UsageError
from mcugen.recipe import find_models, load_recipe, recipe_names
from mcugen.targets import ARENA_MEMORIES, load_target

SMALL = """
title = "Digits, both ways"
board = "esp32s3_n16r8"
meter = "simulated"
runs = 5
windows = 1
window_s = 0.05
[conditions]
radio = "off"
[[variant]]
folder = "in"
title = "int8, internal RAM"
model = "digits_int8.onnx"
arena_memory = "internal"
[[variant]]
folder = "out"
title = "int8, PSRAM"
model = "digits_int8.onnx"
arena_memory = "psram"
"""


def mcugen(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mcugen", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_recipes_that_come_with_mcugen() -> None:
    assert recipe_names() == ("esp32s3-vww",)
    for name in recipe_names():
        recipe = load_recipe(name)
        load_target(recipe.board)
        assert len({v.folder for v in recipe.variants}) == len(recipe.variants)
        assert all(v.arena_memory in ARENA_MEMORIES for v in recipe.variants)


def test_the_seed_experiment() -> None:
    recipe = load_recipe("esp32s3-vww")
    assert (recipe.meter, recipe.run.runs, recipe.run.windows) == ("ina219", 100, 5)
    assert recipe.run.window_s == 10.0
    assert [v.arena_memory for v in recipe.variants] == ["internal", "psram"] * 2
    assert len({v.model for v in recipe.variants}) == 2


def test_a_recipe_is_exported_measured_and_compared(tmp_path: Path, examples_dir: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    arguments = (
        "measure", str(tmp_path / "all"), "--recipe", str(tmp_path / "small.toml"),
        "--models", str(examples_dir / "digits"), "--port", "simulated", "--runs", "7",
    )  # fmt: skip
    done = mcugen(*arguments)
    assert done.returncode == 0, done.stderr
    assert "2 runs compared (simulated)" in done.stdout
    runs = [
        json.loads((tmp_path / "all" / f / "measurements/run-001/measurement.json").read_text())
        for f in ("in", "out")
    ]
    assert [r["title"] for r in runs] == ["int8, internal RAM", "int8, PSRAM"]
    assert [r["latency"]["count"] for r in runs] == [7, 7]
    assert runs[0]["conditions"] == {"radio": "off"}
    assert "internal RAM" in runs[0]["board"]["memory"]
    assert "external RAM" in runs[1]["board"]["memory"]
    assert (tmp_path / "all" / "comparison" / "report.html").is_file()
    again = mcugen(*arguments)
    assert again.returncode == 0, again.stderr
    kept = sorted(p.name for p in (tmp_path / "all" / "in" / "measurements").iterdir())
    assert kept == ["run-001", "run-002"], "an export anew leaves earlier runs"


def test_psram_is_a_difference_of_the_firmware(tmp_path: Path, examples_dir: Path) -> None:
    model = examples_dir / "digits" / "digits_int8.onnx"
    inis = {}
    for memory in ARENA_MEMORIES:
        found = compile_model(model, board="esp32s3_n16r8", arena_memory=memory)
        exported = found.export(tmp_path / memory)
        inis[memory] = (tmp_path / memory / "platformio.ini").read_text()
        notices = " ".join(exported.report.notices)
        assert ("told by --arena-memory psram" in notices) == (memory == "psram")
    assert "-DDIGITS_INT8_ARENA_SECTION=.ext_ram.bss.mcugen" in inis["psram"]
    assert "ARENA_SECTION" not in inis["internal"] and inis["internal"] == inis["auto"]


def test_memories_that_are_none(examples_dir: Path) -> None:
    model = examples_dir / "digits" / "digits_int8.onnx"
    with pytest.raises(UsageError, match="Pico W has no external RAM"):
        compile_model(model, board="pico_w", arena_memory="psram")
    with pytest.raises(UsageError, match="one of auto, internal, psram, got 'flash'"):
        compile_model(model, board="pico_w", arena_memory="flash")


def test_internal_ram_alone_has_its_limit(examples_dir: Path) -> None:
    target = load_target("esp32s3_n16r8")
    large = target.ram_bytes + 1
    assert target.arena_section(large) == target.psram_section
    inside = target.with_arena_in("internal")
    assert inside.arena_section(large) == "" and inside.ram_for(large) == target.ram_bytes
    assert target.with_arena_in("psram").arena_section(1) == target.psram_section


def test_models_that_are_missing_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"needs vww_\w+f32.onnx, vww_\w+qdq.onnx, not in"
    ) as found:
        find_models(load_recipe("esp32s3-vww"), tmp_path)
    assert "under these names" in found.value.hint


WRONG = {
    "title = 5": "'title' in the file must be a string",
    "x = 1": "unknown 'x' in the file",
    "window_s = 0": "'window_s' in the file must be a number above 0",
    "variant = []": r"'variant' in the file must be a list of tables \[\[variant\]\]",
    "variant = [{folder = 'a', title = 'b'}]": "'model' is missing in variant 1",
    "variant = [{folder='a', title='b', model='c', y=1}]": "unknown 'y' in variant 1",
    "= 3": "is no TOML",
}


@pytest.mark.parametrize("text", sorted(WRONG))
def test_recipes_with_faults(tmp_path: Path, text: str) -> None:
    head = "" if "title = 5" in text else 'title = "t"\n'
    tail = "" if "variant" in text else "[[variant]]\nfolder = 'a'\ntitle = 'b'\nmodel = 'c'\n"
    (tmp_path / "r.toml").write_text(f'{head}board = "host"\nmeter = "none"\n{text}\n{tail}')
    with pytest.raises(UsageError, match=WRONG[text]):
        load_recipe(str(tmp_path / "r.toml"))


def test_what_the_command_refuses(tmp_path: Path) -> None:
    for arguments, message in (
        ((), "which project? mcugen measure DIR"),
        (("--recipe", "esp32s3-vww"), "--models DIR: where are the ONNX files"),
        (("--recipe", "pico"), "there is no recipe 'pico'; recipes are esp32s3-vww"),
        (("--recipe", str(tmp_path / "no.toml"), "--models", "."), "there is no recipe"),
    ):
        done = mcugen("measure", *arguments)
        assert done.returncode == 2 and message in done.stderr


def test_a_run_that_fails_ends_the_recipe(tmp_path: Path, examples_dir: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    models = tmp_path / "models"
    models.mkdir()
    shutil.copy(examples_dir / "digits" / "digits_int8.onnx", models)
    done = mcugen(
        "measure", str(tmp_path / "all"), "--recipe", str(tmp_path / "small.toml"),
        "--models", str(models), "--port", "simulated", "--meter", f"csv:{tmp_path / 'no.csv'}",
    )  # fmt: skip
    assert done.returncode == 1
    assert "no recording" in done.stderr and "Partial" in done.stdout
    assert not (tmp_path / "all" / "out").exists()
