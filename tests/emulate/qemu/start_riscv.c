/* Start of a RISC-V core: stack, trap handler. */
#include "semihost.h"

#define FAULT_STATUS 99U

void Reset(void);

/* Any exception ends the program. */
START_SECTION __attribute__((aligned(4))) void fault(void)
{
    static const char text[] = "FAULT\n";
    for (uint32_t i = 0; text[i] != '\0'; i++) {
        semihost_put_char(text[i]);
    }
    semihost_exit(FAULT_STATUS);
}

START_SECTION void enter(void)
{
    semihost_exit((uint32_t)qemu_main());
}

/* In front of everything in .start by its name. */
__attribute__((section(".start.vectors"), used, naked)) void Reset(void)
{
    __asm__ volatile(".option push\n .option arch, +zicsr\n"
                     "la t0, fault\n csrw mtvec, t0\n .option pop\n"
                     "li sp, %0\n j enter" ::"i"(STACK_END));
}
