/*
 * The reciprocal that the fixed-point Softmax needs.
 *
 * Twin of codegen/mcugen/quantize/softmax_fixed.py; gemmlowp's fixed-point arithmetic.
 */
#ifndef MCUGEN_SOFTMAX_H
#define MCUGEN_SOFTMAX_H

#include "mcugen_quant.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* value * 2^bits limited to int32; bits 0..31. */
static inline int32_t mcugen_saturating_shift_left(int32_t value, int32_t bits)
{
    const int64_t wide = (int64_t)value * ((int64_t)1 << bits);
    if (wide > INT32_MAX) {
        return INT32_MAX;
    }
    return wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

/* Leading zero bits of value > 0. */
static inline int32_t mcugen_leading_zeros(uint32_t value)
{
    int32_t zeros = 0;
    while ((value & UINT32_C(0x80000000)) == 0U) {
        value <<= 1;
        zeros++;
    }
    return zeros;
}

/* 1 / (1 + a) for a in [0, 1), both in Q0.31: Newton's division of 1/2 by (1 + a)/2. */
static inline int32_t mcugen_one_over_one_plus_x(int32_t a)
{
    const int32_t half_denominator = (int32_t)(((int64_t)a + INT32_MAX + 1) >> 1);
    /* 48/17 - 32/17 * half_denominator in Q2.29 */
    int32_t x = 1515870810 + mcugen_srdhm(half_denominator, -1010580540);
    for (int32_t i = 0; i < 3; i++) {
        const int32_t error = ((int32_t)1 << 29) - mcugen_srdhm(half_denominator, x);
        x += mcugen_saturating_shift_left(mcugen_srdhm(x, error), 2);
    }
    return mcugen_saturating_shift_left(x, 1);
}

#ifdef __cplusplus
}
#endif

#endif
