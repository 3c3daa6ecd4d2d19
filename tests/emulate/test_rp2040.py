"""The bare firmware's parts on a whole emulated Pico W."""

from __future__ import annotations

import re

import pytest

from emulate.rp2040_programs import FAST, lines_of, program, require_rp2040
from mcugen.emulate.machine import FaultError
from mcugen.emulate.rp2040 import PicoW, uf2_blocks


@pytest.fixture(autouse=True)
def _packages() -> None:
    require_rp2040()


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
