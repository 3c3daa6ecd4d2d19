"""`--vendor-dir`: the pinned sources are found and used; anything else is named and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import onnx_models
from exported import example
from mcugen import api, vendor
from mcugen.errors import DoesNotFitError, UsageError
from mcugen.host import build_library
from mcugen.kernels import CMSIS_NN, VENDOR_LIBRARIES
from mcugen.kernels.library import git_blob
from mcugen.toolchain import ForeignBuildError
from mcugen.vendor import LibraryUse, libraries_used, read_vendor
from onnx_models import INT8
from vendor_sources import made_up_sources, pinned_to, vendor_folder, write_sources


def calling() -> api.Model:
    return example(kernels="cmsis_nn")


def use() -> LibraryUse:
    (found,) = libraries_used(calling().compiled)
    return found


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with made-up sources that count as the pinned version."""
    files = made_up_sources(use())
    write_sources(tmp_path / "lib", files)
    take_for_the_pin(files, monkeypatch)
    return tmp_path / "lib"


def take_for_the_pin(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    library = pinned_to(CMSIS_NN, files)
    found = {"cmsis_nn": (library,)}
    monkeypatch.setattr(
        vendor, "vendor_libraries", lambda names: tuple(x for n in names for x in found.get(n, ()))
    )


def test_what_a_model_needs() -> None:
    found = use()
    assert found.library is CMSIS_NN
    assert "arm_convolve_wrapper_s8" in found.functions
    assert "arm_softmax_s8" not in found.functions
    assert "Source/ConvolutionFunctions/arm_convolve_s8.c" in found.sources
    assert not any("Softmax" in name for name in found.sources)
    assert set(CMSIS_NN.headers) <= set(found.files)


def test_the_sources_take_the_place_of_the_stand_ins(pinned: Path) -> None:
    result = calling().check(samples=1, vendor_dir=pinned)
    assert result.ok and result.tensors_compared > 5


def test_line_ends_do_not_matter(pinned: Path) -> None:
    for path in pinned.rglob("*.[ch]"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert calling().check(samples=1, vendor_dir=pinned).ok


def test_a_wrong_result_of_the_sources_is_found(
    pinned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = made_up_sources(use())
    name = next(n for n, t in files.items() if "static void convolve(" in t)
    files[name] = files[name].replace("c->bias[o]", "c->bias[o] + 9999", 1)
    write_sources(pinned, files)
    take_for_the_pin(files, monkeypatch)
    result = calling().check(samples=1, vendor_dir=pinned)
    assert not result.bit_exact
    assert result.first_mismatch is not None and "/conv1/Conv" in result.first_mismatch


def refusal(folder: Path, model: api.Model | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        (model or calling()).check(vendor_dir=folder)
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return caught.value.message


def test_no_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").endswith("none is no folder")


def test_another_folder(tmp_path: Path) -> None:
    assert "does not hold CMSIS-NN: no Include/Internal/arm_nn_compiler.h" in refusal(tmp_path)


def test_a_file_that_is_missing(pinned: Path) -> None:
    (pinned / "Source" / "ConvolutionFunctions" / "arm_convolve_s8.c").unlink()
    text = refusal(pinned)
    assert "arm_convolve_s8.c cannot be read: No such file" in text
    assert "CMSIS-NN 7.0.0+43 (commit 99f736a63036) has it" in text


def test_another_version(pinned: Path) -> None:
    path = pinned / "Include" / "arm_nnfunctions.h"
    path.write_text(path.read_text() + "\n")
    assert "arm_nnfunctions.h is not that of CMSIS-NN 7.0.0+43 (commit" in refusal(pinned)


def test_a_model_without_vendor_calls(pinned: Path) -> None:
    model = example(kernels="portable")
    assert "the model calls no vendor's kernels" in refusal(pinned, model)


def test_sources_that_do_not_compile(pinned: Path) -> None:
    files = made_up_sources(use())
    files["Source/ConvolutionFunctions/arm_convolve_s8.c"] = "this is no C\n"
    write_sources(pinned, files)
    library = pinned_to(CMSIS_NN, files)
    sources = read_vendor([LibraryUse(library, use().functions)], pinned)
    compiled = calling().compiled
    with pytest.raises(ForeignBuildError) as caught:
        build_library(compiled.files, [compiled.model.prefix], vendor=sources)
    assert caught.value.exit_code == 1
    assert (
        "CMSIS-NN 7.0.0+43" in caught.value.message and "arm_convolve_s8.c" in caught.value.message
    )


def test_an_export_copies_what_is_needed(pinned: Path, tmp_path: Path) -> None:
    done = calling().export(tmp_path / "out", vendor_dir=pinned)
    copies = {p.name for p in (done.directory / "lib" / "CMSIS-NN" / "src").iterdir()}
    assert copies == {Path(n).name for n in use().sources}
    assert (done.directory / "lib" / "CMSIS-NN" / "CMSIS-NN-LICENSE").is_file()
    lib = calling().export(tmp_path / "library", emit="lib", vendor_dir=pinned)
    assert (lib.directory / "src" / "arm_convolve_s8.c").is_file()
    assert (lib.directory / "src" / "Internal" / "arm_nn_config.h").is_file()


@pytest.mark.parametrize("name", VENDOR_LIBRARIES)
def test_the_pin_of_the_real_sources(name: str) -> None:
    folder, library = vendor_folder(name), VENDOR_LIBRARIES[name]
    if folder is None:
        pytest.skip(f"MCUGEN_{name.upper()} is not set: its sources are no part of the project")
    found = {n: git_blob((folder / n).read_bytes()) for n in library.files}
    assert found == {n: f.blob for n, f in library.files.items()}


def test_git_numbers_contents_so() -> None:
    assert git_blob(b"hello\n") == "ce013625030ba8db"  # git hash-object of "hello"
    assert git_blob(b"hello\r\n") == "ce013625030ba8db"


def test_working_memory_that_does_not_fit_is_named(tmp_path: Path) -> None:
    """The widened pixels of one window: 4 * 8 * 8 * 768 bytes."""
    constants = {
        "w": np.ones((8, 768, 8, 8), np.int8),
        "scale": np.float32(0.01),
        "zero": np.int8(0),
    }
    names = ["x", "scale", "zero", "w", "scale", "zero", "scale", "zero"]
    conv = onnx_models.node("QLinearConv", names, ["y"], name="wide", pads=[0, 1, 0, 1])
    source = onnx_models.value("x", (1, 768, 8, 8), INT8)
    target = onnx_models.value("y", (1, 8, 1, 3), INT8)
    arrays = {n: np.asarray(a) for n, a in constants.items()}
    proto = onnx_models.model([conv], [source], [target], arrays)
    path = tmp_path / "wide.onnx"
    onnx.save(proto, str(path))
    wide = api.compile(path, board="pico_w", kernels="cmsis_nn")
    with pytest.raises(DoesNotFitError, match=r"largest is QConv 'wide'.*") as caught:
        wide.export(tmp_path / "out")
    told = caught.value.message
    assert "working memory (196,608 bytes of it); --kernels portable or a smaller input" in told
    assert not (tmp_path / "out").exists()
    assert api.compile(path, board="pico_w", kernels="portable").report().fit.fits
