"""Instruction lengths and the cycles of the Cortex-M0+, encoding by encoding."""

from __future__ import annotations

import pytest

from mcugen.emulate.instructions import BlockCost, armv6m, riscv, thumb


def code(*halfwords: int) -> bytes:
    return b"".join(h.to_bytes(2, "little") for h in halfwords)


@pytest.mark.parametrize(
    ("halfwords", "cycles"),
    [
        ((0x200A,), 1),  # movs r0, #10
        ((0x1840,), 1),  # adds r0, r0, r1
        ((0x4348,), 1),  # muls r0, r1
        ((0xB240,), 1),  # sxtb r0, r0
        ((0xBF00,), 1),  # nop
        ((0x4408,), 1),  # add r0, r1
        ((0x44C8,), 1),  # add r8, r9
        ((0x4687,), 2),  # mov pc, r0
        ((0x448F,), 2),  # add pc, r1
        ((0x5640,), 2),  # ldrsb r0, [r0, r1]
        ((0x6800,), 2),  # ldr r0, [r0]
        ((0x7001,), 2),  # strb r1, [r0]
        ((0x8800,), 2),  # ldrh r0, [r0]
        ((0x9001,), 2),  # str r0, [sp, #4]
        ((0x4801,), 2),  # ldr r0, [pc, #4]
        ((0xC80E,), 4),  # ldm r0, {r1-r3}
        ((0xC006,), 3),  # stm r0!, {r1, r2}
        ((0xB5F0,), 6),  # push {r4-r7, lr}
        ((0xBC30,), 3),  # pop {r4, r5}
        ((0xBDF0,), 8),  # pop {r4-r7, pc}
        ((0xE7FE,), 2),  # b .
        ((0x4770,), 2),  # bx lr
        ((0x4780,), 2),  # blx r0
        ((0xF000, 0xF801), 3),  # bl
        ((0xF3BF, 0x8F5F), 3),  # dmb
        ((0xF3EF, 0x8010), 3),  # mrs r0, primask
    ],
)
def test_cycles_of_one_instruction(halfwords: tuple[int, ...], cycles: int) -> None:
    assert armv6m(code(*halfwords)) == BlockCost(1, cycles, False)


def test_a_block_and_the_branch_at_its_end() -> None:
    loop = code(0x3801, 0xD1FD)  # subs r0, #1; bne
    assert armv6m(loop) == BlockCost(2, 2, conditional=True)
    assert armv6m(code(0xD1FD, 0x3801)).conditional is False
    # the second halfword of a BL may look like a conditional branch
    assert armv6m(code(0xF000, 0xD801 | 0x2000)).conditional is False


@pytest.mark.parametrize(
    "halfwords",
    [
        (0xB108,),  # cbz r0
        (0xB938,),  # cbnz r0
        (0xBF08,),  # it eq
        (0xFB90, 0xF0F1),  # sdiv r0, r0, r1
        (0xF8D0, 0x0004),  # ldr.w r0, [r0, #4]
        (0xE8BD, 0x8010),  # pop.w
        (0xEE20, 0x0A20),  # vmul.f32
    ],
)
def test_what_the_cortex_m0plus_does_not_have(halfwords: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"{halfwords[0]:04x}.* is no instruction of ARMv6-M"):
        armv6m(code(*halfwords))


def test_lengths() -> None:
    wide = code(0xFB90, 0xF0F1, 0xBF08, 0x4770, 0xE8BD, 0x8010, 0xEE20, 0x0A20)
    assert thumb(wide) == BlockCost(5)
    assert riscv(code(0x4529, 0x157D, 0xF56D, 0x0513, 0x00A0, 0x8082)) == BlockCost(5)
    assert thumb(b"") == riscv(b"") == BlockCost(0)
