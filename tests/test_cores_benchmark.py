"""benchmarks/cores.py: what `make bench` measures on emulated cores; regressions are named."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from emulate.programs import require_packages
from source_tree import ROOT


@pytest.fixture(scope="module")
def cores() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cores", ROOT / "benchmarks" / "cores.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(**changes: Any) -> dict[str, Any]:
    return {
        "model": "m", "board": "pico_w", "cpu": "Cortex-M0+", "compiler": "zig", "macs": 10,
        "cycles": 10_000, "instructions": 6_000, "seconds": 0.1, "stack_bytes": 100,
        "text_bytes": 1000, "rodata_bytes": 2000, "ram_bytes": 3000, **changes,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, []),
        ({"cycles": 10_005}, []),
        ({"cycles": 9_000, "text_bytes": 900}, []),
        ({"cycles": 11_000}, ["m on Cortex-M0+: 11,000 cycles, 10,000 before (1.100 times)"]),
        ({"stack_bytes": 101, "ram_bytes": 3100}, ["3,100 RAM bytes", "101 stack bytes"]),
        ({"compiler": "gcc", "cycles": 20_000}, []),
        ({"model": "other", "cycles": 20_000}, []),
    ],
)
def test_what_has_grown_is_named(
    cores: ModuleType, changes: dict[str, Any], named: list[str]
) -> None:
    found = cores.regressions([row(**changes)], [row()])
    assert len(found) == len(named)
    assert all(part in line for part, line in zip(named, found, strict=True))


def test_instructions_count_where_cycles_are_not_modelled(cores: ModuleType) -> None:
    before, now = row(cycles=None), row(cycles=None, instructions=7_000)
    assert cores.regressions([now], [before]) == [
        "m on Cortex-M0+: 7,000 instructions, 6,000 before (1.167 times)"
    ]


def test_a_run_over_the_examples(
    cores: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    require_packages()
    pytest.importorskip("matplotlib")
    monkeypatch.delenv("MCUGEN_MODELS", raising=False)
    stored, picture = tmp_path / "stored.json", tmp_path / "img" / "cores.png"
    common = ["--boards", "pico_w", "--zig", "--output", str(tmp_path), "--stored", str(stored)]
    assert cores.main([*common, "--store", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = capsys.readouterr().out
    assert "digits_int8" in text and "Cortex-M0+" in text and "compiler: zig cc" in text
    written = json.loads((tmp_path / "cores.json").read_text())["rows"]
    assert all(row.pop("layers") for row in written)
    assert json.loads(stored.read_text())["rows"] == written
    assert cores.main(common) == 0
    content = json.loads(stored.read_text())
    content["rows"][0]["cycles"] //= 2
    stored.write_text(json.dumps(content))
    assert cores.main(common) == 1
    assert "regression: digits on Cortex-M0+" in capsys.readouterr().out


def test_the_readme_shows_the_stored_result() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    stored = json.loads((ROOT / "benchmarks" / "cores.json").read_text(encoding="utf-8"))["rows"]
    found = {
        (r["model"], r["board"]): r for r in stored if r["compiler"].startswith("arm-none-eabi-gcc")
    }
    for name in {model for model, _ in found if model.endswith(("_qdq", "_f32"))}:
        first, *others = (
            found[name, board] for board in ("pico_w", "nucleo_f446", "nucleo_h743", "pico2_w")
        )
        figures = [f"{first['cycles']:,}", f"{1e3 * first['seconds']:,.1f} ms"]
        figures += [f"{other['instructions']:,}" for other in others]
        assert f"| {' | '.join(figures)} |" in readme, name
