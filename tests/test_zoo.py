"""Real models, whole: the C is bit-exact, the program means what ONNX means, the end result is near.

Needs MCUGEN_MODELS; long, so marked `zoo`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mcugen import api
from mcugen.check import CheckResult
from zoo import ZOO, ZooModel

pytestmark = pytest.mark.zoo


def _ids(models: tuple[ZooModel, ...]) -> list[str]:
    return [m.name for m in models]


@cache
def _compiled(folder: Path, model: ZooModel, arithmetic: str) -> api.Model:
    imported = api.load(folder / f"{model.name}.onnx", dims=model.dims)
    return api.compile(imported, arithmetic=arithmetic)


@cache
def _checked(folder: Path, model: ZooModel, arithmetic: str) -> CheckResult:
    return _compiled(folder, model, arithmetic).check(folder / f"{model.name}.npz")


@pytest.mark.parametrize("arithmetic", ["tflite", "onnx"])
@pytest.mark.parametrize("model", ZOO, ids=_ids(ZOO))
def test_check(models_dir: Path, model: ZooModel, arithmetic: str) -> None:
    result = _checked(models_dir, model, arithmetic)
    assert result.samples == 3
    assert result.bit_exact, result.first_mismatch
    assert result.semantics_ok, result.beyond
    _assert_near_onnx(result, model, arithmetic)


def _assert_near_onnx(result: CheckResult, model: ZooModel, arithmetic: str) -> None:
    assert result.onnx_source == "recorded"
    assert result.onnx, "no output was compared"
    quantized = any(not d.is_float for d in result.distances.values())
    for name, distance in result.onnx.items():
        if not quantized:
            assert distance.worst_float <= 1.0, name
        elif arithmetic == "onnx" and distance.max_lsb is not None:
            assert distance.max_lsb <= model.gap_lsb, name
        elif arithmetic == "onnx":
            assert distance.max_abs <= max(model.gap_abs, model.output_step), name
    if quantized and arithmetic == "tflite" and model.classes:
        first = next(iter(result.onnx.values()))
        assert first.argmax_agreement == 1.0
