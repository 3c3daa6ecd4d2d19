/* What generated code needs of a C library, by words where the addresses allow it. */
#include "mcugen_bare.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* These loops must not become calls of the very functions that they are in. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

/* An access as a word may alias objects of any type. */
typedef uint32_t __attribute__((__may_alias__)) word;

#define WORD_BYTES sizeof(word)

static int are_aligned(const void *a, const void *b)
{
    return (((uintptr_t)a | (uintptr_t)b) % WORD_BYTES) == 0U;
}

/* From the lowest address to the highest: right for ranges that overlap when `to` is the lower. */
static void copy_upwards(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (are_aligned(to, from)) {
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
            *(word *)(void *)to = *(const word *)(const void *)from;
            to += WORD_BYTES;
            from += WORD_BYTES;
        }
    }
    for (; bytes > 0U; bytes--) {
        *to++ = *from++;
    }
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    copy_upwards(to, from, bytes);
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((uintptr_t)to <= (uintptr_t)from) {
        copy_upwards(to, from, bytes);
    } else {
        for (; bytes > 0U; bytes--) {
            out[bytes - 1U] = in[bytes - 1U];
        }
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t byte = (uint8_t)value;
    if (are_aligned(to, to)) {
        const word whole = byte * 0x01010101U;
        for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
            *(word *)(void *)out = whole;
            out += WORD_BYTES;
        }
    }
    for (; bytes > 0U; bytes--) {
        *out++ = byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a;
    const uint8_t *right = b;
    for (; bytes > 0U; bytes--) {
        if (*left != *right) {
            return (*left < *right) ? -1 : 1;
        }
        left++;
        right++;
    }
    return 0;
}

/* Not part of the program's size. Bodies that differ: nothing makes one function of the two. */
__attribute__((section(".marks"))) void mcugen_bare_mark(void)
{
    __asm__ volatile("nop");
}

__attribute__((section(".marks"))) void mcugen_bare_end(void)
{
    __asm__ volatile("nop\n nop");
}
