/*
 * Exponentials, logarithms, power, and what neural networks make of them.
 *
 * x = k ln2 + r with |r| <= ln2 / 2, then a polynomial (minimax fits, coefficients rounded to
 * float32) and a scaling by 2^k in two halves, so that subnormal results round once. Written
 * without branches where it can be: a NaN goes through garbage integers, never through an
 * undefined conversion, and comes out as NaN.
 */
#ifndef MCUGEN_MATH_EXP_H
#define MCUGEN_MATH_EXP_H

#include "mcugen_math_bits.h"

/* Adding it to |x| < 2^22 rounds x to an integer, which is then in the low bits. */
#define MCUGEN_ROUNDER 12582912.0f
#define MCUGEN_ROUNDER_BITS 0x4B400000u
/* ln2 in two parts: the first has 15 bits, so that k times it is exact. */
#define MCUGEN_LN2_HIGH 0.693145752f
#define MCUGEN_LN2_LOW 1.42860677e-06f
#define MCUGEN_LOG2E 1.44269502f

/* value * 2^k for k in [-252, 252], rounded once. */
static inline float mcugen_scale(float value, uint32_t k)
{
    uint32_t sum = k + 254u; /* two biased exponents */
    uint32_t first = sum >> 1;
    return value * mcugen_float_of(first << 23) * mcugen_float_of((sum - first) << 23);
}

/* (exp(r) - 1 - r) / r^2 for |r| <= ln2 / 2; relative error of exp 2^-28. */
static inline float mcugen_exp_tail(float r)
{
    return (((0.00138144335f * r + 0.00836879667f) * r + 0.0416683964f) * r + 0.166665196f) * r +
           0.49999994f;
}

/* exp(x) * 2^extra for extra in {-1, 0}. */
static inline float mcugen_exp_scaled(float x, uint32_t extra)
{
    float limited = mcugen_clampf(x, -104.0f, 90.0f); /* beyond: 0 and inf anyway */
    float shifted = limited * MCUGEN_LOG2E + MCUGEN_ROUNDER;
    float k = shifted - MCUGEN_ROUNDER;
    float r = (limited - k * MCUGEN_LN2_HIGH) - k * MCUGEN_LN2_LOW;
    float value = (r + (r * r) * mcugen_exp_tail(r)) + 1.0f;
    return mcugen_scale(value, (mcugen_bits_of(shifted) - MCUGEN_ROUNDER_BITS) + extra);
}

static inline float mcugen_exp(float x)
{
    return mcugen_exp_scaled(x, 0u);
}

/* exp(x) - 1 without cancellation near 0. */
static inline float mcugen_expm1(float x)
{
    float limited = mcugen_clampf(x, -18.0f, 90.0f); /* below: -1 to the last bit */
    float shifted = limited * MCUGEN_LOG2E + MCUGEN_ROUNDER;
    float k = shifted - MCUGEN_ROUNDER;
    float r = (limited - k * MCUGEN_LN2_HIGH) - k * MCUGEN_LN2_LOW;
    uint32_t exponent = mcugen_bits_of(shifted) - MCUGEN_ROUNDER_BITS;
    /* exp(x) - 1 = 2^k (expm1(r) + (1 - 2^-k)); past 2^25 the 2^-k is lost. */
    float inverse = k > 25.0f ? 0.0f : mcugen_float_of((127u - exponent) << 23);
    float value = (r + (r * r) * mcugen_exp_tail(r)) + (1.0f - inverse);
    float result = mcugen_scale(value, exponent);
    return x == 0.0f ? x : result;
}

static inline float mcugen_log(float x)
{
    bool subnormal = x < 1.17549435e-38f;
    float normal = subnormal ? x * 8388608.0f : x; /* times 2^23 */
    /* normal = m * 2^k with m in [sqrt(1/2), sqrt(2)). */
    uint32_t offset = mcugen_bits_of(normal) - 0x3F3504F3u;
    float m = mcugen_float_of((offset & 0x007FFFFFu) + 0x3F3504F3u);
    float k = (float)((int32_t)((offset + 0x40000000u) >> 23) - 128) - (subnormal ? 23.0f : 0.0f);
    float f = m - 1.0f;
    float z = f * f;
    float tail = 0.0674834922f * f - 0.116778925f;
    tail = tail * f + 0.118886359f;
    tail = tail * f - 0.124052763f;
    tail = tail * f + 0.142194524f;
    tail = tail * f - 0.166680083f;
    tail = tail * f + 0.200021237f;
    tail = tail * f - 0.250000089f;
    tail = tail * f + 0.333333135f;
    tail = (f * z) * tail + k * MCUGEN_LN2_LOW;
    float result = (f + (tail - 0.5f * z)) + k * MCUGEN_LN2_HIGH;
    result = x < mcugen_inf() ? result : x; /* inf and NaN */
    result = x < 0.0f ? mcugen_nan() : result;
    return x == 0.0f ? -mcugen_inf() : result;
}

/* log(1 + x) without the loss of 1 + x near 0. */
static inline float mcugen_log1p(float x)
{
    float u = 1.0f + x;
    float lost = x - (u - 1.0f);
    float result = mcugen_log(u) + lost / u;
    /* u is 0, inf or NaN: the correction is none; a tiny x is its own logarithm. */
    result = (u > 0.0f && u < mcugen_inf()) ? result : mcugen_log(u);
    return mcugen_fabs(x) < 5.96046448e-08f ? x : result;
}

static inline float mcugen_sigmoid(float x)
{
    float e = mcugen_exp(-mcugen_fabs(x)); /* at most 1: nothing overflows */
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* log(1 + exp(x)) */
static inline float mcugen_softplus(float x)
{
    return mcugen_max(x, 0.0f) + mcugen_log1p(mcugen_exp(-mcugen_fabs(x)));
}

static inline float mcugen_tanh(float x)
{
    float t = mcugen_fabs(x);
    float z = t * t;
    float tail = -0.00571658975f * z + 0.0206501987f;
    tail = tail * z - 0.0537433848f;
    tail = tail * z + 0.133314908f;
    tail = tail * z - 0.333332837f;
    float small = t + t * (z * tail);
    float large = 1.0f - 2.0f / (mcugen_exp(2.0f * t) + 1.0f);
    return mcugen_copysign(t < 0.625f ? small : large, x);
}

/* The error function. */
static inline float mcugen_erf(float x)
{
    float t = mcugen_fabs(x);
    float z = t * t;
    float tail = 8.36957915e-05f * z - 0.000814258121f;
    tail = tail * z + 0.00520102168f;
    tail = tail * z - 0.0268593933f;
    tail = tail * z + 0.112836957f;
    tail = tail * z - 0.376126349f;
    tail = tail * z + 0.128379166f;
    float small = t + t * tail;
    /* 1 - exp(log(erfc(t))); from 4 on erfc is below half an ulp of 1. */
    float u = t > 4.0f ? 4.0f : t;
    float logarithm = 0.000195937449f * u - 0.00304321945f;
    logarithm = logarithm * u + 0.0222269278f;
    logarithm = logarithm * u - 0.103931613f;
    logarithm = logarithm * u - 0.637182236f;
    logarithm = logarithm * u - 1.12767565f;
    logarithm = logarithm * u - 0.000195673041f;
    float large = 1.0f - mcugen_exp(logarithm);
    return mcugen_copysign(t < 0.921875f ? small : large, x);
}

/* a * b - product exactly, product being a * b rounded (Dekker; no fused multiply-add). */
static inline float mcugen_product_error(float a, float b, float product)
{
    float a_high = mcugen_float_of(mcugen_bits_of(a) & 0xFFFFF000u);
    float b_high = mcugen_float_of(mcugen_bits_of(b) & 0xFFFFF000u);
    float a_low = a - a_high;
    float b_low = b - b_high;
    return ((a_high * b_high - product) + (a_high * b_low + a_low * b_high)) + a_low * b_low;
}

/* x^y for 0 < x < inf and finite y: log2(x) in two floats, times y, 2 to that. */
static inline float mcugen_pow_positive(float x, float y)
{
    bool subnormal = x < 1.17549435e-38f;
    uint32_t offset = mcugen_bits_of(subnormal ? x * 8388608.0f : x) - 0x3F3504F3u;
    float m = mcugen_float_of((offset & 0x007FFFFFu) + 0x3F3504F3u);
    float k = (float)((int32_t)((offset + 0x40000000u) >> 23) - 128) - (subnormal ? 23.0f : 0.0f);
    /* s = (m - 1) / (m + 1) = s_high + s_low; log2(m) = (2 / ln2) (s + s^3/3 + s^5/5 + ...) */
    float f = m - 1.0f;
    float d = m + 1.0f;
    float d_low = m - (d - 1.0f);
    float s = f / d;
    float sd = s * d;
    float s_low = (((f - sd) - mcugen_product_error(s, d, sd)) - s * d_low) / d;
    float z = s * s;
    float tail = ((0.117913835f * z + 0.142686397f) * z + 0.200001672f) * z + 0.333333313f;
    float rest = s_low + s * (z * tail);
    float a = s + rest;
    float a_low = rest - (a - s);
    float b = a * 2.88539004f;
    float b_low = mcugen_product_error(a, 2.88539004f, b) + (a * 3.85192607e-08f + a_low * 2.88539004f);
    float log2_high = k + b;
    float carried = log2_high - k;
    float log2_low = ((k - (log2_high - carried)) + (b - carried)) + b_low;
    /* Beyond 2^33 the result is 0, 1 or inf whatever y is. */
    float power = mcugen_clampf(y, -8589934592.0f, 8589934592.0f);
    float high = power * log2_high;
    float low = mcugen_product_error(power, log2_high, high) + power * log2_low;
    float limited = mcugen_clampf(high, -160.0f, 130.0f);
    float shifted = limited + MCUGEN_ROUNDER;
    float r = (limited - (shifted - MCUGEN_ROUNDER)) + (limited == high ? low : 0.0f);
    float e = 1.51959312e-05f * r + 0.000154670081f;
    e = e * r + 0.00133339386f;
    e = e * r + 0.00961803738f;
    e = e * r + 0.0555041023f;
    e = e * r + 0.240226507f;
    e = e * r + 0.693147182f;
    return mcugen_scale(1.0f + r * e, mcugen_bits_of(shifted) - MCUGEN_ROUNDER_BITS);
}

/* x^y with the special cases of C's pow. */
static inline float mcugen_pow(float x, float y)
{
    float magnitude = mcugen_fabs(x);
    float y_magnitude = mcugen_fabs(y);
    if (y == 0.0f || x == 1.0f) {
        return 1.0f;
    }
    if (x != x || y != y) {
        return mcugen_nan();
    }
    bool odd = y_magnitude < 16777216.0f && mcugen_trunc(y) == y &&
               (((uint32_t)y_magnitude) & 1u) != 0u;
    float sign = (mcugen_signbit(x) && odd) ? -1.0f : 1.0f;
    if (magnitude == 0.0f || magnitude == mcugen_inf()) {
        return (magnitude == 0.0f) == (y > 0.0f) ? sign * 0.0f : sign * mcugen_inf();
    }
    if (y_magnitude == mcugen_inf()) {
        if (magnitude == 1.0f) {
            return 1.0f;
        }
        return (magnitude > 1.0f) == (y > 0.0f) ? mcugen_inf() : 0.0f;
    }
    if (x < 0.0f && mcugen_trunc(y) != y) {
        return mcugen_nan();
    }
    return sign * mcugen_pow_positive(magnitude, y);
}

#endif
