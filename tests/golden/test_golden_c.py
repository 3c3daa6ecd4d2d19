"""The whole C of three small models, as recorded: what a change of the generator changes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import onnx
import pytest

from golden_models import MODELS
from mcugen import api
from mcugen.frontend import load_model

FOLDER = Path(__file__).parent
SOURCE_ROOT = Path(api.__file__).parents[1]


@cache
def compiled(name: str) -> api.Model:
    return api.compile(load_model(MODELS[name], name=name))


@pytest.mark.parametrize("name", MODELS)
def test_the_c_is_as_recorded(name: str, check_golden: Callable[[Path, str], None]) -> None:
    files = compiled(name).compiled.files
    for file, text in files.items():
        check_golden(FOLDER / name / file, text)
    assert sorted(p.name for p in (FOLDER / name).iterdir()) == sorted(files)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_recorded_is_exact(name: str) -> None:
    onnx.checker.check_model(MODELS[name], full_check=True)
    result = compiled(name).check()
    assert result.bit_exact, result.first_mismatch
    assert result.semantics_ok, result.beyond


def test_the_integer_model_has_no_float() -> None:
    steps = compiled("sine_int8").compiled.program.steps
    assert [s.node.op for s in steps] == ["QFullyConnected"] * 3
    assert all(c.array.dtype.kind == "i" for c in compiled("sine_int8").compiled.model.constants)


def exported(folder: Path, seed: str, name: str) -> dict[str, bytes]:
    """Every file of a project that another process exports in a folder of its own."""
    folder.mkdir()
    (folder / f"{name}.onnx").write_bytes(MODELS[name].SerializeToString(deterministic=True))
    command = [sys.executable, "-m", "mcugen", "export", f"{name}.onnx", "--board", "host"]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(SOURCE_ROOT)}
    subprocess.run(
        [*command, "-o", "out"],
        cwd=folder, env=environment, check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    files = (p for p in (folder / "out").rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


@pytest.mark.parametrize("name", ["sine_int8", "conv_net"])
def test_the_same_model_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    first = exported(tmp_path / "one", "1", name)
    second = exported(tmp_path / "elsewhere", "2", name)
    assert sorted(first) == sorted(second)
    assert [n for n in first if first[n] != second[n]] == []
    assert any(n.endswith(f"{name}_weights.c") for n in first)


def test_the_project_holds_the_recorded_c(tmp_path: Path) -> None:
    """The model's hash apart: a file and the same model in memory are told apart by it."""
    project = exported(tmp_path / "one", "0", "conv_net")
    texts = {Path(n).name: text.decode() for n, text in project.items()}
    weights = (FOLDER / "conv_net" / "conv_net_weights.c").read_text(encoding="utf-8")
    assert texts["conv_net_weights.c"] == weights
