#include "semihost.h"

#define SYS_WRITEC 0x03U
#define SYS_EXIT_EXTENDED 0x20U
#define APPLICATION_EXIT 0x20026U

START_SECTION static void semihost(uint32_t operation, const volatile void *parameter)
{
#if defined(__riscv)
    register uint32_t a0 __asm__("a0") = operation;
    register const volatile void *a1 __asm__("a1") = parameter;
    /* the three must be whole words on one page: QEMU looks at the ones around the ebreak */
    __asm__ volatile(".balign 16\n .option push\n .option norvc\n"
                     "slli zero, zero, 0x1f\n ebreak\n srai zero, zero, 7\n .option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
#else
    register uint32_t r0 __asm__("r0") = operation;
    register const volatile void *r1 __asm__("r1") = parameter;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#endif
}

START_SECTION void semihost_put_char(char c)
{
    const volatile char byte = c;
    semihost(SYS_WRITEC, &byte);
}

START_SECTION void semihost_exit(uint32_t status)
{
    const volatile uint32_t block[2] = {APPLICATION_EXIT, status};
    for (;;) {
        semihost(SYS_EXIT_EXTENDED, block);
    }
}
