/* Start of a Cortex-M: the vector table and the reset handler. */
#include <stddef.h>

#include "semihost.h"

#define FAULT_STATUS 99U

void Reset(void);

/* Any exception ends the program. */
START_SECTION static void fault(void)
{
    static const char text[] = "FAULT\n";
    for (uint32_t i = 0; text[i] != '\0'; i++) {
        semihost_put_char(text[i]);
    }
    semihost_exit(FAULT_STATUS);
}

typedef union vector {
    uint32_t stack;
    void (*handler)(void);
} vector;

/* In front of everything in .start by its name. */
__attribute__((section(".start.vectors"), used)) static const vector vectors[16] = {
    {.stack = STACK_END}, {.handler = Reset}, {.handler = fault}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault}, {.handler = fault},
};

START_SECTION void Reset(void)
{
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    *(volatile uint32_t *)0xE000ED88U |= 0xFU << 20; /* CPACR: the FPU and vectors are on */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    semihost_exit((uint32_t)qemu_main());
}
