"""Real integer models with vendor kernels: bit-exact through stand-ins, exported for their board.

Needs MCUGEN_MODELS; long, so marked `zoo`. Where the library's own sources are at hand (see
vendor_sources) they are run as well.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from mcugen import api
from mcugen.ops.registry import specs
from vendor_sources import vendor_folder
from zoo import ZOO, ZooModel

pytestmark = pytest.mark.zoo

BOARDS = {"cmsis_nn": "pico_w", "esp_nn": "esp32s3"}
"""Library -> a board that it is for."""

INTEGER = tuple(m for m in ZOO if m.name.endswith(("_qdq", "_qoperator")))


@cache
def _by_name(folder: Path, name: str, library: str) -> api.Model:
    return api.compile(folder / f"{name}.onnx", board=BOARDS[library], kernels=library)


def _compiled(folder: Path, model: ZooModel, library: str) -> api.Model:
    assert not model.dims
    return _by_name(folder, model.name, library)


def _params(test):
    test = pytest.mark.parametrize("model", INTEGER, ids=[m.name for m in INTEGER])(test)
    return pytest.mark.parametrize("library", BOARDS)(test)


@_params
def test_check(models_dir: Path, model: ZooModel, library: str) -> None:
    compiled = _compiled(models_dir, model, library)
    result = compiled.check(models_dir / f"{model.name}.npz")
    assert result.samples == 3
    assert result.bit_exact, result.first_mismatch
    assert result.semantics_ok, result.beyond


@_params
def test_the_report_tells_every_refusal(models_dir: Path, model: ZooModel, library: str) -> None:
    compiled = _compiled(models_dir, model, library)
    rows = compiled.report().nodes
    assert any(row.library == library for row in rows)
    for row in rows:
        has_kernel = any(k.library == library for k in specs()[row.op].kernels)
        assert (library in row.refused) == (has_kernel and row.library != library)


@_params
def test_export(models_dir: Path, tmp_path: Path, model: ZooModel, library: str) -> None:
    compiled = _compiled(models_dir, model, library)
    done = compiled.export(tmp_path / "out", force=True)
    assert (done.directory / "platformio.ini").is_file()
    assert compiled.compiled.model.prefix in (done.directory / "NOTICE").read_text()


@_params
def test_the_vendors_own_sources(models_dir: Path, model: ZooModel, library: str) -> None:
    folder = vendor_folder(library)
    if folder is None:
        pytest.skip(f"MCUGEN_{library.upper()} is not set: its sources are no part of the project")
    compiled = _compiled(models_dir, model, library)
    result = compiled.check(models_dir / f"{model.name}.npz", vendor_dir=folder)
    assert result.bit_exact, result.first_mismatch
