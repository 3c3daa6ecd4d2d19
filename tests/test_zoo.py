"""Real models, whole: bit-exact C, a program that means what ONNX means, results near ONNX's.

Needs MCUGEN_MODELS; long, so marked `zoo`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcugen import api
from mcugen.check import CheckResult
from mcugen.errors import DoesNotFitError
from zoo import BOARDS, ZOO, ZooModel

pytestmark = pytest.mark.zoo


def _ids(models: tuple[ZooModel, ...]) -> list[str]:
    return [m.name for m in models]


def _checked(folder: Path, model: ZooModel, arithmetic: str) -> CheckResult:
    imported = api.load(folder / f"{model.name}.onnx", dims=model.dims)
    return api.compile(imported, arithmetic=arithmetic).check(folder / f"{model.name}.npz")


@pytest.mark.parametrize("arithmetic", ["tflite", "onnx"])
@pytest.mark.parametrize("model", ZOO, ids=_ids(ZOO))
def test_check(models_dir: Path, model: ZooModel, arithmetic: str) -> None:
    result = _checked(models_dir, model, arithmetic)
    assert result.samples == 3
    assert result.bit_exact, result.first_mismatch
    assert result.semantics_ok, result.beyond
    gaps = _gaps(models_dir / f"{model.name}.npz")
    _assert_near_onnx(result, model, arithmetic, gaps)


def _gaps(path: Path) -> dict[str, float]:
    """Output -> how far ONNX Runtime's optimised run is from its literal one on the samples.

    No tool can be asked to be closer to "ONNX Runtime" than it is to itself: its Sigmoid, say,
    is off by up to 2e-7, many times the float bound where yunet's scores are about 1e-5.
    """
    gaps: dict[str, float] = {}
    with np.load(path) as data:
        for key in data.files:
            if key.startswith("outopt"):
                sample, name = key.removeprefix("outopt").split("/", 1)
                literal = data[f"out{sample}/{name}"].astype(np.float64)
                gap = float(np.max(np.abs(data[key].astype(np.float64) - literal)))
                gaps[name] = max(gap, gaps.get(name, 0.0))
    return gaps


def _assert_near_onnx(
    result: CheckResult, model: ZooModel, arithmetic: str, gaps: dict[str, float]
) -> None:
    assert result.onnx.source == "recorded"
    assert set(result.onnx.outputs) == set(gaps)
    quantized = any(not d.is_float for d in result.distances.values())
    for name, distance in result.onnx.outputs.items():
        if not quantized:
            assert distance.worst_float <= 1.0 or distance.max_abs <= gaps[name], name
        elif arithmetic == "onnx" and distance.max_lsb is not None:
            assert distance.max_lsb <= max(1, gaps[name]), name
        elif arithmetic == "onnx":
            assert distance.max_abs <= max(gaps[name], model.output_step), name
    if quantized and arithmetic == "tflite" and model.classes:
        first = next(iter(result.onnx.outputs.values()))
        assert first.argmax_agreement == 1.0


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("model", ZOO, ids=_ids(ZOO))
def test_export_or_refusal(models_dir: Path, tmp_path: Path, model: ZooModel, board: str) -> None:
    imported = api.load(models_dir / f"{model.name}.onnx", dims=model.dims)
    compiled = api.compile(imported, board=board)
    target = tmp_path / "project"
    if board not in model.fits:
        with pytest.raises(DoesNotFitError, match=r"largest is|weights are"):
            compiled.export(target)
        assert list(tmp_path.iterdir()) == []
    done = compiled.export(target, force=board not in model.fits)
    assert done.report.fit.fits is (board in model.fits)
    assert (target / "report.json").is_file()


PROMISED_ARENA_BYTES = {
    "vww_mobilenetv1_qdq": 55_296,
    "kws_dscnn_qdq": 16_000,
    "ic_resnet8_qdq": 49_152,
    "ad_autoencoder_qdq": 768,
    "vww_mobilenetv1_f32": 221_184,
    "kws_dscnn_f32": 64_000,
    "ic_resnet8_f32": 196_608,
    "ad_autoencoder_f32": 3_072,
}


@pytest.mark.parametrize("name", PROMISED_ARENA_BYTES)
def test_the_arena_is_the_lower_bound(models_dir: Path, name: str) -> None:
    model = next(m for m in ZOO if m.name == name)
    report = api.compile(api.load(models_dir / f"{name}.onnx", dims=model.dims)).report()
    assert report.arena_bytes == report.arena_lower_bound_bytes == PROMISED_ARENA_BYTES[name]
    assert report.arena_optimal
