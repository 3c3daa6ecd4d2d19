/* Circular functions and their inverses. */
#ifndef MCUGEN_MATH_TRIG_H
#define MCUGEN_MATH_TRIG_H

#include "mcugen_math_bits.h"

#define MCUGEN_HALF_PI 1.57079637f
#define MCUGEN_HALF_PI_LOW -4.37113883e-08f

typedef struct {
    float rest;        /* in [-pi/4, pi/4] */
    uint32_t quadrant; /* modulo 4 */
} mcugen_angle;

/*
 * x = quadrant * pi/2 + rest for x >= 0, without loss for any finite x: the product of the
 * mantissa and as many digits of 2/pi as matter, in integers (Payne and Hanek, 1983).
 */
static inline mcugen_angle mcugen_reduce_angle(float x)
{
    static const uint32_t two_over_pi[8] = {/* digits of base 2^32, the first is the units */
        0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
        0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
    mcugen_angle angle = {x, 0u};
    if (!(x >= 0.785398185f)) {
        return angle;
    }
    uint32_t bits = mcugen_bits_of(x);
    uint64_t mantissa = (bits & 0x007FFFFFu) | 0x00800000u;
    /* x = mantissa * 2^(e - 150); 96 digits of 2/pi down to 2^-(e - 56), e in [126, 255]. */
    uint32_t position = (bits >> 23) - 56u;
    uint32_t word = position >> 5; /* 2 to 6 */
    uint32_t down = 32u - (position & 31u);
    uint64_t w0 = two_over_pi[word - 2u];
    uint64_t w1 = two_over_pi[word - 1u];
    uint64_t w2 = two_over_pi[word];
    uint64_t w3 = two_over_pi[word + 1u];
    uint64_t high = (((w0 << 32) | w1) >> down) & 0xFFFFFFFFu;
    uint64_t mid = (((w1 << 32) | w2) >> down) & 0xFFFFFFFFu;
    uint64_t low = (((w2 << 32) | w3) >> down) & 0xFFFFFFFFu;
    /* Quarter turns modulo 4, as a fixed-point number with 62 fraction bits. */
    uint64_t turns = ((mantissa * high) << 32) + mantissa * mid + ((mantissa * low) >> 32);
    uint64_t quadrant = (turns + ((uint64_t)1 << 61)) >> 62;
    uint64_t fraction = turns - (quadrant << 62);
    bool negative = (fraction >> 63) != 0u;
    float rest = (float)(int64_t)(negative ? 0u - fraction : fraction) * 3.40612167e-19f;
    angle.rest = negative ? -rest : rest;
    angle.quadrant = (uint32_t)quadrant & 3u;
    return angle;
}

/* sin(r) for |r| <= pi/4. */
static inline float mcugen_sin_kernel(float r)
{
    float z = r * r;
    float tail = ((2.71830254e-06f * z - 0.000198393333f) * z + 0.00833332911f) * z - 0.166666672f;
    return r + r * (z * tail);
}

/* cos(r) for |r| <= pi/4. */
static inline float mcugen_cos_kernel(float r)
{
    float z = r * r;
    float tail = (2.44330658e-05f * z - 0.00138873153f) * z + 0.0416666456f;
    return 1.0f - (0.5f * z - (z * z) * tail);
}

static inline float mcugen_sin(float x)
{
    mcugen_angle a = mcugen_reduce_angle(mcugen_fabs(x));
    float value = (a.quadrant & 1u) != 0u ? mcugen_cos_kernel(a.rest) : mcugen_sin_kernel(a.rest);
    bool negative = (a.quadrant >= 2u) != mcugen_signbit(x);
    return mcugen_fabs(x) < mcugen_inf() ? (negative ? -value : value) : mcugen_nan();
}

static inline float mcugen_cos(float x)
{
    mcugen_angle a = mcugen_reduce_angle(mcugen_fabs(x));
    float value = (a.quadrant & 1u) != 0u ? mcugen_sin_kernel(a.rest) : mcugen_cos_kernel(a.rest);
    bool negative = ((a.quadrant + 1u) & 2u) != 0u;
    return mcugen_fabs(x) < mcugen_inf() ? (negative ? -value : value) : mcugen_nan();
}

static inline float mcugen_tan(float x)
{
    mcugen_angle a = mcugen_reduce_angle(mcugen_fabs(x));
    float s = mcugen_sin_kernel(a.rest);
    float c = mcugen_cos_kernel(a.rest);
    float value = (a.quadrant & 1u) != 0u ? -(c / s) : s / c;
    value = mcugen_signbit(x) ? -value : value;
    return mcugen_fabs(x) < mcugen_inf() ? value : mcugen_nan();
}

/* asin(t) for 0 <= t <= 1/2. */
static inline float mcugen_asin_kernel(float t)
{
    float z = t * t;
    float tail = 0.0375782065f * z + 0.014393772f;
    tail = tail * z + 0.0318198279f;
    tail = tail * z + 0.0445154719f;
    tail = tail * z + 0.0750051215f;
    tail = tail * z + 0.166666597f;
    return t + t * (z * tail);
}

static inline float mcugen_asin(float x)
{
    float t = mcugen_fabs(x);
    if (t <= 0.5f) {
        return mcugen_copysign(mcugen_asin_kernel(t), x);
    }
    /* pi/2 - 2 asin(sqrt((1 - t) / 2)); beyond 1 the root is NaN. */
    float half = mcugen_asin_kernel(mcugen_sqrt((1.0f - t) * 0.5f));
    return mcugen_copysign(MCUGEN_HALF_PI - (2.0f * half - MCUGEN_HALF_PI_LOW), x);
}

static inline float mcugen_acos(float x)
{
    float t = mcugen_fabs(x);
    if (t <= 0.5f) {
        float a = mcugen_copysign(mcugen_asin_kernel(t), x);
        return MCUGEN_HALF_PI - (a - MCUGEN_HALF_PI_LOW);
    }
    float half = mcugen_asin_kernel(mcugen_sqrt((1.0f - t) * 0.5f));
    return x > 0.0f ? 2.0f * half : 2.0f * (MCUGEN_HALF_PI - (half - MCUGEN_HALF_PI_LOW));
}

static inline float mcugen_atan(float x)
{
    float t = mcugen_fabs(x);
    float u = t > 1.0f ? 1.0f / t : t;
    float z = u * u;
    float tail = -0.00179361773f * z + 0.0109145893f;
    tail = tail * z - 0.031177815f;
    tail = tail * z + 0.0579575635f;
    tail = tail * z - 0.0840344876f;
    tail = tail * z + 0.109521851f;
    tail = tail * z - 0.142642409f;
    tail = tail * z + 0.199985489f;
    tail = tail * z - 0.333332986f;
    float value = u + u * (z * tail);
    return mcugen_copysign(t > 1.0f ? MCUGEN_HALF_PI - (value - MCUGEN_HALF_PI_LOW) : value, x);
}

#endif
