"""Two models in one program, and in one C++ program."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exported import example, write_project
from mcugen import host
from mcugen.project import project_files
from mcugen.selftest import selftest_files
from mcugen.toolchain import STRICT_WARNINGS, build, find_compiler, zig_command

MAIN = """
#include <stdio.h>
#include "one_selftest.h"
#include "two_selftest.h"

static void put_char(char c)
{
    (void)putchar(c);
}

int main(void)
{
    const mcugen_selftest_port port = {put_char, NULL};
    const int first = mcugen_selftest_run(&one_selftest, &port);
    const int second = mcugen_selftest_run(&two_selftest, &port);
    return first + second + mcugen_selftest_run(&one_selftest, &port);
}
"""


def test_two_models_in_one_program() -> None:
    models = {"one": example("digits", prefix="one"), "two": example("digits_int8", prefix="two")}
    files = {**host.runtime_headers(), "main.c": MAIN}
    files |= host.runtime_sources()
    for model in models.values():
        files |= model.compiled.files
        files |= selftest_files(model.compiled.model, model.selftest())
    traces = [f"-D{prefix.upper()}_TRACE" for prefix in models]
    program = build(files, flags=("-O1", *STRICT_WARNINGS, *traces), link_flags=(), suffix=".exe")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASS") == 3
    assert 'model "digits"' in done.stdout and 'model "digits_int8"' in done.stdout


def test_two_models_in_one_translation_unit() -> None:
    one, two = example("digits", prefix="one"), example("digits_int8", prefix="two")
    texts = {**one.compiled.files, **two.compiled.files}
    files = {n.replace(".c", ".inc"): t for n, t in texts.items()} | host.runtime_headers()
    files["all.c"] = "".join(f'#include "{n}"\n' for n in sorted(files) if n.endswith(".inc"))
    library = build(files, flags=("-O1", *STRICT_WARNINGS))
    assert library.is_file()


CPP = """
#include <cstdio>
#include <vector>
#include "digits.h"
#include "digits_int8.h"
#include "digits_selftest.h"

int main()
{
    std::vector<float> in(DIGITS_INPUT0_ELEMS, 0.5F);
    std::vector<float> out(DIGITS_OUTPUT0_ELEMS);
    const int error = digits_run(in.data(), out.data());
    const bool named = digits_int8_model.input_count == 1 && digits_model.outputs[0].elems == 10;
    std::printf("%d %d %d\\n", error, named, digits_selftest.model == &digits_model);
    for (float value : out) {
        std::printf("%a\\n", static_cast<double>(value));
    }
}
"""


def cpp_compiler() -> list[str]:
    if shutil.which("g++"):
        return ["g++"]
    if zig_command():
        return [sys.executable, "-m", "ziglang", "c++"]
    pytest.skip("there is no C++ compiler")


def test_a_cpp_program_includes_the_public_headers(tmp_path: Path) -> None:
    import numpy as np

    models = [example("digits"), example("digits_int8")]
    sources = {**host.runtime_headers(), "main.cpp": CPP}
    for model in models:
        sources |= model.compiled.files
        sources |= selftest_files(model.compiled.model, model.selftest())
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    command = [*find_compiler().command, "-std=c11", "-O1", "-I.", "-c"]
    c_files = sorted(p.name for p in tmp_path.glob("*.c"))
    subprocess.run([*command, *c_files], cwd=tmp_path, check=True, timeout=300)
    objects = sorted(p.name for p in tmp_path.glob("*.o"))
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Wundef", "-Werror"]
    cpp = [*cpp_compiler(), "-std=c++17", *warnings, "-I.", "main.cpp", *objects, "-o", "main"]
    subprocess.run(cpp, cwd=tmp_path, check=True, timeout=300)
    lines = subprocess.run(
        [tmp_path / "main"], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split("\n")
    assert lines[0] == "0 1 1"
    image = np.full((1, 1, 8, 8), 0.5, np.float32)
    wanted = next(iter(models[0](image).values())).reshape(-1)
    assert [float.fromhex(v) for v in lines[1:11]] == [float(v) for v in wanted]


def test_a_project_holds_exactly_the_headers_that_are_included(tmp_path: Path) -> None:
    model = example("digits_int8")
    folder = write_project(model, tmp_path / "out")
    include = folder / "lib" / "mcugen_rt" / "include"
    texts = [p.read_text() for p in folder.rglob("*.[ch]")]
    for header in include.iterdir():
        assert any(f'#include "{header.name}"' in text for text in texts), header.name
    assert project_files(model.compiled, model.target, None, {})
