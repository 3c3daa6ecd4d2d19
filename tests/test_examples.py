"""The example's files belong together: ONNX Runtime gives the recorded outputs and accuracies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

ort = pytest.importorskip("onnxruntime")


def run(model: Path, images: npt.NDArray[Any]) -> npt.NDArray[Any]:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"image": image[None]})[0] for image in images])


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
def test_accuracy_on_the_test_images(examples_dir: Path, name: str) -> None:
    folder = examples_dir / "digits"
    with np.load(folder / "digits.npz") as data:
        images, labels = data["images"], data["labels"]
    assert images.shape == (360, 1, 8, 8) and images.dtype == np.float32
    assert images.min() >= 0.0 and images.max() == 1.0
    right = int(np.sum(run(folder / f"{name}.onnx", images).argmax(1) == labels))
    assert abs(right - 357) <= 1  # README.md says 357; another CPU may break a tie otherwise


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
def test_recorded_outputs(examples_dir: Path, name: str) -> None:
    folder = examples_dir / "digits"
    with np.load(folder / f"{name}.npz") as data:
        images = np.concatenate([data[f"in{k}/image"] for k in range(8)])
        recorded = np.concatenate([data[f"out{k}/logits"] for k in range(8)])
    np.testing.assert_allclose(run(folder / f"{name}.onnx", images), recorded, rtol=1e-4, atol=1e-4)


def test_the_example_is_small(examples_dir: Path) -> None:
    files = [f for f in (examples_dir / "digits").iterdir() if f.suffix in {".onnx", ".npz"}]
    assert len(files) == 4
    assert sum(f.stat().st_size for f in files) < 100_000
