"""Kernel libraries: which a run may take, what holds of each, what guards against others."""

from __future__ import annotations

import dataclasses
import subprocess

import pytest

from exported import example
from mcugen import resources
from mcugen.errors import InternalError, UsageError
from mcugen.host import HostModel, build_library, standin_files
from mcugen.kernels import CMSIS_NN, VENDOR_LIBRARIES, libraries_for
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.samples import random_samples
from mcugen.targets import Target, list_targets, load_target
from mcugen.toolchain import ForeignSources
from selftests import selftest_program

TFLITE, ONNX = Arithmetic.TFLITE, Arithmetic.ONNX


def chosen(
    choice: str, board: str, arithmetic: Arithmetic = TFLITE, **changes: str
) -> tuple[str, ...]:
    target: Target = dataclasses.replace(load_target(board), **changes)  # type: ignore[arg-type]
    return libraries_for(choice, target.title, target.kernels, target.libraries, arithmetic)


def test_what_a_choice_allows() -> None:
    assert chosen("portable", "pico_w") == ("portable",)
    assert chosen("cmsis_nn", "pico_w") == ("cmsis_nn", "portable")
    assert chosen("cmsis_nn", "host") == ("cmsis_nn", "portable")
    assert chosen("auto", "pico_w", kernels="cmsis_nn") == ("cmsis_nn", "portable")
    assert chosen("auto", "pico_w", kernels="portable") == ("portable",)
    assert chosen("auto", "pico_w", ONNX, kernels="cmsis_nn") == ("portable",)


@pytest.mark.parametrize(
    ("choice", "board", "arithmetic", "found"),
    [
        ("fast", "pico_w", TFLITE, "must be one of auto, portable, cmsis_nn, esp_nn, got 'fast'"),
        ("esp_nn", "pico_w", TFLITE, "Pico W must be one of auto, portable, cmsis_nn, got 'esp"),
        ("cmsis_nn", "esp32s3", TFLITE, "for ESP32-S3-DevKitC-1 N8 must be one of auto, portable"),
        ("cmsis_nn", "pico_w", ONNX, "--kernels cmsis_nn computes --arithmetic tflite alone"),
    ],
)
def test_what_no_choice_is(choice: str, board: str, arithmetic: Arithmetic, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(choice, board, arithmetic)
    assert found in caught.value.message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("target", list_targets(), ids=lambda t: t.name)
def test_boards_name_known_libraries(target: Target) -> None:
    assert set(target.libraries) <= set(VENDOR_LIBRARIES)
    assert target.kernels in ("portable", *target.libraries)


@pytest.mark.parametrize("library", VENDOR_LIBRARIES.values(), ids=lambda x: x.name)
def test_a_library_is_complete(library) -> None:
    headers = {p.name for p in resources.firmware().glob("*.h")}
    assert library.header in headers
    assert len(library.commit) == 40
    known = set(library.headers) | {f for x in library.functions.values() for f in x.files}
    assert known == set(library.files)
    kernels = [k for s in specs().values() for k in s.kernels if k.library == library.name]
    assert kernels, "no operator calls it"
    assert all(library.header in k.headers for k in kernels)


@pytest.mark.parametrize("library", VENDOR_LIBRARIES.values(), ids=lambda x: x.name)
def test_stand_ins_have_what_templates_call(library) -> None:
    """Every function that a template names is in the table, and a stand-in defines it."""
    folder = resources.templates() / library.name
    called = library.functions_in(p.read_text() for p in folder.glob("*.j2"))
    code = "\n".join(t for n, t in standin_files(library.name).items() if n.endswith(".c"))
    assert called
    assert [f for f in library.functions if f"{f}(" not in code] == []


def build(flags: tuple[str, ...] = (), changed: dict[str, str] | None = None) -> HostModel:
    compiled = example(kernels="cmsis_nn").compiled
    files = {**standin_files("cmsis_nn"), **(changed or {})}
    sources = ForeignSources("stand-ins", files, (".",))
    prefix = compiled.model.prefix
    library = build_library(compiled.files, [prefix], flags=("-O1", *flags), vendor=sources)
    return HostModel(library, prefix, compiled.graph)


def test_another_rounding_does_not_compile() -> None:
    build()
    with pytest.raises(InternalError) as caught:
        build(("-DCMSIS_NN_USE_SINGLE_ROUNDING",))
    assert "CMSIS-NN must be built without CMSIS_NN_USE_SINGLE_ROUNDING" in caught.value.message


@pytest.mark.parametrize(
    ("old", "new"),
    [("ARM_NN_FLOAT_API_ENABLED 0", "OTHER"), ("THRESHOLD 16", "THRESHOLD 8"), ("124", "64")],
)
def test_another_version_does_not_compile(old: str, new: str) -> None:
    text = standin_files("cmsis_nn")["arm_nnsupportfunctions.h"]
    assert old in text
    with pytest.raises(InternalError) as caught:
        build(changed={"arm_nnsupportfunctions.h": text.replace(old, new)})
    assert "this CMSIS-NN is another version than 7.0.0+43" in caught.value.message
    assert CMSIS_NN.version == "7.0.0+43" and CMSIS_NN.commit.startswith("99f736a6")


@pytest.mark.parametrize("library", VENDOR_LIBRARIES.values(), ids=VENDOR_LIBRARIES)
def test_a_library_that_is_not_there_is_named(library) -> None:
    files = {"alone.c": f'#include "{library.header}"\n'}
    nothing = ForeignSources("nothing", {}, (".",))
    with pytest.raises(InternalError) as caught:
        build_library(files, [], vendor=nothing)
    missing = f"{library.title} is not on the include path: mcugen export --vendor-dir"
    assert missing in caught.value.message


HUNGRY = {
    "cmsis_nn_convolution.c": standin_files("cmsis_nn")["cmsis_nn_convolution.c"].replace(
        "(taps + 3) / 4 * 4", "(taps + 7) / 4 * 4"
    )
}
"""A library that asks for 16 bytes more than was planned."""


def test_a_library_that_needs_more_working_memory_is_found_on_the_host() -> None:
    with pytest.raises(InternalError) as caught:
        build(changed=HUNGRY).require_planned_scratch()
    assert "asks for 64 bytes of working memory for '/conv1/Conv" in caught.value.message
    assert "48 are planned" in caught.value.message


def test_a_library_that_needs_more_working_memory_fails_the_self_test() -> None:
    compiled = example(kernels="cmsis_nn").compiled
    sample = random_samples(compiled.imported.graph, 1)[0]
    program = selftest_program([(compiled, sample)], changed=HUNGRY)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert 'FAIL: layer 1 QConv "/conv1/Conv' in done.stdout
    assert "the kernel library asks for 64 bytes of working memory, 48 are planned" in done.stdout
    assert "PASS" not in done.stdout
    assert subprocess.run([selftest_program([(compiled, sample)])], check=False).returncode == 0
