"""The emulated machine: what it counts, and every fault that it must catch."""

from __future__ import annotations

import importlib.util

import pytest

from emulate.programs import MEMORY, counts, image_for, machine_for, require_packages
from mcugen.emulate.cores import CORES
from mcugen.emulate.counter import Count
from mcugen.emulate.cross import END, MARK, build_image, find_toolchain
from mcugen.emulate.machine import FaultError, Machine
from mcugen.errors import MissingExtraError, UsageError
from mcugen.targets import load_target

ARM_LOOP = """
__attribute__((naked)) void probe(void)
{
    __asm__ volatile("movs r0, #10\\n 1: subs r0, #1\\n bne 1b\\n bx lr");
}
"""
RISCV_LOOP = """
__attribute__((naked)) void probe(void)
{
    __asm__ volatile("li a0, 10\\n 1: addi a0, a0, -1\\n bnez a0, 1b\\n ret");
}
"""


def test_a_loop_is_counted_exactly() -> None:
    # movs 1, ten times subs and bne at 1 each, nine of them taken at 1 more, bx 2
    assert counts(machine_for(ARM_LOOP)) == [Count(22, 32)]
    assert counts(machine_for(ARM_LOOP, "cortex-m4f")) == [Count(22, None)]
    assert counts(machine_for(RISCV_LOOP, "rv32imc")) == [Count(22, None)]


def test_a_second_call_counts_from_zero() -> None:
    machine = machine_for(ARM_LOOP)
    assert counts(machine) == counts(machine)


MARKS = """
#include <stdint.h>
volatile uint32_t done;
uint8_t table[64] = {7};
void probe(void)
{
    done += 1U;
    mcugen_bare_mark();
    done += table[0];
    mcugen_bare_mark();
}
"""


@pytest.mark.parametrize("core", ["cortex-m0plus", "cortex-m4f", "rv32imc"])
def test_marks_divide_a_call(core: str) -> None:
    machine = machine_for(MARKS, core)
    done, seen = machine.symbols["done"], []
    for count in machine.call("probe", MARK, END):
        assert 0 <= count.instructions < 20
        seen.append(int.from_bytes(machine.read(done.address, 4), "little"))
    assert seen == [1, 8, 8]


def test_initial_values_and_zeros_are_loaded() -> None:
    machine = machine_for(MARKS)
    assert machine.read(machine.symbols["table"].address, 2) == b"\x07\x00"
    assert machine.symbols["table"].size == 64
    machine.write(machine.symbols["table"].address, b"\x05")
    counts(machine)
    assert machine.read(machine.symbols["done"].address, 1) == b"\x06"


FAULTS = {
    "unaligned access of 4 bytes at 0x20000001 in probe": """
        #include <stdint.h>
        static volatile uint8_t bytes[8];
        void probe(void) { (void)*(volatile uint32_t *)(void *)(bytes + 1); }
    """,
    "unaligned access of 2 bytes at 0x20000003 in probe": """
        #include <stdint.h>
        static volatile uint8_t bytes[8];
        void probe(void) { *(volatile uint16_t *)(void *)(bytes + 3) = 1; }
    """,
    "invalid access of 1 bytes at 0x4 in probe": """
        void probe(void) { (void)*(volatile unsigned char *)4; }
    """,
    "invalid access of 4 bytes at 0x10000000 in probe": """
        void probe(void) { *(volatile unsigned *)0x10000000 = 1; }
    """,
    "still running after 1,000,000 instructions, in probe": """
        void probe(void) { for (;;) { __asm__ volatile(""); } }
    """,
    "the stack meets static data": """
        volatile char taken[12000];
        void probe(void)
        {
            volatile char big[6000];
            for (int i = 6000; i > 0; i--) { big[i - 1] = 1; }
            taken[0] = big[1];
        }
    """,
}


def test_double_precision_is_refused() -> None:
    require_packages()
    target = load_target("nucleo_h743")
    source = "double x = 3; void probe(void) { x = x * x + 1; }"
    toolchain = find_toolchain(target.title, target.compiler)
    image = build_image({"probe.c": source}, toolchain, MEMORY, ["probe"])
    machine = Machine(CORES["cortex-m7"], MEMORY, image.elf, 1_000)
    with pytest.raises(UsageError, match=r"no double-precision .* one in probe") as caught:
        counts(machine)
    assert "runs on the board" in caught.value.hint


@pytest.mark.parametrize("message", FAULTS)
def test_a_fault_is_named(message: str) -> None:
    with pytest.raises(FaultError) as caught:
        counts(machine_for(FAULTS[message]))
    assert str(caught.value) == message


def test_an_unaligned_access_is_allowed_where_the_core_can_do_it() -> None:
    source = next(iter(FAULTS.values()))
    assert counts(machine_for(source, "cortex-m4f"))[0].instructions > 0
    with pytest.raises(FaultError, match="unaligned access of 4 bytes"):
        counts(machine_for(source, "rv32imc"))


def test_an_instruction_of_another_core_is_a_fault() -> None:
    source = "int d = 3, n = 9; int probe(void) { return n / d; }"
    image = image_for(source, "cortex-m4f")  # sdiv, which the emulated M0 would run
    with pytest.raises(FaultError, match="is no instruction of ARMv6-M"):
        counts(Machine(CORES["cortex-m0plus"], MEMORY, image, 1_000))


@pytest.mark.parametrize("depth", [8, 400, 2000])
def test_the_peak_of_the_stack(depth: int) -> None:
    moves = "".join(f'"sub sp, #{step}\\n"' for step in _steps(depth))
    back = moves.replace("sub", "add")
    asm = f'{moves} "str r0, [sp]\\n" {back} "bx lr"'
    machine = machine_for(f"__attribute__((naked)) void probe(void) {{ __asm__ volatile({asm}); }}")
    assert machine.stack_bytes == 0
    counts(machine)
    assert machine.stack_bytes == depth


def _steps(depth: int) -> list[int]:
    """Parts of a depth, each as large as one Thumb instruction allows."""
    whole, rest = divmod(depth, 500)
    return [500] * whole + [rest] * (rest > 0)


SUPPORT = """
#include <stdint.h>
#include <string.h>
uint8_t a[40], b[40];
void probe(void)
{
    for (uint32_t i = 0; i < 40U; i++) { a[i] = (uint8_t)i; }
    (void)memcpy(b, a, 23);            /* words and a rest */
    (void)memcpy(b + 25, a + 2, 11);   /* by bytes */
    (void)memmove(a + 3, a, 20);       /* upwards, over itself */
    (void)memmove(a + 24, a + 25, 10); /* downwards */
    (void)memset(b + 36, 0x5A, 4);
    b[39] = (uint8_t)(memcmp(a, a + 3, 20) == 0) + (uint8_t)(memcmp(b, b + 1, 3) < 0);
}
"""


@pytest.mark.parametrize("core", ["cortex-m0plus", "cortex-m4f", "rv32imc"])
def test_what_stands_in_for_the_c_library(core: str) -> None:
    machine = machine_for(SUPPORT, core)
    counts(machine)
    a, b = bytearray(range(40)), bytearray(40)
    b[:23] = a[:23]
    b[25:36] = a[2:13]
    a[3:23] = a[:20]
    a[24:34] = a[25:35]
    b[36:39] = b"\x5a" * 3
    b[39] = (a[:20] == a[3:23]) + (b[:3] < b[1:4])
    assert machine.read(machine.symbols["a"].address, 40) == bytes(a)
    assert machine.read(machine.symbols["b"].address, 40) == bytes(b)


def test_without_the_package_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    image = image_for(ARM_LOOP)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as caught:
        Machine(CORES["cortex-m0plus"], MEMORY, image, 1_000)
    assert "'unicorn'" in str(caught.value)
    assert caught.value.hint == "pip install 'mcugen[bench]'"
