/* Start of the program, and what it does where it stops.
 *
 * It stops before every function that it is told to call, after it, and at every mark in it: it
 * writes a word that says where it is, then obeys commands of three words (kind, address, bytes)
 * until one of them is GO. Standard input and output carry both, little-endian.
 *
 * Nothing here counts as the model's: it lies in sections of its own.
 */
#include "mcugen_xtensa.h"

#define STOPPED_IDLE 0U /* before the first function, and after each */
#define STOPPED_AT_MARK 1U

#define COMMAND_GO 0U    /* from idle: call the function at the address; from a mark: go on */
#define COMMAND_READ 1U  /* write these bytes of memory to the output */
#define COMMAND_WRITE 2U /* put as many bytes of the input into memory */

#define SYS_EXIT 118
#define SYS_READ 12
#define SYS_WRITE 13
#define INPUT 0U
#define OUTPUT 1U

#define HERE __attribute__((section(".start"), used, noinline))
#define INLINE static inline __attribute__((always_inline))

/* Linux's system calls on Xtensa: the number in a2, arguments in a6, a3, a4, the result in a2. */
INLINE int32_t call_system(int32_t number, uint32_t first, uint32_t second, uint32_t third)
{
    register int32_t a2 __asm__("a2") = number;
    register uint32_t a6 __asm__("a6") = first;
    register uint32_t a3 __asm__("a3") = second;
    register uint32_t a4 __asm__("a4") = third;
    __asm__ volatile("syscall" : "+r"(a2) : "r"(a6), "r"(a3), "r"(a4) : "memory");
    return a2;
}

/* All bytes, in as many calls as it takes; without the other side there is nothing to go on for. */
INLINE void transfer(int32_t number, uint32_t file, uint32_t address, uint32_t bytes)
{
    while (bytes > 0U) {
        const int32_t done = call_system(number, file, address, bytes);
        if (done <= 0) {
            (void)call_system(SYS_EXIT, 1U, 0U, 0U);
        }
        address += (uint32_t)done;
        bytes -= (uint32_t)done;
    }
}

/* No function is called: it takes less stack than what the model calls from the same place. */
INLINE uint32_t obey(uint32_t place)
{
    uint32_t command[3];
    volatile const uint32_t stopped = place;
    transfer(SYS_WRITE, OUTPUT, (uint32_t)&stopped, sizeof(stopped));
    for (;;) {
        transfer(SYS_READ, INPUT, (uint32_t)command, sizeof(command));
        if (command[0] == COMMAND_READ) {
            transfer(SYS_WRITE, OUTPUT, command[1], command[2]);
        } else if (command[0] == COMMAND_WRITE) {
            transfer(SYS_READ, INPUT, command[1], command[2]);
        } else {
            return command[1];
        }
    }
}

HERE void mcugen_xtensa_mark(void)
{
    (void)obey(STOPPED_AT_MARK);
}

HERE uint32_t mcugen_xtensa_idle(void)
{
    return obey(STOPPED_IDLE);
}

/* The stack is the model's alone. The word below it stands for the caller that there is not: a
 * window that is spilled goes where it points. */
__asm__(".section .start, \"ax\", @progbits\n"
        "\t.literal_position\n"
        "\t.literal .Lstack, __stack\n"
        "\t.literal .Lidle, mcugen_xtensa_idle\n"
        "\t.global mcugen_xtensa_start\n"
        "\t.type mcugen_xtensa_start, @function\n"
        "\t.p2align 2\n"
        "mcugen_xtensa_start:\n"
        "\tmovi a0, 0\n"
        "\tl32r a3, .Lstack\n"
        "\taddi a1, a3, -64\n"
        "\taddi a4, a1, -12\n"
        "\ts32i a3, a4, 0\n"
        ".Lagain:\n"
        "\tl32r a8, .Lidle\n"
        "\tcallx8 a8\n"
        "\tcallx8 a10\n"
        "\tj .Lagain\n"
        "\t.size mcugen_xtensa_start, . - mcugen_xtensa_start\n"
        "\t.text\n");
