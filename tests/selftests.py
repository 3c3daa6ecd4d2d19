"""Executables that run the embedded self-tests of models: what a board runs, on this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from mcugen import host
from mcugen.compiler import Compiled
from mcugen.kernels import PORTABLE
from mcugen.samples import Sample
from mcugen.selftest import make_selftest, selftest_files
from mcugen.toolchain import Compiler, build
from together import one_file

SANITIZED = (
    "-O1",
    "-g",
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
)

_MAIN = """
#include <stdio.h>
{includes}

static void put_char(char c)
{{
    (void)putchar(c);
}}

int main(void)
{{
    static const mcugen_selftest *const tests[] = {{{tests}}};
    const mcugen_selftest_port port = {{put_char, NULL}};
    int failed = 0;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i) {{
        failed += mcugen_selftest_run(tests[i], &port) != 0;
    }}
    return failed != 0;
}}
"""


def selftest_program(
    models: Sequence[tuple[Compiled, Sample]],
    *,
    merged: bool = False,
    compiler: Compiler | None = None,
    flags: Sequence[str] = SANITIZED,
    changed: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """The executable that tests each model on its sample, layer by layer.

    Args:
        models: their prefixes must differ.
        merged: compile the C of all models as one file.
        compiler: the default one when None.
        flags: for compiling.
        changed: files to take instead of those of the same name.
    """
    files = {**host.runtime_headers()}
    for library in {name for compiled, _ in models for name in compiled.model.libraries}:
        files |= {} if library == PORTABLE else host.standin_files(library)
    files |= host.runtime_sources()
    prefixes = [compiled.model.prefix for compiled, _ in models]
    texts = [
        {**c.files, **selftest_files(c.model, make_selftest(c, sample))} for c, sample in models
    ]
    for one in [one_file(texts, "models")] if merged else texts:
        files |= one
    files["main.c"] = _MAIN.format(
        includes="\n".join(f'#include "{p}_selftest.h"' for p in prefixes),
        tests=", ".join(f"&{p}_selftest" for p in prefixes),
    )
    files |= changed
    traces = tuple(f"-D{p.upper()}_TRACE" for p in prefixes)
    return build(files, compiler=compiler, flags=(*flags, *traces), link_flags=(), suffix=".exe")


def assert_selftests_pass(program: Path, count: int) -> None:
    """Run the executable: `count` models print PASS and nothing else is reported."""
    done = subprocess.run([program], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    assert done.stdout.count("PASS") == count, done.stdout
    assert done.stderr == ""
