"""Whole models in QEMU's machines: the exported self-test passes, the outputs are the reference's.

Other processors' rules than the host's (alignment, calling conventions, software floats, vectors),
and the compilers of the firmware. Needs Debian's packages: `make test-qemu` tells them.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from emulate.qemu_machines import (
    FAULT_STATUS,
    MACHINES,
    Machine,
    machine,
    model_program,
    program,
    require,
    require_machine,
    run,
)
from golden_models import MODELS
from mcugen import resources
from mcugen.compiler import Compiled, CompileOptions, compile_model
from mcugen.distance import sample_feeds
from mcugen.frontend import load, load_model
from mcugen.host import same_bits
from mcugen.ops.spec import Core
from mcugen.samples import Sample, load_samples, random_samples
from mcugen.selftest import make_selftest, selftest_files
from together import expected_by_reference

pytestmark = pytest.mark.qemu

DIGITS = resources.examples() / "digits"
SMALL = ("digits", "digits_int8", "conv_net", "sine_int8")
REAL = ("kws_dscnn_f32", "kws_dscnn_qdq")
VENDOR = (
    ("cortex-m4f", "cmsis_nn", Core.DSP),
    ("cortex-m33", "cmsis_nn", Core.DSP),
    ("cortex-m55", "cmsis_nn", Core.MVE),
)
"""Machines with a vendor's library for their core; stand-ins compute in its place."""


@cache
def small(name: str, options: CompileOptions | None = None) -> tuple[Compiled, Sample]:
    if name in MODELS:
        compiled = compile_model(load_model(MODELS[name], name=name), options)
        return compiled, random_samples(compiled.imported.graph, 1)[0]
    return on_disk(DIGITS / name, options)


def on_disk(path: Path, options: CompileOptions | None = None) -> tuple[Compiled, Sample]:
    """A model with its first recorded sample."""
    compiled = compile_model(load(path.with_suffix(".onnx")), options)
    return compiled, load_samples(path.with_suffix(".npz"), compiled.imported.graph)[0]


def assert_exact(one: Machine, compiled: Compiled, sample: Sample, folder: Path) -> None:
    """The self-test finds every layer right, and every output byte is the reference's."""
    trace = f"-D{compiled.model.macro}_TRACE"
    image = model_program(one, compiled, sample, "selftest_main.c", [trace])
    done = run(one, image, folder)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "PASS: " in done.stdout and "FAIL" not in done.stdout, done.stdout
    assert "not compared" not in done.stdout
    lines = [x.removeprefix("output ") for x in done.stdout.splitlines() if x[:7] == "output "]
    expected = expected_by_reference(compiled, sample_feeds(compiled, sample))
    for name, text in zip(compiled.graph.outputs, lines, strict=True):
        got = np.frombuffer(bytes.fromhex(text), expected[name].dtype)
        assert same_bits(got.reshape(expected[name].shape), expected[name]).all(), name


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("one", MACHINES, ids=[m.name for m in MACHINES])
def test_a_model_is_exact(one: Machine, name: str, tmp_path: Path) -> None:
    require_machine(one)
    assert_exact(one, *small(name), tmp_path)


@pytest.mark.zoo
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("one", MACHINES, ids=[m.name for m in MACHINES])
def test_a_real_model_is_exact(one: Machine, name: str, models_dir: Path, tmp_path: Path) -> None:
    require_machine(one)
    assert_exact(one, *on_disk(models_dir / name), tmp_path)


@pytest.mark.parametrize(("name", "library", "core"), VENDOR)
def test_calls_of_a_vendor_library_are_exact(
    name: str, library: str, core: Core, tmp_path: Path
) -> None:
    require_machine(machine(name))
    options = CompileOptions(libraries=(library, "portable"), core=core)
    compiled, sample = small("digits_int8", options)
    assert library in compiled.model.libraries
    assert_exact(machine(name), compiled, sample, tmp_path)


FAULTS = {
    "an unaligned word": (
        "cortex-m0",
        '__asm__ volatile("mov r0, sp\\n sub r0, #30\\n str r0, [r0]");',
    ),
    "a division": ("cortex-m0", '__asm__ volatile(".inst.w 0xfb90f0f0");'),  # sdiv r0, r0, r0
    "no memory": ("cortex-m3", "*(volatile uint32_t *)0x90000000U = 1U;"),
    "no memory in RISC-V": ("rv32imc", "*(volatile uint32_t *)0x00000000U = 1U;"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_ends_the_program(what: str, tmp_path: Path) -> None:
    """A machine that forgave what its core does not would prove nothing."""
    name, statement = FAULTS[what]
    toolchain = require_machine(machine(name))
    main = f'#include "semihost.h"\nSTART_SECTION int qemu_main(void) {{ {statement} return 0; }}'
    done = run(machine(name), program(machine(name), toolchain, {}, main), tmp_path)
    assert (done.returncode, done.stdout) == (FAULT_STATUS, "FAULT\n")


def test_a_wrong_byte_fails_the_self_test(tmp_path: Path) -> None:
    one = machine("cortex-m3")
    require_machine(one)
    compiled, sample = small("digits_int8")
    name = "digits_int8_selftest.c"
    text = selftest_files(compiled.model, make_selftest(compiled, sample))[name]
    changed = {name: re.sub(r"\{0x(.)", lambda m: "{0x%x" % (int(m[1], 16) ^ 1), text)}
    image = model_program(one, compiled, sample, "selftest_main.c", changed=changed)
    done = run(one, image, tmp_path)
    assert done.returncode == 1
    assert "FAIL: output" in done.stdout and "PASS" not in done.stdout


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
def test_the_vector_core_runs_vector_instructions(name: str, tmp_path: Path) -> None:
    one = machine("cortex-m55")
    require_machine(one)
    require("arm-none-eabi-objdump")
    path = tmp_path / "program.elf"
    path.write_bytes(model_program(one, *small(name), "selftest_main.c").elf)
    listing = subprocess.run(
        ["arm-none-eabi-objdump", "-d", path], capture_output=True, text=True, check=True
    ).stdout
    assert "\tvldr" in listing and "q0" in listing
