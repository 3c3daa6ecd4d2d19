/*
 * The arithmetic that vendors' int8 kernels have in common, for their stand-ins: gemmlowp's fixed
 * point with two roundings. A positive shift is a left shift.
 */
#ifndef MCUGEN_STANDIN_FIXED_POINT_H
#define MCUGEN_STANDIN_FIXED_POINT_H

#include <stdint.h>

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

#endif
