"""`make bench` on this computer: which models it times."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from source_tree import ROOT


@pytest.fixture(scope="module")
def speed() -> ModuleType:
    spec = importlib.util.spec_from_file_location("speed", ROOT / "benchmarks" / "speed.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["speed"] = module  # where its dataclass looks for annotations
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("variable", [None, ""])
def test_the_embedded_examples_where_there_are_no_models(
    speed: ModuleType, monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    monkeypatch.delenv("MCUGEN_MODELS", raising=False)
    if variable is not None:
        monkeypatch.setenv("MCUGEN_MODELS", variable)
    folder, names = speed.models_to_run([])
    assert names and all((folder / f"{n}.onnx").is_file() for n in names)
    assert all((folder / f"{n}.npz").is_file() for n in names)


def test_real_models(speed: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MCUGEN_MODELS", str(tmp_path))
    assert speed.models_to_run([]) == (tmp_path, speed.MODELS)
    assert speed.models_to_run(["one"]) == (tmp_path, ["one"])


def test_without_a_compiler(
    speed: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["speed.py"])
    monkeypatch.setenv("CC", "no-such-compiler")
    assert speed.main() == 2
    assert "needs gcc, or CC=COMMAND" in capsys.readouterr().err
