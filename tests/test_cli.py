"""The command line: what it prints, writes and exits with."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onnx_models
from benched import BENCH
from commandline import Run, runner
from mcugen import cli, cli_options
from mcugen.emulate.result import BenchResult
from mcugen.errors import MissingExtraError


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("check", MODEL)` -> (exit code, standard output, standard error)."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def digits(examples_dir: Path) -> Path:
    return examples_dir / "digits"


def test_check_proves_the_example_and_writes_json(run: Run, digits: Path, tmp_path: Path) -> None:
    report = tmp_path / "check.json"
    code, out, _ = run(
        "check",
        digits / "digits_int8.onnx",
        "--inputs",
        digits / "digits_int8.npz",
        "--json",
        report,
    )
    assert code == 0
    assert "bit-exact:  yes" in out and "semantics:  yes" in out
    found = json.loads(report.read_text())
    assert found["bit_exact"] is True and found["semantics_ok"] is True
    assert found["samples"] == 8
    assert found["mismatching_tensors"] == [] and found["first_mismatch"] is None
    assert found["onnx"]["logits"]["argmax_agreement"] == 1.0


def test_inspect_has_the_fixed_keys(run: Run, digits: Path, tmp_path: Path) -> None:
    report = tmp_path / "inspect.json"
    code, out, _ = run("inspect", digits / "digits.onnx", "--board", "pico_w", "--json", report)
    assert code == 0
    assert "fits        yes" in out
    found = json.loads(report.read_text())
    keys = (
        "model board arithmetic macs arena_bytes arena_lower_bound_bytes arena_optimal state_bytes "
        "weights_bytes flash_bytes flash_source stack_bytes selftest_bytes fits nodes unsupported"
    )
    assert set(keys.split()) <= set(found)
    assert set(found["nodes"][0]) >= {"name", "op", "kernel", "library", "refused", "macs"}
    assert found["arena_optimal"] and found["arena_bytes"] == found["arena_lower_bound_bytes"]


def test_export_writes_once_and_again_only_by_force(run: Run, digits: Path, tmp_path: Path) -> None:
    target = tmp_path / "project"
    arguments = ("export", digits / "digits.onnx", "--board", "pico_w", "-o", target)
    code, out, _ = run(*arguments)
    assert code == 0 and f"written: {target}" in out
    assert (target / "platformio.ini").is_file() and (target / "REPORT.md").is_file()
    before = (target / "platformio.ini").stat().st_mtime_ns
    code, _, err = run(*arguments)
    assert code == 2 and str(target) in err and "--force" in err
    assert (target / "platformio.ini").stat().st_mtime_ns == before
    assert run(*arguments, "--force")[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["project"]


def test_a_model_that_does_not_fit_is_refused_and_written_by_force(
    run: Run, tmp_path: Path, big_model: Path
) -> None:
    arguments = ("export", big_model, "--board", "pico_w", "-o", tmp_path / "p")
    code, _, err = run(*arguments)
    assert code == 3
    assert "largest is" in err and "--force" in err
    assert not (tmp_path / "p").exists()
    assert run(*arguments, "--force")[0] == 0
    assert (tmp_path / "p" / "platformio.ini").is_file()


@pytest.fixture
def big_model(tmp_path: Path) -> Path:
    """A Relu over 1 MB of floats."""
    import onnx
    from onnx import TensorProto, helper

    shape = [1, 1, 512, 512]
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"], name="relu")],
        "big",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    path = tmp_path / "big.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), str(path))
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--board", "nope"), 2, ["nope", "pico_w", "esp32s3", "host"]),
        (("--kernels", "fast"), 2, ["--kernels", "portable"]),
        (("--kernels", "esp_nn", "--board", "pico_w"), 2, ["Pico W", "cmsis_nn", "'esp_nn'"]),
        (("--kernels", "cmsis_nn", "--board", "esp32s3"), 2, ["ESP32-S3", "esp_nn", "'cmsis_nn'"]),
        (("--kernels", "cmsis_nn", "--arithmetic", "onnx"), 2, ["cmsis_nn", "tflite"]),
        (("--kernels", "cmsis_nn", "--vendor-dir", "no"), 2, ["--vendor-dir", "calls no vendor's"]),
        (("--arithmetic", "exact"), 2, ["--arithmetic", "tflite", "onnx"]),
        (("--dim", "N"), 2, ["--dim", "NAME=INT", "'N'"]),
        (("--dim", "N=x"), 2, ["--dim", "NAME=INT"]),
        (("--outputs", "logit"), 2, ["logit", "logits"]),
        (("--nonsense",), 2, ["nonsense"]),
    ],
)
def test_wrong_options_are_usage_errors(
    run: Run, digits: Path, arguments: tuple[str, ...], code: int, words: list[str]
) -> None:
    found, _, err = run("check", digits / "digits.onnx", *arguments)
    assert found == code
    assert all(word in err for word in words), err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"wrong": np.zeros((1, 1, 8, 8), np.float32)}, ["image", "wrong"]),
        ({"image": np.zeros((1, 8, 8), np.float32)}, ["image", "[1, 8, 8]", "[1, 1, 8, 8]"]),
        ({"image": np.zeros((1, 1, 8, 8), np.int8)}, ["image", "int8", "float32"]),
    ],
)
def test_samples_that_do_not_match_the_model(
    run: Run, digits: Path, tmp_path: Path, arrays: dict[str, Any], words: list[str]
) -> None:
    path = tmp_path / "samples.npz"
    np.savez(path, **arrays)
    code, _, err = run("check", digits / "digits.onnx", "--inputs", path)
    assert code == 1
    assert all(word in err for word in [*words, str(path)]), err


def test_samples_that_are_no_npz(run: Run, digits: Path, tmp_path: Path) -> None:
    path = tmp_path / "samples.npz"
    path.write_bytes(b"PK\x03\x04 not really")
    code, _, err = run("check", digits / "digits.onnx", "--inputs", path)
    assert code == 1 and str(path) in err
    assert run("check", digits / "digits.onnx", "--inputs", tmp_path / "none.npz")[0] == 1


INTERFACES = ("--io", "quantized", "--io-layout", "nhwc", "--io-buffers", "caller", "--arena",
              "caller")  # fmt: skip


def test_check_takes_the_interface_that_export_does(run: Run, digits: Path) -> None:
    arguments = ("check", digits / "digits_int8.onnx", "--inputs", digits / "digits_int8.npz")
    code, out, _ = run(*arguments)
    assert code == 0 and "'logits' max |d|" in out
    code, out, _ = run(*arguments, *INTERFACES)
    assert code == 0 and "bit-exact:  yes" in out
    assert "'logits' max 2 LSB" in out  # the integers are the output
    for option in INTERFACES[::2]:
        code, _, err = run(*arguments, option, "none")
        assert code == 2 and f"{option} must be one of" in err


def test_check_proves_that_very_interface(
    run: Run, digits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    original = cli.api.Model.check
    monkeypatch.setattr(
        cli.api.Model, "check", lambda m, *a, **k: (seen.append(m), original(m, *a, **k))[1]
    )
    assert run("check", digits / "digits_int8.onnx", *INTERFACES)[0] == 0
    options = seen[0].compiled.options
    assert (options.io, options.io_layout) == ("quantized", "nhwc")
    assert (options.io_buffers, options.arena) == ("caller", "caller")


def test_inspect_takes_kernels(run: Run, digits: Path) -> None:
    arguments = ("inspect", digits / "digits_int8.onnx", "--board", "esp32s3", "--json", "-")
    libraries = {}
    for kernels in ("portable", "esp_nn"):
        code, out, _ = run(*arguments, "--kernels", kernels)
        assert code == 0
        libraries[kernels] = {n["library"] for n in json.loads(out)["nodes"]}
    assert libraries["portable"] == {"portable"} and "esp_nn" in libraries["esp_nn"]


@pytest.mark.parametrize("command", ["check", "inspect"])
def test_json_on_standard_output_is_all_that_is_there(
    run: Run, digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file.json"
    model = digits / "digits_int8.onnx"
    _, text, _ = run(command, model, "--json", file)
    code, out, err = run(command, model, "--json", "-")
    assert code == 0 and out == file.read_text() and err == text
    assert run(command, model)[1:] == (text, "")  # forgotten by the next command
    assert [p.name for p in tmp_path.iterdir()] == ["file.json"]


def test_json_of_an_unsupported_model_on_standard_output(run: Run, tmp_path: Path) -> None:
    proto = onnx_models.model(
        [onnx_models.node("Tanhh", ["x"], ["y"])], [onnx_models.value("x", [1])], ["y"]
    )
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    code, out, err = run("inspect", path, "--json", "-")
    assert code == 1 and json.loads(out)["unsupported"][0]["op"] == "Tanhh"
    assert err.startswith("error: Tanhh")


def test_json_that_cannot_be_written_is_refused_first(
    run: Run, digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, nowhere = tmp_path / "project", tmp_path / "none" / "a.json"
    code, _, err = run(
        "export", digits / "digits.onnx", "--board", "host", "-o", project, "--json", nowhere
    )
    assert code == 2 and f"there is no folder {nowhere.parent}" in err
    assert not project.exists()
    code, _, err = run("check", digits / "digits.onnx", "--json", tmp_path)
    assert code == 2 and "it is a folder" in err
    monkeypatch.setattr(cli_options.os, "access", lambda path, mode: path != tmp_path)
    code, out, err = run("check", digits / "digits.onnx", "--json", tmp_path / "a.json")
    assert (code, out) == (2, "") and "a.json cannot be written: there is no permission" in err


@pytest.mark.parametrize("file", ["result.json", None])
def test_a_full_disk_is_no_fault_of_mcugen(
    run: Run, monkeypatch: pytest.MonkeyPatch, file: str | None
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", file)

    monkeypatch.setattr(cli, "print_boards", broken)
    code, _, err = run("boards")
    assert code == 1
    assert (
        err == f"error: {file or 'what this command writes to'} is full: No space left on device\n"
    )


def test_a_missing_model(run: Run, tmp_path: Path) -> None:
    code, _, err = run("check", tmp_path / "none.onnx")
    assert code == 1 and "none.onnx" in err and "Traceback" not in err


def test_an_internal_fault_says_so(run: Run, digits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(cli.api, "compile", broken)
    code, _, err = run("check", digits / "digits.onnx")
    assert code == 70 and "boom" in err and "fault of mcugen" in err and "Traceback" not in err


@pytest.mark.parametrize("emulator", [True, False])
def test_the_demo_proves_and_measures(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emulator: bool
) -> None:
    def bench(model: Any, inputs: Path) -> BenchResult:
        assert inputs.is_file()
        if not emulator:
            raise MissingExtraError("emulating a board", "unicorn", "bench")
        return BENCH

    monkeypatch.setattr(cli.api.Model, "bench", bench)
    code, out, _ = run("demo", "-o", tmp_path / "demo")
    assert code == 0
    assert out.count("bit-exact:  yes") == 2 and "real test images" in out
    measured = "emulated:   300 cycles on Cortex-M0+, 0.3 ms at 1 MHz (emulated, flash wait states"
    assert (measured if emulator else "not measured: pip install 'mcugen[bench]'") in out
    assert (tmp_path / "demo" / "digits_int8" / "platformio.ini").is_file()


def test_lists(run: Run) -> None:
    code, out, _ = run("boards")
    assert code == 0
    assert all(name in out for name in ("esp32s3", "esp32s3_n16r8", "pico_w", "host"))
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert "133 MHz" in rows["pico_w"] and "Cortex-M0+" in rows["pico_w"]
    assert "7,168 KB" in rows["esp32s3_n16r8"] and "Xtensa (QEMU)" in rows["esp32s3"]
    assert rows["host"].rstrip().endswith("-")
    assert "MHz" not in rows["host"] and "portable" in rows["host"]
    code, out, _ = run("ops")
    assert code == 0 and "Conv" in out and "com.microsoft::QLinearAdd" in out
    code, out, _ = run("--version")
    assert code == 0 and out.startswith("mcugen ")
    code, out, _ = run("--help")
    assert code == 0
    commands = "export check inspect bench build flash monitor boards ops demo"
    assert all(name in out for name in commands.split())
