"""What guards generated code against another ESP-NN, and what it says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from exported import example, write_project
from mcugen import api
from mcugen.errors import InternalError
from mcugen.host import HostModel, build_library, standin_files
from mcugen.toolchain import ForeignSources
from mcugen.vendor import libraries_used


def model(**options: str) -> api.Model:
    return example(board="esp32s3", kernels="esp_nn", **options)


def build(flags: tuple[str, ...] = (), **changed: str) -> HostModel:
    """The example with the stand-ins, some of their files (named without a dot) changed."""
    compiled = model().compiled
    files = {**standin_files("esp_nn")}
    for name, text in changed.items():
        files[next(n for n in files if n.replace(".", "_") == name)] = text
    prefix = compiled.model.prefix
    sources = ForeignSources("stand-ins", files, (".",))
    library = build_library(compiled.files, [prefix], flags=("-O1", *flags), vendor=sources)
    return HostModel(library, prefix, compiled.graph)


@pytest.mark.parametrize("macro", ["SKIP_NUDGE", "CONFIG_NN_SKIP_NUDGE"])
def test_inexact_rounding_does_not_compile(macro: str) -> None:
    with pytest.raises(InternalError) as caught:
        build((f"-D{macro}",))
    assert "ESP-NN must be built without CONFIG_NN_SKIP_NUDGE" in caught.value.message


def test_an_older_version_does_not_compile() -> None:
    lines = standin_files("esp_nn")["esp_nn.h"].splitlines()
    older = "\n".join(n for n in lines if "logistic" not in n) + "\n"
    assert len(older) < sum(len(n) + 1 for n in lines)
    with pytest.raises(InternalError) as caught:
        build(esp_nn_h=older)
    assert "this ESP-NN is another version than 1.2.3" in caught.value.message


def test_a_newer_version_does_not_compile() -> None:
    with pytest.raises(InternalError) as caught:
        build(("-DESP_NN_HAS_DUAL_CORE_CLAIM=1",))
    assert "this ESP-NN is another version than 1.2.3" in caught.value.message


def test_a_library_that_asks_for_more_is_found() -> None:
    build().require_planned_scratch()
    text = standin_files("esp_nn")["esp_nn_convolution.c"]
    hungry = text.replace("return conv_scratch_size(&c);", "return conv_scratch_size(&c) + 16;")
    assert hungry != text
    with pytest.raises(InternalError) as caught:
        build(esp_nn_convolution_c=hungry).require_planned_scratch()
    assert "the kernel library asks for" in caught.value.message
    assert "/conv1/Conv" in caught.value.message


@pytest.mark.parametrize("arena", ["static", "caller"])
def test_the_header_says_that_it_is_not_reentrant(arena: str) -> None:
    text = model(arena=arena).compiled.files["digits_int8.h"]
    assert "ESP-NN keeps addresses of the inference in variables of its own: not re-entrant" in text
    assert "Re-entrant as long as" not in text
    plain = example(board="esp32s3", kernels="portable", arena=arena).compiled.files
    assert "ESP-NN" not in plain["digits_int8.h"]


def test_the_report_says_what_is_not_known() -> None:
    report = model().report()
    assert {row.library for row in report.nodes} == {"esp_nn", "portable"}
    text = "\n".join(report.notices)
    assert "ESP-NN 1.2.3 (commit d45b843ca5f8): its assembly for the ESP32-S3" in text
    assert "unverified on hardware" in text
    assert report.footprint.flash_source == "estimated"
    assert "ESP-NN's functions take up to" in text


def test_the_inference_task_has_stack_for_the_library(tmp_path: Path) -> None:
    library = libraries_used(model().compiled)[0]
    needed = library.library.stack_bytes(library.functions)
    assert needed > 4096  # an array of up to 4096 bytes, and the functions themselves
    for kernels, expected in (("portable", 8192), ("esp_nn", 8192 + needed)):
        compiled = example(board="esp32s3", kernels=kernels)
        folder = write_project(compiled, tmp_path / kernels)
        text = (folder / "src" / "main.c").read_text()
        assert f"#define INFERENCE_STACK_BYTES {expected}\n" in text
