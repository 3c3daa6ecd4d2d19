/* A program's output and end in QEMU, and where it starts: Arm's semihosting, RISC-V's is alike. */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdint.h>

/* Linked to where the machine starts, outside the code whose instructions are counted. */
#define START_SECTION __attribute__((section(".start"), used, noinline))

/* The program. What it returns is QEMU's exit status. */
int qemu_main(void);

void semihost_put_char(char c);

/* Ends QEMU with this status. */
void semihost_exit(uint32_t status);

#endif
