/* A model as a program for Xtensa in QEMU's user mode, driven from outside: see
 * mcugen_xtensa_start.c. */
#ifndef MCUGEN_XTENSA_H
#define MCUGEN_XTENSA_H

#include <stdint.h>

/* Called after every node of a model that is built with -DNAME_YIELD()=mcugen_xtensa_mark(). */
void mcugen_xtensa_mark(void);

/* Called before and after every function that is run: gives the next one's address. */
uint32_t mcugen_xtensa_idle(void);

#endif
