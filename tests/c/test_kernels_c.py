"""Every operator case: strict C for clang too, and no undefined behaviour on its corner values."""

from __future__ import annotations

import shutil

import pytest

from casebuild import case_feeds, families, family_cases, render_family
from mcugen import host
from mcugen.kernels import PORTABLE
from mcugen.ops.registry import specs
from mcugen.ops.spec import Arithmetic
from mcugen.samples import Sample
from mcugen.toolchain import STRICT_WARNINGS, describe, zig_command
from selftests import assert_selftests_pass, selftest_program

STRICT = ("-O0", *STRICT_WARNINGS, "-Wno-unused-function")
"""Clang warns before it optimizes. A header that many models include is used by few of them."""


def _runs() -> list[tuple[str, str]]:
    """(family, library): portable kernels of all, and vendor calls where there are any."""
    found = [(family, PORTABLE) for family in families()]
    for family in families():
        kernels = [k for case in family_cases(family) for k in specs()[case.op].kernels]
        vendors = {k.library for k in kernels} - {PORTABLE}
        found += [(family, library) for library in sorted(vendors)]
    return found


def _libraries(library: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((library, PORTABLE)))


@pytest.mark.skipif(zig_command() is None, reason="the package ziglang is missing")
@pytest.mark.parametrize(("family", "library"), _runs())
def test_clang_has_no_warning(family: str, library: str) -> None:
    command = zig_command()
    assert command is not None
    built, files = render_family(family, Arithmetic.TFLITE, _libraries(library))
    host.build_library(
        files,
        [b.prefix for b in built],
        compiler=describe(command),
        flags=STRICT,
        libraries=_libraries(library),
    )


@pytest.mark.zoo
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("arithmetic", Arithmetic, ids=lambda a: a.value)
@pytest.mark.parametrize("family", families())
def test_no_undefined_behaviour(family: str, arithmetic: Arithmetic) -> None:
    _assert_defined(family, arithmetic, PORTABLE)


@pytest.mark.zoo
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize(("family", "library"), [r for r in _runs() if r[1] != PORTABLE])
def test_no_undefined_behaviour_with_vendor_calls(family: str, library: str) -> None:
    _assert_defined(family, Arithmetic.TFLITE, library)


def _assert_defined(family: str, arithmetic: Arithmetic, library: str) -> None:
    built, _ = render_family(family, arithmetic, _libraries(library))
    models = [(b.compiled, Sample(case_feeds(b.case))) for b in built]
    program = selftest_program(models, merged=True, compiler=describe(("gcc",)))
    assert_selftests_pass(program, len(models))
