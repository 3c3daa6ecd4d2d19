"""The Python API: load, compile, call, check, report, export."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mcugen
from mcugen.errors import UsageError


@pytest.fixture(scope="module")
def model(examples_dir: Path) -> mcugen.Model:
    return mcugen.compile(mcugen.load(examples_dir / "digits" / "digits.onnx"), board="pico_w")


def test_a_model_is_called_with_arrays_or_names(model: mcugen.Model, examples_dir: Path) -> None:
    with np.load(examples_dir / "digits" / "digits.npz") as data:
        image, recorded = data["in0/image"], data["out0/logits"]
    outputs = model(image)
    assert list(outputs) == ["logits"]
    np.testing.assert_allclose(outputs["logits"], recorded, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(model(image=image)["logits"], outputs["logits"])


def test_wrong_arguments_are_named(model: mcugen.Model) -> None:
    image = np.zeros((1, 1, 8, 8), np.float32)
    with pytest.raises(UsageError, match=r"inputs are image; got image, other"):
        model(image, other=image)
    with pytest.raises(UsageError, match=r"inputs are image; got $"):
        model()
    with pytest.raises(UsageError, match=r"inputs are image; got 2 arrays$"):
        model(image, image)
    with pytest.raises(UsageError, match=r"input 'image' is given twice"):
        model(image, image=image)
    with pytest.raises(UsageError, match=r"'image' is float32\[1, 1, 8, 8\], got float64"):
        model(image.astype(np.float64))


def test_one_output_may_be_a_plain_string(examples_dir: Path) -> None:
    path = examples_dir / "digits" / "digits.onnx"
    last = mcugen.load(path).graph.nodes[-2].outputs[0]
    assert mcugen.load(path, outputs=last).graph.outputs == (last,)


def test_report_and_export(model: mcugen.Model, tmp_path: Path) -> None:
    assert model.report().fit.fits
    done = model.export(tmp_path / "out", inputs=None)
    assert done.directory == tmp_path / "out"
    assert done.report.arena_optimal
    assert (tmp_path / "out" / "platformio.ini").is_file()


def test_check(model: mcugen.Model) -> None:
    assert model.check(samples=1).ok


def test_the_package_imports_nothing_heavy_by_itself() -> None:
    code = "import sys, mcugen; assert mcugen.__version__; print('onnx' in sys.modules)"
    path = str(Path(mcugen.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
    with pytest.raises(AttributeError, match="nonsense"):
        _ = mcugen.nonsense
