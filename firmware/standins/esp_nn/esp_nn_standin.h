/*
 * What the stand-ins for ESP-NN share: working memory, alignment, refusals.
 *
 * They are written to be read, not to be fast, and compute only what the library's code for the
 * ESP32-S3 gets right: where it would give something else, or touch other memory, the output is
 * filled with a byte that no check takes for a result. The library is free to use all of its
 * working memory, so they fill that first: a tensor that overlaps it comes out wrong.
 */
#ifndef MCUGEN_ESP_NN_STANDIN_H
#define MCUGEN_ESP_NN_STANDIN_H

#include "esp_nn.h"
#include "standin_fixed_point.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define STANDIN_REFUSED 0x5a

/* Whether vector instructions read and write at this address. */
static inline bool standin_aligned(const void *address)
{
    return ((uintptr_t)address & 15U) == 0U;
}

/* Takes the working memory that was given for one call; fills it. */
static inline bool standin_take(void **given, int32_t needed)
{
    void *buffer = *given;
    *given = NULL;
    if (needed <= 0) {
        return true;
    }
    if (buffer == NULL || !standin_aligned(buffer)) {
        return false;
    }
    (void)memset(buffer, 0xa5, (size_t)needed);
    return true;
}

static inline void standin_refuse(int8_t *y, int32_t count)
{
    (void)memset(y, STANDIN_REFUSED, (size_t)count);
}

static inline int32_t standin_larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t standin_rounded_up(int32_t value, int32_t step)
{
    return (value + step - 1) / step * step;
}

#endif
