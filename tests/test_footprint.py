"""Code size and stack bound: by whom they are measured, and what they count."""

from __future__ import annotations

import pytest

from exported import example
from mcugen import footprint
from mcugen.errors import MissingExtraError
from mcugen.footprint import (
    LIBRARY_STACK_BYTES,
    measure_footprint,
    parse_stack_usage,
    stack_bound,
)
from mcugen.targets import board_names, load_target
from mcugen.toolchain import zig_command

needs_zig = pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")


@needs_zig
def test_the_pico_is_measured() -> None:
    found = measure_footprint(example().compiled, load_target("pico_w"), 77)
    assert found.flash_source == "measured"
    assert 500 < found.code_bytes < 20_000
    assert found.stack_bytes is not None and 100 < found.stack_bytes < 2_200
    assert found.selftest_bytes == 77


@needs_zig
def test_the_esp32s3_is_estimated_from_another_core() -> None:
    found = measure_footprint(example().compiled, load_target("esp32s3"))
    assert (found.flash_source, found.stack_bytes) == ("estimated", None)
    assert 500 < found.code_bytes < 20_000


def test_the_host_is_measured() -> None:
    found = measure_footprint(example().compiled, load_target("host"))
    assert found.flash_source == "measured"
    assert 500 < found.code_bytes < 40_000
    assert found.stack_bytes is not None and found.stack_bytes > LIBRARY_STACK_BYTES


def test_without_any_compiler_there_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_compiler() -> None:
        raise MissingExtraError("building", "ziglang", "bench")

    monkeypatch.setattr(footprint, "zig_command", lambda: None)
    monkeypatch.setattr(footprint, "find_compiler", no_compiler)
    for board in board_names():
        found = measure_footprint(example().compiled, load_target(board))
        assert (found.flash_source, found.stack_bytes) == ("estimated", None)
        measured = 500 < found.code_bytes < 40_000
        assert measured


def test_stack_usage_files() -> None:
    text = (
        "/tmp/a b/m.c:3:12:m_steps\t64\tstatic\n"
        "m.c:30:5:m_conv\t48\tdynamic,bounded\n"
        "m.c:30:5:m_conv.part.0\t16\tstatic\n"
        "m.h:1:2:mcugen_expf\t8\tstatic\n"
    )
    assert parse_stack_usage(text) == {"m_steps": 64, "m_conv": 64, "mcugen_expf": 8}


def test_the_bound_adds_what_can_be_active_at_once() -> None:
    frames = {
        "m_run_any": 10,
        "m_run": 20,
        "m_invoke": 15,
        "m_steps": 30,
        "m_input": 1000,
        "m_conv": 100,
        "m_conv_tap": 50,
        "m_pool": 120,
        "mcugen_expf": 7,
    }
    assert stack_bound("m", frames) == 10 + 20 + 30 + 150 + 7 + LIBRARY_STACK_BYTES
    assert stack_bound("m", {}) is None


@needs_zig
def test_a_compiler_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from mcugen.errors import InternalError

    compiled = example().compiled
    broken = replace(compiled, files={**compiled.files, "digits_int8.c": "int x = ;\n"})
    with pytest.raises(InternalError, match="the generated C does not compile"):
        measure_footprint(broken, load_target("pico_w"))
