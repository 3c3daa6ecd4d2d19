/*
 * What the stand-ins for CMSIS-NN share: working memory.
 *
 * They are written to be read, not to be fast, and ask for what the library asks for: a pointer
 * that is missing or working memory that is too small is an error. The library is free to use all
 * of its working memory, so they fill it first: a tensor that overlaps it comes out wrong.
 */
#ifndef MCUGEN_CMSIS_NN_STANDIN_H
#define MCUGEN_CMSIS_NN_STANDIN_H

#include "arm_nnfunctions.h"
#include "standin_fixed_point.h"

#include <stddef.h>
#include <string.h>

/* Whether the working memory is what a function needs; fills it. */
static inline bool standin_take(const cmsis_nn_context *ctx, int32_t needed)
{
    if (ctx == NULL || ctx->size < needed) {
        return false;
    }
    if (ctx->size > 0) {
        if (ctx->buf == NULL || ((uintptr_t)ctx->buf & 3U) != 0U) {
            return false;
        }
        (void)memset(ctx->buf, 0xa5, (size_t)ctx->size);
    }
    return true;
}

/* Weight `index` of weights of 4 bits: two in a byte, the first in the low half. */
static inline int32_t standin_int4(const int8_t *weights, int32_t index)
{
    const int32_t byte = (uint8_t)weights[index / 2];
    const int32_t stored = index % 2 == 0 ? byte & 15 : byte >> 4;
    return stored < 8 ? stored : stored - 16;
}

#endif
