/* Bits of floats, rounding to integral values, remainders, square root: all exact. */
#ifndef MCUGEN_MATH_BITS_H
#define MCUGEN_MATH_BITS_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "mcugen needs IEEE arithmetic: compile without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "mcugen needs float arithmetic without excess precision (FLT_EVAL_METHOD 0)"
#endif

static inline uint32_t mcugen_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float mcugen_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float mcugen_inf(void)
{
    return mcugen_float_of(0x7F800000u);
}

static inline float mcugen_nan(void)
{
    return mcugen_float_of(0x7FC00000u);
}

static inline bool mcugen_isnan(float x)
{
    return (mcugen_bits_of(x) & 0x7FFFFFFFu) > 0x7F800000u;
}

static inline bool mcugen_signbit(float x)
{
    return (mcugen_bits_of(x) >> 31) != 0u;
}

static inline float mcugen_fabs(float x)
{
    return mcugen_float_of(mcugen_bits_of(x) & 0x7FFFFFFFu);
}

/* |magnitude| with the sign of `sign`. */
static inline float mcugen_copysign(float magnitude, float sign)
{
    return mcugen_float_of((mcugen_bits_of(magnitude) & 0x7FFFFFFFu) |
                           (mcugen_bits_of(sign) & 0x80000000u));
}

/* The smaller of two; NaN when either is. */
static inline float mcugen_min(float a, float b)
{
    return (a < b || a != a) ? a : b;
}

/* The larger of two; NaN when either is. */
static inline float mcugen_max(float a, float b)
{
    return (a > b || a != a) ? a : b;
}

/* x limited to [low, high]; NaN stays NaN. */
static inline float mcugen_clampf(float x, float low, float high)
{
    float raised = x < low ? low : x;
    return raised > high ? high : raised;
}

static inline double mcugen_clampd(double x, double low, double high)
{
    double raised = x < low ? low : x;
    return raised > high ? high : raised;
}

static inline float mcugen_trunc(float x)
{
    /* From 2^23 on a float has no fraction; below it the conversion stays within int32. */
    if (!(mcugen_fabs(x) < 8388608.0f)) {
        return x;
    }
    return mcugen_copysign((float)(int32_t)x, x);
}

static inline float mcugen_floor(float x)
{
    float t = mcugen_trunc(x);
    return t > x ? t - 1.0f : t;
}

static inline float mcugen_ceil(float x)
{
    float t = mcugen_trunc(x);
    return t < x ? t + 1.0f : t;
}

/* To nearest, halves to even. */
static inline float mcugen_rint(float x)
{
    float magnitude = mcugen_fabs(x);
    if (!(magnitude < 8388608.0f)) {
        return x;
    }
    /* The sum has no fraction bits: the addition itself rounds. */
    return mcugen_copysign((magnitude + 8388608.0f) - 8388608.0f, x);
}

/* To nearest, halves away from zero. */
static inline float mcugen_round(float x)
{
    float t = mcugen_trunc(x);
    return mcugen_fabs(x - t) >= 0.5f ? t + mcugen_copysign(1.0f, x) : t;
}

/* Correctly rounded square root; NaN below zero, -0 for -0. */
static inline float mcugen_sqrt(float x)
{
    if (!(x > 0.0f) || x == mcugen_inf()) {
        return x < 0.0f ? mcugen_nan() : x; /* zeros, inf and NaN are their own roots */
    }
    int32_t exponent = (int32_t)(mcugen_bits_of(x) >> 23);
    uint32_t mantissa = mcugen_bits_of(x) & 0x007FFFFFu;
    if (exponent > 0) {
        mantissa |= 0x00800000u;
    } else {
        exponent = 1;
        while (mantissa < 0x00800000u) {
            mantissa <<= 1;
            exponent -= 1;
        }
    }
    /* x = mantissa * 2^(exponent - 150), made even: mantissa becomes one of [2^24, 2^26). */
    int32_t shift = (exponent & 1) != 0 ? 1 : 2;
    mantissa <<= shift;
    exponent -= shift;
    /* 24 binary digits of sqrt(mantissa * 2^22), one per step, two digits brought down. */
    uint32_t root = 0u;
    uint32_t remainder = 0u;
    for (int32_t i = 0; i < 24; ++i) {
        remainder = (remainder << 2) | ((mantissa >> 24) & 3u);
        mantissa <<= 2;
        uint32_t trial = (root << 2) | 1u;
        root <<= 1;
        if (remainder >= trial) {
            remainder -= trial;
            root |= 1u;
        }
    }
    /* (root + 1/2)^2 = root^2 + root + 1/4: a tie cannot happen. */
    root += remainder > root ? 1u : 0u;
    return mcugen_float_of(((uint32_t)(exponent / 2 + 63) << 23) + root);
}

/* The exact remainder of x / y with the sign of x (C's fmod). */
static inline float mcugen_fmod(float x, float y)
{
    uint32_t x_bits = mcugen_bits_of(mcugen_fabs(x));
    uint32_t y_bits = mcugen_bits_of(mcugen_fabs(y));
    if (x_bits >= 0x7F800000u || y_bits > 0x7F800000u || y_bits == 0u) {
        return mcugen_nan();
    }
    if (x_bits < y_bits) {
        return x;
    }
    /* Value = mantissa * 2^(exponent - 150) with the smallest exponent 1: subnormals fit in. */
    int32_t x_exponent = x_bits < 0x00800000u ? 1 : (int32_t)(x_bits >> 23);
    int32_t y_exponent = y_bits < 0x00800000u ? 1 : (int32_t)(y_bits >> 23);
    uint32_t m = x_bits < 0x00800000u ? x_bits : (x_bits & 0x007FFFFFu) | 0x00800000u;
    uint32_t divisor = y_bits < 0x00800000u ? y_bits : (y_bits & 0x007FFFFFu) | 0x00800000u;
    int32_t steps = x_exponent - y_exponent;
    while (steps > 8) { /* m < 2^24: eight more digits fit */
        m = (m << 8) % divisor;
        steps -= 8;
    }
    m = (m << steps) % divisor;
    while (m != 0u && m < 0x00800000u && y_exponent > 1) {
        m <<= 1;
        y_exponent -= 1;
    }
    uint32_t bits = m < 0x00800000u ? m : ((uint32_t)(y_exponent - 1) << 23) + m;
    return mcugen_copysign(mcugen_float_of(bits), x);
}

/* The remainder with the sign of y (Python's %). */
static inline float mcugen_mod(float x, float y)
{
    float r = mcugen_fmod(x, y);
    if (r == 0.0f) {
        return mcugen_copysign(0.0f, y);
    }
    return mcugen_signbit(r) != mcugen_signbit(y) ? r + y : r;
}

#endif
