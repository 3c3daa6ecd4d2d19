/*
 * What the stand-ins for CMSIS-NN share: fixed point, clamping, working memory.
 *
 * They are written to be read, not to be fast, and ask for what the library asks for: a pointer
 * that is missing or working memory that is too small is an error. The library is free to use all
 * of its working memory, so they fill it first: a tensor that overlaps it comes out wrong.
 */
#ifndef MCUGEN_CMSIS_NN_STANDIN_H
#define MCUGEN_CMSIS_NN_STANDIN_H

#include "arm_nnfunctions.h"

#include <stddef.h>
#include <string.h>

/* (a * b + 2^30) >> 31 in 64 bits; the one product that would overflow saturates. */
static inline int32_t standin_high_mul(int32_t a, int32_t b)
{
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    const int64_t product = (int64_t)a * b + ((int64_t)1 << 30);
    return (int32_t)(product >> 31);
}

/* value / 2^exponent, ties away from zero; exponent 0..31. */
static inline int32_t standin_divide_by_power(int32_t value, int32_t exponent)
{
    const int64_t divisor = (int64_t)1 << exponent;
    const int64_t half = divisor >> 1;
    const int64_t wide = value;
    return (int32_t)((wide >= 0 ? wide + half : wide - half) / divisor);
}

static inline int32_t standin_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift < 0 ? -shift : 0;
    const int64_t shifted = (int64_t)value * ((int64_t)1 << left);
    return standin_divide_by_power(standin_high_mul((int32_t)shifted, multiplier), right);
}

static inline int8_t standin_clamp(int32_t value, int32_t low, int32_t high)
{
    const int32_t raised = value < low ? low : value;
    return (int8_t)(raised > high ? high : raised);
}

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

#endif
