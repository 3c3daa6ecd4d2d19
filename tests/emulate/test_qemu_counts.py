"""Two emulators of different descent count the same instructions of the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

from emulate.qemu_machines import machine, model_program, require_machine, run
from emulate.test_qemu import small
from mcugen.emulate.cores import CORES
from mcugen.emulate.cross import END, MARK
from mcugen.emulate.limits import layer_limit
from mcugen.emulate.machine import Machine
from mcugen.emulate.plugin import Plugin, build_plugin

pytestmark = pytest.mark.qemu

CASES = (
    ("cortex-m0", "cortex-m0plus"),
    ("cortex-m3", "cortex-m3"),
    ("cortex-m4f", "cortex-m4f"),
    ("cortex-m7", "cortex-m7"),
    ("cortex-m33", "cortex-m33"),
    ("rv32imc", "rv32imc"),
    ("rv32imac-zig", "rv32imac"),
)
"""QEMU's machine and unicorn's core."""


@pytest.mark.parametrize("name", ["digits", "digits_int8"])
@pytest.mark.parametrize(("place", "core"), CASES, ids=[place for place, _ in CASES])
def test_unicorn_and_qemu_count_the_same(place: str, core: str, name: str, tmp_path: Path) -> None:
    one = machine(place)
    require_machine(one)
    compiled, sample = small(name)
    prefix = compiled.model.prefix
    image = model_program(
        one, compiled, sample, "count_main.c", [f"-D{compiled.model.macro}_YIELD()={MARK}()"]
    )
    plugin = Plugin(build_plugin(one.command[0]), image.elf, 1 << 40, tmp_path / "counts")
    assert run(one, image, tmp_path, plugin.arguments()).returncode == 0
    before, *by_qemu = (int(line) for line in plugin.lines())
    emulated = Machine(CORES[core], one.memory, image.elf, layer_limit(compiled.program))
    by_unicorn = [c.instructions for c in emulated.call(f"{prefix}_invoke", MARK, END)]
    assert before == 0
    assert len(by_qemu) == len(compiled.program.in_order(compiled.plan.order)) + 1
    assert by_qemu == by_unicorn


def test_a_limit_ends_qemu(tmp_path: Path) -> None:
    one = machine("cortex-m3")
    require_machine(one)
    compiled, sample = small("digits_int8")
    image = model_program(one, compiled, sample, "count_main.c")
    plugin = Plugin(build_plugin(one.command[0]), image.elf, 1000, tmp_path / "a, b")
    assert run(one, image, tmp_path, plugin.arguments()).returncode == 3
    assert plugin.lines() == ["0", "limit"]
