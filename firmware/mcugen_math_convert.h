/*
 * Float to integer: towards zero, saturating, NaN gives 0. Plain C leaves what is out of range
 * undefined. Bounds are compared as floats that are exact powers of two.
 */
#ifndef MCUGEN_MATH_CONVERT_H
#define MCUGEN_MATH_CONVERT_H

#include "mcugen_quant.h"

static inline int32_t mcugen_float_to_int32(float x)
{
    if (x != x) {
        return 0;
    }
    if (x >= 2147483648.0f) {
        return INT32_MAX;
    }
    return x < -2147483648.0f ? INT32_MIN : (int32_t)x;
}

static inline uint32_t mcugen_float_to_uint32(float x)
{
    if (!(x > 0.0f)) {
        return 0u;
    }
    return x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}

static inline int64_t mcugen_float_to_int64(float x)
{
    if (x != x) {
        return 0;
    }
    if (x >= 9223372036854775808.0f) {
        return INT64_MAX;
    }
    return x < -9223372036854775808.0f ? INT64_MIN : (int64_t)x;
}

static inline uint64_t mcugen_float_to_uint64(float x)
{
    if (!(x > 0.0f)) {
        return 0u;
    }
    return x >= 18446744073709551616.0f ? UINT64_MAX : (uint64_t)x;
}

static inline int64_t mcugen_double_to_int64(double x)
{
    if (x != x) {
        return 0;
    }
    if (x >= 9223372036854775808.0) {
        return INT64_MAX;
    }
    return x < -9223372036854775808.0 ? INT64_MIN : (int64_t)x;
}

static inline uint64_t mcugen_double_to_uint64(double x)
{
    if (!(x > 0.0)) {
        return 0u;
    }
    return x >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)x;
}

/* An integer limited to [low, high]. */
static inline int64_t mcugen_clamp_int64(int64_t x, int64_t low, int64_t high)
{
    int64_t raised = x < low ? low : x;
    return raised > high ? high : raised;
}

static inline uint64_t mcugen_clamp_uint64(uint64_t x, uint64_t low, uint64_t high)
{
    uint64_t raised = x < low ? low : x;
    return raised > high ? high : raised;
}

static inline int8_t mcugen_float_to_int8(float x)
{
    return (int8_t)mcugen_clamp(mcugen_float_to_int32(x), INT8_MIN, INT8_MAX);
}

static inline uint8_t mcugen_float_to_uint8(float x)
{
    return (uint8_t)mcugen_clamp(mcugen_float_to_int32(x), 0, UINT8_MAX);
}

static inline int16_t mcugen_float_to_int16(float x)
{
    return (int16_t)mcugen_clamp(mcugen_float_to_int32(x), INT16_MIN, INT16_MAX);
}

static inline uint16_t mcugen_float_to_uint16(float x)
{
    return (uint16_t)mcugen_clamp(mcugen_float_to_int32(x), 0, UINT16_MAX);
}

static inline int8_t mcugen_double_to_int8(double x)
{
    return (int8_t)mcugen_clamp_int64(mcugen_double_to_int64(x), INT8_MIN, INT8_MAX);
}

static inline uint8_t mcugen_double_to_uint8(double x)
{
    return (uint8_t)mcugen_clamp_int64(mcugen_double_to_int64(x), 0, UINT8_MAX);
}

static inline int16_t mcugen_double_to_int16(double x)
{
    return (int16_t)mcugen_clamp_int64(mcugen_double_to_int64(x), INT16_MIN, INT16_MAX);
}

static inline uint16_t mcugen_double_to_uint16(double x)
{
    return (uint16_t)mcugen_clamp_int64(mcugen_double_to_int64(x), 0, UINT16_MAX);
}

static inline int32_t mcugen_double_to_int32(double x)
{
    return (int32_t)mcugen_clamp_int64(mcugen_double_to_int64(x), INT32_MIN, INT32_MAX);
}

static inline uint32_t mcugen_double_to_uint32(double x)
{
    return (uint32_t)mcugen_clamp_int64(mcugen_double_to_int64(x), 0, UINT32_MAX);
}

/*
 * To the nearest integer, halves to even, within [low, high]; NaN gives 0.
 * |low|, |high| < 2^22: adding 1.5 * 2^23 then leaves no fraction bits.
 */
static inline int32_t mcugen_float_round(float x, float low, float high)
{
    float number = x != x ? 0.0f : x;
    float raised = number < low ? low : number;
    float limited = raised > high ? high : raised;
    return (int32_t)((limited + 12582912.0f) - 12582912.0f);
}

#endif
