/* For generated C that runs without any operating system or C library: see mcugen_bare.c. */
#ifndef MCUGEN_BARE_H
#define MCUGEN_BARE_H

/* Called after every node of a model that is built with -DNAME_YIELD()=mcugen_bare_mark():
 * an emulator sees by it where one layer ends and the next begins. */
void mcugen_bare_mark(void);

/* Never called: its address is what an emulated function returns to. */
void mcugen_bare_end(void);

#endif
