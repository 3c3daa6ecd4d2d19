"""Every operator case: strict C for clang too, and no undefined behaviour on its corner values."""

from __future__ import annotations

import shutil

import pytest

from casebuild import case_feeds, families, render_family
from mcugen import host
from mcugen.ops.spec import Arithmetic
from mcugen.samples import Sample
from mcugen.toolchain import STRICT_WARNINGS, describe, zig_command
from selftests import assert_selftests_pass, selftest_program

STRICT = ("-O0", *STRICT_WARNINGS, "-Wno-unused-function")
"""Clang warns before it optimizes. A header that many models include is used by few of them."""


@pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")
@pytest.mark.parametrize("family", families())
def test_clang_has_no_warning(family: str) -> None:
    command = zig_command()
    assert command is not None
    built, files = render_family(family, Arithmetic.TFLITE)
    host.build_library(files, [b.prefix for b in built], compiler=describe(command), flags=STRICT)


@pytest.mark.zoo
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("arithmetic", Arithmetic, ids=lambda a: a.value)
@pytest.mark.parametrize("family", families())
def test_no_undefined_behaviour(family: str, arithmetic: Arithmetic) -> None:
    built, _ = render_family(family, arithmetic)
    models = [(b.compiled, Sample(case_feeds(b.case))) for b in built]
    program = selftest_program(models, merged=True, compiler=describe(("gcc",)))
    assert_selftests_pass(program, len(models))
