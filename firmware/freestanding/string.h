/* What generated code uses of <string.h>, for compiling it without a C library. */
#ifndef MCUGEN_FREESTANDING_STRING_H
#define MCUGEN_FREESTANDING_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
